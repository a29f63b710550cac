// Skipping ahead in XORWOW, whose words change by a linear map of 160 bits: the map's powers by repeated squaring,
// each when it is first needed. A power is 160 columns of 5 words; a squaring takes 130,000 operations.
#include <curand_kernel.h>

#include <array>
#include <vector>

#include "running.hpp"

namespace exactdot::simt {
namespace {

using detail::xorwow_words;
using linear_map = std::array<xorwow_words, 160>;  // by the index of the bit: its image

xorwow_words image_of(const linear_map& map, const xorwow_words& from) {
  xorwow_words to{};
  for (unsigned bit = 0; bit < 160; ++bit) {
    if ((from.v[bit / 32] >> bit % 32 & 1U) == 0) continue;
    for (unsigned i = 0; i < 5; ++i) to.v[i] ^= map[bit].v[i];
  }
  return to;
}

linear_map one_step() {
  linear_map map;
  for (unsigned bit = 0; bit < 160; ++bit) {
    curandStateXORWOW state{};
    state.v[bit / 32] = 1U << bit % 32;
    curand(&state);
    for (unsigned i = 0; i < 5; ++i) map[bit].v[i] = state.v[i];
  }
  return map;
}

/// The map of 2^exponent steps.
const linear_map& power_of_two(std::size_t exponent) {
  static auto& powers = *new std::vector<linear_map>{one_step()};
  while (powers.size() <= exponent) {
    const linear_map last = powers.back();
    linear_map next;
    for (unsigned bit = 0; bit < 160; ++bit) next[bit] = image_of(last, last[bit]);
    powers.push_back(next);
  }
  return powers[exponent];
}

}  // namespace

detail::xorwow_words detail::skip_xorwow(xorwow_words from, unsigned long long count, bool by_subsequences) {
  constexpr std::size_t log2_of_subsequence = 67;
  if (in_kernel) return as_simulator([=] { return skip_xorwow(from, count, by_subsequences); });
  for (std::size_t bit = 0; count >> bit != 0; ++bit) {
    if ((count >> bit & 1U) != 0)
      from = image_of(power_of_two(bit + (by_subsequences ? log2_of_subsequence : 0)), from);
    if (bit == 63) break;
  }
  return from;
}

}  // namespace exactdot::simt
