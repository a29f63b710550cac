// SPDX-License-Identifier: Apache-2.0
// bivariate_moments<T>: the number of pairs (x, y), and the exact sums of x, y, xy, x² and y².
//
// Five accumulators and a count, whose words merge by elementwise addition, too: covariances, correlations and
// lines of data in parts, on any number of machines, with the bits of those of the whole.
#pragma once

#include <array>
#include <exactdot/moments.hpp>
#include <exactdot/ratios.hpp>
#include <exactdot/requirements.hpp>

namespace exactdot::inline v0_3 {

namespace detail {
/// What bivariate moments consist of: the sums in the order of core::ratio_sum, which is that of their words.
/// Functions that change them return the new count.
struct bivariate_view {
  static constexpr std::size_t sum_count = 5;
  std::uint64_t count;
  std::array<state_view, sum_count> sums;
};
/// Adds nothing if it throws.
[[nodiscard]] std::uint64_t add_pairs(const bivariate_view& to, const any_vector& x, const any_vector& y,
                                      const options& options);
/// The other may be the same; changes nothing if it throws.
[[nodiscard]] std::uint64_t merge(const bivariate_view& into, const bivariate_view& other);
/// Throws errc::bad_option for words that are the moments of no pairs.
[[nodiscard]] std::uint64_t load_words(const bivariate_view& to, std::span<const std::int64_t> words);
void store_words(const bivariate_view& of, std::int64_t* words);
/// The bits of a ratio of two vectors. Throws errc::bad_option for a negative ddof.
[[nodiscard]] std::uint64_t round_ratio(const bivariate_view& of, reduction what, element_type result,
                                        std::int64_t ddof);
}  // namespace detail

/// The moments of pairs. Results of any parts of the data, merged in any order, have the bits of those of the whole
/// (ratios.hpp). Not thread-safe, as accumulator. Errors as of moments.
template <element T>
class bivariate_moments {
 public:
  /// The count; then the words of Σx, Σy, Σxy, Σx² and Σy².
  static constexpr std::size_t word_count = 1 + detail::bivariate_view::sum_count * accumulator<T>::word_count;

  bivariate_moments() = default;
  /// From words(), or the elementwise sum of the words of several. Throws as accumulator's constructor, and
  /// errc::bad_option if no pairs have these moments.
  explicit bivariate_moments(std::span<const std::int64_t> words) { count_ = detail::load_words(view(), words); }
  /// The same in wider states: of float in those of double, ….
  template <element U>
  requires(!std::is_same_v<U, T>) explicit bivariate_moments(const bivariate_moments<U>& other) { merge(other); }

  /// Adds one pair, of elements of T or of types that an accumulator of T holds.
  template <class X, class Y>
  requires(element<X>&& element<Y>) void add(X x, Y y) {
    if constexpr (detail::check_addend<T, X>() && detail::check_addend<T, Y>()) {
      const std::uint64_t count = detail::sum_of_counts(count_, 1, "bivariate_moments");
      x_.add(x), y_.add(y), xy_.add(x, y), xx_.add(x, x), yy_.add(y, y);
      count_ = count;
    }
  }
  /// Adds the pairs x[i], y[i], of vectors of the same length; of a call that throws, nothing.
  template <vector_view X, vector_view Y>
  void add(const X& x, const Y& y, const options& options = {}) {
    if constexpr (detail::check_addend<T, element_of_view<X>>() && detail::check_addend<T, element_of_view<Y>>()) {
      add(to_any(x), to_any(y), options);
    }
  }
  void add(const any_vector& x, const any_vector& y, const options& options = {}) {
    count_ = detail::add_pairs(view(), x, y, options);
  }
  /// Adds the other's pairs.
  template <element U>
  void merge(const bivariate_moments<U>& other) {
    if constexpr (detail::check_addend<T, U>()) count_ = detail::merge(view(), other.view());
  }
  template <element U>
  bivariate_moments& operator+=(const bivariate_moments<U>& other) {
    merge(other);
    return *this;
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] const accumulator<T>& sum_x() const { return x_; }
  [[nodiscard]] const accumulator<T>& sum_y() const { return y_; }
  [[nodiscard]] const accumulator<T>& products() const { return xy_; }
  [[nodiscard]] const accumulator<T>& squares_x() const { return xx_; }
  [[nodiscard]] const accumulator<T>& squares_y() const { return yy_; }

  /// Each rounded once; the bits of the functions of these names on all pairs.
  template <floating_element R>
  [[nodiscard]] R covariance(ddof_number ddof = 1) const {
    return rounded<R>(reduction::covariance, ddof);
  }
  template <floating_element R>
  [[nodiscard]] R correlation() const {
    return rounded<R>(reduction::correlation);
  }
  template <floating_element R>
  [[nodiscard]] R slope() const {
    return rounded<R>(reduction::slope);
  }
  template <floating_element R>
  [[nodiscard]] R intercept() const {
    return rounded<R>(reduction::intercept);
  }
  template <floating_element R>
  [[nodiscard]] R cosine() const {
    return rounded<R>(reduction::cosine);
  }
  template <floating_element R>
  [[nodiscard]] R distance() const {
    return rounded<R>(reduction::distance);
  }
  /// Of x with the weights y.
  template <floating_element R>
  [[nodiscard]] R weighted_mean() const {
    return rounded<R>(reduction::weighted_mean);
  }

  /// Whether count and sums are the same numbers, of whatever element types; false if one is NaN.
  template <element U>
  [[nodiscard]] bool operator==(const bivariate_moments<U>& other) const {
    return count_ == other.count_ && x_ == other.x_ && y_ == other.y_ && xy_ == other.xy_ && xx_ == other.xx_ &&
           yy_ == other.yy_;
  }

  /// The elementwise sum of the words of several is their merge.
  [[nodiscard]] std::array<std::int64_t, word_count> words() const {
    std::array<std::int64_t, word_count> words;
    detail::store_words(view(), words.data());
    return words;
  }

 private:
  template <element>
  friend class bivariate_moments;

  [[nodiscard]] detail::bivariate_view view() const {
    using access = detail::state_access;
    detail::bivariate_view view{
        count_, {access::of(x_), access::of(y_), access::of(xy_), access::of(xx_), access::of(yy_)}};
    for (detail::state_view& each : view.sums) each.caller = "bivariate_moments";
    return view;
  }
  template <floating_element R>
  [[nodiscard]] R rounded(reduction what, std::int64_t ddof = 0) const {
    return detail::from_word<R>(detail::round_ratio(view(), what, type_of<R>, ddof));
  }

  std::uint64_t count_ = 0;
  accumulator<T> x_, y_, xy_, xx_, yy_;
};

/// The moments of both samples together, in the wider states.
template <element T, element U>
[[nodiscard]] auto operator+(const bivariate_moments<T>& a, const bivariate_moments<U>& b) {
  bivariate_moments<std::conditional_t<detail::state_holds(type_of<T>, type_of<U>), T, U>> sum(a);
  return sum += b;
}

}  // namespace exactdot::inline v0_3
