// Cooperative groups, half precision, libcu++, printf and the device's functions. See ../compiled.rs.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cuda/atomic>
#include <cuda_fp16.h>

namespace groups = cooperative_groups;

extern "C" __global__ void tiles(int *data) {
    auto tile = groups::tiled_partition<8>(groups::this_thread_block());
    data[threadIdx.x] = groups::reduce(tile, data[threadIdx.x], groups::plus<int>());
}

extern "C" __global__ void halves(__half *data) {
    data[threadIdx.x] = __hfma(data[threadIdx.x], __float2half(0.25f), __float2half(0.5f));
}

extern "C" __global__ void counters(int *counter) {
    cuda::atomic_ref<int, cuda::thread_scope_device> total(*counter);
    total.fetch_add(1, cuda::memory_order_relaxed);
    if (threadIdx.x == 0)
        printf("block %d of %d: %.2f\n", blockIdx.x, gridDim.x, blockIdx.x / (double)gridDim.x);
}

extern "C" __global__ void functions(float *data) {
    float x = data[threadIdx.x];
    data[threadIdx.x] = sinf(x) + logf(x) + expf(sqrtf(x)) + powf(x, 1.5f);
}
