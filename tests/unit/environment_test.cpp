// Floating-point environment of the caller: rounding modes, flushing of subnormals, and what else the control
// register holds.
//
// Both modes return the same bits in every environment, in about the same time, and leave it unchanged, status
// flags included. Only the library runs in a changed environment; the oracle and the comparisons run in the default
// one.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cfenv>
#include <chrono>
#include <cpu/environment.hpp>
#include <cstdint>
#include <exactdot/exactdot.hpp>
#include <functional>
#include <vector>

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

/// Bits of results of every kind of call, in both modes.
template <class T>
std::vector<std::uint64_t> results_of_all_calls(const vectors<T>& v) {
  std::vector<std::uint64_t> bits;
  const auto keep = [&](double x) { bits.push_back(std::bit_cast<std::uint64_t>(x)); };
  const std::span<const T> a = v.a, b = v.b;
  const std::size_t width = 24, n = a.size() / width;
  std::vector<std::int32_t> keys(a.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::int32_t>(i * 7 % 5);
  const std::vector<std::int64_t> offsets = {0, static_cast<std::int64_t>(a.size() / 3),
                                             static_cast<std::int64_t>(a.size())};
  std::vector<double> out;
  const auto keep_all = [&](std::size_t count, const auto& call) {
    out.assign(count, 0);
    call();
    for (const double result : out) keep(result);
  };
  for (const auto mode : {exactdot::mode::exact, exactdot::mode::fast}) {
    const exactdot::options options{.mode = mode};
    keep(exactdot::dot<double>(a, b, options));
    keep(exactdot::dot<float>(a, b, options));
    keep(exactdot::sum<double>(a, options));
    keep(exactdot::mean<double>(a, options));
    keep(exactdot::nrm2<double>(a, options));
    keep(exactdot::sum<double>(exactdot::strided<T>{a.data(), a.size() / 2, 2}, options));
    keep_all(n, [&] { exactdot::sum(exactdot::rows<T>(a.data(), n, width), out, options); });
    keep_all(n, [&] { exactdot::nrm2(exactdot::rows<T>(a.data(), n, width), out, options); });
    keep_all(width, [&] { exactdot::sum(exactdot::columns<T>(a.data(), n, width), out, options); });
    keep_all(2, [&] {
      exactdot::sum(exactdot::segments<std::span<const T>, std::int64_t>{a, std::span(offsets)}, out, options);
    });
  }
  keep(exactdot::variance<double>(a));
  keep(exactdot::stddev<double>(a));
  keep_all(width, [&] { exactdot::variance(exactdot::columns<T>(a.data(), n, width), out); });
  keep_all(5, [&] { exactdot::sum(exactdot::groups<std::span<const T>, std::int32_t>{a, keys, 5}, out); });
  keep_all(5, [&] { exactdot::variance(exactdot::groups<std::span<const T>, std::int32_t>{a, keys, 5}, out); });
  return bits;
}

TYPED_TEST(environments, change_no_bit_of_any_call_in_both_modes) {
  for (const char* generator : {"log_uniform", "cancels_to_small", "all_subnormal", "subnormal_and_normal"}) {
    for (const std::size_t n : {std::size_t{48}, std::size_t{5000}, std::size_t{200'000}}) {
      const auto one = make_case(generator_named<TypeParam>(generator), 5, n);
      const auto expected = results_of_all_calls(one.check.data());
      for (const control_word bits : flushing) {
        std::vector<std::uint64_t> got;
        {
          const control_bits changed(bits);
          got = results_of_all_calls(one.check.data());
        }
        EXPECT_EQ(got, expected) << generator << ", n = " << n << ", bits " << bits;
      }
      for (const int mode : {FE_UPWARD, FE_TOWARDZERO}) {
        std::vector<std::uint64_t> got;
        {
          const rounding_mode changed(mode);
          got = results_of_all_calls(one.check.data());
        }
        EXPECT_EQ(got, expected) << generator << ", n = " << n << ", rounding mode " << mode;
      }
    }
  }
}

/// A caller's operation keeps the caller's environment, on all threads.
TEST(callables, run_in_the_environment_of_the_caller) {
  const std::vector<double> x(100'000, 0x1p-1022);
  const auto half = [](double a, double b) { return (a < b ? a : b) * 0.5; };
  EXPECT_GT(exactdot::reduce(std::span<const double>(x).first(1), half, 1.0), 0);
  const control_bits changed(flush_to_zero);
  EXPECT_EQ(exactdot::reduce(std::span<const double>(x).first(1), half, 1.0), 0);
  EXPECT_EQ(exactdot::reduce(x, half, 1.0, {.threads = 2}), 0);
}

TEST(environment, is_described) {
  EXPECT_EQ(exactdot::environment().rounding, "to_nearest");
  EXPECT_FALSE(exactdot::environment().flush_to_zero || exactdot::environment().denormals_are_zero ||
               exactdot::environment().traps);
  {
    const control_bits changed(flush_to_zero);
    EXPECT_TRUE(exactdot::environment().flush_to_zero);
  }
  const rounding_mode changed(FE_UPWARD);
  EXPECT_EQ(exactdot::environment().rounding, "upward");
}

#if defined(__x86_64__)
TYPED_TEST(environments, with_traps_do_not_trap_and_keep_their_flags) {
  const auto one = make_case(generator_named<TypeParam>("subnormal_and_normal"), 5, 5000);
  const auto expected = results_of_all_calls(one.check.data());
  constexpr control_word division_flag = 0x4, all_traps = 0;
  const control_word before = _mm_getcsr();
  _mm_setcsr(all_traps | division_flag);
  const exactdot::float_environment described = exactdot::environment();
  const auto got = results_of_all_calls(one.check.data());  // SIGFPE ends the test if one fires
  const control_word after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_TRUE(described.traps);
  EXPECT_EQ(after, all_traps | division_flag);
  EXPECT_EQ(got, expected);
}

/// Groups are counted, and their runs found, before anything is summed.
TEST(groups_of_several_threads, do_not_trap_and_keep_flags) {
  constexpr std::size_t n = 300'000;
  const std::vector<double> x(n, 1.0);
  std::vector<int> sorted(n), shuffled(n);
  for (std::size_t i = 0; i < n; ++i) sorted[i] = i < n / 2 ? 0 : 1, shuffled[i] = static_cast<int>(i % 2);
  for (const control_word environment :
       {control_word{0}, control_word{0x1f80 | 0x4000}}) {  // all traps; round upward
    std::vector<double> sums(2), shuffled_sums(2);
    const control_word before = _mm_getcsr();
    _mm_setcsr(environment);
    for (int i = 0; i < 30; ++i) {
      exactdot::sum(exactdot::groups{x, sorted, 2}, sums, {.threads = 3});
      exactdot::sum(exactdot::groups{x, shuffled, 2}, shuffled_sums, {.threads = 3});
    }
    const control_word after = _mm_getcsr();
    _mm_setcsr(before);
    EXPECT_EQ(after, environment);
    EXPECT_EQ(sums, std::vector<double>(2, n / 2));
    EXPECT_EQ(shuffled_sums, sums);
  }
}
#endif

/// 8 to 40 times as slow as long as another environment meant integers.
TYPED_TEST(environments, cost_two_writes_of_the_control_register) {
  const auto one = make_case(generator_named<TypeParam>("ascending"), 5, 2000);
  const auto time = [&] {
    auto least = std::chrono::nanoseconds::max();
    for (int i = 0; i < 200; ++i) {
      const auto start = std::chrono::steady_clock::now();
      for (int k = 0; k < 10; ++k) (void)exactdot::dot(one.check.data().a, one.check.data().b);
      least = std::min<std::chrono::nanoseconds>(least, std::chrono::steady_clock::now() - start);
    }
    return least.count();
  };
  const auto standard = time();
  const control_bits changed(flush_to_zero);
  EXPECT_LT(time(), 3 * standard);
}

/// Where it is not, calls take two writes of the control register more.
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
