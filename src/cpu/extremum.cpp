// Least and greatest elements on the CPU: every thread finds the extreme of its range; the least key and, among
// equal keys, the lowest index wins.
#include <cpu/extreme.hpp>
#include <cpu/inputs.hpp>
#include <cpu/reduce.hpp>

namespace exactdot::inline v0_3::cpu_engine {

std::uint64_t find_extreme(const engine::plan& asked) {
  const engine::plan plan = is_compared_as_float(asked) ? compared_as_float(asked) : asked;
  const extremum_kernel kernel = extremum_kernel_of(plan);
  std::vector<extreme> found(static_cast<std::size_t>(plan.threads), no_extreme);
  inputs inputs(plan, plan.threads);
  engine::for_shares(plan.n, engine::min_share, plan.threads,
                     [&](std::size_t start, std::size_t count, int thread) noexcept {
                       extreme& best = found[static_cast<std::size_t>(thread)];
                       inputs.for_slices(start, count, thread,
                                         [&](const void* x, const void*, std::size_t first, std::size_t length) {
                                           extreme candidate = kernel(x, length);
                                           candidate.index += first;
                                           if (is_better(candidate, best)) best = candidate;
                                         });
                     });
  engine::throw_if_cancelled(plan);
  extreme best = no_extreme;
  for (const extreme& candidate : found) {
    if (is_better(candidate, best)) best = candidate;
  }
  return result_of(plan, best);
}

}  // namespace exactdot::inline v0_3::cpu_engine
