// The bound of a bounded sum (bounded_sum.cuh) from its running error E: |S - (s + c)| <= factor·E + floor.
//
//   plain         factor = u             Every rounding errs by at most u times its result; E adds up the results.
//   grouped       factor = u             The same in a group; E counts the joins of groups by 2^-33 only.
//   compensated   factor = d·u²          c is a sum, of depth d, of rounding errors that add up to at most u·E;
//                          (13/4)·d·u²   for products of doubles, to at most (3 + u)·u·E.
//   traced        factor = d·u           E adds up the magnitudes of the errors instead, of which c is the sum.
//   floor         n·2^-1074              What products of doubles lose to underflow.
//
// u = 2^-53; d = h + 1 + 2J for at most h terms of an accumulator and J joins. The error of a refined sum
// (refined_sum.cuh) adds up what it drops, so its factor is 1 and some slack for that sum. Its floor is the same,
// or with scaled factors, in scaled units,
//
//   down          n·2^-649               What products lose to underflow, and factors that become subnormal;
//                 n·2^-1074              for terms of one factor.
//   up            0                      Nothing underflows.
//
// Proof: docs/algorithms.md.
#pragma once

#include <cstddef>
#include <cuda/core/tuning.hpp>
#include <exactdot/core/config.hpp>

namespace exactdot::inline v0_3::cuda_engine {

struct error_bound {
  double factor = 0;
  double floor = 0;
  double of_refined = 0;  ///< the factor of a refined sum
};

/// How a launch divides n terms; the depth follows.
struct sum_shape {
  std::size_t n;
  unsigned blocks, threads;
  int in_flight;     ///< loads before the first is used
  int accumulators;  ///< of a thread
  kernel_variant variant = {};
};

/// How the turns of a loop over long inputs are divided: `own` turns of each block; parts of `claimed` more for
/// whoever comes first, of which a block takes at most `limit`. All blocks together may take twice the parts there
/// are, so that none is left.
struct turn_counts {
  std::size_t own, claimed, limit;
};
EXACTDOT_CORE turn_counts divide_turns(std::size_t turns, unsigned blocks) {
  constexpr std::size_t most_claimed = std::size_t{1} << 20;
  const std::size_t eighth = turns / 8, claimed = blocks == 1 ? 0 : eighth < most_claimed ? eighth : most_claimed;
  return {turns - claimed, claimed, 2 * claimed};
}

/// The most terms of an accumulator: h <= ⌈n/(T·used)⌉ + in_flight + 1 for T threads. Inputs of any layout use only
/// the first in_flight accumulators, and in their last turns only the first. Of contiguous inputs, in packs or
/// interleaved, a turn takes in_flight·W elements of each thread, W = accumulators, and gives in_flight terms to
/// each. A thread whose first element is i takes the turns t with i + t·in_flight·T·W < n, at most
/// ⌈n/(in_flight·T·W)⌉, so h <= ⌈n/(T·W)⌉ + in_flight - 1, and one single element more. Of converted inputs, see
/// in_flight_of_converted. With claims, a block takes own + limit, at most 9/8 of all turns t <= n/(in_flight·T·W)
/// + 1, each with at most in_flight·W/used <= 4·in_flight terms.
EXACTDOT_CORE std::size_t terms_of_accumulator(const sum_shape& shape) {
  const std::size_t all = std::size_t{shape.blocks} * shape.threads;
  const auto used =
      static_cast<std::size_t>(shape.in_flight < shape.accumulators ? shape.in_flight : shape.accumulators);
  const std::size_t of_thread = (shape.n + all - 1) / all;
  const auto last_turns = static_cast<std::size_t>(shape.in_flight);
  const std::size_t terms = (of_thread + used - 1) / used + last_turns + 1;
  return shape.variant.claims ? terms + terms / 8 + 1 + 5 * last_turns : terms;
}

/// in_flight in the shape of a launch that has so many packs of converted elements in flight. A turn of f packs
/// makes f·m addends, m = 1, 2 or 8 of a pack of W >= m elements, and gives each of the 4 (float) or 2 (double)
/// accumulators at most ⌈f·m/4⌉ with m <= 8, or ⌈f·m/2⌉ with m <= 2: at most 2f. In all turns but the last that is
/// at most n/(T·accumulators), if f is even, as if every element were an addend; in the last, 2f; and one single
/// addend.
constexpr int in_flight_of_converted(int packs) { return 2 * packs; }

/// The most joins between a term and the result: of a thread's accumulators, of a warp, of a block's warps; of the
/// messages that a lane reads, of its warp. In a cluster a lane reads the sums of warps instead.
EXACTDOT_CORE std::size_t joins_of(const sum_shape& shape) {
  std::size_t joins = 10;
  for (int k = shape.accumulators; k > 1; k /= 2) ++joins;
  if (shape.blocks > 1) joins += shape.blocks / 32 + 1 + 5;
  if (shape.variant.in_cluster) joins += shape.blocks * shape.threads / 1024;
  return joins;
}

/// The bound. `products_of_doubles`: terms are products that double does not hold.
EXACTDOT_CORE error_bound bound_of(const sum_shape& shape, summation sums, bool products_of_doubles) {
  constexpr double u = 0x1p-53, slack = 1 + 0x1p-20;
  const std::size_t depth = terms_of_accumulator(shape) + 1 + 2 * joins_of(shape);
  constexpr double infinity = __builtin_huge_val();  // decides nothing
  if (depth > std::size_t{1} << 28) return {infinity, 0, infinity};
  const double of_compensated = (products_of_doubles ? 3.25 : 1) * static_cast<double>(depth) * u * u;
  const double factor = depth > std::size_t{1} << 20     ? infinity
                        : sums == summation::compensated ? of_compensated
                        : sums == summation::traced      ? static_cast<double>(depth) * u
                                                         : u;
  return {factor * slack, products_of_doubles ? static_cast<double>(shape.n) * 0x1p-1074 : 0, slack};
}

/// How a refined sum multiplies the factors of terms.
enum class scaling : unsigned { none, down, up };

inline constexpr int scale_exponent = 600;      ///< of scale_power
inline constexpr double scale_power = 0x1p600;  ///< multiplies or divides each factor

/// The bound of a refined sum of n terms, factor·error + floor, from that of the bounded sum of the unscaled terms.
EXACTDOT_CORE error_bound refined_bound(const error_bound& bound, scaling scale, int factors, std::size_t n) {
  if (scale == scaling::none) return {bound.of_refined, bound.floor};
  if (scale == scaling::up) return {bound.of_refined, 0};
  return {bound.of_refined, factors == 2 ? bound.floor * 0x1p425 : static_cast<double>(n) * 0x1p-1074};
}

}  // namespace exactdot::inline v0_3::cuda_engine
