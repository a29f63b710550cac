// See layouts.hpp.
#include "table/layouts.hpp"

#include <algorithm>
#include <cstdlib>

namespace table {

placed_vector::placed_vector(std::span<const std::byte> elements, exactdot::element_type type, int stride,
                             bool swapped, bool misaligned, unsigned shift) {
  const std::size_t bytes = exactdot::size_of(type);
  const std::size_t of_part = exactdot::is_complex(type) ? bytes / 2 : bytes;
  const std::size_t n = elements.size() / bytes;
  const std::size_t step = static_cast<std::size_t>(std::abs(stride)) * bytes;
  const std::size_t extent = n == 0 ? 0 : step * (n - 1) + bytes;
  const bool may_misalign = misaligned && bytes > 1;
  const std::size_t gap = bytes + (may_misalign ? 1 + shift % (bytes - 1) : shift % 8 * bytes);
  memory_.assign(gap + extent + 8 * bytes, std::byte{0xff});  // NaNs
  const std::size_t first = gap + (stride < 0 && n != 0 ? step * (n - 1) : 0);
  view_ = {memory_.data() + first, n, type, stride * static_cast<std::ptrdiff_t>(bytes), swapped};
  for (std::size_t i = 0; i < (stride == 0 ? std::min<std::size_t>(n, 1) : n); ++i) {
    std::byte* const to = memory_.data() + first + static_cast<std::ptrdiff_t>(i) * view_.stride;
    const auto* const from = elements.data() + i * bytes;
    if (swapped) {
      for (std::size_t k = 0; k < bytes; k += of_part) std::reverse_copy(from + k, from + k + of_part, to + k);
    } else {
      std::copy(from, from + bytes, to);
    }
  }
}

}  // namespace table
