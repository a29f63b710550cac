// The simulator: each detector reports its planted fault with the line and reports nothing on correct kernels, for
// any seed. CUDA's functions compute what CUDA defines.
#include <gtest/gtest.h>

#include <algorithm>
#include <exactdot/error.hpp>
#include <numeric>
#include <set>
#include <string>

#include "findings.hpp"
#include "simt/kernels.hpp"

namespace {

using namespace simt_test;

/// Asserts that a fault of this kind has one of its sites on the commented line of kernels.cu.
testing::AssertionResult reports(const gpu::stream& stream, fault_kind kind, const std::string& space,
                                 const char* comment) {
  return has_fault(stream, kind, space, comment, EXACTDOT_KERNELS_FILE);
}

const std::vector<float>& thousand() {
  static const std::vector<float> ones(1000, 1.0F);
  return ones;
}

TEST(simt, reports_a_race_in_global_memory) {
  gpu::stream stream;
  const int sum = count_without_atomics(stream, 100, 100);
  EXPECT_LT(sum, 9000);
  EXPECT_TRUE(reports(stream, fault_kind::data_race, "global", "race"));
}

TEST(simt, reports_a_missing_barrier) {
  gpu::stream stream;
  tree_sum(stream, thousand(), false);
  EXPECT_TRUE(reports(stream, fault_kind::data_race, "shared", "missing barrier"));
  EXPECT_TRUE(std::any_of(stream.faults().begin(), stream.faults().end(), [](const fault& found) {
    return found.space == "shared" && found.variable.starts_with("sums");
  })) << faults_of(stream);
}

TEST(simt, reports_a_barrier_that_some_threads_do_not_reach) {
  gpu::stream stream;
  barrier_in_branch(stream);
  EXPECT_TRUE(reports(stream, fault_kind::barrier_divergence, "", "divergence"));
}

TEST(simt, reports_lanes_that_never_arrive) {
  gpu::stream stream;
  shuffle_in_branch(stream);
  EXPECT_TRUE(reports(stream, fault_kind::missing_lanes, "", "missing lanes"));
}

TEST(simt, reports_atomics_of_too_small_a_scope) {
  gpu::stream stream;
  count_with_block_atomics(stream);
  EXPECT_TRUE(reports(stream, fault_kind::data_race, "global", "scope"));
}

TEST(simt, reports_a_lock_without_fences) {
  gpu::stream stream;
  count_with_unfenced_lock(stream);
  EXPECT_TRUE(reports(stream, fault_kind::data_race, "global", "protected"));
}

TEST(simt, reports_a_publication_without_fences) {
  bool found = false;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    gpu::stream stream({.seed = seed});
    last_block_sum(stream, thousand(), false);
    found = found || reports(stream, fault_kind::data_race, "global", "read of partials");
  }
  EXPECT_TRUE(found);
}

TEST(simt, a_lock_per_thread_ends_with_independent_threads) {
  gpu::stream stream;
  EXPECT_EQ(count_with_lock_per_thread(stream), 256);
  EXPECT_EQ(faults_of(stream), "");
}

TEST(simt, a_lock_per_thread_never_ends_in_lock_step) {
  gpu::stream stream({.model = execution::lock_step});
  EXPECT_LT(count_with_lock_per_thread(stream), 256);
  EXPECT_TRUE(reports(stream, fault_kind::livelock, "", "spin"));
}

TEST(simt, reports_addresses_and_indices_out_of_bounds) {
  gpu::stream stream;
  write_past_the_end(stream);
  EXPECT_TRUE(reports(stream, fault_kind::out_of_bounds, "global", "past the end"));
  stream.clear();
  index_past_the_end(stream);
  EXPECT_TRUE(reports(stream, fault_kind::out_of_bounds, "array", "bad index"));
  stream.clear();
  past_dynamic_shared(stream);
  EXPECT_TRUE(reports(stream, fault_kind::out_of_bounds, "shared", "past dynamic"));
}

TEST(simt, reports_reads_of_unwritten_memory) {
  gpu::stream stream;
  read_unwritten_shared(stream);
  EXPECT_TRUE(reports(stream, fault_kind::uninitialised_shared, "shared", "unwritten shared"));
  stream.clear();
  EXPECT_NE(read_unwritten_global(stream), 1.0F);
  EXPECT_TRUE(reports(stream, fault_kind::uninitialised_global, "global", "unwritten global"));
}

TEST(simt, reports_a_race_of_lanes_without_syncwarp) {
  gpu::stream stream;
  warp_neighbours(stream, false);
  EXPECT_TRUE(reports(stream, fault_kind::data_race, "shared", "neighbour"));
  gpu::stream in_step({.model = execution::lock_step});  // orders each step of a warp before its next
  EXPECT_EQ(warp_neighbours(in_step, false), 496.0F);
  EXPECT_EQ(faults_of(in_step), "");
}

TEST(simt, reports_nothing_on_correct_kernels_over_fifty_seeds) {
  for (const execution model : both_models) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      gpu::stream stream({.seed = seed, .model = model});
      EXPECT_EQ(count_with_atomics(stream, 7, 50), 350);
      EXPECT_EQ(tree_sum(stream, thousand(), true), 1000.0F);
      EXPECT_EQ(last_block_sum(stream, thousand(), true), 1000.0F);
      EXPECT_EQ(warp_neighbours(stream, true), 496.0F);
      EXPECT_EQ(dynamic_sum(stream, 64, 6), 64.0F * 21);
      EXPECT_EQ(dynamic_sum(stream, 32, 20),
                32.0F * 210);  // more blocks than are resident: the allocator reuses memory
      ASSERT_EQ(faults_of(stream), "") << "seed " << seed;
    }
  }
}

TEST(simt, shuffles_votes_and_reductions_match_cuda) {
  for (const execution model : both_models) {
    gpu::stream stream({.model = model});
    EXPECT_EQ(failed_votes(stream), 0);
    for (const unsigned width : {2U, 4U, 8U, 16U, 32U})
      EXPECT_EQ(shuffle_sum(stream, width), static_cast<float>(width));
    EXPECT_EQ(faults_of(stream), "");
  }
}

TEST(simt, atomics_return_the_old_value_and_wrap_as_defined) {
  gpu::stream stream;
  EXPECT_EQ(failed_atomics(stream), 0);
}

TEST(simt, numbers_threads_and_blocks_in_three_dimensions) {
  gpu::stream stream;
  std::vector<unsigned> expected(12 * 60);
  std::iota(expected.begin(), expected.end(), 0U);
  EXPECT_EQ(indices(stream), expected);
}

TEST(simt, the_seed_determines_the_run) {
  const auto run = [](std::uint64_t seed) {
    gpu::stream stream({.seed = seed});
    return count_without_atomics(stream, 20, 64);
  };
  EXPECT_EQ(run(5), run(5));
  std::set<int> results;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) results.insert(run(seed));
  EXPECT_GT(results.size(), 3U);
}

TEST(simt, refuses_launches_beyond_the_limits_of_gpus) {
  gpu::stream stream;
  EXPECT_THROW(count_with_atomics(stream, 1, 2048), exactdot::error);
  EXPECT_THROW(count_with_atomics(stream, 1, 0), exactdot::error);
  EXPECT_THROW(count_with_atomics(stream, 0, 32), exactdot::error);
  EXPECT_EQ(count_with_atomics(stream, 1, 32), 32);  // usable afterwards
}

TEST(simt, loses_most_of_a_million_unordered_increments_and_none_of_the_atomic_ones) {
  gpu::stream stream;
  EXPECT_LT(count_without_atomics(stream, 1000, 1000), 500'000);
  EXPECT_TRUE(reports(stream, fault_kind::data_race, "global", "race"));
  EXPECT_EQ(count_with_atomics(stream, 1000, 1000), 1'000'000);
}

}  // namespace
