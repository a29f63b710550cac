// The CPU engine's inner interface: what dot.cpp and accumulator.cpp ask of it.
#pragma once

#include <core/state.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exactdot/dot.hpp>
#include <exactdot/options.hpp>

namespace exactdot::cpu_engine {

/// x from any address, aligned or not.
template <class T>
inline T load(const T* x) {
  T value;
  std::memcpy(&value, x, sizeof value);
  return value;
}

/// words += the products a[i]·b[i], of up to additions_between_normalisations elements, by integers alone: right in
/// any floating-point environment. Carries nothing.
template <class T>
void add_integer_products(const T* a, const T* b, std::size_t n, std::int64_t* words) {
  for (std::size_t i = 0; i < n; ++i) core::add_term<T>(words, core::exact_product(load(a + i), load(b + i)));
}

inline void throw_if_cancelled(const options& options) {
  if (options.monitor != nullptr && options.monitor->cancel.load()) throw error(errc::cancelled, "dot: cancelled");
}

/// Throws unless the arguments are ones that some engine can compute.
template <class T>
void check_arguments(const T* a, const T* b, std::size_t n, const options& options);

/// words += the exact state of a·b; normalised on entry and on return. The arguments have been checked.
/// If `may_give_up`: false, and the words worthless, when the data is finite but suits only the slow integer road.
template <class T>
bool exact_state(const T* a, const T* b, std::size_t n, const options& options, std::int64_t* words,
                 bool may_give_up = false);

}  // namespace exactdot::cpu_engine
