// Results of sums that are known without an error: ties too, which no bound decides.
#pragma once

#include <bit>
#include <cmath>
#include <cpu/bounded_sum.hpp>
#include <exactdot/core/enclosure.hpp>
#include <exactdot/core/finish.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// The mean of n elements whose sum is head + tail itself, where head is that sum rounded; not certain where the
/// formulas do not hold. Means of few numbers, as their sums, often lie half way between two results.
///
/// Let q be a double next to head/n. The remainder head - q·n is exact: a multiple of the last bits of q and n, and
/// at most twice n·ulp(q). With the tail it is n times what q lacks, e, and is compared with half an ulp of q.
inline core::decision decide_exact_mean(const core::result_rule& rule, std::size_t n, double head,
                                        double tail) noexcept {
  constexpr core::decision open{};
  const auto count = static_cast<double>(n);
  if (head == 0) return {core::converted_word(rule, head + 0.0), true};
  if (!(std::abs(head) > 0x1p-900 && std::abs(head) < 0x1p900) || n > std::size_t{1} << 50) return open;
  const double first = head / count, lacking = (std::fma(-first, count, head) + tail) / count, q = first + lacking;
  const auto [e, lost] = core::two_sum(std::fma(-q, count, head), tail);
  if (lost != 0) return open;
  const auto bits = std::bit_cast<std::uint64_t>(q);
  const double unit = std::bit_cast<double>(bits & 0x7ff0000000000000U) * unit_roundoff;  // half an ulp
  const bool inwards = (e < 0) != (q < 0);
  const bool is_power = (bits & 0xfffffffffffffU) == 0;
  if (e != 0 && (!(std::abs(e) <= count * unit) || (is_power && inwards))) return open;
  if (!rule.gives<double>()) return {core::converted_word(rule, core::to_odd(q, e)), true};
  const bool is_tie = e != 0 && std::abs(e) == count * unit && (bits & 1) != 0;
  return {is_tie ? (inwards ? bits - 1 : bits + 1) : bits, true};
}

/// The result for n elements whose sum is high + low itself, for a rounding and a mean.
inline core::decision decide_exact(const core::result_rule& rule, std::size_t n, double high, double low) noexcept {
  const auto [head, tail] = core::two_sum(high, low);
  if (rule.finish() == core::finish::round) return core::round_exact(rule, head, tail);
  if (rule.finish() == core::finish::quotient && !rule.is_integer()) return decide_exact_mean(rule, n, head, tail);
  return {};
}

}  // namespace exactdot::inline v0_3::cpu_engine
