// Elements for searches of an extreme element, random and special ones, and its oracle: a loop over
// core::ordered_key.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exactdot/core/extremum.hpp>
#include <exactdot/reduction.hpp>
#include <random>
#include <vector>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Elements of a type, as their bits.
struct data {
  element_type type;
  std::vector<std::uint64_t> bits;
};

bool is_greatest(reduction what) { return what == reduction::max || what == reduction::argmax; }

std::uint64_t key_of(element_type type, bool greatest, std::uint64_t bits) {
  return with_element(type, [&]<class T>(T) -> std::uint64_t {
    const auto word = static_cast<typename exactdot::detail::unsigned_of<sizeof(T)>::type>(bits);
    return greatest ? core::ordered_key<T, true>(word) : core::ordered_key<T, false>(word);
  });
}
std::uint64_t element_of(element_type type, bool greatest, std::uint64_t key) {
  return with_element(type, [&]<class T>(T) -> std::uint64_t {
    return greatest ? core::element_of_key<T, true>(key) : core::element_of_key<T, false>(key);
  });
}

/// The index, or the bits of the element.
std::uint64_t expected(const data& x, reduction what) {
  const bool greatest = is_greatest(what);
  std::size_t best = 0;
  for (std::size_t i = 1; i < x.bits.size(); ++i) {
    if (key_of(x.type, greatest, x.bits[i]) < key_of(x.type, greatest, x.bits[best])) best = i;
  }
  return gives_index(what) ? best : element_of(x.type, greatest, key_of(x.type, greatest, x.bits[best]));
}

/// Calls test(info) with every element type.
template <class Test>
void for_each_type(Test test) {
  for (const element_info& info : elements) test(info);
}

std::uint64_t sign_of(const element_info& info) { return std::uint64_t{1} << (8 * info.bytes - 1); }
std::uint64_t ones_of(const element_info& info) { return ~std::uint64_t{0} >> (64 - 8 * info.bytes); }
/// Or the greatest number.
std::uint64_t infinity_of(const element_info& info) { return core::greatest_word(core::format_of(info.type)); }

/// Bits of any element but NaNs; of `distinct` values, if that is not 0.
[[maybe_unused]] data random_data(const element_info& info, std::size_t n, unsigned seed,
                                  std::size_t distinct = 0) {
  std::mt19937_64 random(seed);
  const auto next = [&] {
    for (;;) {
      const std::uint64_t bits = random() & ones_of(info);
      if (info.exponent_bits == 0 || (bits & ~sign_of(info)) <= infinity_of(info)) return bits;
    }
  };
  std::vector<std::uint64_t> values(distinct);
  for (auto& value : values) value = next();
  data made{info.type, std::vector<std::uint64_t>(n)};
  for (auto& bits : made.bits) bits = distinct == 0 ? next() : values[random() % distinct];
  return made;
}

/// The elements that end the order, in both directions, and those next to them; of floating-point types also zeros
/// and NaNs: quiet, signaling, of both signs.
[[maybe_unused]] std::vector<std::uint64_t> special_elements(const element_info& info) {
  const std::uint64_t sign = sign_of(info), ones = ones_of(info);
  if (info.exponent_bits == 0) return {0, 1, sign - 1, sign, sign + 1, ones, ones - 1};
  const std::uint64_t infinity = infinity_of(info), quiet = core::nan_word(core::format_of(info.type));
  std::vector<std::uint64_t> made;
  for (const std::uint64_t bits :
       {std::uint64_t{0}, std::uint64_t{1}, infinity - 1, infinity, infinity + 1, quiet,
                                   std::min(quiet + 1, sign - 1), sign - 1}) {
    made.push_back(bits), made.push_back(bits | sign);
  }
  return made;
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
