// Bounded sums as results: level 1 of a short call, before any rounding.
#pragma once

#include <exactdot/core/enclosure.hpp>
#include <exactdot/options.hpp>
#include <exactdot/reduction.hpp>
#include <exactdot/views.hpp>

namespace exactdot::inline v0_3::engine {

/// sum = the sum of the terms of a dot, sum, asum or sum of squares, give or take a bound that can decide results
/// of type `result`. False, with nothing stored, if the call is not short (run/run.hpp) or its data do not suit
/// level 1; the exact state is right for any. b: a again for reductions of one input. Cost: that of the short
/// reduction.
[[nodiscard]] bool bound_short_sum(reduction what, const any_vector& a, const any_vector& b, element_type result,
                                   const options& options, core::enclosure& sum);

}  // namespace exactdot::inline v0_3::engine
