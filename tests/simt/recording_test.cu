// The recorder: steps with their values, consequences, arrays, findings, limits and scripts.
#include <gtest/gtest.h>

#include <algorithm>
#include <exactdot/simt/cuda.hpp>
#include <exactdot/simt/recording.hpp>
#include <map>
#include <stdexcept>
#include <vector>

namespace {

namespace gpu = exactdot::gpu;
using namespace exactdot::simt;

__global__ void count(int* n) { *n += 1; }

__global__ void swap_neighbours(const int* x, int* y) {
  __shared__ int held[2];
  held[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = held[1 - threadIdx.x];
}

__global__ void spin(int* flag) {
  if (threadIdx.x == 0) {
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
  }
}

/// Block 0 waits for the last thread of all, which writes 200 times before it answers.
__global__ void wait_for_a_late_block(int* words) {
  if (blockIdx.x == 0) {
    while (atomicAdd(words, 0) == 0) {
    }
  } else if (threadIdx.x == 31) {
    for (int i = 0; i < 200; ++i) words[1] = i;
    atomicExch(words, 1);
  }
}

__global__ void add_over_warp(int* x) {
  int value = x[threadIdx.x];
  if (threadIdx.x < 16) value += __shfl_down_sync(0xffffu, value, 8);
  x[threadIdx.x] = value;
}

std::vector<std::string> actions(const recorded_launch& run) {
  std::vector<std::string> all;
  for (const recorded_step& step : run.steps) all.push_back(std::to_string(step.thread) + " " + step.action);
  return all;
}

recorded_launch run_count(recorder_settings settings, unsigned threads = 2) {
  gpu::stream stream;
  gpu::buffer<int> n(stream, 1);
  n.fill_zero();
  const recorder recording(settings);
  gpu::launch(count, threads, 1, 0, stream, n.data());
  return recording.launches().at(0);
}

TEST(recording, has_the_steps_of_a_known_schedule_with_their_values) {
  const recorded_launch run = run_count({.script = {0, 1, 0, 1}});
  EXPECT_EQ(run.kernel, "count");
  EXPECT_TRUE(!EXACTDOT_HAS_LINES || run.file.ends_with("recording_test.cu")) << run.file;
  EXPECT_EQ(run.threads, 2U);
  EXPECT_EQ(actions(run), (std::vector<std::string>{"0 read", "1 read", "0 write", "0 exit", "1 write", "1 exit"}));
  const recorded_step& first = run.steps[2];
  const recorded_step& second = run.steps[4];
  EXPECT_EQ(first.before.words[0], 0U);
  EXPECT_EQ(first.after.words[0], 1U);
  EXPECT_EQ(second.before.words[0], 1U) << "the first write has happened";
  EXPECT_EQ(second.after.words[0], 1U) << "an update is lost";
  EXPECT_EQ(first.array, 0);
  EXPECT_EQ(first.size, sizeof(int));
  EXPECT_LT(run.steps[0].turn, run.steps[1].turn);
  EXPECT_EQ(run.steps[2].turn, run.steps[3].turn) << "the exit belongs to the write";
  EXPECT_EQ(run.pointers.size(), 1U);
  EXPECT_EQ(run.pointers[0], run.arrays[0].address);
  EXPECT_FALSE(run.skipped);
}

TEST(recording, marks_the_steps_of_a_race) {
  const recorded_launch run = run_count({.script = {0, 1, 0, 1}});
  ASSERT_EQ(run.faults.size(), 1U);
  EXPECT_EQ(run.faults[0].kind, fault_kind::data_race);
  EXPECT_EQ(run.steps[0].fault, -1);
  EXPECT_EQ(run.steps[2].fault, 0);
  EXPECT_EQ(run.steps[2].other_thread, 1);
  EXPECT_EQ(run.steps[4].fault, 0);
}

TEST(recording, a_schedule_decides) {
  const recorded_launch run = run_count({.script = {1, 1, 0, 0}});
  EXPECT_EQ(run.steps[0].thread, 1U);
  EXPECT_EQ(run.steps.at(4).action, "write");
  EXPECT_EQ(run.steps.at(4).after.words[0], 2U);
}

TEST(recording, names_the_first_entry_of_a_schedule_that_is_skipped) {
  const recorded_launch early = run_count({.script = {0, 0, 0, 1}});
  ASSERT_TRUE(early.skipped);
  EXPECT_EQ(early.skipped->position, 2U);
  EXPECT_EQ(early.skipped->thread, 0U);
  EXPECT_EQ(early.skipped->reason, "its block has not started or has ended");
  const recorded_launch late = run_count({.script = {0, 0, 1, 1, 1}});
  ASSERT_TRUE(late.skipped);
  EXPECT_EQ(late.skipped->position, 4U);
}

TEST(recording, its_schedule_repeats_the_run) {
  gpu::stream stream;
  gpu::buffer<int> x(stream, 2), y(stream, 2);
  const int values[2] = {5, 6};
  x.copy_from(values, 2);
  const auto run_with = [&](std::uint64_t seed, const std::vector<unsigned>& script) {
    stream.settings().seed = seed;
    const recorder recording({.script = script});
    gpu::launch(swap_neighbours, 1, 2, 0, stream, x.data(), y.data());
    return recording.launches().at(0);
  };
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const recorded_launch run = run_with(seed, {});
    const recorded_launch again = run_with(seed + 100, run.schedule);
    EXPECT_EQ(actions(run), actions(again)) << "seed " << seed;
    EXPECT_FALSE(again.skipped) << "seed " << seed << ": " << again.skipped->position;
    EXPECT_EQ(run.schedule, again.schedule);
  }
}

TEST(recording, counts_what_exceeds_its_limits) {
  const recorded_launch steps = run_count({.max_steps = 3, .script = {0, 0, 1, 1}});
  EXPECT_EQ(steps.steps.size(), 3U);
  EXPECT_EQ(steps.skipped_steps + steps.dropped_steps, 2U) << "consequences are not counted";
  const recorded_launch threads = run_count({.max_threads = 2}, 5);
  EXPECT_EQ(threads.shown_threads.size(), 2U);
  EXPECT_EQ(threads.steps_of_others, 3 * 3U);
  gpu::stream stream;
  gpu::buffer<int> n(stream, 1);
  n.fill_zero();
  const recorder recording({.max_total_steps = 7, .max_launches = 2});
  for (int i = 0; i < 3; ++i) gpu::launch(count, 2, 1, 0, stream, n.data());
  EXPECT_EQ(recording.launches().size(), 2U);
  EXPECT_EQ(recording.dropped_launches(), 1U);
  EXPECT_EQ(recording.launches()[0].steps.size() + recording.launches()[1].steps.size(), 7U);
}

/// Every thread works on words of its own; at the end two threads of different blocks race.
__global__ void race_late(int* words, int* shared_word) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 50; ++k) words[8 * i + k % 8] += k;
  if (threadIdx.x == 40 && blockIdx.x % 2 == 1) *shared_word += 1;
}

recorded_launch run_late_race(recorder_settings settings) {
  gpu::stream stream;
  gpu::buffer<int> words(stream, 2048), shared_word(stream, 1);
  words.fill_zero(), shared_word.fill_zero();
  const recorder recording(settings);
  gpu::launch(race_late, 4, 64, 0, stream, words.data(), shared_word.data());
  return recording.launches().at(0);
}

TEST(recording, keeps_the_neighbourhood_of_the_first_finding) {
  const recorded_launch run = run_late_race({.max_steps = 200, .max_threads = 64, .max_watched_steps = 1000});
  EXPECT_EQ(run.steps.size(), 200U);
  EXPECT_GT(run.skipped_steps, 1000U);
  EXPECT_TRUE(run.schedule.empty()) << "it would not lead to these steps";
  std::size_t at = 0;
  while (at < run.steps.size() && run.steps[at].fault < 0) ++at;
  EXPECT_EQ(at, 100U) << "half of the steps come before the finding";
  for (const unsigned thread : {64U + 40U, 192U + 40U})
    EXPECT_TRUE(std::binary_search(run.shown_threads.begin(), run.shown_threads.end(), thread));
  EXPECT_EQ(run.shown_threads.size(), 64U) << "the warps of both";
  for (const thread_before& one : run.before) {
    EXPECT_TRUE(one.has_exited || one.last.thread == one.thread);
  }
  const recorded_launch first = run_late_race({.max_steps = 200, .max_threads = 64, .max_watched_steps = 0});
  EXPECT_EQ(first.skipped_steps, 0U);
  EXPECT_EQ(first.shown_threads.back(), 63U);
}

TEST(recording, records_chosen_blocks_and_launches) {
  const recorded_launch run = run_late_race({.blocks = {2}});
  EXPECT_EQ(run.shown_threads.front(), 128U);
  EXPECT_EQ(run.shown_threads.size(), 64U);
  for (const recorded_step& step : run.steps) EXPECT_EQ(step.thread / 64, 2U);
  gpu::stream stream;
  gpu::buffer<int> n(stream, 1);
  n.fill_zero();
  const recorder recording({.numbers = {2, 4}});
  for (int i = 0; i < 5; ++i) gpu::launch(count, 1, 1, 0, stream, n.data());
  ASSERT_EQ(recording.launches().size(), 2U);
  EXPECT_EQ(recording.launches()[1].number, 4U);
  EXPECT_EQ(recording.dropped_launches(), 3U);
}

TEST(recording, a_late_launch_with_a_finding_replaces_one_without) {
  gpu::stream stream;
  gpu::buffer<int> n(stream, 1);
  n.fill_zero();
  const recorder recording({.max_launches = 3});
  for (int i = 1; i <= 1000; ++i) gpu::launch(count, i == 900 ? 2 : 1, 1, 0, stream, n.data());
  std::vector<std::size_t> numbers;
  for (const recorded_launch& one : recording.launches()) numbers.push_back(one.number);
  EXPECT_EQ(numbers, (std::vector<std::size_t>{1, 2, 900}));
  EXPECT_EQ(recording.launch_count(), 1000U);
}

TEST(recording, shows_shared_memory_and_the_barrier) {
  gpu::stream stream;
  gpu::buffer<int> x(stream, 2), y(stream, 2);
  const int values[2] = {5, 6};
  x.copy_from(values, 2);
  const recorder recording({.script = {0, 0, 0, 1, 1, 1}});
  gpu::launch(swap_neighbours, 1, 2, 0, stream, x.data(), y.data());
  const recorded_launch& run = recording.launches().at(0);
  EXPECT_EQ(actions(run).at(2), "0 __syncthreads");
  EXPECT_EQ(run.steps[2].kind, step_kind::barrier);
  EXPECT_EQ(run.steps[6].kind, step_kind::opened);
  EXPECT_EQ(run.steps[6].turn, run.steps[5].turn);
  const recorded_array& held = run.arrays.at(1);
  EXPECT_EQ(held.name, "held");
  EXPECT_TRUE(held.shared);
  EXPECT_EQ(held.is_written, (std::vector<bool>{false, false}));
  EXPECT_FALSE(run.steps[1].before.is_written);
  EXPECT_TRUE(run.steps[1].after.is_written);
  EXPECT_EQ(run.steps[1].after.words[0], 5U);
  EXPECT_EQ(run.pointers, (std::vector<std::uintptr_t>{run.arrays.at(0).address, run.arrays.at(2).address}));
}

TEST(recording, a_waiting_thread_spins_and_reads_again) {
  gpu::stream stream;
  gpu::buffer<int> flag(stream, 1);
  flag.fill_zero();
  const recorder recording({.script = {1, 1, 1, 1, 1, 0}});
  gpu::launch(spin, 1, 2, 0, stream, flag.data());
  const recorded_launch& run = recording.launches().at(0);
  bool has_spun = false, has_seen = false;
  for (const recorded_step& step : run.steps) {
    if (step.kind == step_kind::spin) has_spun = true;
    if (step.thread == 1 && step.kind == step_kind::atomic && step.before.words[0] == 1) has_seen = has_spun;
  }
  EXPECT_TRUE(has_spun);
  EXPECT_TRUE(has_seen) << "the value of the access that waited is the one after the wait";
}

TEST(recording, lanes_in_lock_step_spin_together) {
  gpu::stream stream({.model = execution::lock_step});
  gpu::buffer<int> words(stream, 2);
  words.fill_zero();
  const recorder recording;
  gpu::launch(wait_for_a_late_block, 2, 32, 0, stream, words.data());
  std::map<std::uint64_t, int> spins;  // by turn
  for (const recorded_step& step : recording.launches().at(0).steps) {
    if (step.kind == step_kind::spin) ++spins[step.turn];
  }
  EXPECT_FALSE(spins.empty());
  for (const auto& [turn, lanes] : spins) EXPECT_EQ(lanes, 32) << "turn " << turn;
}

TEST(recording, lanes_in_lock_step_share_a_turn) {
  gpu::stream stream({.model = execution::lock_step});
  gpu::buffer<int> x(stream, 32);
  const std::vector<int> ones(32, 1);
  x.copy_from(ones.data(), ones.size());
  const recorder recording;
  gpu::launch(add_over_warp, 1, 32, 0, stream, x.data());
  const recorded_launch& run = recording.launches().at(0);
  int first = 0, collectives = 0;
  for (const recorded_step& step : run.steps) {
    if (step.turn == run.steps[0].turn) ++first;
    if (step.kind == step_kind::completed) {
      EXPECT_EQ(step.mask, 0xffffU);
    }
    collectives += step.kind == step_kind::collective;
  }
  EXPECT_EQ(first, 32);
  EXPECT_EQ(collectives, 16);
}

TEST(recording, overrides_the_model_and_ends_with_the_recorder) {
  gpu::stream stream;
  gpu::buffer<int> n(stream, 1);
  n.fill_zero();
  {
    const recorder recording({.model = execution::lock_step});
    EXPECT_THROW(recorder(), std::logic_error);
    gpu::launch(count, 2, 1, 0, stream, n.data());
    EXPECT_EQ(recording.launches().at(0).model, execution::lock_step);
  }
  gpu::launch(count, 2, 1, 0, stream, n.data());
  const recorder fresh;
  EXPECT_TRUE(fresh.launches().empty());
}

}  // namespace
