// What the benchmark must know of a reduction: its modes, its result type, and its results as words.
#pragma once

#include <cstdint>
#include <cstring>
#include <exactdot/element.hpp>
#include <exactdot/reduction.hpp>
#include <exactdot/reductions.hpp>

namespace bench {

using exactdot::reduction;

/// Whether mode fast computes something other than mode exact does.
constexpr bool has_fast(reduction what) {
  return !exactdot::core::info_of(what).needs_squares() && exactdot::core::info_of(what).sums != 0;
}

/// The result type that is measured: T, or int64 for an index.
template <class T>
constexpr exactdot::element_type result_type(reduction what) {
  return exactdot::default_result_type(what, exactdot::type_of<T>);
}

/// A result as a word: the bits of a T in the low bytes, or an index.
template <class T>
std::uint64_t word_of(T value) {
  static_assert(sizeof value <= sizeof(std::uint64_t));
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof value);
  return word;
}

/// The T in the low bytes of a word. An index below 2^32 survives word_of(value_of<T>(index)).
template <class T>
T value_of(std::uint64_t word) {
  T value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

}  // namespace bench
