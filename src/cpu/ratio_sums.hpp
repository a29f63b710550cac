// The sums of one ratio (core/ratio.hpp), and its result: of enclosures, if they decide it, or of exact states.
#pragma once

#include <cpu/bounded_sum.hpp>
#include <cstdint>
#include <exactdot/core/finish.hpp>
#include <exactdot/reduction.hpp>
#include <span>

namespace exactdot::inline v0_3::cpu_engine {

/// Which sums a ratio is made of.
struct ratio_recipe {
  bool x, y, xy, xx, yy;
};
[[nodiscard]] constexpr ratio_recipe recipe_of(reduction what) {
  using core::ratio_divisor, core::ratio_numerator;
  const core::reduction_info& ratio = core::info_of(what);
  const bool of_moments = ratio.divisor == ratio_divisor::moment || ratio.divisor == ratio_divisor::moments;
  const bool of_both = ratio.divisor == ratio_divisor::moments,
             of_squares = ratio.divisor == ratio_divisor::squares;
  const bool of_distance = ratio.numerator == ratio_numerator::squared_distance;
  const bool of_comoment = ratio.numerator == ratio_numerator::comoment;
  const bool of_intercept = ratio.numerator == ratio_numerator::intercept;
  const bool of_moment = ratio.numerator == ratio_numerator::moment;
  return {.x = of_comoment || of_intercept || of_moment || of_moments,
          .y = of_comoment || of_intercept || of_both || ratio.divisor == ratio_divisor::weights,
          .xy = !of_moment,
          .xx = of_moment || of_intercept || of_distance || of_moments || of_squares,
          .yy = of_distance || of_both || of_squares};
}

/// The places of the sums in arrays.
enum ratio_sum : unsigned char { sum_of_x, sum_of_y, sum_of_xy, sum_of_xx, sum_of_yy, ratio_sum_count };

/// How a result is made.
struct ratio_rule {
  reduction what;
  core::number_format to;
  std::int64_t ddof;
};

/// The result for n elements from bounded sums, if it is certain; those that the ratio does not use are 0.
[[nodiscard]] core::decision decide(const ratio_rule& rule, std::size_t n,
                                    std::span<const bounded_sum, ratio_sum_count> sums);
/// The result from normalised words, which may be negated in place; null for sums that the ratio does not use.
[[nodiscard]] std::uint64_t finish(const ratio_rule& rule, std::size_t n, const core::state_layout& layout,
                                   std::span<std::int64_t* const, ratio_sum_count> words);

}  // namespace exactdot::inline v0_3::cpu_engine
