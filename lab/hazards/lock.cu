// lock: one thread of each block adds 1 under a lock, with the lock's fences and without them.
//
// Taking a lock by atomicCAS and giving it back by atomicExch keeps others out, but says nothing of the guarded
// data: without a fence its loads may come from before the lock was taken, and its stores be seen after the lock
// looks free. The simulator names that race; with the fences of lab/lock.cuh it is silent.
#include <lab/hazard_kernel.hpp>
#include <lab/lock.cuh>

namespace exactdot::lab {
namespace {

constexpr int blocks = 64;

/// As printed in many texts: without the fences.
struct unfenced_lock {
  int* mutex;

  __device__ void take() const {
    while (atomicCAS(mutex, 0, 1) != 0) {
    }
  }
  __device__ void release() const { atomicExch(mutex, 0); }
};

template <class Lock>
__global__ void count_blocks(Lock lock, int* count) {
  lock.take();
  *count += 1;  // guarded
  lock.release();
}

hazard_outcome run_lock(const hazard_request& request) {
  seeded_stream stream(request.seed);
  const lock_memory lock(stream);
  gpu::buffer<int> count(stream, 1);
  count.fill_zero();
  gpu::launch(count_blocks<unfenced_lock>, blocks, 1, 0, stream, unfenced_lock{lock.handle().mutex}, count.data());
  const int without = only_value(count);
  hazard_outcome seen;
  seen.detected = take_findings(stream);
  count.fill_zero();
  gpu::launch(count_blocks<device_lock>, blocks, 1, 0, stream, lock.handle(), count.data());
  const int with = only_value(count);
  const std::vector<named_fault> with_fences = take_findings(stream);
  seen.expected = on_simt ? "64 with fences, and silence; a race on the count without" : "64 with fences";
  seen.observed = text_of("%d with fences, %d without", with, without);
  if (on_simt)
    seen.observed += text_of("; faults named: %zu with, %zu without", with_fences.size(), seen.detected.size());
  seen.as_expected = with == blocks && with_fences.empty() && (!on_simt || has(seen.detected, "data_race"));
  seen.detected.insert(seen.detected.end(), with_fences.begin(), with_fences.end());
  seen.figures = {{"with_fences", static_cast<double>(with)},
                  {"without_fences", static_cast<double>(without)},
                  {"faults_with_fences", static_cast<double>(with_fences.size())}};
  return seen;
}

const enlist_hazard here{
    {.number = 5,
     .name = "lock",
     .file = "lock.cu",
     .does = "64 blocks add 1 each under a lock of atomicCAS and atomicExch, with __threadfence and without.",
     .why =
         "The atomics order only the lock's own word. What it guards may be read before the lock is taken or from "
         "a stale cache line, and written after the lock looks free. That it often goes well is luck, and the "
         "count need not show it.",
     .cure = "A __threadfence after taking the lock and one before releasing it: lab/lock.cuh. Or no lock at all: "
             "one atomicAdd does what lock_per_block needs two atomics and two fences for."},
    run_lock};

}  // namespace
}  // namespace exactdot::lab
