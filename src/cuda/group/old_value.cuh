// The value at the place of a group's result, which may be one more term of its sum (exactdot/core/addend.hpp).
//
// In the first look at groups (group/finish.cuh) it is an integer in units of the window's last bit, if it lies
// below the 126 bits that a sum may have; bits below the window are cut off, towards zero like those of terms, and
// make the bound one unit wider. Otherwise the group stays open. In the second look it is a term of the exact
// state.
#pragma once

#include <cuda/core/kernel.cuh>
#include <exactdot/core/addend.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// The bits of the result that is there.
__device__ __forceinline__ std::uint64_t load_result(const core::result_rule& rule, const char* at) {
  switch (rule.bytes()) {
    case 1:
      return *reinterpret_cast<const std::uint8_t*>(at);
    case 2:
      return *reinterpret_cast<const std::uint16_t*>(at);
    case 4:
      return *reinterpret_cast<const unsigned*>(at);
    default:
      return *reinterpret_cast<const std::uint64_t*>(at);
  }
}

__device__ __forceinline__ core::exact_term old_term(const core::result_rule& rule, const char* at) {
  return core::term_of_word(rule, load_result(rule, at));
}

/// sum += a finite term, in units of 2^lowest; `drops` becomes true if bits below were cut off, towards zero.
/// False, and nothing is added, if there is no room.
template <class Integer>
__device__ inline bool add_in_units(const core::exact_term& term, int lowest, Integer& sum, bool& drops) {
  constexpr int room = 125;
  auto magnitude = static_cast<std::uint64_t>(term.magnitude);
  if (magnitude == 0) return true;
  const int up = term.exponent - lowest, below = -up;
  if (up + 64 - core::leading_zeros(magnitude) > room || (sum < 0 ? -sum : sum) >> room != 0) return false;
  Integer units = 0;
  if (up >= 0) {
    units = static_cast<Integer>(magnitude) << up;
  } else if (below < 64) {
    units = static_cast<Integer>(magnitude >> below);
    drops = drops || (magnitude & ((std::uint64_t{1} << below) - 1)) != 0;
  } else {
    drops = true;
  }
  sum += term.negative ? -units : units;
  return true;
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
