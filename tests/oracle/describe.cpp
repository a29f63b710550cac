// Numbers for people: the hexadecimal value and the bit pattern.
//
// A decimal would hide the last bit, and a value alone the kind of a NaN and the sign of a zero: all that tests
// of correct rounding fail by.
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
