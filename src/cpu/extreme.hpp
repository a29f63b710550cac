// The least or greatest of some elements, as all parts of the CPU engine compare and report it.
#pragma once

#include <cpu/kernels.hpp>
#include <exactdot/core/extremum.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// Worse than every element's.
inline constexpr extreme no_extreme{~std::uint64_t{0}, ~std::uint64_t{0}};

inline bool is_better(const extreme& x, const extreme& than) {
  return x.key < than.key || (x.key == than.key && x.index < than.index);
}

inline extremum_kernel extremum_kernel_of(const engine::plan& plan) {
  return current_instruction_set().extrema[extremum_index(plan.carrier, selects_greatest(plan.what))];
}

/// The bits of the element, or its index.
inline std::uint64_t result_of(const engine::plan& plan, const extreme& best) {
  if (gives_index(plan.what)) return best.index;
  return with_element(plan.carrier, [&]<class T>(T) {
    return selects_greatest(plan.what) ? core::element_of_key<T, true>(best.key)
                                       : core::element_of_key<T, false>(best.key);
  });
}

}  // namespace exactdot::inline v0_3::cpu_engine
