// Correct kernels with clusters, mbarriers and asynchronous copies: the right sums and no fault for any seed.
#include "async_kernels.cuh"
#include "findings.hpp"

namespace {
using namespace simt_test;

TEST(simt_async, correct_kernels_have_no_faults) {
  expect_no_faults([](gpu::stream& stream) {
    for (const char* name : async_kernels::wrong_sums(stream)) ADD_FAILURE() << name;
  });
}

TEST(simt_async, copies_and_barriers_are_counted) {
  gpu::stream stream;
  EXPECT_TRUE(async_kernels::wrong_sums(stream).empty());
  EXPECT_EQ(stream.counted().copies, 17U + 5 * 64 + 2 * (2 * 64 + 1) + 2);
}

TEST(simt_async, runs_without_detection) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    gpu::stream stream({.seed = seed, .detect = false});
    EXPECT_TRUE(async_kernels::wrong_sums(stream).empty());
    EXPECT_EQ(faults_of(stream), "");
  }
}

TEST(simt_async, runs_with_few_resident_blocks) {
  for (const int resident : {1, 3, 5}) {
    gpu::stream stream({.resident_blocks = resident});
    EXPECT_TRUE(async_kernels::wrong_sums(stream).empty());
    EXPECT_EQ(faults_of(stream), "");
  }
}

}  // namespace
