// Rounds an approximation with a proven error bound, if the bound leaves no doubt about the rounding.
//
// Rounding is monotone: when both ends of the interval that holds the exact sum round to the same number, that
// number is the rounded exact sum. Source: A. Ziv, "Fast evaluation of elementary mathematical functions with
// correctly rounded last bit", 1991.
#pragma once

#include <bit>
#include <cmath>
#include <core/error_free.hpp>
#include <cpu/kernels.hpp>
#include <cstdint>

namespace exactdot::cpu_engine {

/// result = the exact sum rounded once to R. False, and nothing done, when the bound allows two answers, or a
/// result near the ends of the range, or zero (whose sign and exactness need the exact road).
template <class R>
bool round_if_certain(const approximation& sum, R& result) {
  const auto [head, tail] = std::abs(sum.value) >= std::abs(sum.low) ? core::fast_two_sum(sum.value, sum.low)
                                                                     : core::two_sum(sum.value, sum.low);
  // 2^-52 |tail| covers the rounding of tail ± margin; for a narrower R the ends are doubles themselves, one more
  // rounding.
  double margin = sum.bound * 1.0625 + 0x1p-52 * std::abs(tail);
  if constexpr (sizeof(R) == 4) margin += 0x1p-51 * std::abs(head);
  const double below = head + (tail - margin), above = head + (tail + margin);
  const double size = std::abs(below);
  if (!(size > 0x1p-900 && size < 0x1p900 && std::abs(sum.exponent) < 3000)) return false;
  constexpr int lowest = sizeof(R) == 4 ? -125 : -1020, highest = sizeof(R) == 4 ? 126 : 1022;
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(size) >> 52) - 1023 + sum.exponent;
  if (exponent < lowest || exponent > highest) return false;
  const auto scaled = [&](double x) { return sum.exponent == 0 ? x : std::ldexp(x, sum.exponent); };
  const R low_end = static_cast<R>(scaled(below)), high_end = static_cast<R>(scaled(above));
  if (!(low_end == high_end)) return false;
  result = low_end;
  return true;
}

}  // namespace exactdot::cpu_engine
