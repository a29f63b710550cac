// The layouts in which every engine reads its inputs: strides, byte order, alignment.
//
// A placed vector lies between NaNs, also between the elements of a stride: an engine that reads anything else
// returns a NaN.
#pragma once

#include <array>
#include <cstddef>
#include <exactdot/views.hpp>
#include <span>
#include <vector>

namespace table {

struct layout {
  const char* name;
  int stride_a, stride_b;  ///< in elements; 0 repeats the first one
  bool swapped_a, swapped_b;
  bool misaligned;  ///< to addresses that are no multiples of the element's size
};

inline constexpr std::array layouts = {
    layout{"contiguous", 1, 1, false, false, false},
    layout{"misaligned", 1, 1, false, false, true},
    layout{"stride 3 and 1", 3, 1, false, false, false},
    layout{"stride 1 and -2", 1, -2, false, false, false},
    layout{"stride -1 and 0", -1, 0, false, false, false},
    layout{"both swapped, stride 2", 2, 2, true, true, false},
    layout{"b swapped", 1, 1, false, true, false},
    layout{"a swapped, misaligned", 1, -1, true, false, true},
};

/// A copy of elements in a layout.
class placed_vector {
 public:
  /// `shift` moves the first element away from the alignment of malloc: in elements or, if misaligned, in bytes.
  placed_vector(std::span<const std::byte> elements, exactdot::element_type type, int stride, bool swapped,
                bool misaligned, unsigned shift);
  [[nodiscard]] const exactdot::any_vector& view() const { return view_; }

 private:
  std::vector<std::byte> memory_;
  exactdot::any_vector view_;
};

}  // namespace table
