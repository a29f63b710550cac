// Whether all elements of vectors have the bits of one of them. The variance of such data is 0, which no bound
// tells; their exact states would cost twice what the bounded sums did. Cost: an eighth to a third of the bounded
// sums, up to the first that differs.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cpu/column_sums.hpp>
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

/// The same of the columns of a panel, row by row. Cost: some tenths of a ns an element.
class equal_columns {
 public:
  static constexpr std::size_t widest = 1024;

  equal_columns(element_type carrier, std::size_t width) noexcept : carrier_(carrier), width_(width) {}

  /// Adds rows of carriers. False if no column that is wanted has equal elements.
  bool add(const row_block& x, std::size_t rows, const bool* wanted) noexcept {
    with_carrier(carrier_, [&]<class T>(T) { add_rows<T>(x, rows); });
    for (std::size_t k = 0; k < width_; ++k) {
      if (wanted[k] && differ_[k] == 0) return true;
    }
    return false;
  }
  /// Whether all elements of a column have the same bits, and are finite.
  [[nodiscard]] bool are_equal(std::size_t k) const noexcept { return differ_[k] == 0; }

 private:
  template <class T>
  void add_rows(const row_block& x, std::size_t rows) noexcept {
    using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    std::size_t i = 0;
    if (is_new_) {
      for (std::size_t k = 0; k < width_; ++k) {
        const auto value = element_of<T>(x.row<char>(0), k);
        first_[k] = std::bit_cast<word>(value);
        differ_[k] = std::abs(value) < HUGE_VAL ? 0 : 1;
      }
      is_new_ = false, i = 1;
    }
    for (; i < rows; ++i) {
      const char* const row = x.row<char>(i);
      for (std::size_t k = 0; k < width_; ++k)
        differ_[k] |= std::bit_cast<word>(element_of<T>(row, k)) ^ static_cast<word>(first_[k]);
    }
  }
  template <class T>
  static T element_of(const char* row, std::size_t k) noexcept {
    T value;
    std::memcpy(&value, row + k * sizeof value, sizeof value);  // in place it may lie at any address
    return value;
  }

  element_type carrier_;
  std::size_t width_;
  bool is_new_ = true;
  std::uint64_t first_[widest], differ_[widest];
};

/// The same of elements in any order, one by one: the first one's bits, and which bits of others differ from these.
class equal_entry {
 public:
  /// The bits of element i, at any address.
  template <class T>
  static std::uint64_t word_of(const void* x, std::size_t i) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const char*>(x) + i * sizeof(T), sizeof(T));  // the low bytes come first
    return word;
  }
  /// Without a branch: whether an element is the first cannot be predicted.
  void add(std::uint64_t word) noexcept {
    const bool is_first = first_ == none;
    differ_ |= (is_first ? 0 : word ^ first_) | (word == none ? 1 : 0);
    first_ = is_first ? word : first_;
  }
  void add(const equal_entry& more) noexcept {
    differ_ |= more.differ_;
    if (more.first_ != none) add(more.first_);
  }
  /// Whether there are elements, all of them finite with the same bits.
  template <class T>
  [[nodiscard]] bool are_equal() const noexcept {
    using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    return differ_ == 0 && first_ != none && std::abs(std::bit_cast<T>(static_cast<word>(first_))) < HUGE_VAL;
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};  // a NaN of doubles

  std::uint64_t first_ = none, differ_ = 0;
};

}  // namespace exactdot::inline v0_3::cpu_engine
