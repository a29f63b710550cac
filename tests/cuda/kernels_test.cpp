// The CUDA engine's kernels against the oracle, bit by bit, on the simulator or on a GPU.
//
// Every generator of the property tests, at lengths around every border, with grids, blocks, alignments and
// schedules that change from case to case. On the simulator no case may have a fault. EXACTDOT_TEST_SCALE=400 or
// more on a GPU makes it a campaign.
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
    const std::string reason = kernels_under_test::missing();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(kernels, element_types);

template <class R, class T>
std::string faults_of_results(const checker<T>& check, unsigned variant) {
  using namespace kernels_under_test;
  return check.template exact_fault<R>([&](const T* a, const T* b, std::size_t n) {
    return exact<R>(a, b, n, variant);
  }) + check.template fast_fault<R>([&](const T* a, const T* b, std::size_t n) {
    return fast<R>(a, b, n, variant);
  });
}

/// The words hold the sum twice: so does an accumulator that adds the vectors twice.
template <class T>
std::string fault_of_words(const checker<T>& check, unsigned variant) {
  const auto& [a, b] = check.data();
  const auto words = kernels_under_test::twice_into_words(a.data(), b.data(), a.size(), variant);
  exactdot::accumulator<T> got(words), expected;
  for (int i = 0; i < 2; ++i) expected.add(std::span<const T>(a), std::span<const T>(b));
  std::string fault = difference(expected.template round<T>(), got.template round<T>());
  const auto same = [](auto x, auto y) { return std::equal(x.begin(), x.end() - 1, y.begin()); };  // but the states
  const bool finite = std::ranges::count(expected.words().last(4).first(3), 0) == 3;
  if (fault.empty() && finite && !same(expected.words(), got.words())) fault = "the words differ from the CPU's";
  return fault;
}

template <class T>
std::string any_fault(const checker<T>& check, unsigned variant) {
  return faults_of_results<float>(check, variant) + faults_of_results<double>(check, variant + 5) +
         fault_of_words(check, variant + 7) + kernels_under_test::faults();
}

TYPED_TEST(kernels, agree_with_the_oracle) {
  const std::array<std::size_t, 14> lengths = {0, 1, 2, 3, 5, 31, 64, 129, 511, 1000, 2047, 2049, 4097, 20000};
  const unsigned stride = kernels_under_test::simulated() ? 29 : 1;  // shares no factor with the lengths
  unsigned number = 0;
  int results = 0;
  const auto judge = [&](const test_case<TypeParam>& one) {
    if (number++ % stride != 0) return;
    EXPECT_EQ(any_fault(one.check, 11 * number), "") << one.name << ", variant " << 11 * number;
    results += 5;
  };
  for_each_case<TypeParam>(lengths, scaled(1), judge, testing::Test::HasFailure);
  std::cout << results << " results judged\n";
}

TYPED_TEST(kernels, do_not_depend_on_the_variant) {
  for (const char* name : {"uniform", "log_uniform", "cancels_to_last_bit", "special_mix", "staircase"}) {
    const bool simulated = kernels_under_test::simulated();
    const auto one = make_case(generator_named<TypeParam>(name), 3, simulated ? 700 : 30001);
    for (unsigned variant = 0; variant < static_cast<unsigned>(scaled(simulated ? 4 : 60)); ++variant) {
      EXPECT_EQ(any_fault(one.check, variant), "") << one.name << ", variant " << variant;
    }
  }
}

/// Blocks that do not wait for the reader give their pieces although an infinity decides.
TYPED_TEST(kernels, leave_nothing_behind_where_an_infinity_meets_a_wide_range) {
  const auto one = make_case(generator_named<TypeParam>("log_uniform"), 7, 20000);
  auto [a, b] = one.check.data();
  a[a.size() / 2] = std::numeric_limits<TypeParam>::infinity(), b[a.size() / 2] = TypeParam{-1};
  for (const unsigned variant : {18U, 19U, 20U}) {  // many blocks, more than the simulator has room for
    const auto result = kernels_under_test::exact<TypeParam>(a.data(), b.data(), a.size(), variant);
    EXPECT_EQ(result, -std::numeric_limits<TypeParam>::infinity()) << variant;
    EXPECT_EQ(kernels_under_test::faults(), "") << variant;
  }
}

}  // namespace
