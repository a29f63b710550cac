// block_counter_warp: the lock of block_counter, taken by every thread of the block.
//
// Where the lanes of a warp share one program counter (before Volta), the lane that gets the lock waits at the end
// of the loop for the lanes that spin, and they wait for the lock: for ever. With a program counter for each thread
// (Volta and later) it ends. On a GPU each thread tries so many times at most, then says that it gave up.
#include <lab/hazard_kernel.hpp>
#include <limits>

namespace exactdot::lab {
namespace {

constexpr int blocks = 4, threads = 64;

__global__ void count_threads_under_lock(int* mutex, int* count, int* gave_up, int most_tries) {
  int tries = 0;
  while (atomicCAS(mutex, 0, 1) != 0) {  // spins
    if (++tries == most_tries) {
      atomicAdd(gave_up, 1);
      return;
    }
  }
  __threadfence();
  *count += 1;
  __threadfence();
  atomicExch(mutex, 0);
}

struct counted {
  int count, gave_up;
};

template <class Stream>
counted count_threads(Stream& stream, int most_tries) {
  gpu::buffer<int> cells(stream, 3);
  cells.fill_zero();
  gpu::launch(count_threads_under_lock, blocks, threads, 0, stream, cells.data(), cells.data() + 1,
              cells.data() + 2, most_tries);
  int values[3];
  cells.copy_to(values, 3);
  return {values[1], values[2]};
}

template <class Stream>
hazard_outcome run_models(Stream& stream) {
  constexpr int all = blocks * threads;
  hazard_outcome seen;
  if constexpr (simulated<Stream>) {
    using model = std::remove_reference_t<decltype(stream.how().model)>;
    stream.how().model = model::lock_step;
    const counted together = count_threads(stream, std::numeric_limits<int>::max());
    seen.detected = take_findings(stream);
    stream.how().model = model::independent;
    const counted apart = count_threads(stream, std::numeric_limits<int>::max());
    const std::vector<named_fault> when_apart = take_findings(stream);
    seen.expected = text_of("a livelock in lock step; %d with independent threads", all);
    seen.observed =
        text_of("%s in lock step, given up at a count of %d; %d with independent threads",
                has(seen.detected, "livelock") ? "a livelock" : "no livelock", together.count, apart.count);
    seen.as_expected = has(seen.detected, "livelock") && when_apart.empty() && apart.count == all;
    seen.detected.insert(seen.detected.end(), when_apart.begin(), when_apart.end());
    seen.figures = {{"lock_step", static_cast<double>(together.count)},
                    {"independent", static_cast<double>(apart.count)}};
  } else {
    const counted now = count_threads(stream, 1 << 20);
    seen.expected = text_of("%d with independent threads (Volta and later)", all);
    seen.observed = text_of("%d counted, %d threads gave up after 2^20 tries", now.count, now.gave_up);
    seen.as_expected = now.count == all && now.gave_up == 0;
    seen.figures = {{"independent", static_cast<double>(now.count)}, {"gave_up", static_cast<double>(now.gave_up)}};
  }
  return seen;
}

hazard_outcome run_warp(const hazard_request& request) {
  seeded_stream stream(request.seed);
  return run_models<gpu::stream>(stream);
}

const enlist_hazard here{
    {.number = 7,
     .name = "block_counter_warp",
     .file = "block_counter_warp.cu",
     .does = "4 blocks of 64 threads: every thread takes the lock, adds 1 and gives it back.",
     .why = "In lock step a warp leaves a loop together: the lane that holds the lock waits for those that spin, "
            "they wait for the lock, and no step changes anything. Since Volta each thread has its own program "
            "counter and the holder goes on; it ends, slowly, for all threads queue at one word.",
     .cure = "One thread of a block takes the lock, for all: block_counter, lock_per_block."},
    run_warp};

}  // namespace
}  // namespace exactdot::lab
