// The element axes of a batch as kernels read them (element_axes.hpp).
#pragma once

#include <cuda/element_axes.hpp>
#include <plan/batch.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// Whether no one stride describes the elements of a result.
inline bool has_element_axes(const engine::batch& of) { return !of.outer_a.empty(); }

/// Of a batch of at most max_element_axes axes; without any if one stride describes the elements.
inline element_axes element_axes_of(const engine::batch& of) {
  element_axes made;
  if (!has_element_axes(of)) return made;
  const auto add = [&](std::size_t n, std::ptrdiff_t a, std::ptrdiff_t b) {
    made.axis[made.count++] = {fixed_divisor(n), a, b};
  };
  add(of.each.a.inner, of.each.a.stride, of.each.b.stride);
  for (std::size_t k = of.outer_a.size(); k-- != 0;)
    add(of.outer_a[k].n, of.outer_a[k].stride, of.outer_b[k].stride);
  return made;
}

}  // namespace exactdot::inline v0_3::cuda_engine
