// CUDA's atomic functions on the simulator. Each returns the old value and is one step of the schedule.
//
// The forms with _block are atomic within a block only: two blocks that use them on one address race.
#pragma once

#include <exactdot/simt/kernel.hpp>

namespace exactdot::simt::detail {

template <class T, class... Listed>
inline constexpr bool one_of = (std::is_same_v<T, Listed> || ...);
// Exactly the types that CUDA defines each function for, so that code that compiles here compiles with nvcc.
using word64 = unsigned long long;
template <class T>
inline constexpr bool atomic_integer = one_of<T, int, unsigned, long long, word64>;  // min, max, and, or, xor
template <class T>
inline constexpr bool atomic_number = one_of<T, int, unsigned, word64, float, double>;  // add
template <class T>
inline constexpr bool atomic_word = one_of<T, int, unsigned, word64, float>;  // exchange
template <class T>
inline constexpr bool atomic_compared = one_of<T, int, unsigned, word64, unsigned short>;  // compare and swap

/// Sums and differences of integers wrap, so they are computed in the unsigned type.
template <class T>
using wrapping = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, type_identity<T>>::type;
template <class T>
[[gnu::always_inline]] constexpr T sum(T x, T y) {
  return static_cast<T>(static_cast<wrapping<T>>(x) + static_cast<wrapping<T>>(y));
}
template <class T>
[[gnu::always_inline]] constexpr T difference(T x, T y) {
  return static_cast<T>(static_cast<wrapping<T>>(x) - static_cast<wrapping<T>>(y));
}

/// *address = next(*address) in one step, returns the old value. Not instrumented, so that the load and the store
/// are one access; not inlined, so that its return address is in the kernel.
template <scope sync_scope, bool reads = true, atomic_use use = atomic_use::other, class T, class Next>
EXACTDOT_SIMT_CALL T update(T* address, Next next) {
  begin_atomic(address, sizeof(T), reads, sync_scope, __builtin_return_address(0), use);
  const T old = *address;
  *address = next(old);
  end_atomic(address, __builtin_memcmp(address, &old, sizeof old) != 0);
  return old;
}

/// The functions of one scope, for CUDA's names below.
template <scope sync_scope>
struct atomic_functions {
  template <class T>
  static T add(T* address, T x) {
    constexpr atomic_use use = std::is_same_v<T, float>    ? atomic_use::add_float
                               : std::is_same_v<T, double> ? atomic_use::add_double
                                                           : atomic_use::other;
    return update<sync_scope, true, use>(address, [x](T old) { return sum(old, x); });
  }
  template <class T>
  static T subtract(T* address, T x) {
    return update<sync_scope>(address, [x](T old) { return difference(old, x); });
  }
  template <class T>
  static T exchange(T* address, T x) {
    return update<sync_scope, false, atomic_use::exchange>(address, [x](T) { return x; });
  }
  template <class T>
  static T minimum(T* address, T x) {
    return update<sync_scope>(address, [x](T old) { return x < old ? x : old; });
  }
  template <class T>
  static T maximum(T* address, T x) {
    return update<sync_scope>(address, [x](T old) { return old < x ? x : old; });
  }
  static unsigned increment(unsigned* address, unsigned last) {
    return update<sync_scope>(address, [last](unsigned old) { return old >= last ? 0U : old + 1U; });
  }
  static unsigned decrement(unsigned* address, unsigned last) {
    return update<sync_scope>(address, [last](unsigned old) { return old == 0 || old > last ? last : old - 1U; });
  }
  template <class T>
  static T compare_and_swap(T* address, T expected, T x) {
    return update<sync_scope, true, atomic_use::compare>(
        address, [expected, x](T old) { return old == expected ? x : old; });
  }
  template <class T>
  static T bit_and(T* address, T x) {
    return update<sync_scope>(address, [x](T old) { return static_cast<T>(old & x); });
  }
  template <class T>
  static T bit_or(T* address, T x) {
    return update<sync_scope>(address, [x](T old) { return static_cast<T>(old | x); });
  }
  template <class T>
  static T bit_xor(T* address, T x) {
    return update<sync_scope>(address, [x](T old) { return static_cast<T>(old ^ x); });
  }
};

}  // namespace exactdot::simt::detail

/// Atomic loads and stores of up to 16 bytes, with relaxed order: they order no other access. The scope is the
/// device's; the system has one device here.
inline constexpr int __NV_ATOMIC_RELAXED = 0, __NV_THREAD_SCOPE_DEVICE = 1, __NV_THREAD_SCOPE_SYSTEM = 2;
template <class T>
inline T __nv_atomic_load_n(T* address, int /*order*/, int /*scope*/) {
  return exactdot::simt::detail::update<exactdot::simt::detail::scope::device>(address, [](T old) { return old; });
}
template <class T>
inline void __nv_atomic_store_n(T* address, exactdot::simt::detail::type_identity_t<T> value, int /*order*/,
                                int /*scope*/) {
  exactdot::simt::detail::update<exactdot::simt::detail::scope::device, false>(address,
                                                                               [value](T) { return value; });
}

template <class T>
inline void __nv_atomic_load(T* address, T* value, int order, int scope) {
  *value = __nv_atomic_load_n(address, order, scope);
}
template <class T>
inline void __nv_atomic_store(T* address, T* value, int order, int scope) {
  __nv_atomic_store_n(address, *value, order, scope);
}

template <class T, std::enable_if_t<exactdot::simt::detail::atomic_number<T>, int> = 0>
inline T atomicAdd(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::device>::add(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::one_of<T, int, unsigned>, int> = 0>
inline T atomicSub(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::device>::subtract(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::atomic_word<T>, int> = 0>
inline T atomicExch(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::device>::exchange(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::atomic_integer<T>, int> = 0>
inline T atomicMin(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::device>::minimum(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::atomic_integer<T>, int> = 0>
inline T atomicMax(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::device>::maximum(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::atomic_integer<T>, int> = 0>
inline T atomicAnd(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::device>::bit_and(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::atomic_integer<T>, int> = 0>
inline T atomicOr(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::device>::bit_or(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::atomic_integer<T>, int> = 0>
inline T atomicXor(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::device>::bit_xor(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::atomic_compared<T>, int> = 0>
inline T atomicCAS(T* address, exactdot::simt::detail::type_identity_t<T> compare,
                   exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::device>::compare_and_swap(
      address, compare, value);
}
inline unsigned atomicInc(unsigned* address, unsigned value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::device>::increment(address, value);
}
inline unsigned atomicDec(unsigned* address, unsigned value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::device>::decrement(address, value);
}

template <class T, std::enable_if_t<exactdot::simt::detail::atomic_number<T>, int> = 0>
inline T atomicAdd_block(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::block>::add(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::one_of<T, int, unsigned>, int> = 0>
inline T atomicSub_block(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::block>::subtract(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::atomic_word<T>, int> = 0>
inline T atomicExch_block(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::block>::exchange(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::atomic_integer<T>, int> = 0>
inline T atomicMin_block(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::block>::minimum(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::atomic_integer<T>, int> = 0>
inline T atomicMax_block(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::block>::maximum(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::atomic_integer<T>, int> = 0>
inline T atomicAnd_block(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::block>::bit_and(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::atomic_integer<T>, int> = 0>
inline T atomicOr_block(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::block>::bit_or(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::atomic_integer<T>, int> = 0>
inline T atomicXor_block(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::block>::bit_xor(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::atomic_compared<T>, int> = 0>
inline T atomicCAS_block(T* address, exactdot::simt::detail::type_identity_t<T> compare,
                         exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::block>::compare_and_swap(
      address, compare, value);
}
inline unsigned atomicInc_block(unsigned* address, unsigned value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::block>::increment(address, value);
}
inline unsigned atomicDec_block(unsigned* address, unsigned value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::block>::decrement(address, value);
}

template <class T, std::enable_if_t<exactdot::simt::detail::atomic_number<T>, int> = 0>
inline T atomicAdd_system(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::system>::add(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::one_of<T, int, unsigned>, int> = 0>
inline T atomicSub_system(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::system>::subtract(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::atomic_word<T>, int> = 0>
inline T atomicExch_system(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::system>::exchange(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::atomic_integer<T>, int> = 0>
inline T atomicMin_system(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::system>::minimum(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::atomic_integer<T>, int> = 0>
inline T atomicMax_system(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::system>::maximum(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::atomic_integer<T>, int> = 0>
inline T atomicAnd_system(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::system>::bit_and(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::atomic_integer<T>, int> = 0>
inline T atomicOr_system(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::system>::bit_or(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::atomic_integer<T>, int> = 0>
inline T atomicXor_system(T* address, exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::system>::bit_xor(address, value);
}
template <class T, std::enable_if_t<exactdot::simt::detail::atomic_compared<T>, int> = 0>
inline T atomicCAS_system(T* address, exactdot::simt::detail::type_identity_t<T> compare,
                          exactdot::simt::detail::type_identity_t<T> value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::system>::compare_and_swap(
      address, compare, value);
}
inline unsigned atomicInc_system(unsigned* address, unsigned value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::system>::increment(address, value);
}
inline unsigned atomicDec_system(unsigned* address, unsigned value) {
  return exactdot::simt::detail::atomic_functions<exactdot::simt::detail::scope::system>::decrement(address, value);
}
