// CUDA's bit, arithmetic, conversion, vector, load and store functions, against their definitions in the CUDA Math
// API and the CUDA C++ Programming Guide.
#include "self_check.cuh"

namespace {
using namespace simt_test;

__global__ void bits(failed_checks* checks) {
  expect(checks, __clz(0) == 32 && __clz(1) == 31 && __clz(-1) == 0);
  expect(checks, __clzll(0) == 64 && __clzll(1LL << 40) == 23);
  expect(checks, __ffs(0) == 0 && __ffs(1) == 1 && __ffs(-2147483647 - 1) == 32);
  expect(checks, __ffsll(0) == 0 && __ffsll(1LL << 40) == 41);
  expect(checks, __popc(0xf0f0U) == 8 && __popcll(0xffULL << 50) == 8);
  expect(checks, __brev(1U) == 0x80000000U && __brev(0x0f000000U) == 0xf0U);
  expect(checks, __brevll(1ULL) == 1ULL << 63 && __brevll(0xfULL << 32) == 0xf0000000ULL);
  expect(checks, __funnelshift_l(0x89abcdefU, 0x01234567U, 8) == 0x23456789U);
  expect(checks, __funnelshift_l(0x89abcdefU, 0x01234567U, 40) == 0x23456789U);  // 40 & 31
  expect(checks, __funnelshift_l(1U, 2U, 0) == 2U && __funnelshift_r(1U, 2U, 0) == 1U);
  expect(checks, __funnelshift_r(0x89abcdefU, 0x01234567U, 8) == 0x6789abcdU);
  expect(checks, __funnelshift_lc(1U, 2U, 40) == 1U && __funnelshift_rc(1U, 2U, 40) == 2U);
  expect(checks, __funnelshift_lc(0x89abcdefU, 0x01234567U, 8) == 0x23456789U);
  expect(checks, __byte_perm(0x03020100U, 0x07060504U, 0x3210U) == 0x03020100U);
  expect(checks, __byte_perm(0x03020100U, 0x07060504U, 0x0477U) == 0x00040707U);
  expect(checks,
         __vmaxu2(0x0001fffeU, 0x8000ffffU) == 0x8000ffffU && __vmaxu2(0x00020001U, 0x00010002U) == 0x00020002U);
  expect(checks, __viaddmax_u16x2(0x00010002U, 0x00030004U, 0x00050001U) == 0x00050006U);
  expect(checks, __viaddmax_u16x2(0xffffffffU, 0x00020001U, 0U) == 0x00010000U);  // no carry, modulo 2^16
  expect(checks, __mulhi(-1, 1) == -1 && __mulhi(1 << 30, 8) == 2);
  expect(checks, __umulhi(0xffffffffU, 0xffffffffU) == 0xfffffffeU);
  expect(checks, __mul64hi(-1LL, 1LL) == -1 && __mul64hi(1LL << 62, 8) == 2);
  expect(checks, __umul64hi(~0ULL, ~0ULL) == ~1ULL);
}

__global__ void representations(failed_checks* checks) {
  expect(checks, __float_as_int(-1.0F) == static_cast<int>(0xbf800000U) && __float_as_uint(1.0F) == 0x3f800000U);
  expect(checks, __int_as_float(0x40000000) == 2.0F && __uint_as_float(0x40000000U) == 2.0F);
  expect(checks, __double_as_longlong(1.0) == 0x3ff0000000000000LL);
  expect(checks, __longlong_as_double(0x4000000000000000LL) == 2.0);
  expect(checks, __double2hiint(1.0) == 0x3ff00000 && __double2loint(1.0) == 0);
  expect(checks, __hiloint2double(0x3ff00000, 1) == 1.0 + 0x1p-52);
}

__global__ void arithmetic(failed_checks* checks) {
  const float third = 1.0F / 3;
  const double a = 1 + 0x1p-30;
  expect(checks, __fmaf_rn(third, 3, -1) == 0x1p-25F && __fma_rn(a, a, -1 - 0x1p-29) == 0x1p-60);
  expect(checks, __fmul_rn(third, 3) - 1 == 0 && __dmul_rn(a, a) == 1 + 0x1p-29);
  expect(checks, __fadd_rn(1, 0x1p-24F) == 1 && __dadd_rn(1, 0x1p-53) == 1);
  expect(checks, __fsub_rn(1, 0x1p-26F) == 1 && __dsub_rn(1, 0x1p-55) == 1);
  expect(checks, __fdiv_rn(1, 3) == third && __ddiv_rn(1, 4) == 0.25);
  expect(checks, __fsqrt_rn(2) == 0x1.6a09e6p0F && __dsqrt_rn(2) == 0x1.6a09e667f3bcdp0);
  expect(checks, __frcp_rn(3) == third && __drcp_rn(4) == 0.25);
  expect(checks, min(3, -2) == -2 && max(2.0, 3.0) == 3.0 && max(-1, 5U) == 0xffffffffU && min(1LL, 2) == 1);
  expect(checks, rsqrt(16.0) == 0.25 && rsqrtf(4.0F) == 0.5F);
}

/// With one NaN, max and min return the other argument (CUDA Math API, fmaxf).
__global__ void extremes(failed_checks* checks, float nan) {
  const double wide_nan = nan;
  expect(checks, max(nan, 1.0F) == 1 && max(1.0F, nan) == 1 && min(nan, 1.0F) == 1 && min(1.0F, nan) == 1);
  expect(checks, max(wide_nan, 1.0) == 1 && max(1.0, wide_nan) == 1);
  expect(checks, min(wide_nan, 1.0) == 1 && min(1.0, wide_nan) == 1);
  expect(checks, max(nan, 1.0) == 1 && max(1.0, nan) == 1 && min(wide_nan, 1.0F) == 1 && min(1.0F, wide_nan) == 1);
  expect(checks, isnan(max(nan, nan)) && isnan(min(wide_nan, wide_nan)) && isnan(max(nan, wide_nan)));
  expect(checks, max(-2.0F, 1.0F) == 1 && min(-2.0F, 1.0F) == -2 && max(2.0, 3.0) == 3 && min(2.0, 3.0) == 2);
  expect(checks, max(1.0F, 1 + 0x1p-52) == 1 + 0x1p-52 && min(1 + 0x1p-52, 2.0F) == 1 + 0x1p-52);
}

template <class T, class U>
concept have_extremes = requires(T x, U y) {
  max(x, y);
  min(x, y);
};
static_assert(have_extremes<int, unsigned> && have_extremes<long long, int> && have_extremes<float, double>);
static_assert(!have_extremes<float, int> && !have_extremes<int, double>);  // ambiguous in CUDA

__global__ void conversions(failed_checks* checks, float infinity, float nan) {
  const int max_int = 2147483647;
  const long long max_long = 9223372036854775807LL;
  expect(checks, __int2float_rn(16777217) == 16777216.0F && __uint2float_rn(0xffffffffU) == 0x1p32F);
  expect(checks, __ll2float_rn(-3) == -3 && __ull2float_rn(~0ULL) == 0x1p64F);
  expect(checks, __int2double_rn(max_int) == 2147483647.0 && __uint2double_rn(0xffffffffU) == 4294967295.0);
  expect(checks, __ll2double_rn((1LL << 53) + 1) == 0x1p53 && __ull2double_rn(~0ULL) == 0x1p64);
  expect(checks, __double2float_rn(1 + 0x1p-24) == 1);
  expect(checks, __float2int_rn(2.5F) == 2 && __float2int_rz(-2.9F) == -2);
  expect(checks, __float2int_rz(infinity) == max_int && __float2int_rz(-infinity) == -max_int - 1);
  expect(checks, isnan(nan) && isinf(infinity) && !isfinite(infinity) && signbit(-0.0F));
  expect(checks, __float2int_rz(nan) == 0 && __double2ll_rz(nan) == -max_long - 1);
  expect(checks, __double2int_rn(-3.5) == -4 && __double2int_rz(3e9) == max_int);
  expect(checks, __double2ll_rn(0x1p52 + 0.5) == 1LL << 52 && __double2ll_rz(-1e300) == -max_long - 1);
  expect(checks, __double2ll_rz(-0x1p63) == -max_long - 1 && __double2ll_rz(0x1p63) == max_long);
}

static_assert(sizeof(char1) == 1 && sizeof(uchar3) == 3 && alignof(char4) == 4 && alignof(ushort4) == 8);
static_assert(sizeof(int3) == 12 && alignof(int2) == 8 && alignof(uint4) == 16 && alignof(float4) == 16);
static_assert(sizeof(double3) == 24 && alignof(double2) == 16 && alignof(longlong2) == 16 && alignof(ulong2) == 16);

__global__ void vectors(failed_checks* checks, const float4* x, ulonglong2* y) {
  const float4 v = __ldg(x + threadIdx.x);
  expect(checks, v.x == 1 && v.y == 2 && v.z == 3 && v.w == 4);
  expect(checks, __ldca(x).y == 2 && __ldcg(x).z == 3 && __ldcs(x).w == 4 && __ldlu(x).x == 1 && __ldcv(x).y == 2);
  __stcs(y + threadIdx.x, make_ulonglong2(threadIdx.x, 7));
  __syncthreads();
  const ulonglong2 next = y[(threadIdx.x + 1) % blockDim.x];
  expect(checks, next.x == (threadIdx.x + 1) % blockDim.x && next.y == 7);
  __syncthreads();
  auto* const words = reinterpret_cast<unsigned long long*>(y + threadIdx.x);
  __stcg(words, 1ULL), __stwb(words + 1, 2ULL);
  expect(checks, y[threadIdx.x].x == 1 && y[threadIdx.x].y == 2);
  __stwt(words, 3ULL);
  expect(checks, words[0] == 3 && make_double2(1, 2).y == 2 && make_short4(1, 2, 3, 4).w == 4);
}

TEST(simt_functions, match_cuda) {
  expect_all_hold(bits, 1, 1);
  expect_all_hold(representations, 1, 1);
  expect_all_hold(arithmetic, 1, 1);
  expect_all_hold(extremes, 1, 1, 0, NAN);
  expect_all_hold(conversions, 1, 1, 0, INFINITY, NAN);
}

TEST(simt_functions, vectors_are_loaded_and_stored) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model});
    const std::vector<float4> numbers(64, make_float4(1, 2, 3, 4));
    filled<float4> x(stream, 64, numbers.data());
    gpu::buffer<ulonglong2> y(stream, 64);
    EXPECT_EQ(failures_of(stream, vectors, 1, 64, 0, static_cast<const float4*>(x.data()), y.data()), "");
  }
}

__global__ void wrong(failed_checks* checks) {
  expect(checks, __clz(1) == 32);  // wrong
}

TEST(simt_functions, a_failed_check_is_reported) {
  gpu::stream stream;
  EXPECT_EQ(failures_of(stream, wrong, 1, 1, 0), "line " + std::to_string(line_of(__FILE__, "wrong")) + "\n");
}

}  // namespace
