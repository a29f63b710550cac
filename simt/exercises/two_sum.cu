//! title: The error of an addition
//! topic: exact sums
//! call: void add(const float* a, const float* b, float* sum, float* error, int n)
//! fails: Wrong result for n = \d+: error\[\d+\]: expected
//! hint: error = b - (sum - a) is exact only if a is not the smaller one. Which elements fail?
//! hint: Without a comparison: let b_part = sum - a and a_part = sum - b_part: what of b and of a has arrived in the sum.
//! hint: The error is (a - a_part) + (b - b_part): TwoSum (D. Knuth, 1969), six operations for any order of a and b.
//! learnt: the rounding error of a + b is a float itself; TwoSum computes it without a branch, the shorter form needs |a| >= |b|.
// sum[i] = a[i] + b[i] rounded to a float, and error[i] what the rounding has lost: sum[i] + error[i] == a[i] + b[i], exactly.
// It works if a[i] is the larger one.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void add_with_error(const float* a, const float* b, float* sum, float* error, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  sum[i] = a[i] + b[i];
#ifdef SOLUTION
  float b_part = sum[i] - a[i];
  float a_part = sum[i] - b_part;
  error[i] = (a[i] - a_part) + (b[i] - b_part);
#else
  error[i] = b[i] - (sum[i] - a[i]);
#endif
}

// all in the device's memory
void add(const float* a, const float* b, float* sum, float* error, int n) {
  add_with_error<<<n / 64 + 1, 64>>>(a, b, sum, error, n);
}

int main() {
  float* x;
  cudaMallocManaged(&x, 8 * sizeof(float));
  x[0] = 1 << 24, x[1] = 1, x[2] = 1, x[3] = 1 << 24;  // in both orders
  add(x, x + 2, x + 4, x + 6, 2);
  cudaDeviceSynchronize();
  for (int i = 0; i < 2; ++i) std::printf("%.9g + %.9g = %.9g, error %g\n", x[i], x[2 + i], x[4 + i], x[6 + i]);
  cudaFree(x);
}

#ifdef CHECK
void exercise::check() {
  for (int n : {0, 1, 2, 65, 200}) {
    begin_case(n);
    std::mt19937 random(static_cast<unsigned>(n));
    std::vector<float> left, right, sums, errors;
    for (int i = 0; i < n; ++i) {
      const float large = static_cast<float>(random() % 16777216) * 64, small = static_cast<float>(random() % 16777216) / 1024;
      left.push_back(i % 2 == 0 ? large : small);
      right.push_back(i % 2 == 0 ? small : large);
      const double exact = static_cast<double>(left.back()) + right.back();
      sums.push_back(static_cast<float>(exact));
      errors.push_back(static_cast<float>(exact - sums.back()));
    }
    const device_array<float> a(left), b(right), sum(left.size()), error(left.size());
    add(a, b, sum, error, n);
    expect_equal("sum", sum.values(), sums);
    expect_equal("error", error.values(), errors);
  }
}
#endif
