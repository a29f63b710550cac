// SPDX-License-Identifier: Apache-2.0
// accumulator<T>: the exact state of a sum of products, as integers.
//
// A fixed-point number of signed 64-bit limbs, radix 2^32, low limb first, that covers every bit of a product of
// two T and 2^63 such products; then the numbers of NaN, +∞ and −∞ terms, and the number of states merged.
// Elementwise addition of the words merges two states, so any engine that sums int64 arrays (MPI, NCCL, SQL)
// distributes an exact dot product. Source: Kulisch's long accumulator.
#pragma once

#include <exactdot/requirements.hpp>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <exactdot/call_checks.hpp>
#include <exactdot/element.hpp>
#include <exactdot/options.hpp>
#include <exactdot/reductions.hpp>
#include <exactdot/state_format.hpp>
#include <exactdot/views.hpp>
#include <span>
#include <type_traits>

namespace exactdot::inline v0_3 {

namespace detail {
/// The words of a state and the number of additions since its last normalisation.
struct state_view {
  element_type type;
  std::int64_t* words;
  std::uint64_t* pending;
  const char* caller = "accumulator";  ///< the name with which error sentences begin
};

void load_words(state_view state, std::span<const std::int64_t> words);
void normalise(state_view state);
void add_product(state_view state, const void* a, const void* b);
void add_product(state_view state, const any_scalar& a, const any_scalar& b);
/// Adds the terms of the reduction; nothing if it throws. `b`: x again for reductions of one input.
void add_terms(state_view state, reduction what, const any_vector& a, const any_vector& b, options options);
void merge(state_view state, state_view other);
/// Of the sums; unordered if one of them is NaN.
[[nodiscard]] std::partial_ordering compare(state_view a, state_view b);
void negate(state_view state);
[[nodiscard]] std::uint64_t round(state_view state, element_type result, core::finish finish, std::uint64_t count);
[[nodiscard]] std::uint64_t round_quotient(state_view dividend, state_view divisor, element_type result);
}  // namespace detail

/// A number beyond the range of double: significand·2^exponent, rounded once to 53 bits. 1 <= |significand| < 2, or
/// the significand is 0, infinite or NaN and the exponent 0.
struct scaled_double {
  double significand = 0;
  std::int64_t exponent = 0;
};

namespace detail {
[[nodiscard]] scaled_double round_scaled(state_view state, core::finish finish, std::uint64_t count);
[[nodiscard]] scaled_double round_quotient_scaled(state_view dividend, state_view divisor);

/// The state behind an accumulator.
struct state_access {
  template <class Accumulator>
  static state_view of(const Accumulator& sum) {
    return sum.view();
  }
};

/// A number that is added as it is, not converted to the accumulator's type.
template <class X, class T>
concept other_number = !std::is_same_v<X, T> && (element<X> || std::is_floating_point_v<X>);
}  // namespace detail

/// Value semantics. One object must not be used by two threads at once, not even to read: reading may normalise it.
/// All members but the default constructor and clear() throw errc::headroom, and lose nothing, if the sum passes
/// 2^63 largest products. One state serves float and narrower floats, one double, one the integers up to 32 bits,
/// one those of 64 bits.
template <element T>
class accumulator {
 public:
  /// limbs; then NaNs, +∞, −∞; then the number of states merged (1 for a single one)
  static constexpr std::size_t word_count = state_words<T>(reduction::sum);
  static constexpr std::size_t limb_count = word_count - 4;
  /// The weight of bit 0 of limb 0 is 2^lowest_exponent: the last bit of any product.
  static constexpr int lowest_exponent = detail::state_shape_of(type_of<T>).lowest_exponent;

  accumulator() noexcept { clear(); }

  /// The state whose words these are: the words of one accumulator, or the elementwise sum of the words of up to
  /// 2^31 − 1 of them. Throws errc::size_mismatch unless words.size() == word_count, errc::headroom if more states
  /// than that were summed or the sum is beyond 2^63 largest products, and errc::bad_option for words that are no
  /// such sum.
  explicit accumulator(std::span<const std::int64_t> words) { detail::load_words(view(), words); }

  /// The same sum in a wider state: of float in one of double, of any integers in one of double or float, ….
  template <element U>
  requires(!std::is_same_v<U, T>) explicit accumulator(const accumulator<U>& other) {
    clear();
    merge(other);
  }

  /// Adds a·b exactly. Cost: a few nanoseconds; of numbers of other types some ten.
  void add(T a, T b) { detail::add_product(view(), &a, &b); }
  template <class U, class V>
  requires(detail::other_number<U, T> || detail::other_number<V, T>) void add(U a, V b) {
    if constexpr (detail::check_addend<T, U>() && detail::check_addend<T, V>()) {
      detail::add_product(view(), scalar_of(a), scalar_of(b));
    }
  }
  /// Adds x exactly.
  void add(T x) {
    const T one = static_cast<T>(1.0F);
    detail::add_product(view(), &x, &one);
  }
  template <detail::other_number<T> U>
  void add(U x) {
    add(x, std::int8_t{1});
  }
  /// Adds the products a[i]·b[i] (a, b of the same length) on the device that exactdot::dot would use, at its
  /// speed. options.mode is ignored. Throws as exactdot::dot does, and then adds nothing.
  void add(std::span<const T> a, std::span<const T> b, const options& options = {}) {
    add(to_any(a), to_any(b), options);
  }
  template <vector_view A, vector_view B>
  void add(const A& a, const B& b, const options& options = {}) {
    using first = element_of_view<A>;
    using second = element_of_view<B>;
    if constexpr (detail::check_addend<T, first>() && detail::check_addend<T, second>() &&
                  detail::check_factors<first, second>()) {
      add(to_any(a), to_any(b), options);
    }
  }
  /// The same for views of any stride and byte order. Throws errc::bad_option for elements that it does not hold.
  void add(const any_vector& a, const any_vector& b, const options& options = {}) {
    detail::add_terms(view(), reduction::dot, a, b, options);
  }
  /// Adds every x[i], at the speed of exactdot::sum.
  void add(std::span<const T> x, const options& options = {}) { add(to_any(x), options); }
  template <vector_view X>
  void add(const X& x, const options& options = {}) {
    if constexpr (detail::check_addend<T, element_of_view<X>>()) add(to_any(x), options);
  }
  void add(const any_vector& x, const options& options = {}) {
    detail::add_terms(view(), reduction::sum, x, x, options);
  }
  /// Adds every x[i]², at the speed of exactdot::sum_of_squares.
  void add_squares(std::span<const T> x, const options& options = {}) { add_squares(to_any(x), options); }
  template <vector_view X>
  void add_squares(const X& x, const options& options = {}) {
    if constexpr (detail::check_addend<T, element_of_view<X>>()) add_squares(to_any(x), options);
  }
  void add_squares(const any_vector& x, const options& options = {}) {
    detail::add_terms(view(), reduction::sum_of_squares, x, x, options);
  }

  /// Subtracts a·b, or x, or every product or element. Errors as of add; cost as of add and a merge.
  void subtract(T a, T b) {
    subtract_added([&](accumulator& sum) { sum.add(a, b); });
  }
  template <class U, class V>
  requires(detail::other_number<U, T> || detail::other_number<V, T>) void subtract(U a, V b) {
    subtract_added([&](accumulator& sum) { sum.add(a, b); });
  }
  void subtract(T x) {
    subtract_added([&](accumulator& sum) { sum.add(x); });
  }
  template <detail::other_number<T> U>
  void subtract(U x) {
    subtract_added([&](accumulator& sum) { sum.add(x); });
  }
  void subtract(std::span<const T> a, std::span<const T> b, const options& options = {}) {
    subtract_added([&](accumulator& sum) { sum.add(a, b, options); });
  }
  template <vector_view A, vector_view B>
  void subtract(const A& a, const B& b, const options& options = {}) {
    subtract_added([&](accumulator& sum) { sum.add(a, b, options); });
  }
  void subtract(std::span<const T> x, const options& options = {}) {
    subtract_added([&](accumulator& sum) { sum.add(x, options); });
  }
  template <vector_view X>
  void subtract(const X& x, const options& options = {}) {
    subtract_added([&](accumulator& sum) { sum.add(x, options); });
  }
  /// Subtracts the other sum. An infinity of the other counts as one of the opposite sign: infinities do not
  /// cancel.
  template <element U>
  void subtract(const accumulator<U>& other) {
    accumulator<U> negated = other;
    negated.negate();
    merge(negated);
  }
  /// The sum of the negated terms.
  void negate() { detail::negate(view()); }

  /// Adds the other state, of this type or one that it holds. Throws errc::headroom, and leaves this state
  /// unchanged, if the magnitude would pass 2^63 largest products. Cost: word_count integer additions.
  template <element U>
  void merge(const accumulator<U>& other) {
    if constexpr (detail::check_addend<T, U>()) detail::merge(view(), other.view());
  }

  /// add and subtract of a number or of another sum, as operators.
  template <class X>
  requires element<X> || detail::other_number<X, T> accumulator& operator+=(X x) {
    add(x);
    return *this;
  }
  template <class X>
  requires element<X> || detail::other_number<X, T> accumulator& operator-=(X x) {
    subtract(x);
    return *this;
  }
  template <element U>
  accumulator& operator+=(const accumulator<U>& other) {
    merge(other);
    return *this;
  }
  template <element U>
  accumulator& operator-=(const accumulator<U>& other) {
    subtract(other);
    return *this;
  }
  /// The sum of the negated terms.
  [[nodiscard]] accumulator operator-() const {
    accumulator negated = *this;
    negated.negate();
    return negated;
  }

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
    [[maybe_unused]] constexpr bool checked = detail::check_result<reduction::sum, R, T>();
    return finished<R>(core::finish::round, 1);
  }
  /// The same as a conversion: static_cast<double>(sum).
  template <element R>
  explicit operator R() const {
    return round<R>();
  }
  /// The root of the sum, rounded once: of a sum of squares the norm. NaN for a negative sum.
  template <floating_element R>
  [[nodiscard]] R round_root() const {
    return finished<R>(core::finish::root, 1);
  }
  /// The sum over `count`, rounded once: of elements the mean. NaN for a count of 0.
  template <floating_element R>
  [[nodiscard]] R round_quotient(std::uint64_t count) const {
    return finished<R>(core::finish::quotient, count);
  }
  /// The same three with an exponent of their own, for results that double does not hold.
  [[nodiscard]] scaled_double round_scaled() const { return detail::round_scaled(view(), core::finish::round, 1); }
  [[nodiscard]] scaled_double round_root_scaled() const {
    return detail::round_scaled(view(), core::finish::root, 1);
  }
  [[nodiscard]] scaled_double round_quotient_scaled(std::uint64_t count) const {
    return detail::round_scaled(view(), core::finish::quotient, count);
  }

  /// Back to the empty sum.
  void clear() noexcept {
    words_.fill(0);
    words_.back() = 1;
    pending_ = 0;
  }

 private:
  template <element>
  friend class accumulator;
  friend struct detail::state_access;

  [[nodiscard]] detail::state_view view() const { return {type_of<T>, words_.data(), &pending_}; }

  template <element U>
  [[nodiscard]] static any_scalar scalar_of(U x) {
    return {type_of<U>, detail::to_word(x)};
  }
  template <element R>
  [[nodiscard]] R finished(core::finish finish, std::uint64_t count) const {
    return detail::from_word<R>(detail::round(view(), type_of<R>, finish, count));
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
template <element T, element U>
using wider_accumulator = accumulator<std::conditional_t<state_holds(type_of<T>, type_of<U>), T, U>>;
}

/// The sum of an accumulator and a number, or of two accumulators, in the wider state. Errors as of add and merge.
template <element T, class X>
requires element<X> || detail::other_number<X, T>
[[nodiscard]] accumulator<T> operator+(accumulator<T> sum, X x) { return sum += x; }
template <element T, class X>
requires element<X> || detail::other_number<X, T>
[[nodiscard]] accumulator<T> operator+(X x, accumulator<T> sum) { return sum += x; }
template <element T, class X>
requires element<X> || detail::other_number<X, T>
[[nodiscard]] accumulator<T> operator-(accumulator<T> sum, X x) { return sum -= x; }
template <element T, class X>
requires element<X> || detail::other_number<X, T>
[[nodiscard]] accumulator<T> operator-(X x, accumulator<T> sum) {
  sum.negate();
  return sum += x;
}
template <element T, element U>
[[nodiscard]] auto operator+(const accumulator<T>& a, const accumulator<U>& b) {
  detail::wider_accumulator<T, U> sum(a);
  return sum += b;
}
template <element T, element U>
[[nodiscard]] auto operator-(const accumulator<T>& a, const accumulator<U>& b) {
  detail::wider_accumulator<T, U> sum(a);
  return sum -= b;
}

/// Whether the sums are the same number, of whatever element types and however they were added up, and how they are
/// ordered. As with floating-point numbers a NaN equals nothing and is unordered. Exact. Cost: some ten
/// nanoseconds; of states of different types some hundred.
template <element T, element U>
[[nodiscard]] std::partial_ordering operator<=>(const accumulator<T>& a, const accumulator<U>& b) {
  return detail::compare(detail::state_access::of(a), detail::state_access::of(b));
}
template <element T, element U>
[[nodiscard]] bool operator==(const accumulator<T>& a, const accumulator<U>& b) {
  return (a <=> b) == 0;
}

/// dividend/divisor: the exact quotient of two sums, rounded once to R, as of a weighted mean Σwx/Σw.
///
/// The accumulators may have different element types. Zeros, infinities and NaN as IEEE 754 divides: 0/0 and ∞/∞
/// are the canonical NaN, x/0 is ±∞, x/∞ is ±0; a sum of zero is +0. Over- and underflow as of every rounding.
/// Throws errc::headroom as round does. Cost: four passes over the divisor's words, a microsecond at most (of
/// double). Source: core/quotient.hpp.
template <floating_element R, element T, element U>
[[nodiscard]] R quotient(const accumulator<T>& dividend, const accumulator<U>& divisor) {
  return detail::from_word<R>(
      detail::round_quotient(detail::state_access::of(dividend), detail::state_access::of(divisor), type_of<R>));
}
/// The same with an exponent of its own, for quotients that double does not hold.
template <element T, element U>
[[nodiscard]] scaled_double quotient_scaled(const accumulator<T>& dividend, const accumulator<U>& divisor) {
  return detail::round_quotient_scaled(detail::state_access::of(dividend), detail::state_access::of(divisor));
}

}  // namespace exactdot::inline v0_3
