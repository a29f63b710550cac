// Where the kernels of lines find the vector of result i: at a fixed distance from the one before it, with a fixed
// length (rows of a grid); or between two offsets (segments). See segment_kernel.cuh and split_line_kernel.cuh.
//
// Offsets are read where they are used, so nothing of their size is stored; each is checked there, too: a kernel
// must not read past the end of a vector, whatever the offsets are.
#pragma once

#include <cuda/line_operands.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// An array of offsets in device memory.
struct offset_array {
  const char* data = nullptr;  ///< null: there are none
  std::ptrdiff_t stride = 0;   ///< in bytes
  bool is_wide = true;         ///< of 64 bits, else of 32
  bool is_signed = true;

  /// A negative one is a very large number.
  [[nodiscard]] EXACTDOT_CORE std::uint64_t at(std::size_t i) const {
    const char* const from = data + static_cast<std::ptrdiff_t>(i) * stride;
    if (is_wide) return *reinterpret_cast<const std::uint64_t*>(from);
    const std::uint32_t word = *reinterpret_cast<const std::uint32_t*>(from);
    return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(word)))
                     : word;
  }
};

/// Elements of a line.
struct line_span {
  std::uint64_t begin = 0;  ///< of segments, in the vector
  std::uint64_t n = 0;
  bool is_valid = true;  ///< its offsets neither decrease nor pass the end
};

/// Lines that follow each other, or segments of the first one.
template <class Lines>
struct spans_of_lines {
  Lines lines;  ///< of segments `first` is the vector, and only `count` is used besides
  offset_array offsets;
  std::uint64_t length = 0;  ///< of segments that of the vector, else of each line; in elements

  [[nodiscard]] EXACTDOT_CORE line_span span(std::size_t i) const {
    if (offsets.data == nullptr) return {0, length, true};
    const std::uint64_t begin = offsets.at(i), end = offsets.at(i + 1);
    if (begin > end || end > length) return {0, 0, false};
    return {begin, end - begin, true};
  }
};

template <class T, input_layout layout>
struct line_source : spans_of_lines<lines_of<T, layout>> {
  using spans_of_lines<lines_of<T, layout>>::lines;
  using spans_of_lines<lines_of<T, layout>>::offsets;

  /// log2 of the addends that an element makes.
  [[nodiscard]] EXACTDOT_CORE int log2_parts() const {
    if constexpr (converts<layout>) {
      return lines.first.log2_parts_a + lines.first.log2_parts_b;
    } else {
      return 0;
    }
  }

  /// `n` elements of line i, from element `first` of it on. `begin`: of its span.
  [[nodiscard]] EXACTDOT_CORE auto piece(std::size_t i, std::uint64_t begin, std::uint64_t first,
                                         std::uint64_t n) const {
    auto one = lines.line(offsets.data == nullptr ? i : 0);
    if constexpr (converts<layout>) {
      one.skip(begin + first);
    } else {
      const auto skipped = static_cast<std::ptrdiff_t>(begin + first);
      one.a += skipped * one.stride_a;
      if (one.b != nullptr) one.b += skipped * one.stride_b;
    }
    one.n = static_cast<std::size_t>(n) << log2_parts();
    return one;
  }
};

/// What a launch on lines computes of each, beside the sums of its terms.
struct line_request {
  std::uint64_t ddof = 0;     ///< of a variance
  std::uint64_t of_none = 0;  ///< the result of no elements
  std::uint64_t of_bad = 0;   ///< that of a segment whose offsets are wrong
};

}  // namespace exactdot::inline v0_3::cuda_engine
