// Floating-point environment of the caller: rounding modes, flushing of subnormals, and what else the control
// register holds.
//
// Mode exact returns the same bits in every environment and leaves it unchanged. Only the library runs in a changed
// environment; the oracle and the comparisons run in the default one.
#include <gtest/gtest.h>

#include <array>
#include <cfenv>
#include <cpu/environment.hpp>
#include <cstdint>
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

#if defined(__x86_64__) || defined(__aarch64__)
#if defined(__x86_64__)
using control_word = std::uint32_t;

control_word read_control() { return _mm_getcsr() & 0xffc0; }  // without the flags that operations set
void write_control(control_word word) { _mm_setcsr(word); }

constexpr control_word flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
constexpr std::array flushing = {flush_to_zero, denormals_are_zero, flush_to_zero | denormals_are_zero};
constexpr std::array<control_word, 0> harmless = {};
#else
using control_word = std::uint64_t;  // FPCR

control_word read_control() {
  control_word word = 0;
  asm volatile("mrs %0, fpcr" : "=r"(word));
  return word;
}
void write_control(control_word word) { asm volatile("msr fpcr, %0" : : "r"(word)); }

constexpr control_word flush_to_zero = 1 << 24, default_nan = 1 << 25, alternative_half = 1 << 26,
                       flush_half_to_zero = 1 << 19;
constexpr std::array flushing = {flush_to_zero, flush_to_zero | default_nan};
constexpr std::array harmless = {default_nan, alternative_half, flush_half_to_zero};
#endif

/// Sets control bits of the floating-point unit during its lifetime.
class control_bits {
 public:
  explicit control_bits(control_word bits) : before_(read_control()) {
    write_control(before_ | bits);
    EXPECT_EQ(read_control(), before_ | bits);
  }
  ~control_bits() { write_control(before_); }
  control_bits(const control_bits&) = delete;
  control_bits& operator=(const control_bits&) = delete;

 private:
  control_word before_;
};

/// Computes cases of every generator with these bits set.
template <class T>
void expect_exact_with(control_word bits) {
  for_each_case<T>(
      lengths, 1,
      [&](const test_case<T>& one) {
        results<T> got;
        bool unchanged = false;
        {
          const control_bits changed(bits);
          const control_word before = read_control();
          got = compute(one.check.data(), 1);
          (void)exactdot::dot(one.check.data().a, one.check.data().b, {.mode = exactdot::mode::fast});
          unchanged = read_control() == before;
        }
        EXPECT_TRUE(unchanged) << one.name;
        expect_exact(one, got);
      },
      testing::Test::HasFailure);
}

TYPED_TEST(environments, of_every_control_bit_change_no_bit_of_exact) {
  for (const control_word bits : flushing) expect_exact_with<TypeParam>(bits);
  for (const control_word bits : harmless) expect_exact_with<TypeParam>(bits);
}

/// Where it is not, mode exact is slow and right; where it falsely is, fast and wrong.
TEST(arithmetic, is_standard_unless_it_rounds_otherwise_or_flushes_subnormals) {
  const auto is_standard_with = [](control_word bits) {
    const control_bits changed(bits);
    return exactdot::cpu_engine::arithmetic_is_standard();
  };
  EXPECT_TRUE(is_standard_with(0));
  for (const control_word bits : harmless) EXPECT_TRUE(is_standard_with(bits)) << bits;
  for (const control_word bits : flushing) EXPECT_FALSE(is_standard_with(bits)) << bits;
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    const rounding_mode changed(mode);
    EXPECT_FALSE(is_standard_with(0)) << mode;
  }
}

TYPED_TEST(environments, are_not_changed_by_any_instruction_set) {
  const auto one = make_case(generator_named<TypeParam>("log_uniform"), 3, 5000);
  const control_word before = read_control();
  for (const std::string& set : exactdot::cpu().instruction_sets) {
    exactdot::use_instruction_set(set);
    expect_exact(one, compute(one.check.data(), 2));
    EXPECT_EQ(read_control(), before) << set;
  }
  exactdot::use_instruction_set("");
}
#endif

}  // namespace
