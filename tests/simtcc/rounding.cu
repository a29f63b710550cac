// Directed rounding: operations and conversions whose exact result lies between two numbers, by two warps at once,
// whose turns may end within them; the mode lasts for one operation only. Compiles with nvcc too.
#include <cuda_runtime.h>

#include <cstdio>

__device__ void expect(int* failures, bool holds) {
  if (!holds) atomicAdd(failures, 1);
}

template <class T>
__host__ __device__ bool rounds_to_nearest(T one, T tiny) {
  return one + tiny == 1 && one - tiny == 1;
}

__global__ void operations(int* failures, float one, float tiny, double d_one, double d_tiny) {
  const float above = 1 + 0x1p-23f, below = 1 - 0x1p-24f;
  expect(failures, __fadd_rd(one, tiny) == 1 && __fadd_ru(one, tiny) == above && __fadd_rz(one, tiny) == 1);
  expect(failures,
         __fadd_rd(-one, -tiny) == -above && __fadd_ru(-one, -tiny) == -1 && __fadd_rz(-one, -tiny) == -1);
  expect(failures, __fsub_rd(one, tiny) == below && __fsub_ru(one, tiny) == 1 && __fsub_rz(one, tiny) == below);
  expect(failures, __fmul_rd(above, above) == 1 + 0x1p-22f && __fmul_ru(above, above) == 1 + 0x1.8p-22f);
  expect(failures, __fmul_rz(-above, above) == -(1 + 0x1p-22f));
  expect(failures, __fdiv_rd(one, 3) == 0x1.555554p-2f && __fdiv_ru(one, 3) == 0x1.555556p-2f);
  expect(failures, __fsqrt_rd(2 * one) == 0x1.6a09e6p+0f && __fsqrt_ru(2 * one) == 0x1.6a09e8p+0f);
  expect(failures, __frcp_rd(3 * one) == 0x1.555554p-2f && __frcp_ru(3 * one) == 0x1.555556p-2f);
  expect(failures, __fmaf_rd(one, one, tiny) == 1 && __fmaf_ru(one, one, tiny) == above);
  expect(failures, __fadd_rd(one, -one) == 0 && 1 / __fadd_rd(one, -one) < 0 && 1 / __fadd_ru(one, -one) > 0);
  const float largest = 0x1.fffffep+127f;
  expect(failures, __fadd_rd(largest, largest) == largest && __fadd_ru(largest, largest) > largest);
  const double d_above = 1 + 0x1p-52;
  expect(failures, __dadd_rd(d_one, d_tiny) == 1 && __dadd_ru(d_one, d_tiny) == d_above);
  expect(failures, __dsub_rz(d_one, d_tiny) == 1 - 0x1p-53 && __dmul_ru(d_above, d_above) == 1 + 0x1.8p-51);
  expect(failures, __ddiv_rd(d_one, 3) < __ddiv_ru(d_one, 3) && __dsqrt_rz(2 * d_one) == 0x1.6a09e667f3bccp+0);
  expect(failures, __fma_rd(d_one, d_one, d_tiny) == 1 && __fma_ru(d_one, d_one, d_tiny) == d_above);
  expect(failures, __drcp_rd(3 * d_one) < __drcp_ru(3 * d_one));
  expect(failures, __fadd_rn(one, tiny) == 1 && rounds_to_nearest(one, tiny) && rounds_to_nearest(d_one, d_tiny));
}

/// Lanes take the two branches of a square root.
__global__ void square_roots(int* failures, float one, float tiny, double d_one, double d_tiny) {
  const bool is_even = threadIdx.x % 2 == 0;
  const float x = is_even ? 2 * one : -one;
  expect(failures, is_even ? __fsqrt_rd(x) == 0x1.6a09e6p+0f : isnan(__fsqrt_rd(x)));
  expect(failures, rounds_to_nearest(one, tiny));
  expect(failures, is_even ? __fsqrt_ru(x) == 0x1.6a09e8p+0f : isnan(__fsqrt_ru(x)));
  expect(failures, rounds_to_nearest(one, tiny));
  expect(failures, is_even ? __fsqrt_rz(x) == 0x1.6a09e6p+0f : isnan(__fsqrt_rz(x)));
  expect(failures, rounds_to_nearest(one, tiny));
  const double y = is_even ? 2 * d_one : -d_one;
  expect(failures, is_even ? __dsqrt_rd(y) == 0x1.6a09e667f3bccp+0 : isnan(__dsqrt_rd(y)));
  expect(failures, rounds_to_nearest(d_one, d_tiny));
  expect(failures, is_even ? __dsqrt_ru(y) == 0x1.6a09e667f3bcdp+0 : isnan(__dsqrt_ru(y)));
  expect(failures, rounds_to_nearest(d_one, d_tiny));
  expect(failures, is_even ? __dsqrt_rz(y) == 0x1.6a09e667f3bccp+0 : isnan(__dsqrt_rz(y)));
  expect(failures, rounds_to_nearest(d_one, d_tiny));
}

__global__ void conversions(int* failures, double x, float y, int many) {
  expect(failures, __double2int_rz(x) == 2 && __double2int_rd(-x) == -3 && __double2int_ru(x) == 3);
  expect(failures, __double2int_rn(x) == 2 && __double2uint_ru(x) == 3 && __double2uint_rd(-x) == 0);
  expect(failures, __double2ll_rd(-x) == -3 && __double2ull_rn(x * 4) == 10 && __double2ull_rz(1e30) == ~0ULL);
  expect(failures, __float2int_rd(-y) == -3 && __float2int_ru(y) == 3 && __float2uint_rz(y) == 2);
  expect(failures, __float2ll_ru(-y) == -2 && __float2ull_rd(y) == 2 && __float2uint_rn(4e9f) == 4000000000U);
  expect(failures, __double2float_rd(x + 0x1p-40) == 2.5f && __double2float_ru(x + 0x1p-40) == 2.5f + 0x1p-22f);
  expect(failures, __double2float_rz(-x - 0x1p-40) == -2.5f);
  expect(failures, __int2float_rd(many) == 0x1p24f && __int2float_ru(many) == 0x1p24f + 2);
  expect(failures, __uint2float_rz(many) == 0x1p24f && __ll2float_ru(-many) == -0x1p24f);
  const long long long_many = (1LL << 53) + 1;
  expect(failures, __ll2double_rd(long_many) == 0x1p53 && __ll2double_ru(long_many) == 0x1p53 + 2);
  expect(failures, __ull2double_rz(~0ULL) == 0x1.fffffffffffffp63 && __ull2double_ru(~0ULL) == 0x1p64);
}

int main() {
  int *failures, failed = 0;
  cudaMalloc(&failures, sizeof(int));
  cudaMemset(failures, 0, sizeof(int));
  volatile float one = 1, tiny = 0x1p-30f;
  operations<<<1, 64>>>(failures, one, tiny, 1, 0x1p-60);
  square_roots<<<1, 64>>>(failures, one, tiny, 1, 0x1p-60);
  conversions<<<1, 64>>>(failures, 2.5, 2.5f, (1 << 24) + 1);
  cudaMemcpy(&failed, failures, sizeof(int), cudaMemcpyDeviceToHost);
  failed += !rounds_to_nearest<float>(one, tiny);  // nor has the host's mode changed
  std::printf(failed == 0 ? "all hold\n" : "%d do not hold\n", failed);
  return failed != 0;
}
