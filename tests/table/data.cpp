// The data of the table's rows. float and double: the oracle's generators. Shorter floating-point numbers: those of
// float, moved into the narrower range; the same numbers stay the same, so sums that cancel still do. Integers:
// kinds of their own, which include both ends of the range and sums that cancel. Complex numbers: the data of their
// parts, two at a time.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "table/table.hpp"

namespace table {
namespace {

using exactdot::element_type;
using oracle::rng;

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& x) {
  const auto bytes = std::as_bytes(std::span(x));
  return {bytes.begin(), bytes.end()};
}

/// A float's upper bits in a narrower format: its sign, its leading significant bits, its exponent in proportion.
/// Zeros, infinities and NaNs stay what they are; in a format without infinities these are NaNs.
std::uint64_t narrowed(float x, int stored, int exponent_bits) {
  const auto bits = oracle::to_bits(x);
  const std::uint32_t sign = bits >> 31, field = bits >> 23 & 0xff, fraction = (bits & 0x7fffff) >> (23 - stored);
  const auto infinity = static_cast<std::uint32_t>(oracle::infinity_pattern(stored + 1, exponent_bits));
  const std::uint32_t highest = (infinity - 1) >> stored;  // exponent of a number
  std::uint32_t narrow = (field * highest / 254) << stored | fraction;
  if (field != 0xff) narrow = std::min(narrow, infinity - 1);
  if (field == 0xff) narrow = infinity;
  if (field == 0xff && (bits & 0x7fffff) != 0) narrow |= fraction | 1U << (stored - 1);
  return sign << (stored + exponent_bits) | narrow;
}

std::vector<std::byte> low_bytes(const std::vector<std::uint64_t>& x, element_type type) {
  const std::size_t bytes = exactdot::size_of(type);
  std::vector<std::byte> all(bytes * x.size());
  for (std::size_t i = 0; i < x.size(); ++i) std::memcpy(&all[i * bytes], &x[i], bytes);
  return all;
}

std::vector<std::byte> narrowed(const std::vector<float>& x, element_type type) {
  const auto& info = exactdot::info_of(type);
  std::vector<std::uint64_t> narrow;
  for (const float value : x) narrow.push_back(narrowed(value, info.precision - 1, info.exponent_bits));
  return low_bytes(narrow, type);
}

/// Integers of one of eight kinds, as 64-bit patterns of which a type takes the low bits.
std::vector<std::uint64_t> integers(rng& random, std::size_t kind, std::size_t n, element_type type) {
  const int width = static_cast<int>(8 * exactdot::size_of(type));
  const std::uint64_t lowest = std::uint64_t{1} << (width - 1), highest = lowest - 1;  // of a signed type
  std::vector<std::uint64_t> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    switch (kind % 8) {
      case 0:
        x[i] = random.bits();
        break;
      case 1:
        x[i] = random.below(7) - 3;
        break;
      case 2:
        x[i] = lowest;
        break;
      case 3:
        x[i] = ~std::uint64_t{0};
        break;
      case 4:
        x[i] = random.coin() ? lowest : highest;
        break;
      case 5:
        x[i] = i % 2 == 0 || i == 0 ? random.bits() : std::uint64_t{0} - x[i - 1];
        break;
      case 6:
        x[i] = random.below(64) == 0 ? random.bits() : 0;
        break;
      default:
        x[i] = (random.bits() >> random.below(64)) * (random.coin() ? 1 : ~std::uint64_t{0});
        break;
    }
  }
  return x;
}

/// A generator's vectors as elements of two types; those of float, narrowed, if one of them has less.
template <class T>
input floating_input(const row& tested, std::size_t source, std::uint64_t seed, std::size_t n) {
  const oracle::generator<T>& generator = oracle::generators<T>()[source];
  const oracle::vectors<T> data = oracle::make_vectors(generator, seed, n);
  const auto elements = [](const std::vector<T>& x, element_type type) {
    if (type == exactdot::type_of<T>) return bytes_of(x);
    const std::vector<float> as_float(x.begin(), x.end());
    if (type == element_type::float32) return bytes_of(as_float);
    if (type == element_type::float64) return bytes_of(std::vector<double>(x.begin(), x.end()));
    return narrowed(as_float, type);
  };
  return {oracle::case_name(generator, seed, n), elements(data.a, tested.type), elements(data.b, tested.other)};
}

}  // namespace

std::size_t generator_count() { return oracle::generators<double>().size(); }

input make_input(const row& tested, std::size_t source, std::uint64_t seed, std::size_t n) {
  const bool is_extremum = exactdot::gives_element(tested.what) || exactdot::gives_index(tested.what);
  if (is_extremum && n == 0) n = 1;
  if (tested.is_complex()) {
    input parts = make_input({tested.what, exactdot::part_of(tested.type), exactdot::part_of(tested.other)}, source, seed, 2 * n);
    const std::size_t size = exactdot::size_of(tested.type), other = exactdot::size_of(tested.other);
    parts.a.resize(parts.a.size() / size * size), parts.b.resize(parts.b.size() / other * other);
    return {"parts of " + parts.name, parts.a, parts.b};
  }
  if (exactdot::is_integer(tested.type) != exactdot::is_integer(tested.other)) {
    input first = make_input({tested.what, tested.type, tested.type}, source, seed, n);
    input second = make_input({tested.what, tested.other, tested.other}, source, seed, n);
    const std::size_t size = exactdot::size_of(tested.type), other = exactdot::size_of(tested.other);
    const std::size_t count = std::min(first.a.size() / size, second.b.size() / other);  // generators add elements
    first.a.resize(count * size), second.b.resize(count * other);
    return {first.name + " and " + second.name, first.a, second.b};
  }
  if (exactdot::is_integer(tested.type)) {
    rng random(seed * 1000003 + source * 97 + n);
    const auto a = integers(random, source, n, tested.type), b = integers(random, source / 8, n, tested.other);
    return {fmt::format("integers {}.{}, seed {}, n = {}", source % 8, source / 8 % 8, seed, n),
            low_bytes(a, tested.type), low_bytes(b, tested.other)};
  }
  const bool has_double = tested.type == element_type::float64 || tested.other == element_type::float64;
  return has_double ? floating_input<double>(tested, source, seed, n)
                    : floating_input<float>(tested, source, seed, n);
}

}  // namespace table
