// SPDX-License-Identifier: Apache-2.0
// accumulator<T>: the exact state of a sum of products, as integers.
//
// A fixed-point number of signed 64-bit limbs, radix 2^32, low limb first, that covers every bit of a product of
// two T and 2^63 such products; then the numbers of NaN, +∞ and −∞ terms, and the number of states merged.
// Elementwise addition of the words merges two states, so any engine that sums int64 arrays (MPI, NCCL, SQL)
// distributes an exact dot product. Source: Kulisch's long accumulator.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exactdot/element.hpp>
#include <exactdot/error.hpp>
#include <exactdot/options.hpp>
#include <exactdot/reductions.hpp>
#include <exactdot/views.hpp>
#include <span>
#include <string>

namespace exactdot::inline v0_3 {

namespace detail {
/// The words of a state and the number of additions since its last normalisation.
struct state_view {
  element_type type;
  std::int64_t* words;
  std::uint64_t* pending;
  const char* caller = "accumulator";  ///< the name with which error sentences begin
};
/// How a sum becomes a result.
enum class rounding : unsigned char { sum, root, quotient };

void load_words(state_view state, std::span<const std::int64_t> words);
void normalise(state_view state);
void add_product(state_view state, const void* a, const void* b);
void add_products(state_view state, const any_vector& a, const any_vector& b, const options& options);
void add_values(state_view state, reduction what, const any_vector& x, const options& options);
void merge(state_view state, state_view other);
void negate(state_view state);
[[nodiscard]] std::uint64_t round(state_view state, element_type result, rounding kind, std::uint64_t count);
[[nodiscard]] std::uint64_t round_moments(state_view sum, state_view squares, element_type result, std::uint64_t n,
                                          std::uint64_t ddof, bool root);
}  // namespace detail

/// A number beyond the range of double: significand·2^exponent, rounded once to 53 bits. 1 <= |significand| < 2, or
/// the significand is 0, infinite or NaN and the exponent 0.
struct scaled_double {
  double significand = 0;
  std::int64_t exponent = 0;
};

namespace detail {
[[nodiscard]] scaled_double round_scaled(state_view state, rounding kind, std::uint64_t count);
}

/// Value semantics. One object must not be used by two threads at once, not even to read: reading may normalise it.
/// All members but the default constructor and clear() throw errc::headroom, and lose nothing, if the sum passes
/// 2^63 largest products. One state serves float, float16 and bfloat16, one double, one the integers up to 32 bits,
/// one those of 64 bits.
template <element T>
class accumulator {
  static constexpr detail::state_shape shape = detail::state_shape_of(type_of<T>);

 public:
  static constexpr std::size_t limb_count = static_cast<std::size_t>(shape.limbs());
  /// limbs; then NaNs, +∞, −∞; then the number of states merged (1 for a single one)
  static constexpr std::size_t word_count = limb_count + 4;
  /// The weight of bit 0 of limb 0 is 2^lowest_exponent: the last bit of any product.
  static constexpr int lowest_exponent = shape.lowest_exponent;

  accumulator() noexcept { clear(); }

  /// The state whose words these are: the words of one accumulator, or the elementwise sum of the words of up to
  /// 2^31 − 1 of them. Throws errc::size_mismatch unless words.size() == word_count, errc::headroom if more states
  /// than that were summed or the sum is beyond 2^63 largest products, and errc::bad_option for words that are no
  /// such sum.
  explicit accumulator(std::span<const std::int64_t> words) { detail::load_words(view(), words); }

  /// Adds a·b exactly. Cost: a few nanoseconds.
  void add(T a, T b) { detail::add_product(view(), &a, &b); }
  /// Adds x exactly.
  void add(T x) {
    const T one = static_cast<T>(1.0F);
    detail::add_product(view(), &x, &one);
  }
  /// Adds the products a[i]·b[i] (a, b of the same length) on the device that exactdot::dot would use, at its
  /// speed. options.mode is ignored. Throws as exactdot::dot does, and then adds nothing.
  void add(std::span<const T> a, std::span<const T> b, const options& options = {}) {
    detail::add_products(view(), to_any(a), to_any(b), options);
  }
  /// The same for views of any stride and byte order. Throws errc::bad_option for elements of another type.
  void add(const any_vector& a, const any_vector& b, const options& options = {}) {
    detail::add_products(view(), a, b, options);
  }
  /// Adds every x[i], at the speed of exactdot::sum.
  void add(std::span<const T> x, const options& options = {}) { add(to_any(x), options); }
  void add(const any_vector& x, const options& options = {}) {
    detail::add_values(view(), reduction::sum, x, options);
  }
  /// Adds every x[i]², at the speed of exactdot::sum_of_squares.
  void add_squares(std::span<const T> x, const options& options = {}) { add_squares(to_any(x), options); }
  void add_squares(const any_vector& x, const options& options = {}) {
    detail::add_values(view(), reduction::sum_of_squares, x, options);
  }

  /// Subtracts a·b, or x, or every product or element. Errors as of add; cost as of add and a merge.
  void subtract(T a, T b) {
    subtract_added([&](accumulator& sum) { sum.add(a, b); });
  }
  void subtract(T x) {
    subtract_added([&](accumulator& sum) { sum.add(x); });
  }
  void subtract(std::span<const T> a, std::span<const T> b, const options& options = {}) {
    subtract_added([&](accumulator& sum) { sum.add(a, b, options); });
  }
  void subtract(std::span<const T> x, const options& options = {}) {
    subtract_added([&](accumulator& sum) { sum.add(x, options); });
  }
  /// Subtracts the other sum. An infinity of the other counts as one of the opposite sign: infinities do not
  /// cancel.
  void subtract(const accumulator& other) {
    accumulator negated = other;
    negated.negate();
    merge(negated);
  }
  /// The sum of the negated terms.
  void negate() { detail::negate(view()); }

  /// Adds the other state. Throws errc::headroom, and leaves this state unchanged, if the magnitude would pass 2^63
  /// largest products. Cost: word_count integer additions.
  void merge(const accumulator& other) { detail::merge(view(), other.view()); }

  /// The canonical words of this state: every limb but the last in [0, 2^32), the last word 1. Two accumulators of
  /// finite terms hold the same sum if and only if their words are equal. Valid until the next change.
  [[nodiscard]] std::span<const std::int64_t> words() const {
    detail::normalise(view());
    return words_;
  }

  /// The sum rounded once to R, to nearest, ties to even; special values by docs/contract.md. R may be int64 or
  /// uint64 for integers: errc::overflow if it does not hold the sum.
  template <element R>
  [[nodiscard]] R round() const {
    return finished<R>(detail::rounding::sum, 1);
  }
  /// The root of the sum, rounded once: of a sum of squares the norm. NaN for a negative sum.
  template <floating_element R>
  [[nodiscard]] R round_root() const {
    return finished<R>(detail::rounding::root, 1);
  }
  /// The sum over `count`, rounded once: of elements the mean. NaN for a count of 0.
  template <floating_element R>
  [[nodiscard]] R round_quotient(std::uint64_t count) const {
    return finished<R>(detail::rounding::quotient, count);
  }
  /// The same three with an exponent of their own, for results that double does not hold.
  [[nodiscard]] scaled_double round_scaled() const {
    return detail::round_scaled(view(), detail::rounding::sum, 1);
  }
  [[nodiscard]] scaled_double round_root_scaled() const {
    return detail::round_scaled(view(), detail::rounding::root, 1);
  }
  [[nodiscard]] scaled_double round_quotient_scaled(std::uint64_t count) const {
    return detail::round_scaled(view(), detail::rounding::quotient, count);
  }

  /// Back to the empty sum.
  void clear() noexcept {
    words_.fill(0);
    words_.back() = 1;
    pending_ = 0;
  }

 private:
  template <element>
  friend class moments;

  [[nodiscard]] detail::state_view view() const { return {type_of<T>, words_.data(), &pending_}; }

  template <element R>
  [[nodiscard]] R finished(detail::rounding kind, std::uint64_t count) const {
    return detail::from_word<R>(detail::round(view(), type_of<R>, kind, count));
  }
  template <class Add>
  void subtract_added(Add add) {
    accumulator sum;
    add(sum);
    sum.negate();
    merge(sum);
  }

  mutable std::array<std::int64_t, word_count> words_;
  mutable std::uint64_t pending_ = 0;  // additions since the last normalisation
};

namespace detail {
/// The number of elements of two parts, which travels as an int64. Throws errc::headroom.
inline std::uint64_t sum_of_counts(std::uint64_t count, std::uint64_t added, const char* caller = "moments") {
  constexpr std::uint64_t max_count = ~std::uint64_t{0} >> 1;
  if (count > max_count || added > max_count - count) {
    throw error(errc::headroom, std::string(caller) + ": more than 2^63 - 1 elements; use several moments");
  }
  return count + added;
}
}  // namespace detail

/// The moments of elements: their number, Σx and Σx², exactly. Means, variances and norms of any parts of the data,
/// merged in any order, have the bits of those of the whole. Not thread-safe, as accumulator.
template <element T>
class moments {
 public:
  static constexpr std::size_t word_count = 1 + 2 * accumulator<T>::word_count;

  moments() = default;
  /// From words(), or the elementwise sum of the words of several. Throws as accumulator's constructor.
  explicit moments(std::span<const std::int64_t> words)
      : count_(count_of(words)),
        sum_(words.subspan(1, accumulator<T>::word_count)),
        squares_(words.subspan(1 + accumulator<T>::word_count)) {}

  void add(T x) {
    const std::uint64_t count = detail::sum_of_counts(count_, 1);
    sum_.add(x), squares_.add(x, x);
    count_ = count;
  }
  /// Adds every x[i]; of a call that throws, nothing.
  void add(std::span<const T> x, const options& options = {}) { add(to_any(x), options); }
  void add(const any_vector& x, const options& options = {}) {
    const std::uint64_t count = detail::sum_of_counts(count_, x.n);
    accumulator<T> sum = sum_, squares = squares_;
    sum.add(x, options), squares.add_squares(x, options);
    sum_ = sum, squares_ = squares;
    count_ = count;
  }
  void merge(const moments& other) {
    const std::uint64_t count = detail::sum_of_counts(count_, other.count_);
    accumulator<T> sum = sum_;
    sum.merge(other.sum_), squares_.merge(other.squares_);
    sum_ = sum;
    count_ = count;
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
  [[nodiscard]] R variance(std::uint64_t ddof = 0) const {
    return detail::from_word<R>(
        detail::round_moments(sum_.view(), squares_.view(), type_of<R>, count_, ddof, false));
  }
  template <floating_element R>
  [[nodiscard]] R stddev(std::uint64_t ddof = 0) const {
    return detail::from_word<R>(
        detail::round_moments(sum_.view(), squares_.view(), type_of<R>, count_, ddof, true));
  }

  /// The count, the words of Σx, the words of Σx². The elementwise sum of the words of several is their merge.
  [[nodiscard]] std::array<std::int64_t, word_count> words() const {
    std::array<std::int64_t, word_count> all{static_cast<std::int64_t>(count_)};
    const auto sum = sum_.words(), squares = squares_.words();
    for (std::size_t i = 0; i < sum.size(); ++i) all[1 + i] = sum[i], all[1 + sum.size() + i] = squares[i];
    return all;
  }

 private:
  static std::uint64_t count_of(std::span<const std::int64_t> words) {
    if (words.size() != word_count) {
      throw error(errc::size_mismatch, "moments: " + std::to_string(words.size()) + " words given, moments have " +
                                           std::to_string(word_count));
    }
    if (words[0] < 0) throw error(errc::bad_option, "moments: the count is negative");
    return static_cast<std::uint64_t>(words[0]);
  }

  std::uint64_t count_ = 0;
  accumulator<T> sum_, squares_;
};

}  // namespace exactdot::inline v0_3
