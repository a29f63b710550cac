// Level 1 of cuBLAS with strides, backward vectors, both pointer modes and both types, against plain loops.
// options: -lcublas
// prints: ^0 wrong, peak at 5$
#include <cublas_v2.h>
#include <helper_cuda.h>
#include <cmath>
#include <cstdio>
#include <vector>
// notes: helper_cuda\.h: a stand-in

int wrong = 0;
void expect(double found, double wanted) {
  if (std::fabs(found - wanted) > 1e-5 * (1 + std::fabs(wanted))) ++wrong, std::printf("%g, not %g\n", found, wanted);
}
__global__ void scale(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

int main() {
  const int n = 100;
  std::vector<float> x(2 * n), y(3 * n), back(3 * n);
  std::vector<double> u(n), v(n);
  for (int i = 0; i < 2 * n; ++i) x[i] = 0.25f * (i % 7) - 0.5f;
  for (int i = 0; i < 3 * n; ++i) y[i] = 0.125f * (i % 5);
  for (int i = 0; i < n; ++i) u[i] = i - 40, v[i] = 1.0 / (i + 1);
  x[8] = -50;
  cublasHandle_t handle;
  checkCudaErrors(cublasCreate(&handle));
  float *dx, *dy, *device_result;
  double *du, *dv;
  cudaMalloc(&dx, 2 * n * sizeof(float)), cudaMalloc(&dy, 3 * n * sizeof(float));
  cudaMalloc(&du, n * sizeof(double)), cudaMalloc(&dv, n * sizeof(double)), cudaMalloc(&device_result, sizeof(float));
  cublasSetVector(2 * n, sizeof(float), x.data(), 1, dx, 1);
  cublasSetVector(3 * n, sizeof(float), y.data(), 1, dy, 1);
  cublasSetVector(n, sizeof(double), u.data(), 1, du, 1);
  cublasSetVector(n, sizeof(double), v.data(), 1, dv, 1);

  float sum = 0, dot = 0, backwards = 0, magnitude = 0, squares = 0;
  int peak = 0, peak_of_double = 0;
  cublasSdot(handle, n, dx, 2, dy, 3, &dot);
  cublasSdot(handle, n, dx, -2, dy, 3, &backwards);
  cublasSasum(handle, n, dx, 2, &magnitude);
  cublasSnrm2(handle, n, dx, 2, &squares);
  cublasIsamax(handle, n, dx, 2, &peak);
  double wanted = 0, wanted_back = 0, wanted_magnitude = 0, wanted_squares = 0;
  for (int i = 0; i < n; ++i) {
    wanted += x[2 * i] * y[3 * i], wanted_back += x[2 * (n - 1 - i)] * y[3 * i];
    wanted_magnitude += std::fabs(x[2 * i]), wanted_squares += x[2 * i] * x[2 * i];
  }
  expect(dot, wanted), expect(backwards, wanted_back), expect(magnitude, wanted_magnitude);
  expect(squares, std::sqrt(wanted_squares));

  double dot2 = 0, norm = 0, magnitude2 = 0, w = 0, w2 = 0, w3 = 0;
  cublasDdot(handle, n, du, 1, dv, 1, &dot2), cublasDnrm2(handle, n, du, 1, &norm);
  cublasDasum(handle, n, du, 1, &magnitude2), cublasIdamax(handle, n, du, 1, &peak_of_double);
  for (int i = 0; i < n; ++i) w += u[i] * v[i], w2 += u[i] * u[i], w3 += std::fabs(u[i]);
  expect(dot2, w), expect(norm, std::sqrt(w2)), expect(magnitude2, w3), expect(peak_of_double, 100);

  const float alpha = 2;
  cublasSaxpy(handle, n, &alpha, dx, 2, dy, 3);
  cublasGetVector(3 * n, sizeof(float), dy, 1, back.data(), 1);
  for (int i = 0; i < 3 * n; ++i) expect(back[i], y[i] + (i % 3 == 0 ? 2 * x[i / 3 * 2] : 0));
  cublasSscal(handle, n, &alpha, dy, 3);
  cublasScopy(handle, n, dy, 3, dx, -2);
  cublasGetVector(n, sizeof(float), dx, 2, back.data(), 1);
  for (int i = 0; i < n; ++i) expect(back[i], 2 * (y[3 * (n - 1 - i)] + 2 * x[2 * (n - 1 - i)]));
  const double half = 0.5;
  cublasDaxpy(handle, n, &half, du, 1, dv, 1), cublasDscal(handle, n, &half, du, 1);
  cublasDswap(handle, n, du, 1, dv, 1);
  std::vector<double> back2(n);
  cublasGetVector(n, sizeof(double), du, 1, back2.data(), 1);
  for (int i = 0; i < n; ++i) expect(back2[i], v[i] + 0.5 * u[i]);
  cublasDcopy(handle, n, dv, 1, du, 1);
  cublasGetVector(n, sizeof(double), du, 1, back2.data(), 1);
  for (int i = 0; i < n; ++i) expect(back2[i], 0.5 * u[i]);
  cublasSswap(handle, n, dx, 2, dy, 3);

  // on a stream, after a kernel and before one, with the result in the device's memory
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cublasSetStream(handle, stream);
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
  cudaDeviceSynchronize();
  scale<<<1, 128, 0, stream>>>(dx, n);
  cublasSasum(handle, n, dx, 1, device_result);
  scale<<<1, 1, 0, stream>>>(device_result, 1);
  cublasSscal(handle, 1, device_result, device_result, 1);
  cublasPointerMode_t mode;
  cublasGetPointerMode(handle, &mode);
  expect(mode, CUBLAS_POINTER_MODE_DEVICE);
  cudaMemcpyAsync(&sum, device_result, sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  std::vector<float> now(n);
  cudaMemcpy(now.data(), dx, n * sizeof(float), cudaMemcpyDeviceToHost);
  double total = 0;
  for (float value : now) total += std::fabs(value);
  expect(sum, 4 * total * total);
  checkCudaErrors(cublasDestroy(handle));
  std::printf("%d wrong, peak at %d\n", wrong, peak);
  cudaFree(dx), cudaFree(dy), cudaFree(du), cudaFree(dv), cudaFree(device_result);
}
