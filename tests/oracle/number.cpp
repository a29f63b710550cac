// See number.hpp.
#include "oracle/number.hpp"

#include <cstring>

namespace oracle {

number decode(std::uint64_t bits, int width, int precision) {
  const int fraction_bits = precision - 1;
  const int exponent_bits = width - precision;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
  const std::uint64_t field = bits >> fraction_bits & ((std::uint64_t{1} << exponent_bits) - 1);
  const bool negative = (bits >> (width - 1) & 1) != 0;
  if (field == (std::uint64_t{1} << exponent_bits) - 1) {
    return {fraction == 0 ? kind::infinite : kind::nan, {negative, 0, 0}};
  }
  const int lowest_exponent = 3 - (1 << (exponent_bits - 1)) - precision;
  if (field == 0) return {kind::finite, {negative, fraction, lowest_exponent}};
  return {kind::finite,
          {negative, fraction | std::uint64_t{1} << fraction_bits, lowest_exponent + static_cast<int>(field) - 1}};
}

number element_at(const exactdot::any_vector& x, std::size_t i) {
  const auto* const first = static_cast<const unsigned char*>(x.data) + static_cast<std::ptrdiff_t>(i) * x.stride;
  const std::size_t bytes = exactdot::size_of(x.type);
  std::uint64_t bits = 0;  // this machine is little-endian
  for (std::size_t k = 0; k < bytes; ++k) bits |= std::uint64_t{first[x.swapped ? bytes - 1 - k : k]} << 8 * k;
  switch (x.type) {
    case exactdot::element_type::float32: return decode(bits, 32, 24);
    case exactdot::element_type::float64: return decode(bits, 64, 53);
  }
  throw std::logic_error("an element type that the oracle does not know");
}

std::string describe(const exactdot::any_scalar& result) {
  switch (result.type) {
    case exactdot::element_type::float32: return describe(from_bits<float>(static_cast<std::uint32_t>(result.bits)));
    case exactdot::element_type::float64: return describe(from_bits<double>(result.bits));
  }
  throw std::logic_error("a result type that the oracle does not know");
}

}  // namespace oracle
