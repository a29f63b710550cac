// Results of sums that are known without an error: ties too, which no bound decides.
//
// A sum of few elements of few bits often loses nothing, and such a sum or mean is often half way between two
// results. For CPU and GPU; 2 to 20 flops, and integers for formats that no C++ type has.
#pragma once

#include <exactdot/core/enclosure.hpp>

namespace exactdot::inline v0_3::core {

/// head + tail, where head is that sum rounded, rounded to odd: of the two neighbouring doubles the one whose last
/// bit is 1 (S. Boldo, G. Melquiond, IEEE TC 57, 2008). Rounding that again to fewer than 52 bits is one rounding.
EXACTDOT_CORE double to_odd(double head, double tail) {
  const auto bits = bit_cast<std::uint64_t>(head);
  if (tail == 0 || (bits & 1) != 0) return head;
  const bool outwards = (tail < 0) == (head < 0);
  return bit_cast<double>(outwards ? bits + 1 : bits - 1);
}

/// The sum head + tail itself, where head is that sum rounded. Ties too. Engine: rounded(format, x), as for
/// value_of.
template <class Engine = rounding_in_integers>
EXACTDOT_CORE decision round_exact(const result_rule& rule, double head, double tail) {
  const enclosure sum{head, tail, 0};
  if (!sum.is_finite()) return {0, false};
  if (rule.is_integer()) return decide_integer(rule, sum);
  if (rule.gives<double>()) return {to_word(head), true};
  const double odd = to_odd(head, tail);
  if (rule.gives<float>()) return {to_word(static_cast<float>(odd)), true};
  return {Engine::rounded(rule.format(), odd), true};
}

/// The mean of n elements whose sum is head + tail itself, where head is that sum rounded; not certain where the
/// formulas do not hold. Engine: as for value_of.
///
/// Let q be a double next to head/n. The remainder head - q·n is exact: a multiple of the last bits of q and n, and
/// at most twice n·ulp(q). With the tail it is n times what q lacks, e, and is compared with half an ulp of q.
template <class Engine>
EXACTDOT_CORE decision decide_exact_mean(const result_rule& rule, std::uint64_t n, double head, double tail) {
  constexpr decision open{0, false};
  const auto count = static_cast<double>(n);
  if (head == 0) return {0, n > 0};
  if (!(magnitude_of(head) > 0x1p-900 && magnitude_of(head) < 0x1p900) || n > std::uint64_t{1} << 50) return open;
  const double first = head / count, lacking = (Engine::fma(-first, count, head) + tail) / count,
               q = first + lacking;
  const auto rest = two_sum(Engine::fma(-q, count, head), tail);
  if (rest.error != 0) return open;
  const double e = rest.value;
  const auto bits = bit_cast<std::uint64_t>(q);
  const double unit = bit_cast<double>(bits & 0x7ff0000000000000U) * 0x1p-53;  // half an ulp
  const bool inwards = (e < 0) != (q < 0);
  const bool is_power = (bits & 0xfffffffffffffU) == 0;
  if (e != 0 && (!(magnitude_of(e) <= count * unit) || (is_power && inwards))) return open;
  if (rule.gives<float>()) return {to_word(static_cast<float>(to_odd(q, e))), true};
  if (!rule.gives<double>()) return {Engine::rounded(rule.format(), to_odd(q, e)), true};
  const bool is_tie = e != 0 && magnitude_of(e) == count * unit && (bits & 1) != 0;
  return {is_tie ? (inwards ? bits - 1 : bits + 1) : bits, true};
}

/// The result for n elements whose sum is high + low itself, for a rounding and a mean.
template <class Engine>
EXACTDOT_CORE decision decide_exact(const result_rule& rule, std::uint64_t n, double high, double low) {
  const auto sum = two_sum(high, low);
  if (rule.finish() == finish::round) return round_exact<Engine>(rule, sum.value, sum.error);
  if (rule.finish() == finish::quotient && !rule.is_integer()) {
    return decide_exact_mean<Engine>(rule, n, sum.value, sum.error);
  }
  return {0, false};
}

}  // namespace exactdot::inline v0_3::core
