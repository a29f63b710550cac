// Programs that go wrong, each chosen by its name: what the report says of them is checked by cases.py.
//
// A line with a planted fault ends in a comment with its name.
#include <cuda_runtime.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda/barrier>

__global__ void lose_additions(int* sum) {
  *sum += 1;  // race
}
__device__ int depth_of(int depth, volatile char* below) {
  volatile char frame[1024];
  frame[0] = below == nullptr ? 1 : below[0];
  return depth == 0 ? frame[0] : depth_of(depth - 1, frame) + frame[0];
}
__global__ void recurse(int* result) { *result = depth_of(1000, nullptr); }
__global__ void large_frame(int* result) {
  volatile char frame[200000];
  for (int i = 0; i < 200000; i += 100) frame[i] = 1;
  *result = frame[100];
}
__global__ void spin(volatile int* flag) {
  while (*flag == 0) {  // spin
  }
}
__global__ void loop(int* result) {
  volatile unsigned i = 1;
  while (i != 0) i = i | 1U;  // loop
  *result = static_cast<int>(i);
}
__global__ void empty_loop(int* result) {
  unsigned i = 1;
  while (i != 0) i += 2;  // empty loop
  *result = static_cast<int>(i);
}
__global__ void fail(const int* x) {
  assert(*x == 2);  // assert
}
__global__ void overrun(int* x) {
  x[threadIdx.x] = 1;  // overrun
}
__global__ void use_host(int* x) {
  *x = 1;  // foreign
}
__global__ void divide(int* x) {
  x[1] = 7 / x[0];  // division
}
__global__ void misalign(char* x) {
  *reinterpret_cast<double*>(x + 4) = 1;  // misaligned
}
__global__ void misalign_vector(float* x) {
  x[0] = reinterpret_cast<const float4*>(x + 2)->y;  // vector
}
__device__ __noinline__ void fill(int* to, int n) {
  for (int i = 0; i < n; ++i) to[i] = n;
}
__global__ void overrun_local_array(int* x) {
  int values[4];
  fill(values, x[0] + 8);
  x[1] = values[1];
}
__constant__ int limits[2] = {1, 2};
__constant__ const int fixed = 3;
__global__ void write_constant(int* x) {
  int* const target = x[0] == 0 ? limits : x;  // nvcc refuses a write to `limits` itself
  target[1] = fixed;                           // constant
}
__global__ void barrier_after_return(int* x) {
  if (threadIdx.x >= 5) return;
  __syncthreads();  // early return
  x[threadIdx.x] = 1;
}
__global__ void leave_barrier_out(int* x) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  if (threadIdx.x != 5) bar.arrive_and_wait();  // barrier left out
  x[threadIdx.x % 8] = 1;
}
__global__ void shuffle_with_width(int* x, int width) {
  const int value = __shfl_sync(0xffffffffU, static_cast<int>(threadIdx.x), 0, width);  // width
  if (threadIdx.x == 0) x[0] = value;
}
__global__ void nothing() {}

static int check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return 0;
  std::printf("%s: %s\n", call, cudaGetErrorName(error));
  return 1;
}
static int end(const char* name) { return check(cudaDeviceSynchronize(), name); }

__global__ void fill_all(int* x) {
  memset(x, 0x11 * static_cast<int>(threadIdx.x), 16);  // memset race
}
__global__ void fill_too_much(int* x) {
  std::memset(x, 0, 9 * sizeof(int));  // memset overrun
}
__global__ void fill_and_copy(int* x) {
  __shared__ int s[8];
  if (threadIdx.x == 0) memset(s, 0, sizeof s);
  __syncthreads();
  s[threadIdx.x] += static_cast<int>(threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) std::memcpy(x, s, sizeof s);
}
__global__ void read_never_written(int* x) {
  __shared__ int s[8];
  x[threadIdx.x] = s[threadIdx.x];  // never written
}
__global__ void unequal_masks(int* x) {
  __syncwarp(threadIdx.x < 16 ? 0xffffffffU : 0xffff0000U);  // unequal masks
  x[threadIdx.x % 8] = 0;
}
__global__ void write_first(int* x) {
  *x = 1;  // released
}
__global__ void endless_barriers(int* x) {
  for (long i = 0; i < 1L << 40; ++i) __syncthreads();
  *x = 1;
}

int main(int count, char** arguments) {
  const char* const name = count > 1 ? arguments[1] : "";
  const auto is = [name](const char* wanted) { return std::strcmp(name, wanted) == 0; };
  int *x, host = 0;
  cudaMalloc(&x, 8 * sizeof(int));
  cudaMemset(x, 0, 8 * sizeof(int));
  if (is("race")) lose_additions<<<2, 64>>>(x);
  if (is("barrier left out")) leave_barrier_out<<<1, 32>>>(x);
  if (is("width")) shuffle_with_width<<<1, 32>>>(x, 0);
  if (is("stack")) recurse<<<1, 1>>>(x);
  if (is("frame")) large_frame<<<1, 1>>>(x);
  if (is("spin")) spin<<<1, 32>>>(x);
  if (is("loop")) loop<<<1, 1>>>(x);
  if (is("empty loop")) empty_loop<<<1, 1>>>(x);
  if (is("assert")) fail<<<1, 1>>>(x);
  if (is("overrun")) overrun<<<1, 32>>>(x);
  if (is("foreign")) use_host<<<1, 1>>>(&host);
  if (is("division")) divide<<<1, 1>>>(x);
  if (is("misaligned")) misalign<<<1, 1>>>(reinterpret_cast<char*>(x));
  if (is("vector")) misalign_vector<<<1, 1>>>(reinterpret_cast<float*>(x));
  if (is("local array")) overrun_local_array<<<1, 1>>>(x);
  if (is("constant")) write_constant<<<1, 1>>>(x);
  if (is("early return")) barrier_after_return<<<1, 64>>>(x);
  if (is("unasked")) nothing<<<1, 2048>>>();  // unasked
  if (is("asked")) {
    nothing<<<1, 2048>>>();
    std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  }
  if (is("memory")) return check(cudaMalloc(&x, size_t{1} << 50), "cudaMalloc");
  if (is("unwritten")) {
    int* fresh;
    cudaMalloc(&fresh, sizeof(int));
    cudaMemcpy(&host, fresh, sizeof(int), cudaMemcpyDeviceToHost);  // unwritten
  }
  if (is("host")) std::printf("%d\n", x[0]);  // host
  if (is("memset race")) fill_all<<<1, 32>>>(x);
  if (is("memset overrun")) fill_too_much<<<1, 1>>>(x);
  if (is("never written")) read_never_written<<<1, 8>>>(x);
  if (is("unequal masks")) unequal_masks<<<1, 32>>>(x);
  if (is("endless barriers")) endless_barriers<<<1, 32>>>(x);
  if (is("released")) {
    cudaFree(x);
    int* other;
    cudaMalloc(&other, 8 * sizeof(int));
    write_first<<<1, 1>>>(x);
  }
  if (is("memset and memcpy")) {
    int values[8];
    fill_and_copy<<<1, 8>>>(x);
    cudaMemcpy(values, x, sizeof values, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 8; ++i) std::printf("%d ", values[i]);
    std::printf("\n");
  }
  if (is("_Exit")) {
    lose_additions<<<2, 64>>>(x);
    std::_Exit(0);
  }
  if (is("quick_exit")) {
    lose_additions<<<2, 64>>>(x);
    std::quick_exit(0);
  }
  if (is("quick_exit 5")) {
    lose_additions<<<2, 64>>>(x);
    std::quick_exit(5);
  }
  if (is("abort")) {
    lose_additions<<<2, 64>>>(x);
    std::abort();
  }
  if (is("exit")) {
    lose_additions<<<2, 64>>>(x);
    std::exit(3);
  }
  return end(name);
}
