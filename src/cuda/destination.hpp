// What a launch reads and where its result goes: the parameters of every kernel. Few bytes, the first needed first:
// a parameter that misses the constant cache delays the end of a short launch.
#pragma once

#include <core/finish.hpp>
#include <cuda/device_state.hpp>

namespace exactdot::cuda_engine {

/// How a kernel loads its inputs.
enum class input_layout : int {
  contiguous,  ///< native byte order: 16-byte loads where both inputs can be aligned at once
  strided,     ///< any stride and byte order: one element per load
};

/// The inputs; b only for terms of two inputs.
template <class T, input_layout layout>
struct operands {
  const T* a = nullptr;
  const T* b = nullptr;
  std::size_t n = 0;
};

template <class T>
struct operands<T, input_layout::strided> {
  const T* a = nullptr;
  const T* b = nullptr;
  std::size_t n = 0;
  std::ptrdiff_t stride_a = sizeof(T), stride_b = sizeof(T);  ///< in bytes
  bool swapped_a = false, swapped_b = false;
};

/// Where the result goes: a value in device memory, a value in host memory, or the words of an exact state.
struct destination {
  /// Device memory for a value, or null.
  void* value = nullptr;
  /// Mapped host memory for a value, in words that carry the number of the call as flag, like those of
  /// exchange.cuh. The host polls them, which is faster than waiting for the stream. Or null.
  volatile wide_unsigned* host = nullptr;
  /// Words of an exact state in device memory, normalised or with additions to spare. The sum is added to them as
  /// one more state. Or null.
  std::int64_t* words = nullptr;
  unsigned call = 0;
  core::result_rule rule = {};
};

/// A value of type R in device memory, rounded.
template <class R>
destination value_at(R* value) {
  destination to;
  to.value = value;
  to.rule = {core::finish::round, core::format<R>::number};
  return to;
}

}  // namespace exactdot::cuda_engine
