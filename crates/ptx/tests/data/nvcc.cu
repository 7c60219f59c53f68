// CUDA C++ without any header: all that its PTX holds comes from this file.
//
//     nvcc -ptx -arch=sm_90 -lineinfo -o nvcc.ptx nvcc.cu
//
// nvcc.ptx is kept beside it, so that the tests need no CUDA.

struct Line {
    float slope;
    int offset;
};

__constant__ float table[16] = {1.0f, 2.0f, 3.0f, 4.5f};
__device__ int counter = 7;
__device__ int *counter_address = &counter;
extern __shared__ char dynamic[];

__device__ __noinline__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __noinline__ float plus(float a, float b) { return a + b; }
__device__ __noinline__ float times(float a, float b) { return a * b; }
typedef float (*operation)(float, float);
__device__ operation operations[2] = {plus, times};

__device__ __forceinline__ float on_line(Line line, float x) {
    return x * line.slope + line.offset;
}

extern "C" __global__ void recursion(int *out, int n) {
    out[threadIdx.x] = fibonacci(n + threadIdx.x % 3);
}

extern "C" __global__ void function_pointers(float *out, const float *in, int which) {
    int i = threadIdx.x;
    out[i] = operations[(which + i) & 1](in[i], table[i & 15]);
}

extern "C" __global__ void switch_table(int *out, int k) {
    int v = out[threadIdx.x];
    switch (k) {
    case 0: v += 1; break;
    case 1: v *= 3; break;
    case 2: v ^= 0x55; break;
    case 3: v -= 9; break;
    case 4: v = v << 3; break;
    case 5: v /= 7; break;
    case 6: v %= 5; break;
    case 7: v = ~v; break;
    case 8: v = -v; break;
    default: v = 0;
    }
    out[threadIdx.x] = v;
}

extern "C" __global__ void __launch_bounds__(256, 2)
    shared_sum(float *out, const float *__restrict__ in, Line line) {
    __shared__ float tile[256];
    tile[threadIdx.x] = on_line(line, in[blockIdx.x * 256 + threadIdx.x]);
    __syncthreads();
    for (int half = 128; half; half >>= 1) {
        if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = tile[0] + dynamic[5];
}

extern "C" __global__ void doubles(double *out, const double *a, const double *b) {
    int i = threadIdx.x;
    out[i] = a[i] / b[i] + a[i] * b[i];
}

extern "C" __global__ void local_array(int *out, int n) {
    int a[32], sum = 0;
    for (int i = 0; i < 32; ++i) a[i] = out[i] * n;
    for (int i = 0; i < n; ++i) sum += a[(i * 7) & 31];
    out[threadIdx.x] = sum;
}

extern "C" __global__ void inline_assembly(unsigned *out, unsigned a) {
    unsigned sum;
    asm("{ .reg .pred p; .reg .b32 t;\n\t"
        "setp.ne.u32 p, %1, 0; selp.u32 t, 5, 6, p;\n\t"
        "add.cc.u32 t, t, %1; addc.u32 %0, t, 0; }"
        : "=r"(sum) : "r"(a));
    out[threadIdx.x] = sum;
}
