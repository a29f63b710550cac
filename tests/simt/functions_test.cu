// CUDA's functions of values: bits, arithmetic, conversions, vectors, loads and stores, each against its definition
// in the CUDA Math API and the CUDA C++ Programming Guide.
#include "self_check.cuh"

namespace {
using namespace simt_test;

__global__ void bits(broken* to) {
  expect(to, __clz(0) == 32 && __clz(1) == 31 && __clz(-1) == 0);
  expect(to, __clzll(0) == 64 && __clzll(1LL << 40) == 23);
  expect(to, __ffs(0) == 0 && __ffs(1) == 1 && __ffs(-2147483647 - 1) == 32);
  expect(to, __ffsll(0) == 0 && __ffsll(1LL << 40) == 41);
  expect(to, __popc(0xf0f0U) == 8 && __popcll(0xffULL << 50) == 8);
  expect(to, __brev(1U) == 0x80000000U && __brev(0x0f000000U) == 0xf0U);
  expect(to, __brevll(1ULL) == 1ULL << 63 && __brevll(0xfULL << 32) == 0xf0000000ULL);
  expect(to, __funnelshift_l(0x89abcdefU, 0x01234567U, 8) == 0x23456789U);
  expect(to, __funnelshift_l(0x89abcdefU, 0x01234567U, 40) == 0x23456789U);  // 40 & 31
  expect(to, __funnelshift_l(1U, 2U, 0) == 2U && __funnelshift_r(1U, 2U, 0) == 1U);
  expect(to, __funnelshift_r(0x89abcdefU, 0x01234567U, 8) == 0x6789abcdU);
  expect(to, __funnelshift_lc(1U, 2U, 40) == 1U && __funnelshift_rc(1U, 2U, 40) == 2U);
  expect(to, __funnelshift_lc(0x89abcdefU, 0x01234567U, 8) == 0x23456789U);
  expect(to, __byte_perm(0x03020100U, 0x07060504U, 0x3210U) == 0x03020100U);
  expect(to, __byte_perm(0x03020100U, 0x07060504U, 0x0477U) == 0x00040707U);
  expect(to, __mulhi(-1, 1) == -1 && __mulhi(1 << 30, 8) == 2);
  expect(to, __umulhi(0xffffffffU, 0xffffffffU) == 0xfffffffeU);
  expect(to, __mul64hi(-1LL, 1LL) == -1 && __mul64hi(1LL << 62, 8) == 2);
  expect(to, __umul64hi(~0ULL, ~0ULL) == ~1ULL);
}

__global__ void representations(broken* to) {
  expect(to, __float_as_int(-1.0F) == static_cast<int>(0xbf800000U) && __float_as_uint(1.0F) == 0x3f800000U);
  expect(to, __int_as_float(0x40000000) == 2.0F && __uint_as_float(0x40000000U) == 2.0F);
  expect(to, __double_as_longlong(1.0) == 0x3ff0000000000000LL);
  expect(to, __longlong_as_double(0x4000000000000000LL) == 2.0);
  expect(to, __double2hiint(1.0) == 0x3ff00000 && __double2loint(1.0) == 0);
  expect(to, __hiloint2double(0x3ff00000, 1) == 1.0 + 0x1p-52);
}

__global__ void arithmetic(broken* to) {
  const float third = 1.0F / 3;
  const double a = 1 + 0x1p-30;
  expect(to, __fmaf_rn(third, 3, -1) == 0x1p-25F && __fma_rn(a, a, -1 - 0x1p-29) == 0x1p-60);
  expect(to, __fmul_rn(third, 3) - 1 == 0 && __dmul_rn(a, a) == 1 + 0x1p-29);
  expect(to, __fadd_rn(1, 0x1p-24F) == 1 && __dadd_rn(1, 0x1p-53) == 1);
  expect(to, __fsub_rn(1, 0x1p-26F) == 1 && __dsub_rn(1, 0x1p-55) == 1);
  expect(to, __fdiv_rn(1, 3) == third && __ddiv_rn(1, 4) == 0.25);
  expect(to, __fsqrt_rn(2) == 0x1.6a09e6p0F && __dsqrt_rn(2) == 0x1.6a09e667f3bcdp0);
  expect(to, __frcp_rn(3) == third && __drcp_rn(4) == 0.25);
  expect(to, min(3, -2) == -2 && max(2.0, 3.0) == 3.0 && max(-1, 5U) == 0xffffffffU && min(1LL, 2) == 1);
  expect(to, rsqrt(16.0) == 0.25 && rsqrtf(4.0F) == 0.5F);
}

/// A NaN stands for nothing, on whichever side (CUDA Math API, fmaxf).
__global__ void extremes(broken* to, float nan) {
  const double wide_nan = nan;
  expect(to, max(nan, 1.0F) == 1 && max(1.0F, nan) == 1 && min(nan, 1.0F) == 1 && min(1.0F, nan) == 1);
  expect(to, max(wide_nan, 1.0) == 1 && max(1.0, wide_nan) == 1);
  expect(to, min(wide_nan, 1.0) == 1 && min(1.0, wide_nan) == 1);
  expect(to, max(nan, 1.0) == 1 && max(1.0, nan) == 1 && min(wide_nan, 1.0F) == 1 && min(1.0F, wide_nan) == 1);
  expect(to, isnan(max(nan, nan)) && isnan(min(wide_nan, wide_nan)) && isnan(max(nan, wide_nan)));
  expect(to, max(-2.0F, 1.0F) == 1 && min(-2.0F, 1.0F) == -2 && max(2.0, 3.0) == 3 && min(2.0, 3.0) == 2);
  expect(to, max(1.0F, 1 + 0x1p-52) == 1 + 0x1p-52 && min(1 + 0x1p-52, 2.0F) == 1 + 0x1p-52);
}

template <class T, class U>
concept have_extremes = requires(T x, U y) {
  max(x, y);
  min(x, y);
};
static_assert(have_extremes<int, unsigned> && have_extremes<long long, int> && have_extremes<float, double>);
static_assert(!have_extremes<float, int> && !have_extremes<int, double>);  // ambiguous in CUDA

__global__ void conversions(broken* to, float infinity, float nan) {
  const int most = 2147483647;
  const long long most_long = 9223372036854775807LL;
  expect(to, __int2float_rn(16777217) == 16777216.0F && __uint2float_rn(0xffffffffU) == 0x1p32F);
  expect(to, __ll2float_rn(-3) == -3 && __ull2float_rn(~0ULL) == 0x1p64F);
  expect(to, __int2double_rn(most) == 2147483647.0 && __uint2double_rn(0xffffffffU) == 4294967295.0);
  expect(to, __ll2double_rn((1LL << 53) + 1) == 0x1p53 && __ull2double_rn(~0ULL) == 0x1p64);
  expect(to, __double2float_rn(1 + 0x1p-24) == 1);
  expect(to, __float2int_rn(2.5F) == 2 && __float2int_rz(-2.9F) == -2);
  expect(to, __float2int_rz(infinity) == most && __float2int_rz(-infinity) == -most - 1);
  expect(to, isnan(nan) && isinf(infinity) && !isfinite(infinity) && signbit(-0.0F));
  expect(to, __float2int_rz(nan) == 0 && __double2ll_rz(nan) == -most_long - 1);
  expect(to, __double2int_rn(-3.5) == -4 && __double2int_rz(3e9) == most);
  expect(to, __double2ll_rn(0x1p52 + 0.5) == 1LL << 52 && __double2ll_rz(-1e300) == -most_long - 1);
  expect(to, __double2ll_rz(-0x1p63) == -most_long - 1 && __double2ll_rz(0x1p63) == most_long);
}

static_assert(sizeof(char1) == 1 && sizeof(uchar3) == 3 && alignof(char4) == 4 && alignof(ushort4) == 8);
static_assert(sizeof(int3) == 12 && alignof(int2) == 8 && alignof(uint4) == 16 && alignof(float4) == 16);
static_assert(sizeof(double3) == 24 && alignof(double2) == 16 && alignof(longlong2) == 16 && alignof(ulong2) == 16);

__global__ void vectors(broken* to, const float4* x, ulonglong2* y) {
  const float4 v = __ldg(x + threadIdx.x);
  expect(to, v.x == 1 && v.y == 2 && v.z == 3 && v.w == 4);
  expect(to, __ldca(x).y == 2 && __ldcg(x).z == 3 && __ldcs(x).w == 4 && __ldlu(x).x == 1 && __ldcv(x).y == 2);
  __stcs(y + threadIdx.x, make_ulonglong2(threadIdx.x, 7));
  __syncthreads();
  const ulonglong2 next = y[(threadIdx.x + 1) % blockDim.x];
  expect(to, next.x == (threadIdx.x + 1) % blockDim.x && next.y == 7);
  __syncthreads();
  auto* const words = reinterpret_cast<unsigned long long*>(y + threadIdx.x);
  __stcg(words, 1ULL), __stwb(words + 1, 2ULL);
  expect(to, y[threadIdx.x].x == 1 && y[threadIdx.x].y == 2);
  __stwt(words, 3ULL);
  expect(to, words[0] == 3 && make_double2(1, 2).y == 2 && make_short4(1, 2, 3, 4).w == 4);
}

TEST(simt_functions, are_those_of_cuda) {
  expect_whole(bits, 1, 1);
  expect_whole(representations, 1, 1);
  expect_whole(arithmetic, 1, 1);
  expect_whole(extremes, 1, 1, 0, NAN);
  expect_whole(conversions, 1, 1, 0, INFINITY, NAN);
}

TEST(simt_functions, vectors_are_loaded_and_stored_as_one) {
  for (const execution model : both_models) {
    stream on({.model = model});
    const std::vector<float4> numbers(64, make_float4(1, 2, 3, 4));
    filled<float4> x(on, 64, numbers.data());
    gpu::buffer<ulonglong2> y(on, 64);
    EXPECT_EQ(lines_broken_by(on, vectors, 1, 64, 0, static_cast<const float4*>(x.data()), y.data()), "");
  }
}

__global__ void wrong(broken* to) {
  expect(to, __clz(1) == 32);  // wrong
}

TEST(simt_functions, a_wrong_value_is_noticed) {
  stream on;
  EXPECT_EQ(lines_broken_by(on, wrong, 1, 1, 0), "line " + std::to_string(line_of(__FILE__, "wrong")) + "\n");
}

}  // namespace
