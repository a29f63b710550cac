// Every atomic function once per type: each returns the old value, and what it leaves in memory is checked.
//
// One thread, so that each result is known: the table of a reference, as a program.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                      \
  do {                                                                                   \
    const cudaError_t status = (call);                                                   \
    if (status != cudaSuccess) {                                                         \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      std::exit(EXIT_FAILURE);                                                           \
    }                                                                                    \
  } while (0)

template <class T>
__device__ void expect(T returned, T left, T old, T wanted, int* wrong) {
  if (returned != old || left != wanted) atomicAdd(wrong, 1);
}

// The additions and exchanges, which every type has.
template <class T>
__global__ void add_and_exchange(T* x, int* wrong) {
  T old = atomicAdd(x, T(3));
  expect(old, *x, T(7), T(10), wrong);
  old = atomicExch(x, T(5));
  expect(old, *x, T(10), T(5), wrong);
}

template <class T>
__global__ void integers(T* x, int* wrong) {
  T old = atomicMin(x, T(2));
  expect(old, *x, T(7), T(2), wrong);
  old = atomicMax(x, T(6));
  expect(old, *x, T(2), T(6), wrong);
  old = atomicAnd(x, T(12));
  expect(old, *x, T(6), T(4), wrong);
  old = atomicOr(x, T(3));
  expect(old, *x, T(4), T(7), wrong);
  old = atomicXor(x, T(5));
  expect(old, *x, T(7), T(2), wrong);
  old = atomicCAS(x, T(9), T(1));  // no match: nothing is stored
  expect(old, *x, T(2), T(2), wrong);
  old = atomicCAS(x, T(2), T(1));
  expect(old, *x, T(2), T(1), wrong);
}

__global__ void unsigned_only(unsigned* x, int* wrong) {
  unsigned old = atomicSub(x, 2U);
  expect(old, *x, 7U, 5U, wrong);
  old = atomicInc(x, 5U);  // 5 >= 5: wraps to 0
  expect(old, *x, 5U, 0U, wrong);
  old = atomicDec(x, 5U);  // 0: wraps to 5
  expect(old, *x, 0U, 5U, wrong);
}

template <class T>
void run(void (*kernel)(T*, int*), int* d_wrong) {
  T *d_x, x = T(7);
  CHECK(cudaMalloc(&d_x, sizeof(T)));
  CHECK(cudaMemcpy(d_x, &x, sizeof(T), cudaMemcpyHostToDevice));
  kernel<<<1, 1>>>(d_x, d_wrong);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(d_x));
}

int main() {
  int *d_wrong, wrong = 0;
  CHECK(cudaMalloc(&d_wrong, sizeof(int)));
  CHECK(cudaMemset(d_wrong, 0, sizeof(int)));
  run<int>(add_and_exchange<int>, d_wrong);
  run<unsigned>(add_and_exchange<unsigned>, d_wrong);
  run<unsigned long long>(add_and_exchange<unsigned long long>, d_wrong);
  run<float>(add_and_exchange<float>, d_wrong);
  run<int>(integers<int>, d_wrong);
  run<unsigned>(integers<unsigned>, d_wrong);
  run<unsigned long long>(integers<unsigned long long>, d_wrong);
  run<unsigned>(unsigned_only, d_wrong);
  CHECK(cudaMemcpy(&wrong, d_wrong, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%d wrong results\n", wrong);
  CHECK(cudaFree(d_wrong));
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
