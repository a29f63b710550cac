// Pieces that the docstrings of Accumulator and Moments share, and how pieces are joined.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace exactdot::python::docstrings {

/// A string literal as a template argument.
template <std::size_t size>
struct piece {
  char characters[size];

  constexpr piece(const char (&literal)[size]) { std::copy_n(literal, size, characters); }
  static constexpr std::size_t length = size - 1;
};

template <piece... pieces>
inline constexpr auto joined_characters = [] {
  std::array<char, (pieces.length + ... + 1)> all{};
  auto end = all.begin();
  ((end = std::copy_n(pieces.characters, pieces.length, end)), ...);
  return all;
}();

/// The pieces as one string, joined at compile time.
template <piece... pieces>
inline constexpr const char* joined = joined_characters<pieces...>.data();

inline constexpr piece dtype_error = R"(
Raises
------
ValueError
    The dtype is another.
)";

/// Of a constructor.
inline constexpr piece element_dtype = R"(
Parameters
----------
dtype : whatever numpy.dtype or a framework accepts, such as "float32"
    The element type of the vectors: floats of 8 bits (float8_e4m3fn, float8_e5m2) to 64, or integers of 8 to 64.
)";

/// Of a result.
inline constexpr piece floating_dtype = R"(dtype : a floating-point type, optional
    Default: the element type; of integers float64.
)";

/// Of an addition. The reasons follow.
inline constexpr piece addition_errors = R"(
Raises
------
TypeError, ValueError, BufferError, RuntimeError, KeyboardInterrupt, OverflowError
)";

/// Of a merge. The condition of the OverflowError follows.
inline constexpr piece merge_errors = R"(
Raises
------
TypeError
    The other one's dtype is one that this one does not take.
OverflowError
)";

/// Of from_words. The numbers of words follow.
inline constexpr piece words_parameters = R"(
Parameters
----------
words : int64 array
dtype : whatever numpy.dtype or a framework accepts, such as "float32", optional
    The element type, which words do not tell. Default: float32 for )";

/// The property dtype. A class and the output of its dtype follow.
inline constexpr piece dtype_example = R"(The name of the element type, such as "float64".

Examples
--------
>>> import exactdot as xd
>>> xd.)";

}  // namespace exactdot::python::docstrings
