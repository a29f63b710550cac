// Runs the tasks of a reduction with a callable (exactdot/reduce.hpp) on the threads of the CPU engine.
#include <algorithm>
#include <exactdot/reduce.hpp>
#include <plan/plan.hpp>
#include <plan/threads.hpp>

namespace exactdot::inline v0_3::detail {
namespace {

/// The plan of a reduction that reads x on the CPU.
engine::plan plan_for_callable(const any_vector& x, options options) {
  constexpr const char* caller = "reduce";
  if (options.device == device::cuda) {
    engine::throw_error(
        errc::bad_option, caller,
        "a callable of the host runs on the CPU; on a GPU use those of exactdot/cuda/reduce.cuh");
  }
  if (options.device == device::automatic) options.device = device::cpu;
  const element_type result = is_integer(x.type) ? element_type::int64 : x.type;
  return engine::make_plan({caller, reduction::sum, x, x, result}, options);
}

}  // namespace

void run_tasks(const any_vector& x, std::size_t count, std::size_t elements, const options& options,
               void (*task)(void* context, std::size_t k) noexcept, void* context) {
  const engine::plan plan = plan_for_callable(x, options);
  engine::throw_if_cancelled(plan);
  const auto threads = static_cast<int>(std::clamp<std::size_t>(count, 1, static_cast<std::size_t>(plan.threads)));
  engine::for_shares(count, 1, threads, [&](std::size_t first, std::size_t tasks, int) noexcept {
    for (std::size_t k = first; k < first + tasks; ++k) {
      const std::size_t start = k * elements;
      if (plan.monitor != nullptr && plan.monitor->cancel.load(std::memory_order_relaxed)) return;
      task(context, k);
      if (plan.monitor != nullptr) plan.monitor->done.fetch_add(std::min(elements, x.n - start));
    }
  });
  engine::throw_if_cancelled(plan);
}

}  // namespace exactdot::inline v0_3::detail
