// Compensated summation (Kahan 1965; Neumaier 1974): every thread keeps the rounding errors of its sum.
//
// Kahan's form loses a term that is larger than the sum so far; Neumaier's keeps it. Data: 1, 1e8, 1, -1e8, repeated.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                      \
  do {                                                                                   \
    const cudaError_t status = (call);                                                   \
    if (status != cudaSuccess) {                                                         \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      std::exit(EXIT_FAILURE);                                                           \
    }                                                                                    \
  } while (0)
struct kahan {
  float sum = 0, error = 0;
  __host__ __device__ void add(float x) {
    const float corrected = x - error, next = sum + corrected;
    error = (next - sum) - corrected;
    sum = next;
  }
  __host__ __device__ float value() const { return sum; }
};

struct neumaier {
  float sum = 0, error = 0;
  __host__ __device__ void add(float x) {
    const float next = sum + x;
    error += fabsf(sum) >= fabsf(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
  }
  __host__ __device__ float value() const { return sum + error; }
};

template <class Summation>
__global__ void sum_all(const float* x, float* partials, int n) {
  Summation thread_sum;
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, share = n / (gridDim.x * blockDim.x);
  for (int i = 0; i < share; ++i) thread_sum.add(x[thread * share + i]);
  partials[thread] = thread_sum.value();
}

template <class Summation>
float run(const float* d_x, int n) {
  const int threads = 64;
  std::vector<float> partials(threads);
  float* d_partials;
  CHECK(cudaMalloc(&d_partials, threads * sizeof(float)));
  sum_all<Summation><<<2, threads / 2>>>(d_x, d_partials, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(partials.data(), d_partials, threads * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_partials));
  Summation all;
  for (const float partial : partials) all.add(partial);
  return all.value();
}

int main() {
  const int n = 64 * 32;
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i) x[i] = i % 4 == 1 ? 1e8f : i % 4 == 3 ? -1e8f : 1.0f;
  float* d_x;
  CHECK(cudaMalloc(&d_x, n * sizeof(float)));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  const float by_kahan = run<kahan>(d_x, n), by_neumaier = run<neumaier>(d_x, n);
  std::printf("sum %d, Neumaier %g, Kahan %s\n", n / 2, by_neumaier, by_kahan == n / 2 ? "right" : "wrong");
  CHECK(cudaFree(d_x));
  return by_neumaier == n / 2 ? EXIT_SUCCESS : EXIT_FAILURE;
}
