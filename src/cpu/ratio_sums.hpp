// The sums of one ratio (core/ratio.hpp), and its result: of enclosures, if they decide it, or of exact states.
#pragma once

#include <cpu/bounded_sum.hpp>
#include <cstdint>
#include <exactdot/core/ratio.hpp>
#include <exactdot/reduction.hpp>
#include <span>

namespace exactdot::inline v0_3::cpu_engine {

using core::ratio_sum_count;

/// The states of a ratio: of its sums, and of Σx²y two more, where x is too small or too large for its square to be
/// two doubles (square_terms.hpp).
enum ratio_state : unsigned char { small_xxy = ratio_sum_count, large_xxy, ratio_state_count };

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
                                   std::span<std::int64_t* const, ratio_state_count> words);

}  // namespace exactdot::inline v0_3::cpu_engine
