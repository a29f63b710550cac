// The types whose dots and sums are computed.
#pragma once

#include <concepts>

namespace exactdot {

/// Each is one row of the traits table in src/core/traits.hpp.
template <class T>
concept element = std::same_as<T, float> || std::same_as<T, double>;

}  // namespace exactdot
