// CUDA's barriers, fences, loads and stores with cache hints, clock and trap, on the simulator.
//
// The simulator has no caches: a load or store with a hint is a plain one.
#pragma once

#include <exactdot/simt/kernel.hpp>

// nomerge: Clang must not merge two barriers of the source into one.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((nomerge)), apply_to = function)
#endif
void __syncthreads();
int __syncthreads_count(int predicate);
int __syncthreads_and(int predicate);
int __syncthreads_or(int predicate);
void __threadfence_block();
void __threadfence();
void __threadfence_system();
#if defined(__clang__)
#pragma clang attribute pop
#endif
void __nanosleep(unsigned nanoseconds);

/// Ends the launch with a fault, like a failed assert.
void __trap();

template <class T>
[[gnu::always_inline]] inline T __ldg(const T* from) {
  return *from;
}
template <class T>
[[gnu::always_inline]] inline T __ldca(const T* from) {
  return *from;
}
template <class T>
[[gnu::always_inline]] inline T __ldcg(const T* from) {
  return *from;
}
template <class T>
[[gnu::always_inline]] inline T __ldcs(const T* from) {
  return *from;
}
template <class T>
[[gnu::always_inline]] inline T __ldlu(const T* from) {
  return *from;
}
template <class T>
[[gnu::always_inline]] inline T __ldcv(const T* from) {
  return *from;
}
template <class T>
[[gnu::always_inline]] inline void __stwb(T* to, exactdot::simt::detail::type_identity_t<T> value) {
  *to = value;
}
template <class T>
[[gnu::always_inline]] inline void __stcg(T* to, exactdot::simt::detail::type_identity_t<T> value) {
  *to = value;
}
template <class T>
[[gnu::always_inline]] inline void __stcs(T* to, exactdot::simt::detail::type_identity_t<T> value) {
  *to = value;
}
template <class T>
[[gnu::always_inline]] inline void __stwt(T* to, exactdot::simt::detail::type_identity_t<T> value) {
  *to = value;
}

/// Returns the number of steps of the launch so far, and more while all threads only repeat themselves, so that a
/// wait with a deadline soon ends: it shows order, not time.
long long clock64();
