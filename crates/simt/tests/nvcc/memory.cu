// The heap, the dynamic stack, atomics, asynchronous copies, 8-bit floats and assertions. See
// ../compiled.rs.
// The barrier is initialised by hand.
#pragma nv_diag_suppress static_var_with_dynamic_init
#include <alloca.h>
#include <cassert>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>
#include <cuda_fp8.h>

namespace groups = cooperative_groups;

struct Node {
    int value;
    Node *next;
};

extern "C" __global__ void lists(int *out, int n) {
    Node *head = nullptr;
    for (int i = 0; i < n; ++i) {
        Node *node = (Node *)malloc(sizeof(Node));
        assert(node != nullptr);
        node->value = i * threadIdx.x;
        node->next = head;
        head = node;
    }
    int sum = 0;
    while (head) {
        Node *next = head->next;
        sum += head->value;
        free(head);
        head = next;
    }
    // No heap is that large.
    if (malloc(size_t(1) << 40) != nullptr) sum = -1;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void objects(int *out) {
    int n = threadIdx.x + 1;
    int *array = new int[n];
    for (int i = 0; i < n; ++i) array[i] = i * i;
    out[threadIdx.x] = array[n - 1] + array[n / 2];
    delete[] array;
}

extern "C" __global__ void stack(int *out) {
    int n = threadIdx.x % 7 + 1;
    int *array = (int *)alloca(n * sizeof(int));
    for (int i = 0; i < n; ++i) array[i] = threadIdx.x + i;
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += array[(i * 3 + 1) % n];
    out[threadIdx.x] = sum;
}

extern "C" __global__ void atomics(int *counts, float *sum, unsigned long long *most, double *twice) {
    atomicAdd(&counts[threadIdx.x % 4], 1);
    atomicAdd(sum, 0.5f);
    atomicMax(most, (unsigned long long)threadIdx.x * 1000000007ull);
    unsigned long long *bits = (unsigned long long *)twice, old = *bits, seen;
    do {
        seen = old;
        double next = __longlong_as_double(seen) + 0.25;
        old = atomicCAS(bits, seen, __double_as_longlong(next));
    } while (old != seen);
    // Whoever has the same remainder adds together.
    auto same = groups::labeled_partition(groups::coalesced_threads(), threadIdx.x % 3);
    if (same.thread_rank() == 0) atomicAdd(&counts[4 + threadIdx.x % 3], same.size());
}

extern "C" __global__ void copies(const int *in, int *out) {
    __shared__ int tile[128];
    auto block = groups::this_thread_block();
    groups::memcpy_async(block, tile, in, sizeof(int) * 128);
    groups::wait(block);
    int first = tile[127 - threadIdx.x];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    block.sync();
    tile[threadIdx.x] = first * 2;
    barrier.arrive_and_wait();
    out[threadIdx.x] = first + tile[(threadIdx.x + 1) % 128];
}

extern "C" __global__ void bytes(const float *in, float *out) {
    out[threadIdx.x] = float(__nv_fp8_e4m3(in[threadIdx.x])) + float(__nv_fp8_e5m2(in[threadIdx.x]));
}

extern "C" __global__ void asserts(int *data) {
    assert(data[threadIdx.x] < 30);
    data[threadIdx.x] += 1;
}
