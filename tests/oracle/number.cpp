// See number.hpp.
#include "oracle/number.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace oracle {

number decode(std::uint64_t bits, int width, int precision) {
  const int fraction_bits = precision - 1;
  const int exponent_bits = width - precision;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
  const std::uint64_t field = bits >> fraction_bits & ((std::uint64_t{1} << exponent_bits) - 1);
  const bool negative = (bits >> (width - 1) & 1) != 0;
  if ((field << fraction_bits | fraction) >= infinity_pattern(precision, exponent_bits)) {
    return {has_infinity(exponent_bits) && fraction == 0 ? kind::infinite : kind::nan, {negative, 0, 0}};
  }
  const int lowest_exponent = 3 - (1 << (exponent_bits - 1)) - precision;
  if (field == 0) return {kind::finite, {negative, fraction, lowest_exponent}};
  return {kind::finite,
          {negative, fraction | std::uint64_t{1} << fraction_bits, lowest_exponent + static_cast<int>(field) - 1}};
}

namespace {

number decode_integer(std::uint64_t bits, int width, bool is_signed) {
  const bool negative = is_signed && (bits >> (width - 1) & 1) != 0;
  if (!negative) return {kind::finite, {false, bits, 0}};
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  return {kind::finite, {true, (~bits + 1) & mask, 0}};
}

}  // namespace

number decode(exactdot::element_type type, std::uint64_t bits) {
  using exactdot::element_type;
  switch (type) {
    case element_type::float32: return decode(bits, 32, 24);
    case element_type::float64: return decode(bits, 64, 53);
    case element_type::float16: return decode(bits, 16, 11);
    case element_type::bfloat16: return decode(bits, 16, 8);
    case element_type::int8: return decode_integer(bits, 8, true);
    case element_type::int16: return decode_integer(bits, 16, true);
    case element_type::int32: return decode_integer(bits, 32, true);
    case element_type::int64: return decode_integer(bits, 64, true);
    case element_type::uint8: return decode_integer(bits, 8, false);
    case element_type::uint16: return decode_integer(bits, 16, false);
    case element_type::uint32: return decode_integer(bits, 32, false);
    case element_type::uint64: return decode_integer(bits, 64, false);
    case element_type::float8_e4m3fn: return decode(bits, 8, 4);
    case element_type::float8_e5m2: return decode(bits, 8, 3);
    case element_type::complex64:
    case element_type::complex128: break;  // no element: two parts
  }
  throw std::logic_error("an element type that the oracle does not know");
}

number element_at(const exactdot::any_vector& x, std::size_t i) {
  const auto* const first = static_cast<const unsigned char*>(x.data) + static_cast<std::ptrdiff_t>(i) * x.stride;
  const std::size_t bytes = exactdot::size_of(x.type);
  std::uint64_t bits = 0;  // this machine is little-endian
  for (std::size_t k = 0; k < bytes; ++k) bits |= std::uint64_t{first[x.swapped ? bytes - 1 - k : k]} << 8 * k;
  return decode(x.type, bits);
}

std::string describe(const exactdot::any_scalar& result) {
  const number x = decode(result.type, result.bits);
  const char* const sign = x.value.negative ? "-" : "";
  const std::size_t digits = 2 * exactdot::size_of(result.type);
  if (x.kind != kind::finite) {
    return fmt::format("{}{} (bits {:0{}x})", sign, x.kind == kind::nan ? "nan" : "inf", result.bits, digits);
  }
  return fmt::format("{}{:#x}p{:+} (bits {:0{}x})", sign, x.value.mantissa, x.value.exponent, result.bits, digits);
}

}  // namespace oracle
