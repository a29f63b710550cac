// What headers of kernels need of C++20's library, for C++17, nvcc's default: with GCC, simtcc compiles for it.
#pragma once

#include <type_traits>

namespace exactdot::simt::detail {

template <class To, class From>
[[gnu::always_inline]] constexpr To bit_cast(const From& from) {
  return __builtin_bit_cast(To, from);
}
template <class T>
struct type_identity {
  using type = T;
};
template <class T>
using type_identity_t = typename type_identity<T>::type;
template <class T>
concept integral = std::is_integral_v<T>;

}  // namespace exactdot::simt::detail
