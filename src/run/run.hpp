// Runs plans: on the CPU engine, or on the GPU engine that is registered.
#pragma once

#include <plan/gpu_engine.hpp>
#include <plan/thread_count.hpp>

namespace exactdot::inline v0_3::engine {

/// The bits of the result.
[[nodiscard]] std::uint64_t run(const plan& plan);

/// words += the exact state of the plan's terms; normalised on entry and on return. The mode is ignored.
void add(const plan& plan, std::int64_t* words);

/// Whether a call on contiguous vectors passes every check of make_plan, which would choose one CPU thread without
/// a monitor. Such calls skip the plan. Cost: about a nanosecond.
[[nodiscard]] inline bool is_short_call(const void* a, const void* b, std::size_t n, const options& options) {
  const bool host = options.device == device::cpu || options.device == device::automatic;
  return n - 1 < 2 * elements_per_thread - 1 && a != nullptr && b != nullptr && host &&
         !asks_gpu_engine(options.device, n) && options.threads >= 0 && options.monitor == nullptr &&
         (options.mode == mode::exact || options.mode == mode::fast);
}

/// The plan for the CPU alone: after a GPU that was only the faster choice ran out of memory.
[[nodiscard]] plan for_cpu(plan plan);

}  // namespace exactdot::inline v0_3::engine
