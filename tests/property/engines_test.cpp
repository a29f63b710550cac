// Results of both modes do not depend on the instruction set or the number of threads.
//
// The oracle computes the expected results of a case once. The library then computes it under every instruction set
// of the machine, with 1 to 8 threads. A failure names the instruction set and the number of threads.
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

/// Checks every case under every instruction set; `threads` maps the index of a check to its number of threads.
template <class T, class Lengths, class Threads>
void check_all_instruction_sets(const Lengths& lengths, int repeats, Threads threads) {
  const auto sets = exactdot::cpu().instruction_sets;
  const bool one_set_per_case = scaled(2) == 1;  // if EXACTDOT_TEST_SCALE reduces the number of cases
  int index = 0, cases = 0;
  const auto check_case = [&](const test_case<T>& test) {
    ++cases;
    for (const std::string& set : sets) {
      if (one_set_per_case && &set != &sets[static_cast<std::size_t>(cases) % sets.size()]) continue;
      const forced_instruction_set forced(set);
      const exactdot::options options{.threads = threads(index++)};
      EXPECT_EQ(any_fault(test.check, options), "") << test.name << ", " << set << ", threads " << options.threads;
    }
  };
  for_each_case<T>(lengths, repeats, check_case, testing::Test::HasFailure);
}

TYPED_TEST(engines, agree_at_border_lengths) {
  check_all_instruction_sets<TypeParam>(border_lengths, scaled(2), [](int) { return 1; });
}

TYPED_TEST(engines, agree_for_any_number_of_threads) {
  const std::array<std::size_t, 5> lengths = {0, 3, 127, 4097, 65537};
  check_all_instruction_sets<TypeParam>(lengths, 1, [](int index) { return 1 + index % 8; });
}

TYPED_TEST(engines, agree_for_every_number_of_threads_on_the_same_data) {
  for (const char* name : {"uniform", "log_uniform", "blocks", "cancels_to_last_bit", "special_mix", "staircase"}) {
    const auto test = make_case(generator_named<TypeParam>(name), 7, 200003);
    for (int threads = 0; threads <= 8; ++threads) {
      EXPECT_EQ(any_fault(test.check, {.threads = threads}), "") << test.name << ", threads " << threads;
    }
  }
}

TEST(instruction_sets, include_portable_and_start_with_the_one_in_use) {
  const auto info = exactdot::cpu();
  ASSERT_FALSE(info.instruction_sets.empty());
  if (std::getenv("EXACTDOT_TARGET") == nullptr) {
    EXPECT_EQ(info.instruction_set, info.instruction_sets.front());
  }
  EXPECT_NE(std::find(info.instruction_sets.begin(), info.instruction_sets.end(), "portable"),
            info.instruction_sets.end());
}

}  // namespace
