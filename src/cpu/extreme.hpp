// The least or greatest of some elements, as all parts of the CPU engine compare and report it.
#pragma once

#include <cpu/kernels.hpp>
#include <exactdot/core/extremum.hpp>
#include <exactdot/core/finish.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// Worse than every element's.
inline constexpr extreme no_extreme{~std::uint64_t{0}, ~std::uint64_t{0}};

inline bool is_better(const extreme& x, const extreme& than) {
  return x.key < than.key || (x.key == than.key && x.index < than.index);
}

inline extremum_kernel extremum_kernel_of(const engine::plan& plan) {
  return current_instruction_set().extrema[extremum_index(plan.carrier, selects_greatest(plan.what))];
}

/// Whether elements have to be converted to be compared: 8-bit floats, whose order and zeros a float keeps. The
/// same registers hold a quarter of the elements, and nothing is compiled for two more types.
inline bool is_compared_as_float(const engine::plan& plan) {
  return plan.info().is_extremum && static_cast<std::size_t>(plan.carrier) >= compared_types;
}
/// The plan that converts them.
inline engine::plan compared_as_float(const engine::plan& plan) {
  engine::plan made = plan;
  made.carrier = element_type::float32;
  made.a.contiguous = made.b.contiguous = made.contiguous = false;
  return made;
}

/// The bits of the element, or its index.
inline std::uint64_t result_of(const engine::plan& plan, const extreme& best) {
  if (gives_index(plan.what)) return best.index;
  const std::uint64_t word = with_element(plan.carrier, [&]<class T>(T) {
    return selects_greatest(plan.what) ? core::element_of_key<T, true>(best.key)
                                       : core::element_of_key<T, false>(best.key);
  });
  return plan.carrier == plan.result_type ? word : core::converted_word(plan.result, core::from_word<float>(word));
}

}  // namespace exactdot::inline v0_3::cpu_engine
