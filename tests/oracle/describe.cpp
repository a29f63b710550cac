// The text of numbers in messages: the hexadecimal value and the bit pattern.
//
// A decimal hides the last bit; a value hides the sign and payload of a NaN. Tests of correct rounding fail by
// these.
#include <fmt/format.h>

#include "oracle/bits.hpp"

namespace oracle {

template <class T>
std::string describe(T x) {
  return fmt::format("{:a} (bits {:0{}x})", x, to_bits(x), 2 * sizeof(T));
}

template std::string describe(float);
template std::string describe(double);

}  // namespace oracle
