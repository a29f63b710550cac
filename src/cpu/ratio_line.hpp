// One thread's ratios of lines, one after the other: bounded sums of chunks that stay in the cache while all
// sums read them, else exact states of the same chunks, then the result (ratio_sums.hpp).
//
// Lines come from a source: source.read(first, count) is a chunk of carriers from element `first` on, of at most
// `count`.
#pragma once

#include <algorithm>
#include <array>
#include <cpu/kernels.hpp>
#include <cpu/ratio_sums.hpp>
#include <cpu/square_terms.hpp>
#include <cstring>
#include <memory>

namespace exactdot::inline v0_3::cpu_engine {

/// Carriers of n elements; of 64-bit integers one part of each, or two.
struct ratio_chunk {
  const void *a[2], *b[2];
  std::size_t n;
  int parts_of_a = 1, parts_of_b = 1;
};

/// Elements that all sums read while they are in the first-level cache.
inline constexpr std::size_t ratio_chunk_length = 1024;

/// 64-bit integers of a chunk: one double each where all of them are doubles, else two halves, whose sums take four
/// products each. Beside floating-point numbers neither half of a number is 0 unless it is, so that its product with
/// an infinity is an infinity.
class integer_parts {
 public:
  integer_parts() = default;
  /// Allocates where an input of `type`, beside one of `other`, has 64-bit integers.
  integer_parts(element_type type, element_type other) : beside_integers_(is_integer(other)) {
    if (core::parts_of(type) == 1) return;
    high_ = std::make_unique_for_overwrite<double[]>(ratio_chunk_length);
    low_ = std::make_unique_for_overwrite<double[]>(ratio_chunk_length);
  }
  /// Of n integers, whose halves have the sign of the whole: replaces the pointers. Returns the number of parts.
  int replace(const void** halves, std::size_t n) noexcept;

 private:
  bool beside_integers_ = true;
  std::unique_ptr<double[]> high_, low_;
};

/// Floats as doubles, beside those of another input or in sums of doubles: converted chunk by chunk, from the
/// carriers that their elements are read as.
class widened_floats {
 public:
  widened_floats() = default;
  /// Allocates where elements of `type` are read as floats, and summed as doubles.
  widened_floats(element_type type, element_type carrier) {
    if (carrier != element_type::float64 || core::carrier_of(type) != element_type::float32) return;
    doubles_ = std::make_unique_for_overwrite<double[]>(ratio_chunk_length);
  }
  /// Of n floats; replaces the pointer.
  void replace(const void** floats, std::size_t n) noexcept {
    if (doubles_ == nullptr) return;
    for (std::size_t i = 0; i < n; ++i) {
      float value = 0;
      std::memcpy(&value, static_cast<const char*>(*floats) + i * sizeof value, sizeof value);  // unaligned
      doubles_[i] = static_cast<double>(value);
    }
    *floats = doubles_.get();
  }

 private:
  std::unique_ptr<double[]> doubles_;
};

class ratio_line {
 public:
  /// a: the type of the first input's elements, of which chunks have the carriers.
  ratio_line(const ratio_rule& rule, element_type carrier, element_type a);

  /// The bits of the result of a line of n elements.
  template <class Source>
  [[nodiscard]] std::uint64_t reduce(std::size_t n, Source& source) noexcept {
    clear();
    for_chunks(0, n, source, [&](const ratio_chunk& chunk) { return add(chunk); });
    if (const core::decision found = decision_for(n); found.certain) return found.word;
    clear_words();
    for_chunks(0, n, source, [&](const ratio_chunk& chunk) { return add_exactly(chunk); });
    return exact_result(n);
  }

  /// The steps of that, for lines that several threads share.
  void clear() noexcept;
  void clear_words() noexcept;
  /// visit(chunk) for elements `first` to `first + n`, while it is true.
  template <class Source, class Visit>
  void for_chunks(std::size_t first, std::size_t n, Source& source, const Visit& visit) noexcept {
    for (const std::size_t end = first + n; first < end;) {
      const ratio_chunk chunk = source.read(first, std::min(end - first, ratio_chunk_length));
      if (!visit(chunk)) return;
      first += chunk.n;
    }
  }
  /// False if bounds are of no more use.
  bool add(const ratio_chunk& chunk) noexcept;
  bool add_exactly(const ratio_chunk& chunk) noexcept;
  /// The sums of another part of the line.
  void merge(const ratio_line& other) noexcept;
  void merge_words(const ratio_line& other) noexcept;
  [[nodiscard]] core::decision decision_for(std::size_t n) const noexcept {
    return is_open_ ? core::decision{0, false} : decide(rule_, n, sums_);
  }
  [[nodiscard]] std::uint64_t exact_result(std::size_t n) noexcept;

 private:
  template <class Visit>
  bool for_sums(const ratio_chunk& chunk, bool exactly, const Visit& visit) const noexcept;
  [[nodiscard]] std::int64_t* words_of(int state) const;

  ratio_rule rule_;
  core::sum_set used_;
  core::state_layout layout_;
  const kernels &values_, &squares_, &products_;
  bool is_open_ = false;
  std::array<bounded_sum, ratio_sum_count> sums_{};
  std::array<int, ratio_state_count> places_;  // of states among the words; -1 of those that are not used
  std::unique_ptr<std::int64_t[]> words_;
  square_terms squares_of_a_;
};

}  // namespace exactdot::inline v0_3::cpu_engine
