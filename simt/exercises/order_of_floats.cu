//! title: The order of floats
//! topic: exact sums
//! call: void sum(const float* x, int n, double* out)
//! fails: Wrong result for n = \d+: \*out: expected -?[\d.]+, found
//! hint: Each addition of floats is rounded, and the order of the threads decides what is lost. Which sums are never rounded?
//! hint: Integers. Every x[i] * 65536 is an integer below 2^36 in size: a sum of them fits into 64 bits and has no order.
//! hint: Negative integers wrap around, which is right: atomicAdd on unsigned long long, then read the bits as long long.
//! learnt: integer additions commute without error; numbers of a known range are added exactly as integers, in any order.
// *out = the exact sum of the x[i], each a multiple of 1/65536 and less than 2^20 in size. The sum in a float depends on the
// order of the threads. Use *total, 64 bits that are 0 at the beginning, and let `finish` write the result.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void add_all(const float* x, int n, unsigned long long* total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef SOLUTION
  if (i < n) atomicAdd(total, static_cast<unsigned long long>(static_cast<long long>(x[i] * 65536.0)));
}

__global__ void finish(const unsigned long long* total, double* out) {
  *out = static_cast<double>(static_cast<long long>(*total)) / 65536;
#else
  float* sum = reinterpret_cast<float*>(total);
  if (i < n) atomicAdd(sum, x[i]);
}

__global__ void finish(const unsigned long long* total, double* out) {
  *out = *reinterpret_cast<const float*>(total);
#endif
}

// x and out are in the device's memory
void sum(const float* x, int n, double* out) {
  unsigned long long* total;
  cudaMalloc(&total, sizeof *total);
  cudaMemset(total, 0, sizeof *total);
  add_all<<<n / 64 + 1, 64>>>(x, n, total);
  finish<<<1, 1>>>(total, out);
  cudaFree(total);
}

int main() {
  float* x;
  double* out;
  cudaMallocManaged(&x, 3 * sizeof(float));
  cudaMallocManaged(&out, sizeof(double));
  x[0] = 1000000, x[1] = 1 / 65536.0f, x[2] = -1000000;
  sum(x, 3, out);
  cudaDeviceSynchronize();
  std::printf("1000000 + 1/65536 - 1000000 = %g\n", *out);
  cudaFree(x);
  cudaFree(out);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {0, 1, 2, 65, 300}) {
    begin_case(n);
    std::mt19937 random(7);
    std::vector<float> numbers;
    double expected = 0;  // of multiples of 2^-16 below 2^53 * 2^-16: exact
    for (int i = 0; i < n; ++i) {
      const float scale = i % 2 == 0 ? 1.0f : 1.0f / 65536;
      numbers.push_back(static_cast<float>(static_cast<int>(random() % 2000001) - 1000000) * scale);
      expected += numbers.back();
    }
    const device_array<float> x(numbers);
    const device_array<double> out(1);
    sum(x, n, out);
    expect_equal("*out", out.value(), expected);
  }
}
#endif
