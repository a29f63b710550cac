// Floating-point environment of the caller: rounding modes and FTZ/DAZ.
//
// Mode exact returns the same bits in every environment and leaves it unchanged. Only the library runs in a changed
// environment; the oracle and the comparisons run in the default one.
#include <gtest/gtest.h>

#include <cfenv>
#include <exactdot/exactdot.hpp>

#include "oracle/cases.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace {

using namespace oracle;

/// Sets the rounding mode during its lifetime.
class rounding_mode {
 public:
  explicit rounding_mode(int mode) { std::fesetround(mode); }
  ~rounding_mode() { std::fesetround(FE_TONEAREST); }
  rounding_mode(const rounding_mode&) = delete;
  rounding_mode& operator=(const rounding_mode&) = delete;
};

template <class T>
struct results {
  float dot_as_float;
  double dot_as_double;
  double from_accumulator;
};

/// Computes all exact results; called in the changed environment.
template <class T>
results<T> compute(const vectors<T>& v, int threads) {
  const exactdot::options options{.threads = threads};
  exactdot::accumulator<T> sum, half;
  const std::span<const T> a = v.a, b = v.b;
  const std::size_t middle = a.size() / 2;
  sum.add(a.first(middle), b.first(middle), options);
  for (std::size_t i = middle; i < a.size(); ++i) half.add(a[i], b[i]);
  sum.merge(half);
  return {exactdot::dot<float>(a, b, options), exactdot::dot<double>(a, b, options), sum.template round<double>()};
}

template <class T>
void expect_exact(const test_case<T>& one, const results<T>& got) {
  const auto& expected = one.check.exact_result();
  EXPECT_EQ(difference(expected.as_float, got.dot_as_float), "") << one.name;
  EXPECT_EQ(difference(expected.as_double, got.dot_as_double), "") << one.name;
  EXPECT_EQ(difference(expected.as_double, got.from_accumulator), "") << one.name << ", accumulator";
}

template <class T>
class environments : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(environments, element_types);

constexpr std::array<std::size_t, 4> lengths = {1, 9, 300, 3000};

TYPED_TEST(environments, of_every_rounding_mode_change_no_bit_of_exact) {
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    for_each_case<TypeParam>(
        lengths, 1,
        [&](const test_case<TypeParam>& one) {
          results<TypeParam> got;
          {
            const rounding_mode changed(mode);
            got = compute(one.check.data(), 1);
            EXPECT_EQ(std::fegetround(), mode);
          }
          expect_exact(one, got);
        },
        testing::Test::HasFailure);
  }
}

TYPED_TEST(environments, of_the_caller_do_not_affect_its_threads) {
  const auto one = make_case(generator_named<TypeParam>("log_uniform"), 3, 200'000);
  results<TypeParam> got;
  {
    const rounding_mode changed(FE_UPWARD);
    got = compute(one.check.data(), 4);
  }
  expect_exact(one, got);
  expect_exact(one, compute(one.check.data(), 4));
}

#if defined(__x86_64__)
/// Sets control bits of MXCSR during its lifetime.
class control_bits {
 public:
  explicit control_bits(unsigned bits) : before_(_mm_getcsr()) { _mm_setcsr(before_ | bits); }
  ~control_bits() { _mm_setcsr(before_); }
  control_bits(const control_bits&) = delete;
  control_bits& operator=(const control_bits&) = delete;
  [[nodiscard]] static unsigned current() { return _mm_getcsr() & 0xffc0; }

 private:
  unsigned before_;
};

constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040;

TYPED_TEST(environments, that_flush_subnormals_change_no_bit_of_exact) {
  for (const unsigned bits : {flush_to_zero, denormals_are_zero, flush_to_zero | denormals_are_zero}) {
    for_each_case<TypeParam>(
        lengths, 1,
        [&](const test_case<TypeParam>& one) {
          results<TypeParam> got;
          bool unchanged = false;
          {
            const control_bits changed(bits);
            const unsigned before = control_bits::current();
            got = compute(one.check.data(), 1);
            (void)exactdot::dot(one.check.data().a, one.check.data().b, {.mode = exactdot::mode::fast});
            unchanged = control_bits::current() == before;
          }
          EXPECT_TRUE(unchanged) << one.name;
          expect_exact(one, got);
        },
        testing::Test::HasFailure);
  }
}

TYPED_TEST(environments, are_not_changed_by_any_instruction_set) {
  const auto one = make_case(generator_named<TypeParam>("log_uniform"), 3, 5000);
  const unsigned before = control_bits::current();
  for (const std::string& set : exactdot::cpu().instruction_sets) {
    exactdot::use_instruction_set(set);
    expect_exact(one, compute(one.check.data(), 2));
    EXPECT_EQ(control_bits::current(), before) << set;
  }
  exactdot::use_instruction_set("");
}
#endif

}  // namespace
