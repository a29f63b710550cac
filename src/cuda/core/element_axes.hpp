// Where the elements of a line lie that no one stride describes: along up to max_element_axes axes, for kernels
// that load elements one by one.
//
// The index of an element is divided by the lengths of all axes but the outermost, each a number that the host
// knows: a product and a shift instead of a division (T. Granlund, P. Montgomery, PLDI 1994). So any thread finds
// any element, and kernels share lines as if they had one stride. Cost: some 12 integer operations an axis and
// load.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exactdot/core/config.hpp>

namespace exactdot::inline v0_3::cuda_engine {

/// A divisor d of at least 2, and of at most 2^62.
///
/// With 2^(l-1) < d <= 2^l and m = ⌈2^(63+l)/d⌉ < 2^64, m·d = 2^(63+l) + e with 0 <= e < d <= 2^l. So
/// m·n/2^(63+l) = n/d + e·n/(d·2^(63+l)) exceeds n/d by less than 1/d for n < 2^63, and its integer part is ⌊n/d⌋.
class fixed_divisor {
 public:
  fixed_divisor() = default;
  explicit fixed_divisor(std::uint64_t divisor) : divisor_(divisor) {
    while (std::uint64_t{1} << (shift_ + 1) < divisor) ++shift_;  // l - 1
    factor_ = static_cast<std::uint64_t>(((core::uint128{1} << (64 + shift_)) + divisor - 1) / divisor);
  }
  [[nodiscard]] EXACTDOT_CORE std::uint64_t value() const { return divisor_; }
  /// n / d, for n < 2^63.
  [[nodiscard]] EXACTDOT_CORE std::uint64_t quotient(std::uint64_t n) const {
    return static_cast<std::uint64_t>(static_cast<core::uint128>(factor_) * n >> 64) >> shift_;
  }

 private:
  std::uint64_t divisor_ = 2, factor_ = std::uint64_t{1} << 63;
  int shift_ = 0;
};

inline constexpr int max_element_axes = 6;

/// Distances in bytes from a line's first elements.
struct element_places {
  std::ptrdiff_t a, b;
};

struct element_axis {
  fixed_divisor n;              ///< positions; the outermost axis needs none
  std::ptrdiff_t a = 0, b = 0;  ///< strides in bytes
};

struct element_axes {
  int count = 0;                        ///< 0: one stride describes the elements
  element_axis axis[max_element_axes];  ///< the innermost first
  /// Not null: element i lies where the first axis has its list[i]-th; there is no other axis.
  const unsigned* list = nullptr;

  /// Of element i.
  [[nodiscard]] EXACTDOT_CORE element_places at(std::uint64_t i) const {
    element_places found{0, 0};
    const int last = count - 1;
    if (list != nullptr) i = list[i];
#if defined(__CUDA_ARCH__)
#pragma unroll 1  // as many copies as loads in flight are enough
#endif
    for (int k = 0; k < last; ++k) {
      const std::uint64_t next = axis[k].n.quotient(i);
      const auto index = static_cast<std::ptrdiff_t>(i - next * axis[k].n.value());
      found.a += index * axis[k].a, found.b += index * axis[k].b;
      i = next;
    }
    const auto index = static_cast<std::ptrdiff_t>(i);
    return {found.a + index * axis[last].a, found.b + index * axis[last].b};
  }
};

}  // namespace exactdot::inline v0_3::cuda_engine
