// The simulator: each detector finds the fault that is planted for it, with its line, and is silent on correct
// kernels whatever the seed; what CUDA's functions compute is what CUDA defines.
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

/// A fault of this kind on that line of kernels.cu, on either side of it.
testing::AssertionResult names(const stream& on, fault_kind kind, const std::string& space, const char* comment) {
  return has_fault(on, kind, space, comment, EXACTDOT_KERNELS_FILE);
}

const std::vector<float>& thousand() {
  static const std::vector<float> ones(1000, 1.0F);
  return ones;
}

TEST(simt, names_a_race_in_global_memory) {
  stream on;
  const int sum = count_without_atomics(on, 100, 100);
  EXPECT_LT(sum, 9000);
  EXPECT_TRUE(names(on, fault_kind::data_race, "global", "race"));
}

TEST(simt, names_a_missing_barrier) {
  stream on;
  tree_sum(on, thousand(), false);
  EXPECT_TRUE(names(on, fault_kind::data_race, "shared", "missing barrier"));
  EXPECT_TRUE(std::any_of(on.faults().begin(), on.faults().end(), [](const fault& one) {
    return one.space == "shared" && one.variable.starts_with("sums");
  })) << faults_of(on);
}

TEST(simt, names_a_barrier_that_some_do_not_reach) {
  stream on;
  barrier_in_branch(on);
  EXPECT_TRUE(names(on, fault_kind::barrier_divergence, "", "divergence"));
}

TEST(simt, names_lanes_that_never_arrive) {
  stream on;
  shuffle_in_branch(on);
  EXPECT_TRUE(names(on, fault_kind::missing_lanes, "", "missing lanes"));
}

TEST(simt, names_atomics_of_too_small_a_scope) {
  stream on;
  count_with_block_atomics(on);
  EXPECT_TRUE(names(on, fault_kind::data_race, "global", "scope"));
}

TEST(simt, names_a_lock_without_fences) {
  stream on;
  locked_without_fences(on);
  EXPECT_TRUE(names(on, fault_kind::data_race, "global", "protected"));
}

TEST(simt, names_a_publication_without_fences) {
  bool found = false;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    stream on({.seed = seed});
    last_block_adds(on, thousand(), false);
    found = found || names(on, fault_kind::data_race, "global", "read of others");
  }
  EXPECT_TRUE(found);
}

TEST(simt, a_lock_for_every_thread_ends_where_threads_are_independent) {
  stream on;
  EXPECT_EQ(locked_by_every_thread(on), 256);
  EXPECT_EQ(faults_of(on), "");
}

TEST(simt, a_lock_for_every_thread_never_ends_in_lock_step) {
  stream on({.model = execution::lock_step});
  EXPECT_LT(locked_by_every_thread(on), 256);
  EXPECT_TRUE(names(on, fault_kind::livelock, "", "spin"));
}

TEST(simt, names_addresses_and_indices_out_of_bounds) {
  stream on;
  write_past_the_end(on);
  EXPECT_TRUE(names(on, fault_kind::out_of_bounds, "global", "past the end"));
  on.clear();
  index_past_the_end(on);
  EXPECT_TRUE(names(on, fault_kind::out_of_bounds, "array", "bad index"));
  on.clear();
  past_dynamic_shared(on);
  EXPECT_TRUE(names(on, fault_kind::out_of_bounds, "shared", "past dynamic"));
}

TEST(simt, names_reads_of_what_nobody_wrote) {
  stream on;
  read_unwritten_shared(on);
  EXPECT_TRUE(names(on, fault_kind::uninitialised_shared, "shared", "unwritten shared"));
  on.clear();
  EXPECT_NE(read_unwritten_global(on), 1.0F);
  EXPECT_TRUE(names(on, fault_kind::uninitialised_global, "global", "unwritten global"));
}

TEST(simt, names_neighbours_of_a_warp_without_syncwarp) {
  stream on;
  warp_neighbours(on, false);
  EXPECT_TRUE(names(on, fault_kind::data_race, "shared", "neighbour"));
  stream in_step({.model = execution::lock_step});  // where each step of a warp is one
  EXPECT_EQ(warp_neighbours(in_step, false), 496.0F);
  EXPECT_EQ(faults_of(in_step), "");
}

TEST(simt, is_silent_on_correct_kernels_over_fifty_seeds) {
  for (const execution model : both_models) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      stream on({.seed = seed, .model = model});
      EXPECT_EQ(count_with_atomics(on, 7, 50), 350);
      EXPECT_EQ(tree_sum(on, thousand(), true), 1000.0F);
      EXPECT_EQ(last_block_adds(on, thousand(), true), 1000.0F);
      EXPECT_EQ(warp_neighbours(on, true), 496.0F);
      EXPECT_EQ(dynamic_sum(on, 64, 6), 64.0F * 21);
      EXPECT_EQ(dynamic_sum(on, 32, 20), 32.0F * 210);  // more blocks than are resident: memory is used again
      ASSERT_EQ(faults_of(on), "") << "seed " << seed;
    }
  }
}

TEST(simt, shuffles_votes_and_reductions_are_those_of_cuda) {
  for (const execution model : both_models) {
    stream on({.model = model});
    EXPECT_EQ(votes(on), 0);
    for (const unsigned width : {2U, 4U, 8U, 16U, 32U})
      EXPECT_EQ(shuffle_sum(on, width), static_cast<float>(width));
    EXPECT_EQ(faults_of(on), "");
  }
}

TEST(simt, atomics_return_the_old_value_and_wrap_as_defined) {
  stream on;
  EXPECT_EQ(tour_of_atomics(on), 0);
}

TEST(simt, numbers_threads_and_blocks_in_three_dimensions) {
  stream on;
  std::vector<unsigned> expected(12 * 60);
  std::iota(expected.begin(), expected.end(), 0U);
  EXPECT_EQ(indices(on), expected);
}

TEST(simt, the_seed_decides) {
  const auto run = [](std::uint64_t seed) {
    stream on({.seed = seed});
    return count_without_atomics(on, 20, 64);
  };
  EXPECT_EQ(run(5), run(5));
  std::set<int> results;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) results.insert(run(seed));
  EXPECT_GT(results.size(), 3U);
}

TEST(simt, refuses_launches_that_no_gpu_takes) {
  stream on;
  EXPECT_THROW(count_with_atomics(on, 1, 2048), exactdot::error);
  EXPECT_THROW(count_with_atomics(on, 1, 0), exactdot::error);
  EXPECT_THROW(count_with_atomics(on, 0, 32), exactdot::error);
  EXPECT_EQ(count_with_atomics(on, 1, 32), 32);  // and goes on
}

TEST(simt, loses_most_of_a_million_unordered_increments_and_none_of_the_atomic_ones) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    stream on({.seed = seed});
    EXPECT_LT(count_without_atomics(on, 1000, 1000), 500'000);
    EXPECT_TRUE(names(on, fault_kind::data_race, "global", "race"));
    EXPECT_EQ(count_with_atomics(on, 1000, 1000), 1'000'000);
  }
}

}  // namespace
