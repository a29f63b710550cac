// The harness rejects wrong kernels on the simulator, both for their values and for the simulator's findings.
#include <gtest/gtest.h>

#include <string>

#include "lab/wrong_kernels.hpp"
#include "lab/wrong_rungs.hpp"

namespace {

using namespace lab_test;

template <class T>
class kernels : public testing::Test {
 protected:
  static measurement run(const std::string& name) {
    test_problem<T> data(1000);
    data.device = open_executor(backend::simt);
    return data.run(wrong_kernel(name));
  }
};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(kernels, element_types);

TYPED_TEST(kernels, pass_if_correct) {
  const measurement result = this->run("none");
  EXPECT_TRUE(passed(result));
  EXPECT_TRUE(result.findings.empty());
  EXPECT_EQ(result.counts.launches, 1U);
  EXPECT_EQ(result.counts.atomics, 16U);
  EXPECT_GT(result.counts.steps, 1000U);
  EXPECT_EQ(result.counts.barriers, 7 * 16U);
  EXPECT_EQ(result.seconds, std::nullopt);
}

TYPED_TEST(kernels, are_rejected_for_findings_of_the_simulator) {
  EXPECT_TRUE(rejected(this->run("race"), "the simulator reports: data_race in global memory"));
  EXPECT_TRUE(rejected(this->run("no_barrier"), "the simulator reports: data_race in shared memory (partial"));
  EXPECT_TRUE(rejected(this->run("never_zeroed"), "the simulator reports: uninitialised_global"));
}

TYPED_TEST(kernels, are_rejected_for_wrong_results) {
  EXPECT_TRUE(rejected(this->run("tail"), "on integers, n = 1,"));
  EXPECT_TRUE(rejected(this->run("past_the_end"), "on integers, n = 0,"));
  EXPECT_TRUE(rejected(this->run("zeroed_once"), "on integers, n = 257, starts 0 and 0, launched twice:"));
  EXPECT_TRUE(rejected(this->run("other_bits"), "different results in 5 runs; the rung promises one"));
}

}  // namespace
