// Least and greatest elements on the CPU: every thread finds the extremes of its range; the least key and, among
// equal keys, the lowest index wins. Both extremes: by the two kernels, on stretches that the second level of the
// cache holds, so that memory is read once.
#include <array>
#include <cpu/extreme.hpp>
#include <cpu/inputs.hpp>
#include <cpu/reduce.hpp>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

/// The best element by each kernel, in slices of at most `slice` elements.
template <std::size_t kinds>
std::array<extreme, kinds> find_best(const engine::plan& plan, const std::array<extremum_kernel, kinds>& kernels,
                                     std::size_t slice) {
  using extremes = std::array<extreme, kinds>;
  extremes best;
  best.fill(no_extreme);
  std::vector<extremes> found(static_cast<std::size_t>(plan.threads), best);
  inputs inputs(plan, plan.threads, slice);
  engine::for_shares(plan.n, engine::min_share, plan.threads,
                     [&](std::size_t start, std::size_t count, int thread) noexcept {
                       extremes& of_thread = found[static_cast<std::size_t>(thread)];
                       inputs.for_slices(start, count, thread,
                                         [&](const void* x, const void*, std::size_t first, std::size_t length) {
                                           for (std::size_t k = 0; k < kinds; ++k) {
                                             extreme candidate = kernels[k](x, length);
                                             candidate.index += first;
                                             if (is_better(candidate, of_thread[k])) of_thread[k] = candidate;
                                           }
                                         });
                     });
  engine::throw_if_cancelled(plan);
  for (const extremes& candidate : found) {
    for (std::size_t k = 0; k < kinds; ++k) {
      if (is_better(candidate[k], best[k])) best[k] = candidate[k];
    }
  }
  return best;
}

engine::plan comparable(const engine::plan& asked) {
  return is_compared_as_float(asked) ? compared_as_float(asked) : asked;
}

}  // namespace

std::uint64_t find_extreme(const engine::plan& asked) {
  const engine::plan plan = comparable(asked);
  return result_of(plan, find_best<1>(plan, {extremum_kernel_of(plan)}, plan.n)[0]);
}

exactdot::detail::found_extremes find_extremes(const engine::plan& asked) {
  constexpr std::size_t stretch = 131072;  // bytes
  const engine::plan least = comparable(asked);
  engine::plan greatest = least;
  greatest.what = reduction::max;
  const auto best = find_best<2>(least, {extremum_kernel_of(least), extremum_kernel_of(greatest)},
                                 stretch / size_of(least.carrier));
  return {result_of(least, best[0]), result_of(greatest, best[1]), best[0].index, best[1].index};
}

}  // namespace exactdot::inline v0_3::cpu_engine
