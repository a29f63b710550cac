// Three ways to time a kernel that measure something else, and the right one; the sum is right in all.
//
// Without waiting: the launch alone. The first launch: the start of the context too. Through the copy: the bus too. Right:
// events around launches after the first. Times of simtcc's programs are steps of the simulator.
#include <cuda_runtime.h>

#include <chrono>
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

__global__ void sum_grid(const float* x, float* sum, int n) {
  float thread_sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) thread_sum += x[i];
  atomicAdd(sum, thread_sum);
}

// Milliseconds on the host's clock; starts anew with every call.
double since_last_call() {
  static auto previous = std::chrono::steady_clock::now();
  const auto current = std::chrono::steady_clock::now();
  const double passed = std::chrono::duration<double, std::milli>(current - previous).count();
  previous = current;
  return passed;
}

int main() {
  const int n = 4096, launches = 4;
  const std::vector<float> x(n, 1.0f);
  float *d_x, *d_sum, sum = 0, right = 0;
  CHECK(cudaMalloc(&d_x, n * sizeof(float)));
  CHECK(cudaMalloc(&d_sum, sizeof(float)));
  CHECK(cudaMemset(d_sum, 0, sizeof(float)));
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));

  since_last_call();
  sum_grid<<<4, 64>>>(d_x, d_sum, n);
  CHECK(cudaDeviceSynchronize());
  const double first = since_last_call();
  sum_grid<<<4, 64>>>(d_x, d_sum, n);
  const double without_waiting = since_last_call();
  CHECK(cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  sum_grid<<<4, 64>>>(d_x, d_sum, n);
  CHECK(cudaDeviceSynchronize());
  const double through_copy = since_last_call();
  CHECK(cudaEventRecord(start));
  sum_grid<<<4, 64>>>(d_x, d_sum, n);
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  CHECK(cudaEventElapsedTime(&right, start, stop));

  CHECK(cudaMemcpy(&sum, d_sum, sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("first launch %.4g ms, without waiting %.4g, through the copy %.4g; by events %.4g\n", first, without_waiting,
              through_copy, static_cast<double>(right));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_sum));
  return sum == launches * n ? EXIT_SUCCESS : EXIT_FAILURE;
}
