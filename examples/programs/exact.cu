// The dot product of floats as a real number, rounded once: products are added as integers, in an accumulator as wide as all of
// them (Kulisch's long accumulator).
//
// The accumulator has 20 limbs of 32 bits, from 2^-298, the lowest bit of a product, upwards. A limb lies in a word of 64 bits,
// so that 2^29 products fit before a carry has to move. Integers add in any order: atomics give the same bits on every grid. The
// elements have to be finite. Data: 1e30, 1, -1e30, repeated.
#include <cuda_runtime.h>

#include <cmath>
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

using word = unsigned long long;
constexpr int limbs = 20, lowest = -298;

struct parts {
  word digits;   // |x| = digits * 2^exponent
  int exponent;
};

__device__ parts split(float x) {
  const unsigned bits = __float_as_uint(x), exponent = bits >> 23 & 255, fraction = bits & 0x7fffff;
  if (exponent == 0) return {fraction, -149};
  return {fraction | 0x800000, static_cast<int>(exponent) - 150};
}

__device__ void add_product(word* limb, float a, float b) {
  const parts x = split(a), y = split(b);
  const word product = x.digits * y.digits;  // at most 48 bits: exact
  const int place = x.exponent + y.exponent - lowest, first = place / 32, shift = place % 32;
  const word low = (product & 0xffffffff) << shift, high = product >> 32 << shift;
  const word pieces[3] = {low & 0xffffffff, (low >> 32) + (high & 0xffffffff), high >> 32};
  for (int k = 0; k < 3; ++k) atomicAdd(&limb[first + k], (a < 0) != (b < 0) ? 0 - pieces[k] : pieces[k]);
}

__global__ void add_exactly(const float* a, const float* b, int n, word* sum) {
  __shared__ word limb[limbs];
  if (threadIdx.x < limbs) limb[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) add_product(limb, a[i], b[i]);
  __syncthreads();
  if (threadIdx.x < limbs) atomicAdd(&sum[threadIdx.x], limb[threadIdx.x]);
}

float rounded(const word* sum) {
  for (const int sign : {1, -1}) {
    word digit[limbs];
    long long carry = 0;
    for (int k = 0; k < limbs; ++k, carry >>= 32) {
      carry += sign * static_cast<long long>(sum[k]);
      digit[k] = carry & 0xffffffff;
    }
    if (carry < 0) continue;  // the sum is negative: round its opposite
    int top = limbs - 1;
    while (top > 1 && digit[top] == 0) --top;
    word head = digit[top] << 32 | digit[top - 1];
    for (int k = 0; k < top - 1; ++k) head |= digit[k] != 0;  // of the others, only whether there are any
    int exponent = lowest + 32 * (top - 1);
    for (; head >> 53 != 0; ++exponent) head = head >> 1 | (head & 1);
    return sign * static_cast<float>(std::ldexp(static_cast<double>(head), exponent));  // the one rounding
  }
  return 0;
}

float dot(const std::vector<float>& a, const std::vector<float>& b, int blocks) {
  const int n = static_cast<int>(a.size());
  float *d_a, *d_b;
  word *d_sum, sum[limbs];
  CHECK(cudaMalloc(&d_a, n * sizeof(float)));
  CHECK(cudaMalloc(&d_b, n * sizeof(float)));
  CHECK(cudaMalloc(&d_sum, sizeof sum));
  CHECK(cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_sum, 0, sizeof sum));
  add_exactly<<<blocks, 128>>>(d_a, d_b, n, d_sum);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
  CHECK(cudaFree(d_sum));
  return rounded(sum);
}

int main() {
  const int n = 3 * 512;
  std::vector<float> a(n), b(n, 1);
  float loop = 0;
  for (int i = 0; i < n; ++i) a[i] = i % 3 == 0 ? 1e30f : i % 3 == 1 ? 1.0f : -1e30f;
  for (int i = 0; i < n; ++i) loop += a[i] * b[i];
  const float sum = dot(a, b, 4), on_another_grid = dot(a, b, 7);
  std::printf("sum %g of %d ones; in a float %g\n", sum, n / 3, loop);
  return sum == n / 3 && on_another_grid == sum ? EXIT_SUCCESS : EXIT_FAILURE;
}
