// No instruction set and no number of threads changes a bit of either mode.
//
// Each case is made and judged by the oracle once, then computed under every instruction set of this machine,
// with one to eight threads in turn; so a failure names the one setting that differs.
#include "property/engines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace {

using namespace oracle;
using namespace property;

template <class T>
class engines : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(engines, element_types);

/// Judges every case under every instruction set, with the threads that `threads` makes of a running number.
template <class T, class Lengths, class Threads>
void judge_under_all_sets(const Lengths& lengths, int repeats, Threads threads) {
  const auto sets = exactdot::cpu().instruction_sets;
  const bool one_in_turn = scaled(2) == 1;  // where few cases are asked for
  int number = 0, cases = 0;
  const auto judge = [&](const test_case<T>& one) {
    ++cases;
    for (const std::string& set : sets) {
      if (one_in_turn && &set != &sets[static_cast<std::size_t>(cases) % sets.size()]) continue;
      const forced_instruction_set forced(set);
      const exactdot::options options{.threads = threads(number++)};
      EXPECT_EQ(any_fault(one.check, options), "") << one.name << ", " << set << ", threads " << options.threads;
    }
  };
  for_each_case<T>(lengths, repeats, judge, testing::Test::HasFailure);
}

TYPED_TEST(engines, agree_at_border_lengths) {
  judge_under_all_sets<TypeParam>(border_lengths, scaled(2), [](int) { return 1; });
}

TYPED_TEST(engines, agree_with_any_number_of_threads) {
  const std::array<std::size_t, 5> lengths = {0, 3, 127, 4097, 65537};
  judge_under_all_sets<TypeParam>(lengths, 1, [](int number) { return 1 + number % 8; });
}

TYPED_TEST(engines, agree_with_each_number_of_threads_on_the_same_data) {
  for (const char* name : {"uniform", "log_uniform", "blocks", "cancels_to_last_bit", "special_mix", "staircase"}) {
    const auto one = make_case(generator_named<TypeParam>(name), 7, 200003);
    for (int threads = 0; threads <= 8; ++threads) {
      EXPECT_EQ(any_fault(one.check, {.threads = threads}), "") << one.name << ", threads " << threads;
    }
  }
}

TEST(instruction_sets, include_the_portable_one_and_the_one_in_use) {
  const auto info = exactdot::cpu();
  ASSERT_FALSE(info.instruction_sets.empty());
  if (std::getenv("EXACTDOT_TARGET") == nullptr) {
    EXPECT_EQ(info.instruction_set, info.instruction_sets.front());
  }
  EXPECT_NE(std::find(info.instruction_sets.begin(), info.instruction_sets.end(), "portable"),
            info.instruction_sets.end());
}

}  // namespace
