// Collectives of CUB, one block each. See ../compiled.rs.
#include <cub/cub.cuh>

extern "C" __global__ void block_reduce(const unsigned *in, unsigned *out) {
    typedef cub::BlockReduce<unsigned, 256> Reduce;
    __shared__ typename Reduce::TempStorage storage;
    unsigned sum = Reduce(storage).Sum(in[threadIdx.x]);
    if (threadIdx.x == 0) *out = sum;
}

extern "C" __global__ void block_scan(unsigned *data) {
    typedef cub::BlockScan<unsigned, 256> Scan;
    __shared__ typename Scan::TempStorage storage;
    unsigned value = data[threadIdx.x], before;
    Scan(storage).ExclusiveSum(value, before);
    data[threadIdx.x] = before;
}

extern "C" __global__ void block_sort(unsigned *data) {
    typedef cub::BlockRadixSort<unsigned, 128, 4> Sort;
    __shared__ typename Sort::TempStorage storage;
    unsigned keys[4];
    for (int i = 0; i < 4; ++i) keys[i] = data[threadIdx.x * 4 + i];
    Sort(storage).Sort(keys);
    for (int i = 0; i < 4; ++i) data[threadIdx.x * 4 + i] = keys[i];
}

extern "C" __global__ void block_histogram(unsigned char *data, unsigned *counts) {
    typedef cub::BlockHistogram<unsigned char, 128, 4, 256> Histogram;
    __shared__ typename Histogram::TempStorage storage;
    __shared__ unsigned histogram[256];
    unsigned char bytes[4];
    for (int i = 0; i < 4; ++i) bytes[i] = data[threadIdx.x * 4 + i];
    Histogram(storage).Histogram(bytes, histogram);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += 128) counts[i] = histogram[i];
}

extern "C" __global__ void warp_collectives(unsigned *data, unsigned *out, unsigned n) {
    typedef cub::WarpReduce<unsigned> Reduce;
    __shared__ typename Reduce::TempStorage storage[8];
    unsigned value = threadIdx.x < n ? data[threadIdx.x] : 0;
    unsigned most = Reduce(storage[threadIdx.x / 32]).Reduce(value, ::cuda::maximum<>{});
    out[threadIdx.x] = __shfl_sync(0xFFFFFFFF, most, 0);
}
