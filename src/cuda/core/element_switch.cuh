// From an element type to its C++ type in a kernel. All threads of a launch take the same branch.
#pragma once

#include <cstdint>
#include <exactdot/element.hpp>
#include <exactdot/simt/cuda.hpp>
#include <type_traits>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// f(T{}), or a zero if f cannot be called with a T.
template <class T, class F>
__device__ __forceinline__ auto call_if_accepted(const F& f) -> decltype(f(float{})) {
  if constexpr (std::is_invocable_v<const F&, T>) {
    return f(T{});
  } else {
    return {};
  }
}

/// f(T{}) with the C++ type T of `type`.
///
/// f can be called with a float, and all its results have one type. A type that its constraints exclude gives zero,
/// and no code.
template <class F>
__device__ __forceinline__ auto with_element_type(element_type type, const F& f) {
  switch (type) {
    case element_type::float32:
      return call_if_accepted<float>(f);
    case element_type::float64:
      return call_if_accepted<double>(f);
    case element_type::float16:
      return call_if_accepted<float16>(f);
    case element_type::bfloat16:
      return call_if_accepted<bfloat16>(f);
    case element_type::int8:
      return call_if_accepted<std::int8_t>(f);
    case element_type::int16:
      return call_if_accepted<std::int16_t>(f);
    case element_type::int32:
      return call_if_accepted<std::int32_t>(f);
    case element_type::int64:
      return call_if_accepted<std::int64_t>(f);
    case element_type::uint8:
      return call_if_accepted<std::uint8_t>(f);
    case element_type::uint16:
      return call_if_accepted<std::uint16_t>(f);
    case element_type::uint32:
      return call_if_accepted<std::uint32_t>(f);
    case element_type::float8_e4m3fn:
      return call_if_accepted<float8_e4m3fn>(f);
    case element_type::float8_e5m2:
      return call_if_accepted<float8_e5m2>(f);
    default:
      return call_if_accepted<std::uint64_t>(f);
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
