// Least and greatest elements on the CPU: every thread finds the extreme of its range; the least key and, among
// equal keys, the lowest index wins.
#include <core/extremum.hpp>
#include <cpu/inputs.hpp>
#include <cpu/kernels.hpp>
#include <cpu/reduce.hpp>

namespace exactdot::cpu_engine {
namespace {

bool is_better(const extreme& x, const extreme& than) {
  return x.key < than.key || (x.key == than.key && x.index < than.index);
}

}  // namespace

std::uint64_t find_extreme(const engine::plan& plan) {
  const bool greatest = plan.what == reduction::max || plan.what == reduction::argmax;
  const extremum_kernel kernel = current_instruction_set().extrema[extremum_index(plan.carrier, greatest)];
  constexpr extreme nothing{~std::uint64_t{0}, ~std::uint64_t{0}};
  std::vector<extreme> found(static_cast<std::size_t>(plan.threads), nothing);
  inputs all(plan, plan.threads);
  engine::for_shares(plan.n, engine::min_share, plan.threads,
                     [&](std::size_t start, std::size_t count, int thread) noexcept {
                       extreme& best = found[static_cast<std::size_t>(thread)];
                       all.for_slices(start, count, thread,
                                      [&](const void* x, const void*, std::size_t first, std::size_t length) {
                                        extreme candidate = kernel(x, length);
                                        candidate.index += first;
                                        if (is_better(candidate, best)) best = candidate;
                                      });
                     });
  engine::throw_if_cancelled(plan);
  extreme best = nothing;
  for (const extreme& candidate : found) {
    if (is_better(candidate, best)) best = candidate;
  }
  if (gives_index(plan.what)) return best.index;
  return with_element(plan.carrier, [&]<class T>(T) {
    return greatest ? core::element_of_key<T, true>(best.key) : core::element_of_key<T, false>(best.key);
  });
}

}  // namespace exactdot::cpu_engine
