// SPDX-License-Identifier: Apache-2.0
// moments<T>: the number of elements, their exact sum and their exact sum of squares.
//
// Two accumulators and a count, whose words merge by elementwise addition, too.
#pragma once

#include <exactdot/requirements.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exactdot/accumulator.hpp>
#include <exactdot/error.hpp>
#include <span>
#include <string>
#include <type_traits>

namespace exactdot::inline v0_3 {

namespace detail {
/// The number of elements of two parts, which travels as an int64. Throws errc::headroom.
inline std::uint64_t sum_of_counts(std::uint64_t count, std::uint64_t added, const char* caller = "moments") {
  constexpr std::uint64_t max_count = ~std::uint64_t{0} >> 1;
  if (count > max_count || added > max_count - count) {
    throw error(errc::headroom, std::string(caller) + ": more than 2^63 - 1 elements; use several moments");
  }
  return count + added;
}

/// What moments consist of, in the order of their words (state_format.hpp). Functions that change them return the
/// new count; error sentences begin with the caller of `sum`.
struct moments_view {
  std::uint64_t count;
  state_view sum, squares;
};
/// Adds nothing if it throws.
[[nodiscard]] std::uint64_t add_elements(const moments_view& to, const any_vector& x, const options& options);
/// The other may be the same; changes nothing if it throws.
[[nodiscard]] std::uint64_t merge(const moments_view& into, const moments_view& other);
/// Throws errc::bad_option for words that are the moments of no elements.
[[nodiscard]] std::uint64_t load_words(const moments_view& to, std::span<const std::int64_t> words);
void store_words(const moments_view& of, std::int64_t* words);
[[nodiscard]] std::uint64_t round_moments(const moments_view& of, element_type result, std::uint64_t ddof,
                                          bool root);
}  // namespace detail

/// The moments of elements: their number, Σx and Σx², exactly. Means, variances and norms of any parts of the data,
/// merged in any order, have the bits of those of the whole. Not thread-safe, as accumulator.
template <element T>
class moments {
 public:
  static constexpr std::size_t word_count = state_words<T>(reduction::variance);

  moments() = default;
  /// From words(), or the elementwise sum of the words of several. Throws as accumulator's constructor, and
  /// errc::bad_option if no elements have these moments: as of no elements a sum that is not 0.
  explicit moments(std::span<const std::int64_t> words) { count_ = detail::load_words(view(), words); }

  /// The same in wider states: of float in one of double, ….
  template <element U>
  requires(!std::is_same_v<U, T>) explicit moments(const moments<U>& other) { merge(other); }

  void add(T x) { add_number(x); }
  template <detail::other_number<T> U>
  void add(U x) {
    add_number(x);
  }
  /// Adds every x[i]; of a call that throws, nothing.
  void add(std::span<const T> x, const options& options = {}) { add(to_any(x), options); }
  template <vector_view X>
  void add(const X& x, const options& options = {}) {
    if constexpr (detail::check_addend<T, element_of_view<X>>()) add(to_any(x), options);
  }
  void add(const any_vector& x, const options& options = {}) { count_ = detail::add_elements(view(), x, options); }
  /// Adds the other's elements.
  template <element U>
  void merge(const moments<U>& other) {
    if constexpr (detail::check_addend<T, U>()) count_ = detail::merge(view(), other.view());
  }
  /// add of a number and merge as operators.
  template <class X>
  requires element<X> || detail::other_number<X, T> moments& operator+=(X x) {
    add(x);
    return *this;
  }
  template <element U>
  moments& operator+=(const moments<U>& other) {
    merge(other);
    return *this;
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] const accumulator<T>& sum() const { return sum_; }
  [[nodiscard]] const accumulator<T>& squares() const { return squares_; }

  /// Each rounded once; see exactdot::mean, variance, stddev and nrm2.
  template <floating_element R>
  [[nodiscard]] R mean() const {
    return sum_.template round_quotient<R>(count_);
  }
  template <floating_element R>
  [[nodiscard]] R nrm2() const {
    return squares_.template round_root<R>();
  }
  template <floating_element R>
  [[nodiscard]] R variance(ddof_number ddof = 0) const {
    return rounded<R>(ddof, false);
  }
  template <floating_element R>
  [[nodiscard]] R stddev(ddof_number ddof = 0) const {
    return rounded<R>(ddof, true);
  }

  /// Other names of nrm2, variance and stddev.
  template <floating_element R>
  [[nodiscard]] R norm() const {
    return nrm2<R>();
  }
  template <floating_element R>
  [[nodiscard]] R var(ddof_number ddof = 0) const {
    return variance<R>(ddof);
  }
  template <floating_element R>
  [[nodiscard]] R standard_deviation(ddof_number ddof = 0) const {
    return stddev<R>(ddof);
  }

  /// Whether count, sum and sum of squares are the same numbers, of whatever element types; false if one is NaN.
  template <element U>
  [[nodiscard]] bool operator==(const moments<U>& other) const {
    return count_ == other.count() && sum_ == other.sum() && squares_ == other.squares();
  }

  /// The count, the words of Σx, the words of Σx². The elementwise sum of the words of several is their merge.
  [[nodiscard]] std::array<std::int64_t, word_count> words() const {
    std::array<std::int64_t, word_count> words;
    detail::store_words(view(), words.data());
    return words;
  }

 private:
  template <element>
  friend class moments;

  [[nodiscard]] detail::moments_view view() const {
    detail::moments_view view{count_, detail::state_access::of(sum_), detail::state_access::of(squares_)};
    view.sum.caller = view.squares.caller = "moments";
    return view;
  }
  template <class X>
  void add_number(X x) {
    const std::uint64_t count = detail::sum_of_counts(count_, 1);
    sum_.add(x), squares_.add(x, x);
    count_ = count;
  }
  template <floating_element R>
  [[nodiscard]] R rounded(std::int64_t ddof, bool root) const {
    if (ddof < 0) throw error(errc::bad_option, "moments: ddof is " + std::to_string(ddof) + "; use 0 or more");
    return detail::from_word<R>(detail::round_moments(view(), type_of<R>, static_cast<std::uint64_t>(ddof), root));
  }

  std::uint64_t count_ = 0;
  accumulator<T> sum_, squares_;
};

/// The moments of both samples together, in the wider state.
template <element T, element U>
[[nodiscard]] auto operator+(const moments<T>& a, const moments<U>& b) {
  moments<std::conditional_t<detail::state_holds(type_of<T>, type_of<U>), T, U>> sum(a);
  return sum += b;
}

}  // namespace exactdot::inline v0_3
