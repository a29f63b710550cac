// CUDA's atomic functions as types: the call, the expected new value, and the supported element types.
//
// `next` is the host version of the definition in the CUDA C++ Programming Guide, "Atomic Functions". CAS compares
// with 100.
#pragma once

#include <cstdint>
#include <exactdot/simt/cuda.hpp>
#include <limits>
#include <type_traits>
#include <vector>

namespace exactdot::lab {
namespace {

using word64 = unsigned long long;

template <class...>
struct types {};

template <class T>
constexpr const char* name_of_type = "";
template <>
constexpr const char* name_of_type<int> = "int";
template <>
constexpr const char* name_of_type<unsigned> = "unsigned";
template <>
constexpr const char* name_of_type<word64> = "unsigned long long";
template <>
constexpr const char* name_of_type<float> = "float";
template <>
constexpr const char* name_of_type<double> = "double";

/// Returns values at the edges of the type. Sums of two of them wrap or are exact, so every result is known.
template <class T>
std::vector<T> edges_of() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) {
    return {T(-100.5), T(-1), T(0), T(0.25), T(100)};
  } else {
    return {limits::min(),       static_cast<T>(0), static_cast<T>(1),
            static_cast<T>(100), limits::max() - 1, limits::max()};
  }
}

/// Returns a + b as the hardware computes it: integers wrap.
template <class T>
T wrapping_sum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else {
    using word = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<word>(a) + static_cast<word>(b));
  }
}

using integers = types<int, unsigned, word64>;

struct add {
  static constexpr const char* name = "atomicAdd";
  static constexpr bool any_order = true;
  using element_types = types<int, unsigned, word64, float, double>;
  template <class T>
  static __device__ T apply(T* address, T x) {
    return atomicAdd(address, x);
  }
  template <class T>
  static T next(T old, T x) {
    return wrapping_sum(old, x);
  }
};

struct subtract {
  static constexpr const char* name = "atomicSub";
  static constexpr bool any_order = true;
  using element_types = types<int, unsigned>;
  template <class T>
  static __device__ T apply(T* address, T x) {
    return atomicSub(address, x);
  }
  template <class T>
  static T next(T old, T x) {
    return static_cast<T>(static_cast<unsigned>(old) - static_cast<unsigned>(x));
  }
};

struct exchange {
  static constexpr const char* name = "atomicExch";
  static constexpr bool any_order = false;
  using element_types = types<int, unsigned, word64, float>;
  template <class T>
  static __device__ T apply(T* address, T x) {
    return atomicExch(address, x);
  }
  template <class T>
  static T next(T, T x) {
    return x;
  }
};

struct minimum {
  static constexpr const char* name = "atomicMin";
  static constexpr bool any_order = true;
  using element_types = integers;
  template <class T>
  static __device__ T apply(T* address, T x) {
    return atomicMin(address, x);
  }
  template <class T>
  static T next(T old, T x) {
    return x < old ? x : old;
  }
};

struct maximum {
  static constexpr const char* name = "atomicMax";
  static constexpr bool any_order = true;
  using element_types = integers;
  template <class T>
  static __device__ T apply(T* address, T x) {
    return atomicMax(address, x);
  }
  template <class T>
  static T next(T old, T x) {
    return x > old ? x : old;
  }
};

struct increment {
  static constexpr const char* name = "atomicInc";
  static constexpr bool any_order = false;
  using element_types = types<unsigned>;
  static __device__ unsigned apply(unsigned* address, unsigned bound) { return atomicInc(address, bound); }
  static unsigned next(unsigned old, unsigned bound) { return old >= bound ? 0 : old + 1; }
};

struct decrement {
  static constexpr const char* name = "atomicDec";
  static constexpr bool any_order = false;
  using element_types = types<unsigned>;
  static __device__ unsigned apply(unsigned* address, unsigned bound) { return atomicDec(address, bound); }
  static unsigned next(unsigned old, unsigned bound) { return old == 0 || old > bound ? bound : old - 1; }
};

struct compare_and_swap {
  static constexpr const char* name = "atomicCAS";
  static constexpr bool any_order = false;
  using element_types = integers;
  template <class T>
  static __device__ T apply(T* address, T x) {
    return atomicCAS(address, T{100}, x);
  }
  template <class T>
  static T next(T old, T x) {
    return old == 100 ? x : old;
  }
};

struct bit_and {
  static constexpr const char* name = "atomicAnd";
  static constexpr bool any_order = true;
  using element_types = integers;
  template <class T>
  static __device__ T apply(T* address, T x) {
    return atomicAnd(address, x);
  }
  template <class T>
  static T next(T old, T x) {
    return old & x;
  }
};

struct bit_or {
  static constexpr const char* name = "atomicOr";
  static constexpr bool any_order = true;
  using element_types = integers;
  template <class T>
  static __device__ T apply(T* address, T x) {
    return atomicOr(address, x);
  }
  template <class T>
  static T next(T old, T x) {
    return old | x;
  }
};

struct bit_xor {
  static constexpr const char* name = "atomicXor";
  static constexpr bool any_order = true;
  using element_types = integers;
  template <class T>
  static __device__ T apply(T* address, T x) {
    return atomicXor(address, x);
  }
  template <class T>
  static T next(T old, T x) {
    return old ^ x;
  }
};

}  // namespace
}  // namespace exactdot::lab
