// How the first level of mode exact adds a thread's terms (bounded_sum.cuh). Above the threads, sums with
// corrections are joined with corrections.
#pragma once

namespace exactdot::inline v0_3::cuda_engine {

enum class summation : int {
  plain,    ///< in doubles: few operations; for results of 24 bits, and while no sum has many terms
  grouped,  ///< the terms that are loaded together plainly, these sums with a correction: for results of 24 bits
  compensated,  ///< every term with a correction
  traced,       ///< the same, and the bound follows from the rounding errors themselves (traced_sum.cuh): of lines
};

using enum summation;

template <summation kind>
inline constexpr bool has_correction = kind != summation::plain;

}  // namespace exactdot::inline v0_3::cuda_engine
