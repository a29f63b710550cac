// lock: one thread of each block adds 1 under a lock, with the lock's fences and without them.
//
// atomicCAS to acquire and atomicExch to release exclude other threads, but do not order the guarded data. Without
// fences its loads may precede the acquisition, and its stores may become visible after the release. The simulator
// reports that race; with the fences of lab/lock.cuh it reports nothing.
#include <lab/hazard_kernel.hpp>
#include <lab/lock.cuh>

namespace exactdot::lab {
namespace {

/// The lock of many textbooks, without fences.
struct unfenced_lock {
  int* mutex;

  __device__ void acquire() const {
    while (atomicCAS(mutex, 0, 1) != 0) {
    }
  }
  __device__ void release() const { atomicExch(mutex, 0); }
};

template <class Lock>
__global__ void count_blocks(Lock lock, int* count) {
  lock.acquire();
  *count += 1;  // guarded
  lock.release();
}

hazard_outcome run_lock(const hazard_request& request) {
  const int blocks = request.small ? 4 : 64;
  seeded_stream stream(request.seed);
  const lock_memory lock(stream);
  gpu::buffer<int> count(stream, 1);
  count.fill_zero();
  gpu::launch(count_blocks<unfenced_lock>, blocks, 1, 0, stream, unfenced_lock{lock.handle().mutex}, count.data());
  const int without = only_value(count);
  hazard_outcome outcome;
  outcome.detected = take_findings(stream);
  count.fill_zero();
  gpu::launch(count_blocks<device_lock>, blocks, 1, 0, stream, lock.handle(), count.data());
  const int with = only_value(count);
  const std::vector<reported_fault> with_fences = take_findings(stream);
  outcome.expected =
      on_simt ? "64 with fences and no report; without, a reported race on the count" : "64 with fences";
  outcome.observed = format_text("%d with fences, %d without", with, without);
  if (on_simt)
    outcome.observed +=
        format_text("; faults named: %zu with, %zu without", with_fences.size(), outcome.detected.size());
  outcome.as_expected = with == blocks && with_fences.empty() && (!on_simt || has(outcome.detected, "data_race"));
  outcome.detected.insert(outcome.detected.end(), with_fences.begin(), with_fences.end());
  outcome.figures = {{"with_fences", static_cast<double>(with)},
                     {"without_fences", static_cast<double>(without)},
                     {"faults_with_fences", static_cast<double>(with_fences.size())}};
  return outcome;
}

const register_hazard registration{
    {.number = 5,
     .name = "lock",
     .file = "lock.cu",
     .effect = "64 blocks add 1 each under a lock of atomicCAS and atomicExch, with __threadfence and without.",
     .cause =
         "The atomics order only the lock's own word. The guarded data may be read before the lock is acquired or "
         "from a stale cache line, and written after the lock appears free. A correct count does not prove "
         "correctness.",
     .fix =
         "Add a __threadfence after acquiring the lock and one before releasing it: lab/lock.cuh. Or use no lock: "
         "one atomicAdd replaces the two atomics and two fences of rung lock_per_block."},
    run_lock};

}  // namespace
}  // namespace exactdot::lab
