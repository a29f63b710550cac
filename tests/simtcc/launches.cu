// Every way to write a launch and dynamic shared memory; compiles with nvcc too. Prints what does not hold.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#include "launches.cuh"

#define LAUNCH(kernel, blocks, ...) kernel<<<blocks, 32>>>(__VA_ARGS__)
#define LAUNCH_TWICE(kernel, ...) \
  do {                            \
    kernel<<<1, 32>>>(__VA_ARGS__); \
    kernel<<<1, 32>>>(__VA_ARGS__); \
  } while (0)
#define BODY(type) \
  extern __shared__ type words[]; \
  words[threadIdx.x] = type(1);   \
  __syncthreads();                \
  if (threadIdx.x == 0) add_to(sum, int(words[0] + words[31]));

__device__ void add_to(int* sum, int x) { atomicAdd(sum, x); }

__global__ void add(int* sum, int x) { atomicAdd(sum, x); }
__global__ void add(int* sum, double x) { atomicAdd(sum, 2 * static_cast<int>(x)); }  // an overload
template <class T, int factor = 1>
__global__ void add_scaled(int* sum, T x) {
  atomicAdd(sum, factor * static_cast<int>(x));
}
template <class... Numbers>
__global__ void add_all(int* sum, Numbers... numbers) {
  const int all = (0 + ... + numbers);
  atomicAdd(sum, all);
}
__global__ void add_optional(int* sum, const int* pointer, int x = 3) {
  x += pointer == nullptr ? 1 : *pointer;  // parameters are the thread's own
  if (threadIdx.x % 2 == 0) return;
  atomicAdd(sum, x);
}
__global__ void float_words(int* sum) { BODY(float) }
namespace outer {
namespace inner {
__global__ void double_words(int* sum) { BODY(double) }
extern __shared__ __align__(16) short file_words[];
__global__ void words_of_file(int* sum) {
  file_words[threadIdx.x] = 2;
  __syncthreads();
  if (threadIdx.x == 31) add_to(sum, file_words[0] + file_words[31]);
}
}  // namespace inner
}  // namespace outer
template <class T>
__global__ void template_words(int* sum) {
  extern __shared__ T typed[];
  typed[threadIdx.x] = T(threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) add_to(sum, static_cast<int>(typed[31]));
}
__global__ void two_dimensional(int* sum) {
  extern __shared__ int rows[][8];
  rows[threadIdx.x / 8][threadIdx.x % 8] = 1;
  __syncthreads();
  if (threadIdx.x == 0) add_to(sum, rows[3][7]);
}
struct by_member {
  void (*kernel)(int*, int);
  void run(int* sum) const { kernel<<<1, 32>>>(sum, 1); }
};

static int* device_sum;
static int failures = 0;

static void expect(int wanted, const char* name) {
  int sum = -1;
  cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) error = cudaMemcpy(&sum, device_sum, sizeof sum, cudaMemcpyDeviceToHost);
  if (error != cudaSuccess || sum != wanted) {
    std::printf("%s: %d, expected %d (%s)\n", name, sum, wanted, cudaGetErrorString(error));
    ++failures;
  }
  cudaMemset(device_sum, 0, sizeof sum);
}

int main() {
  cudaMalloc(&device_sum, sizeof(int));
  cudaMemset(device_sum, 0, sizeof(int));
  int* const sum = device_sum;
  cudaStream_t stream;
  cudaStreamCreate(&stream);

  add<<<2, 32>>>(sum, 1);
  expect(64, "plain");
  add<<<dim3(2, 2), dim3(8, 4), 0, stream>>>(sum, 1.0);
  expect(256, "overload, stream");
  add_scaled<int, (3 > 2 ? 5 : 7)><<<1, 32>>>(sum, 1);
  expect(160, "template arguments");
  add_scaled<<<(64 >> 1) / 32, 32>>>(sum, 2.5f);
  expect(64, "deduced template, shift");
  add_all<<<1, 32>>>(sum, 1, 2u, 3L);
  expect(192, "pack");
  add_optional<<<1, 32>>>(sum, NULL);
  expect(64, "default argument, NULL");
  LAUNCH(add, 1, sum, 1);
  expect(32, "macro");
  LAUNCH_TWICE(add, sum, 1);
  expect(64, "macro of two launches");
  if (failures == 0) add<<<1, 32>>>(sum, 1); else add<<<2, 32>>>(sum, 1);
  expect(32, "if and else");
  add<<<  // a comment with <<< and >>>
      1, /* >>> */ 32,
      0>>>(
      sum,
      1);
  expect(32, "several lines");
  void (*pointer)(int*, int) = add;
  pointer<<<1, 32>>>(sum, 1);
  (*pointer)<<<1, 32>>>(sum, 1);
  by_member{add}.run(sum);
  by_member members[1] = {{add}};
  members[0].kernel<<<1, 32>>>(sum, 1);
  expect(128, "pointers to kernels");
  [&] { ::add<<<1, 32>>>(sum, 1); }();
  expect(32, "lambda, qualified");
  float_words<<<1, 32, 32 * sizeof(float)>>>(sum);
  outer::inner::double_words<<<1, 32, 32 * sizeof(double)>>>(sum);
  outer::inner::words_of_file<<<1, 32, 32 * sizeof(short)>>>(sum);
  expect(8, "extern __shared__");
  template_words<char><<<1, 32, 32>>>(sum);
#ifdef __SIMTCC__
  template_words<unsigned char><<<1, 32, 32>>>(sum);  // for nvcc the array would have two types
#else
  template_words<char><<<1, 32, 32>>>(sum);
#endif
  two_dimensional<<<1, 32, 32 * sizeof(int)>>>(sum);
  expect(63, "extern __shared__ in templates, in two dimensions");
  from_header<<<1, 32>>>(sum);
  launch_from_header(sum);
  expect(64, "header");
  int one = 1;
  void* arguments[] = {(void*)&sum, &one};
  void (*kernel)(int*, int) = add;
  cudaLaunchKernel((const void*)kernel, dim3(1), dim3(32), arguments, 0, 0);
  expect(32, "cudaLaunchKernel");
  const char* const text = "kernel<<<1, 1>>>()";
  std::printf("%s %s\n", R"x(a<<<1,1>>>()x)x", failures == 0 && text[6] == '<' ? "all hold" : "failed");
  cudaFree(device_sum);
  return failures;
}
