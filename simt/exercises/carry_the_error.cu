//! title: Carry the error along
//! topic: exact sums
//! call: void sum(const float* x, int n, double* out)
//! fails: Wrong result for n = \d+: \*out: expected -?[\d.]+, found
//! hint: `two_sum` returns what each addition has lost. Now it is thrown away.
//! hint: The float `errors` of each thread is for them. It goes to partials beside the sum, and the host's part adds both.
//! hint: Add `error` to `errors` after each addition.
//! learnt: two floats a thread, the sum and its errors, give nearly twice the digits; merging must keep both.
// *out = the sum of the x[i]. Each of 32 threads adds its elements in a float and loses the small ones next to the large ones.
// Collect what is lost. The values are such that sum and errors are then exact.
#include <cuda_runtime.h>

#include <cstdio>

// Returns a + b rounded, and its rounding error (TwoSum).
__device__ float two_sum(float a, float b, float* error) {
  float sum = a + b, b_part = sum - a, a_part = sum - b_part;
  *error = (a - a_part) + (b - b_part);
  return sum;
}

__global__ void sum_per_thread(const float* x, int n, float* partials) {
  int t = threadIdx.x;
  float sum = 0, errors = 0;
  for (int i = t; i < n; i += 32) {
    float error;
    sum = two_sum(sum, x[i], &error);
#ifdef SOLUTION
    errors += error;
#else
#endif
  }
  partials[2 * t] = sum;
  partials[2 * t + 1] = errors;
}

// x and out are in the device's memory
void sum(const float* x, int n, double* out) {
  float *partials, values[64];
  double total = 0;
  cudaMalloc(&partials, sizeof values);
  sum_per_thread<<<1, 32>>>(x, n, partials);
  cudaMemcpy(values, partials, sizeof values, cudaMemcpyDeviceToHost);
  for (float value : values) total += value;
  cudaMemcpy(out, &total, sizeof total, cudaMemcpyHostToDevice);
  cudaFree(partials);
}

int main() {
  const int n = 320;
  float* x;
  double* out;
  cudaMallocManaged(&x, n * sizeof(float));
  cudaMallocManaged(&out, sizeof(double));
  for (int i = 0; i < n; ++i) x[i] = i < 32 ? 16777216 : 1;  // 2^24 + 1 is no float
  sum(x, n, out);
  cudaDeviceSynchronize();
  std::printf("the sum is %.0f; computed: %.0f\n", 32 * 16777216.0 + n - 32, *out);
  cudaFree(x);
  cudaFree(out);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {0, 1, 31, 33, 200, 321}) {
    begin_case(n);
    std::vector<float> numbers;
    double expected = 0;
    for (int i = 0; i < n; ++i) {
      numbers.push_back(i % 64 < 32 ? 16777216.0f : static_cast<float>(1 + i % 7));
      expected += numbers.back();
    }
    const device_array<float> x(numbers);
    const device_array<double> out(1);
    sum(x, n, out);
    expect_equal("*out", out.value(), expected);
  }
}
#endif
