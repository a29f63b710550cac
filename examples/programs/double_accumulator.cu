// Products and partial sums in double, for inputs in float: an error that is orders of magnitude smaller.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cmath>

#define CHECK(call)                                                                      \
  do {                                                                                   \
    const cudaError_t status = (call);                                                   \
    if (status != cudaSuccess) {                                                         \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      std::exit(EXIT_FAILURE);                                                           \
    }                                                                                    \
  } while (0)
template <typename accumulator>
__global__ void dot(const float* a, const float* b, accumulator* sum, int n) {
  __shared__ accumulator cache[64];
  accumulator thread_sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    thread_sum += static_cast<accumulator>(a[i]) * b[i];
  cache[threadIdx.x] = thread_sum;
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) cache[threadIdx.x] += cache[threadIdx.x + stride];
  }
  if (threadIdx.x == 0) atomicAdd(sum, cache[0]);
}

template <typename accumulator>
double error_of(const float* a, const float* b, int n, double exact) {
  accumulator *d_sum, sum = 0;
  CHECK(cudaMalloc(&d_sum, sizeof sum));
  CHECK(cudaMemcpy(d_sum, &sum, sizeof sum, cudaMemcpyHostToDevice));
  dot<accumulator><<<2, 64>>>(a, b, d_sum, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_sum));
  return std::fabs(static_cast<double>(sum) - exact);
}

int main() {
  const int n = 10000;
  std::vector<float> a(n), b(n, 1.0f);
  double exact = 0;
  for (int i = 0; i < n; ++i) {
    a[i] = 1.0f + 1.0f / static_cast<float>(i + 3);
    exact += a[i];
  }
  float *d_a, *d_b;
  CHECK(cudaMalloc(&d_a, n * sizeof(float)));
  CHECK(cudaMalloc(&d_b, n * sizeof(float)));
  CHECK(cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  const double single_error = error_of<float>(d_a, d_b, n, exact), double_error = error_of<double>(d_a, d_b, n, exact);
  std::printf("error in float %s, in double %s\n", single_error > 1e-6 ? "above 1e-6" : "small",
              double_error < 1e-9 ? "below 1e-9" : "large");
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
  return double_error < 1e-9 && single_error > double_error ? EXIT_SUCCESS : EXIT_FAILURE;
}
