// Compares the kernels of the CUDA engine with the oracle, bit by bit, on the simulator or on a GPU.
//
// The data come from all generators, with lengths near borders. Grids, blocks, alignments and schedules differ from
// case to case. On the simulator no case may have a fault. EXACTDOT_TEST_SCALE=400 runs four times as many cases.
#include "cuda/kernels.hpp"

#include <gtest/gtest.h>

#include <exactdot/accumulator.hpp>
#include <iostream>
#include <limits>

#include "oracle/cases.hpp"

namespace {

using namespace oracle;

template <class T>
class kernels : public testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = kernels_under_test::unavailable_reason();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(kernels, element_types);

template <class R, class T>
std::string result_faults(const checker<T>& check, unsigned variant) {
  using namespace kernels_under_test;
  return check.template exact_fault<R>([&](const T* a, const T* b, std::size_t n) {
    return exact<R>(a, b, n, variant);
  }) + check.template fast_fault<R>([&](const T* a, const T* b, std::size_t n) {
    return fast<R>(a, b, n, variant);
  });
}

/// Two launches add the dot to the words; the CPU adds the vectors to an accumulator twice. Both must be equal.
template <class T>
std::string words_fault(const checker<T>& check, unsigned variant) {
  const auto& [a, b] = check.data();
  const auto words = kernels_under_test::words_of_two_launches(a.data(), b.data(), a.size(), variant);
  exactdot::accumulator<T> got(words), expected;
  for (int i = 0; i < 2; ++i) expected.add(std::span<const T>(a), std::span<const T>(b));
  std::string fault = difference(expected.template round<T>(), got.template round<T>());
  // the last word, the number of states, differs
  const auto same = [](auto x, auto y) { return std::equal(x.begin(), x.end() - 1, y.begin()); };
  const bool finite = std::ranges::count(expected.words().last(4).first(3), 0) == 3;
  if (fault.empty() && finite && !same(expected.words(), got.words())) fault = "the words differ from the CPU's";
  return fault;
}

template <class T>
std::string any_fault(const checker<T>& check, unsigned variant) {
  return result_faults<float>(check, variant) + result_faults<double>(check, variant + 5) +
         words_fault(check, variant + 7) + kernels_under_test::take_faults();
}

TYPED_TEST(kernels, agree_with_the_oracle) {
  const std::array<std::size_t, 14> lengths = {0, 1, 2, 3, 5, 31, 64, 129, 511, 1000, 2047, 2049, 4097, 20000};
  const unsigned stride = kernels_under_test::is_simulated() ? 29 : 1;  // coprime to the number of lengths
  unsigned index = 0;
  int results = 0;
  const auto check_case = [&](const test_case<TypeParam>& test) {
    if (index++ % stride != 0) return;
    EXPECT_EQ(any_fault(test.check, 11 * index), "") << test.name << ", variant " << 11 * index;
    results += 5;
  };
  for_each_case<TypeParam>(lengths, scaled(1), check_case, testing::Test::HasFailure);
  std::cout << results << " results checked\n";
}

TYPED_TEST(kernels, do_not_depend_on_the_variant) {
  for (const char* name : {"uniform", "log_uniform", "cancels_to_last_bit", "special_mix", "staircase"}) {
    const bool simulated = kernels_under_test::is_simulated();
    const auto test = make_case(generator_named<TypeParam>(name), 3, simulated ? 700 : 30001);
    for (unsigned variant = 0; variant < static_cast<unsigned>(scaled(simulated ? 4 : 60)); ++variant) {
      EXPECT_EQ(any_fault(test.check, variant), "") << test.name << ", variant " << variant;
    }
  }
}

/// Blocks that do not wait for the decision contribute digits, although the infinite term determines the result.
TYPED_TEST(kernels, reset_the_state_if_an_infinity_occurs_in_data_of_a_wide_range) {
  const auto test = make_case(generator_named<TypeParam>("log_uniform"), 7, 20000);
  auto [a, b] = test.check.data();
  a[a.size() / 2] = std::numeric_limits<TypeParam>::infinity(), b[a.size() / 2] = TypeParam{-1};
  for (const unsigned variant : {18U, 19U, 20U}) {  // 19 blocks, more than the simulator runs at once
    const auto result = kernels_under_test::exact<TypeParam>(a.data(), b.data(), a.size(), variant);
    EXPECT_EQ(result, -std::numeric_limits<TypeParam>::infinity()) << variant;
    EXPECT_EQ(kernels_under_test::take_faults(), "") << variant;
  }
}

}  // namespace
