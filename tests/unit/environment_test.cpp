// The caller's floating-point settings.
//
// Exact gives the same bits under every rounding mode and under FTZ/DAZ, and the settings are afterwards what
// they were before. Under a strange setting nothing but the library runs: the oracle has answered before.
#include <gtest/gtest.h>

#include <cfenv>
#include <exactdot/exactdot.hpp>

#include "oracle/cases.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace {

using namespace oracle;

/// Sets the environment for as long as it lives.
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
  double of_accumulator;
};

/// Everything exact that is asked under the strange environment, and nothing else: the judging comes later.
template <class T>
results<T> ask(const vectors<T>& v, int threads) {
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
void judge(const test_case<T>& one, const results<T>& got) {
  const auto& expected = one.check.exact_result();
  EXPECT_EQ(difference(expected.as_float, got.dot_as_float), "") << one.name;
  EXPECT_EQ(difference(expected.as_double, got.dot_as_double), "") << one.name;
  EXPECT_EQ(difference(expected.as_double, got.of_accumulator), "") << one.name << ", accumulator";
}

template <class T>
class environments : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(environments, element_types);

constexpr std::array<std::size_t, 4> lengths = {1, 9, 300, 3000};

TYPED_TEST(environments, of_every_rounding_mode_change_no_exact_bit) {
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    for_each_case<TypeParam>(
        lengths, 1,
        [&](const test_case<TypeParam>& one) {
          results<TypeParam> got;
          {
            const rounding_mode strange(mode);
            got = ask(one.check.data(), 1);
            EXPECT_EQ(std::fegetround(), mode);
          }
          judge(one, got);
        },
        testing::Test::HasFailure);
  }
}

TYPED_TEST(environments, of_the_caller_are_not_those_of_a_thread_team) {
  const auto one = make_case(generator_named<TypeParam>("log_uniform"), 3, 200'000);
  results<TypeParam> got;
  {
    const rounding_mode strange(FE_UPWARD);
    got = ask(one.check.data(), 4);
  }
  judge(one, got);
  judge(one, ask(one.check.data(), 4));
}

#if defined(__x86_64__)
/// Control bits of MXCSR for as long as it lives.
class control_bits {
 public:
  explicit control_bits(unsigned bits) : before_(_mm_getcsr()) { _mm_setcsr(before_ | bits); }
  ~control_bits() { _mm_setcsr(before_); }
  control_bits(const control_bits&) = delete;
  control_bits& operator=(const control_bits&) = delete;
  [[nodiscard]] static unsigned now() { return _mm_getcsr() & 0xffc0; }

 private:
  unsigned before_;
};

constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040;

TYPED_TEST(environments, that_flush_subnormals_change_no_exact_bit) {
  for (const unsigned bits : {flush_to_zero, denormals_are_zero, flush_to_zero | denormals_are_zero}) {
    for_each_case<TypeParam>(
        lengths, 1,
        [&](const test_case<TypeParam>& one) {
          results<TypeParam> got;
          bool untouched = false;
          {
            const control_bits strange(bits);
            const unsigned before = control_bits::now();
            got = ask(one.check.data(), 1);
            (void)exactdot::dot(one.check.data().a, one.check.data().b, {.mode = exactdot::mode::fast});
            untouched = control_bits::now() == before;
          }
          EXPECT_TRUE(untouched) << one.name;
          judge(one, got);
        },
        testing::Test::HasFailure);
  }
}

TYPED_TEST(environments, are_left_alone_by_every_instruction_set) {
  const auto one = make_case(generator_named<TypeParam>("log_uniform"), 3, 5000);
  const unsigned before = control_bits::now();
  for (const std::string& set : exactdot::cpu().instruction_sets) {
    exactdot::use_instruction_set(set);
    judge(one, ask(one.check.data(), 2));
    EXPECT_EQ(control_bits::now(), before) << set;
  }
  exactdot::use_instruction_set("");
}
#endif

}  // namespace
