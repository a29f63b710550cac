// Whether all elements have the bits of one of them. The variance of such data is 0, which no bound tells; their
// exact states would cost twice what the bounded sums did. Cost: an eighth to a third of the bounded sums, up to
// the first that differs.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <plan/plan.hpp>
#include <type_traits>

namespace exactdot::inline v0_3::cpu_engine {

class equal_elements {
 public:
  /// `first`: an element, as the carrier. No others are equal to one that is not finite.
  equal_elements(element_type carrier, const void* first) noexcept : carrier_(carrier) {
    with_carrier(carrier, [&]<class T>(T) {
      T value;
      std::memcpy(&value, first, sizeof value);  // in place it may lie at any address
      is_finite_ = std::abs(value) < HUGE_VAL;
      first_ = std::bit_cast<word_of<T>>(value);
    });
  }

  [[nodiscard]] bool is_finite() const noexcept { return is_finite_; }

  /// Whether n carriers have these bits, and the number is finite.
  [[nodiscard]] bool has_only(const void* x, std::size_t n) const noexcept {
    return is_finite_ &&
           with_carrier(carrier_, [&]<class T>(T) { return has_bits<T>(static_cast<const char*>(x), n); });
  }

 private:
  template <class T>
  using word_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

  /// In chunks, each a loop without branches, which compilers make one of vectors.
  template <class T>
  [[nodiscard]] bool has_bits(const char* x, std::size_t n) const noexcept {
    constexpr std::size_t chunk = 256;
    const auto first = static_cast<word_of<T>>(first_);
    for (std::size_t start = 0; start < n; start += chunk) {
      const std::size_t end = std::min(start + chunk, n);
      word_of<T> differ = 0;
      for (std::size_t i = start; i < end; ++i) {
        word_of<T> word;
        std::memcpy(&word, x + i * sizeof word, sizeof word);
        differ |= word ^ first;
      }
      if (differ != 0) return false;
    }
    return true;
  }

  element_type carrier_;
  std::uint64_t first_;
  bool is_finite_;
};

}  // namespace exactdot::inline v0_3::cpu_engine
