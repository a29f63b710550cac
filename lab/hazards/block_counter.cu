// block_counter: 512 blocks of 1024 threads count their blocks, without a lock and with one.
//
// One thread of each block adds 1. That there is one per block does not help: the blocks race with each other.
// Under a lock the count is exactly 512, and all blocks pass through it in single file.
#include <cmath>
#include <lab/hazard_kernel.hpp>
#include <lab/lock.cuh>

namespace exactdot::lab {
namespace {

constexpr int blocks = 512, threads = 1024;

__global__ void count_unlocked(int* count) {
  if (threadIdx.x == 0) *count += 1;  // race
}

__global__ void count_locked(device_lock lock, int* count) {
  if (threadIdx.x == 0) {
    lock.take();
    *count += 1;
    lock.release();
  }
}

hazard_outcome run_counter(const hazard_request& request) {
  seeded_stream stream(request.seed);
  const lock_memory lock(stream);
  gpu::buffer<int> count(stream, 1);
  const auto enqueue_unlocked = [&] { gpu::launch(count_unlocked, blocks, threads, 0, stream, count.data()); };
  const auto enqueue_locked = [&] {
    gpu::launch(count_locked, blocks, threads, 0, stream, lock.handle(), count.data());
  };
  hazard_outcome seen;
  count.fill_zero();
  enqueue_unlocked();
  const int unlocked = only_value(count);
  seen.detected = take_findings(stream);
  count.fill_zero();
  enqueue_locked();
  const int locked = only_value(count);
  const std::vector<named_fault> with_lock = take_findings(stream);
  const double unlocked_time = microseconds(stream, enqueue_unlocked);
  const double locked_time = microseconds(stream, enqueue_locked);
  seen.expected = "512 locked; fewer unlocked (a Fermi card: about 50)";
  seen.observed = text_of("%d locked", locked) + time_text(locked_time) + text_of("; %d unlocked", unlocked) +
                  time_text(unlocked_time);
  seen.as_expected = locked == blocks && with_lock.empty() && unlocked > 0 && unlocked < blocks &&
                     (!on_simt || has(seen.detected, "data_race"));
  seen.detected.insert(seen.detected.end(), with_lock.begin(), with_lock.end());
  seen.figures = {{"locked", static_cast<double>(locked)}, {"unlocked", static_cast<double>(unlocked)}};
  if (!std::isnan(locked_time)) {
    seen.figures.insert(seen.figures.end(),
                        {{"locked_microseconds", locked_time}, {"unlocked_microseconds", unlocked_time}});
  }
  return seen;
}

const enlist_hazard here{
    {.number = 6,
     .name = "block_counter",
     .file = "block_counter.cu",
     .does = "512 blocks of 1024 threads count their blocks: thread 0 of each does *count += 1, with no lock and "
             "under one.",
     .why =
         "A barrier or an if orders the threads of one block only. Blocks run at the same time and race with each "
         "other; a lock lets one in after the other.",
     .cure =
         "One atomicAdd a block, or a lock taken by one thread of the block (never by all: block_counter_warp)."},
    run_counter};

}  // namespace
}  // namespace exactdot::lab
