// The sums of one ratio, and its result: from enclosures of the sums, else from the sums themselves
// (core/ratio.hpp).
#pragma once

#include <cstdint>
#include <exactdot/core/finish.hpp>
#include <exactdot/reduction.hpp>

namespace exactdot::inline v0_3::engine {

/// The reductions whose states have the sums of a ratio: of the first vector, of the second, and whether of both.
struct ratio_recipe {
  static constexpr reduction none = reduction::argmax;

  reduction of_a = none, of_b = none;
  bool has_product = true;
};
[[nodiscard]] constexpr ratio_recipe recipe_of(reduction ratio) {
  switch (ratio) {
    case reduction::weighted_mean:
      return {.of_b = reduction::sum};
    case reduction::cosine:
    case reduction::distance:
      return {reduction::sum_of_squares, reduction::sum_of_squares};
    case reduction::covariance:
      return {reduction::mean, reduction::sum};
    case reduction::correlation:
      return {reduction::variance, reduction::variance};
    case reduction::standard_error:
      return {.of_a = reduction::variance, .has_product = false};
    default:  // slope, intercept
      return {reduction::variance, reduction::sum};
  }
}

/// A sum: normalised words, or null for one that the ratio does not use.
struct ratio_sum {
  core::state_layout layout{};
  std::int64_t* words = nullptr;
};
/// As core::ratio_sums names them.
struct ratio_state {
  std::uint64_t n = 1;
  ratio_sum x, y, xy, xx, yy;
};

/// The bits of the result. May negate words in place.
[[nodiscard]] std::uint64_t finish_ratio(reduction ratio, core::number_format to, std::int64_t ddof,
                                         const ratio_state& of);

}  // namespace exactdot::inline v0_3::engine
