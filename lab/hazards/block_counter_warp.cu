// block_counter_warp: the lock of block_counter, requested by every thread of the block.
//
// If the lanes of a warp share one program counter (before Volta), the lane that holds the lock waits at the end of
// the loop for the lanes that spin, and these wait for the lock forever. With one program counter per thread (Volta
// and later) the kernel ends. On a GPU each thread tries a limited number of times, then reports that it gave up.
#include <lab/hazard_kernel.hpp>
#include <limits>

namespace exactdot::lab {
namespace {

__global__ void count_threads_under_lock(int* mutex, int* count, int* gave_up, int max_tries) {
  int tries = 0;
  while (atomicCAS(mutex, 0, 1) != 0) {  // spins
    if (++tries == max_tries) {
      atomicAdd(gave_up, 1);
      return;
    }
  }
  __threadfence();
  *count += 1;
  __threadfence();
  atomicExch(mutex, 0);
}

struct thread_counts {
  int count, gave_up;
};

template <class Stream>
thread_counts count_threads(Stream& stream, int blocks, int threads, int max_tries) {
  gpu::buffer<int> cells(stream, 3);
  cells.fill_zero();
  gpu::launch(count_threads_under_lock, blocks, threads, 0, stream, cells.data(), cells.data() + 1,
              cells.data() + 2, max_tries);
  int values[3];
  cells.copy_to(values, 3);
  return {values[1], values[2]};
}

template <class Stream>
hazard_outcome run_models(Stream& stream, int blocks, int threads) {
  const int all = blocks * threads;
  hazard_outcome outcome;
  if constexpr (simulated<Stream>) {
    using model = std::remove_reference_t<decltype(stream.settings().model)>;
    stream.settings().model = model::lock_step;
    const thread_counts in_lock_step = count_threads(stream, blocks, threads, std::numeric_limits<int>::max());
    outcome.detected = take_findings(stream);
    stream.settings().model = model::independent;
    const thread_counts independent = count_threads(stream, blocks, threads, std::numeric_limits<int>::max());
    const std::vector<reported_fault> independent_faults = take_findings(stream);
    outcome.expected = format_text("a livelock in lock step; %d with independent threads", all);
    outcome.observed = format_text("%s in lock step, given up at a count of %d; %d with independent threads",
                                   has(outcome.detected, "livelock") ? "a livelock" : "no livelock",
                                   in_lock_step.count, independent.count);
    outcome.as_expected =
        has(outcome.detected, "livelock") && independent_faults.empty() && independent.count == all;
    outcome.detected.insert(outcome.detected.end(), independent_faults.begin(), independent_faults.end());
    outcome.figures = {{"lock_step", static_cast<double>(in_lock_step.count)},
                       {"independent", static_cast<double>(independent.count)}};
  } else {
    const thread_counts counts = count_threads(stream, blocks, threads, 1 << 20);
    outcome.expected = format_text("%d with independent threads (Volta and later)", all);
    outcome.observed = format_text("%d counted, %d threads gave up after 2^20 tries", counts.count, counts.gave_up);
    outcome.as_expected = counts.count == all && counts.gave_up == 0;
    outcome.figures = {{"independent", static_cast<double>(counts.count)},
                       {"gave_up", static_cast<double>(counts.gave_up)}};
  }
  return outcome;
}

hazard_outcome run_warp(const hazard_request& request) {
  seeded_stream stream(request.seed);
  return request.small ? run_models<gpu::stream>(stream, 1, 4) : run_models<gpu::stream>(stream, 4, 64);
}

const register_hazard registration{
    {.number = 7,
     .name = "block_counter_warp",
     .file = "block_counter_warp.cu",
     .effect = "In 4 blocks of 64 threads, every thread acquires the lock, adds 1 and releases it.",
     .cause =
         "In lock step all lanes of a warp leave a loop together: the lane that holds the lock waits for the lanes "
         "that spin, and these wait for the lock. Since Volta each thread has its own program counter and the "
         "holder proceeds. The kernel ends, but slowly, because all threads serialise on one word.",
     .fix = "Let one thread per block acquire the lock for all: block_counter, rung lock_per_block."},
    run_warp};

}  // namespace
}  // namespace exactdot::lab
