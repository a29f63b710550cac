// Results do not depend on the number of threads; the instruction set in use is one that the machine offers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <plan/thread_pool.hpp>

#include "property/library_dot.hpp"

namespace {

using namespace oracle;
using namespace property;
namespace engine = exactdot::engine;

template <class T>
class thread_counts : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(thread_counts, element_types);

TYPED_TEST(thread_counts, do_not_change_the_result) {
  for (const char* name : {"uniform", "log_uniform", "blocks", "cancels_to_last_bit", "special_mix", "staircase"}) {
    const auto test = make_case(generator_named<TypeParam>(name), 7, 200003);
    for (int threads = 0; threads <= 8; ++threads) {
      EXPECT_EQ(any_fault(test.check, {.threads = threads}), "") << test.name << ", threads " << threads;
    }
  }
}

TYPED_TEST(thread_counts, do_not_change_the_result_of_a_million_terms) {
  for (const char* name : {"uniform", "log_uniform", "blocks", "same_sign_growth", "tie_normal", "all_subnormal"}) {
    const auto test = make_case(generator_named<TypeParam>(name), 1, long_lengths.back());
    for (const int threads : {0, 2, 3, 4, 7, 8, 15, 16, 33, 64}) {
      // as if the calls before had made no loss: on a busy machine too they get helpers
      engine::thread_pool::of_this_process()->budget().record_alone(std::int64_t{1} << 50);
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
