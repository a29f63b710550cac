// What headers of kernels would take from C++20's library: they are C++17, nvcc's default, with which simtcc
// compiles.
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
template <class T, class U>
inline constexpr bool different_integers = std::is_integral_v<T>&& std::is_integral_v<U> && !std::is_same_v<T, U>;

}  // namespace exactdot::simt::detail
