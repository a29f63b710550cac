// Least and greatest elements on the CPU: every thread finds the extreme of its range; the least key and, among
// equal keys, the lowest index wins. Both extremes: by the two kernels, on stretches that the second level of the
// cache holds, so that memory is read once.
#include <array>
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

exactdot::detail::found_extremes find_extremes(const engine::plan& asked) {
  constexpr std::size_t stretch = 131072;  // bytes
  const engine::plan least = is_compared_as_float(asked) ? compared_as_float(asked) : asked;
  engine::plan greatest = least;
  greatest.what = reduction::max;
  const extremum_kernel kernels[] = {extremum_kernel_of(least), extremum_kernel_of(greatest)};
  using pair = std::array<extreme, 2>;
  std::vector<pair> found(static_cast<std::size_t>(least.threads), pair{no_extreme, no_extreme});
  inputs inputs(least, least.threads, stretch / size_of(least.carrier));
  engine::for_shares(least.n, engine::min_share, least.threads,
                     [&](std::size_t start, std::size_t count, int thread) noexcept {
                       pair& best = found[static_cast<std::size_t>(thread)];
                       inputs.for_slices(start, count, thread,
                                         [&](const void* x, const void*, std::size_t first, std::size_t length) {
                                           for (std::size_t k = 0; k < best.size(); ++k) {
                                             extreme candidate = kernels[k](x, length);
                                             candidate.index += first;
                                             if (is_better(candidate, best[k])) best[k] = candidate;
                                           }
                                         });
                     });
  engine::throw_if_cancelled(least);
  pair best{no_extreme, no_extreme};
  for (const pair& candidate : found) {
    for (std::size_t k = 0; k < best.size(); ++k) {
      if (is_better(candidate[k], best[k])) best[k] = candidate[k];
    }
  }
  return {result_of(least, best[0]), result_of(greatest, best[1]), best[0].index, best[1].index};
}

}  // namespace exactdot::inline v0_3::cpu_engine
