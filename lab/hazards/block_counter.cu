// block_counter: 512 blocks of 1024 threads count their blocks, without a lock and with one.
//
// One thread of each block adds 1. One thread per block is not enough: the blocks race with each other. Under a
// lock the count is exactly 512, and the blocks proceed one at a time.
#include <cmath>
#include <lab/hazard_kernel.hpp>
#include <lab/lock.cuh>

namespace exactdot::lab {
namespace {

__global__ void count_unlocked(int* count) {
  if (threadIdx.x == 0) *count += 1;  // race
}

__global__ void count_locked(device_lock lock, int* count) {
  if (threadIdx.x == 0) {
    lock.acquire();
    *count += 1;
    lock.release();
  }
}

hazard_outcome run_counter(const hazard_request& request) {
  const int blocks = request.small ? 4 : 512, threads = request.small ? 2 : 1024;
  seeded_stream stream(request.seed);
  const lock_memory lock(stream);
  gpu::buffer<int> count(stream, 1);
  const auto enqueue_unlocked = [&] { gpu::launch(count_unlocked, blocks, threads, 0, stream, count.data()); };
  const auto enqueue_locked = [&] {
    gpu::launch(count_locked, blocks, threads, 0, stream, lock.handle(), count.data());
  };
  hazard_outcome outcome;
  count.fill_zero();
  enqueue_unlocked();
  const int unlocked = only_value(count);
  outcome.detected = take_findings(stream);
  count.fill_zero();
  enqueue_locked();
  const int locked = only_value(count);
  const std::vector<reported_fault> with_lock = take_findings(stream);
  const double unlocked_time = microseconds(stream, enqueue_unlocked);
  const double locked_time = microseconds(stream, enqueue_locked);
  outcome.expected = "512 locked; fewer unlocked (a Fermi card: about 50)";
  outcome.observed = format_text("%d locked", locked) + time_text(locked_time) +
                     format_text("; %d unlocked", unlocked) + time_text(unlocked_time);
  outcome.as_expected = locked == blocks && with_lock.empty() && unlocked > 0 && unlocked < blocks &&
                        (!on_simt || has(outcome.detected, "data_race"));
  outcome.detected.insert(outcome.detected.end(), with_lock.begin(), with_lock.end());
  outcome.figures = {{"locked", static_cast<double>(locked)}, {"unlocked", static_cast<double>(unlocked)}};
  if (!std::isnan(locked_time)) {
    outcome.figures.insert(outcome.figures.end(),
                           {{"locked_microseconds", locked_time}, {"unlocked_microseconds", unlocked_time}});
  }
  return outcome;
}

const register_hazard registration{
    {.number = 6,
     .name = "block_counter",
     .file = "block_counter.cu",
     .effect =
         "512 blocks of 1024 threads count their blocks: thread 0 of each block executes *count += 1, without a "
         "lock and under one.",
     .cause = "A barrier or an if orders only the threads of one block. Blocks run concurrently and race with each "
              "other; "
              "a lock admits one at a time.",
     .fix = "Use one atomicAdd per block, or a lock that one thread of each block acquires (never all threads: "
            "block_counter_warp)."},
    run_counter};

}  // namespace
}  // namespace exactdot::lab
