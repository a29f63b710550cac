// Exact sums of short lines of 64-bit integers, in integers.
//
// The engine's other sums take such integers as two halves, each a double, into a state for the whole range of
// double: some microseconds a line, whatever its length. Here a term is a magnitude of up to 128 bits and a sign,
// and the sum of either sign 192 bits. Cost: some nanoseconds a term.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <exactdot/core/finish.hpp>
#include <plan/batch.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// Up to this length; a longer line pays for vectors and a state.
inline constexpr std::size_t longest_integer_line = 512;

/// A sum of terms.
class integer_sum {
 public:
  void add(core::uint128 magnitude, bool negative) noexcept {
    magnitude_sum& to = sums_[negative ? 1 : 0];
    to.low += magnitude;
    to.high += to.low < magnitude ? 1 : 0;
  }

  /// Stores the sum in a state that is zero.
  void store(const core::state_layout& layout, std::int64_t* words) const noexcept {
    for (const bool negative : {false, true}) {
      const magnitude_sum& from = sums_[negative ? 1 : 0];
      core::add<64>(layout.number(words), static_cast<std::uint64_t>(from.low), 0, negative);
      core::add<64>(layout.number(words), static_cast<std::uint64_t>(from.low >> 64), 64, negative);
      core::add<64>(layout.number(words), from.high, 128, negative);
    }
    core::normalise(layout, words);
  }

 private:
  struct magnitude_sum {
    core::uint128 low = 0;
    std::uint64_t high = 0;
  };
  magnitude_sum sums_[2];  // of positive and of negative terms
};

/// An integer as magnitude and sign.
struct signed_integer {
  std::uint64_t magnitude;
  bool negative;
};

inline signed_integer integer_at(const void* address, element_type type, bool swapped) noexcept {
  const std::size_t size = size_of(type);
  std::uint64_t bits = 0;
  std::memcpy(&bits, address, size);  // the low bytes come first
  const int unused = 64 - 8 * static_cast<int>(size);
  if (swapped) bits = __builtin_bswap64(bits) >> unused;
  const auto extended = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
  const bool negative = is_signed(type) && extended >> 63 != 0;
  return {negative ? std::uint64_t{0} - extended : bits, negative};
}

/// Whether the plan's lines of n elements are summed this way.
inline bool suits_integer_line(const engine::plan& plan, std::size_t n) {
  return plan.has_parts() && n <= longest_integer_line && plan.a.outer.empty();
}

/// The layout of the sums of such lines.
inline constexpr core::state_layout integer_line_layout = core::layout_of(element_type::int64);

/// words = the normalised states of the plan's sums, one or two.
inline void sum_integer_line(const engine::plan& plan, std::int64_t* words) noexcept {
  const bool multiplies = plan.multiplies();
  const bool takes_magnitudes = plan.term_info().absolute, squares = plan.info().needs_squares();
  integer_sum sum, sum_of_squares;
  for (std::size_t i = 0; i < plan.n; ++i) {
    const signed_integer a = integer_at(plan.a.from(i).data, plan.a.type, plan.a.swapped);
    if (multiplies) {
      const signed_integer b = integer_at(plan.b.from(i).data, plan.b.type, plan.b.swapped);
      sum.add(static_cast<core::uint128>(a.magnitude) * b.magnitude, a.negative != b.negative && !takes_magnitudes);
    } else {
      sum.add(a.magnitude, a.negative && !takes_magnitudes);
    }
    if (squares) sum_of_squares.add(static_cast<core::uint128>(a.magnitude) * a.magnitude, false);
  }
  constexpr core::state_layout layout = integer_line_layout;
  std::fill_n(words, (squares ? 2 : 1) * layout.words(), 0);
  sum.store(layout, words);
  if (squares) sum_of_squares.store(layout, words + layout.words());
}

/// A magnitude rounded to any floating-point format.
inline std::uint64_t rounded_integer(const core::result_rule& rule, bool negative,
                                     core::uint128 magnitude) noexcept {
  const auto high = static_cast<std::uint64_t>(magnitude >> 64);
  const int above = high == 0 ? 0 : 64 - core::leading_zeros(high);  // bits that 64 do not hold
  auto significand = static_cast<std::uint64_t>(magnitude >> above);
  if (significand == 0) return 0;
  const bool sticky = above != 0 && (magnitude & ((core::uint128{1} << above) - 1)) != 0;
  const int up = core::leading_zeros(significand);
  return core::round_significand(rule.format(), negative, significand << up, above - up, sticky);
}

/// The result of an exact sum, rounded once: without a state.
inline core::outcome rounded_sum(const core::result_rule& rule, bool negative, core::uint128 magnitude) noexcept {
  if (!rule.is_integer()) return {rounded_integer(rule, negative, magnitude)};
  const std::uint64_t limit = ~std::uint64_t{0} >> (64 - rule.precision());
  const auto value = static_cast<std::uint64_t>(magnitude);
  if (!negative) return {value, magnitude > limit};
  return {std::uint64_t{0} - value, rule.precision() == 64 || magnitude > core::uint128{limit} + 1};
}

/// The result of an exact sum of n elements by any rule.
inline core::outcome finished_sum(const core::result_rule& rule, bool negative, core::uint128 magnitude,
                                  std::size_t n) noexcept {
  if (rule.finish() == core::finish::round) return rounded_sum(rule, negative, magnitude);
  constexpr core::state_layout layout = integer_line_layout;
  std::int64_t words[layout.limbs + 4] = {};
  integer_sum sum;
  sum.add(magnitude, negative);
  sum.store(layout, words);
  return core::finish_state(rule, layout, words, n);
}

/// The exact result of the plan's elements.
inline core::outcome reduce_integer_line(const engine::plan& plan) noexcept {
  constexpr core::state_layout layout = integer_line_layout;
  std::int64_t words[2 * (layout.limbs + 4)];
  sum_integer_line(plan, words);
  if (!plan.info().needs_squares()) return core::finish_state(plan.result, layout, words, plan.n);
  std::int64_t scratch[core::max_moment_limbs];
  return core::finish_moments(plan.result, layout, words, words + layout.words(), plan.n, plan.ddof, scratch);
}

}  // namespace exactdot::inline v0_3::cpu_engine
