// The harness against wrong kernels on the simulator: values and findings both make it reject.
#include <gtest/gtest.h>

#include <string>

#include "lab/wrong_kernels.hpp"
#include "lab/wrong_rungs.hpp"

namespace {

using namespace lab_test;

template <class T>
class kernels : public testing::Test {
 protected:
  static row of(const std::string& name) {
    trial<T> data(1000);
    data.on = open_bench(world::simt);
    return data.of(wrong_kernel(name));
  }
};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(kernels, element_types);

TYPED_TEST(kernels, pass_when_right) {
  const row result = this->of("none");
  EXPECT_TRUE(passed(result));
  EXPECT_TRUE(result.found.empty());
  EXPECT_EQ(result.counted.launches, 1U);
  EXPECT_EQ(result.counted.atomics, 16U);
  EXPECT_GT(result.counted.steps, 1000U);
  EXPECT_EQ(result.counted.barriers, 7 * 16U);
  EXPECT_EQ(result.seconds, std::nullopt);
}

TYPED_TEST(kernels, are_rejected_for_what_the_simulator_finds) {
  EXPECT_TRUE(rejected(this->of("race"), "the simulator found: data_race in global memory"));
  EXPECT_TRUE(rejected(this->of("no_barrier"), "the simulator found: data_race in shared memory (partial"));
  EXPECT_TRUE(rejected(this->of("never_zeroed"), "the simulator found: uninitialised_global"));
}

TYPED_TEST(kernels, are_rejected_for_what_they_compute) {
  EXPECT_TRUE(rejected(this->of("tail"), "on integers, n = 1,"));
  EXPECT_TRUE(rejected(this->of("past_the_end"), "on integers, n = 0,"));
  EXPECT_TRUE(rejected(this->of("zeroed_once"), "on integers, n = 257, starts 0 and 0, launched twice:"));
  EXPECT_TRUE(rejected(this->of("other_bits"), "different results in 5 runs, where one was promised"));
}

}  // namespace
