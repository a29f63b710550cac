// What calls of complex numbers check before they become calls of reals (complex_shapes.cpp, kept_elements.cpp).
#pragma once

#include <plan/batch.hpp>
#include <plan/plan.hpp>
#include <run/complex_factors.hpp>
#include <string>
#include <vector>

namespace exactdot::inline v0_3::engine {

struct complex_call {
  reduction what;
  any_results out;
  const exactdot::options& options;
  const char* caller;

  [[nodiscard]] bool is_product() const { return inputs_of(what) == 2; }
  /// The request for one part of every result.
  [[nodiscard]] batch_request of_part(std::size_t k = 0) const { return {caller, what, part_of_results(k)}; }
  [[nodiscard]] any_results part_of_results(std::size_t k) const { return engine::part_of_results(out, k); }
};

inline std::ptrdiff_t part_size(element_type type) { return static_cast<std::ptrdiff_t>(size_of(part_of(type))); }

/// A number's parts as elements, one after the other.
struct grid_in_pairs {
  std::vector<axis> elements;
  any_grid view;

  explicit grid_in_pairs(const any_grid& x) : view(part_of_grid(x)) {
    elements = with_parts(x.elements, part_size(x.type));
    view.elements = elements;
  }
};

/// Throws for reductions and types that complex numbers do not have. The types of reals are checked with their
/// call.
void check_complex_types(const complex_call& call, const any_grid& a, const any_grid& b);

/// Throws for results that share memory with each other or with a factor, of which calls may see a copy only. The
/// inputs have been checked.
void require_apart(const complex_call& call, const any_grid& a, const any_grid& b);

}  // namespace exactdot::inline v0_3::engine
