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

namespace exactdot {

namespace detail {
/// The words of a state and the number of additions since its last normalisation.
struct state_view {
  element_type type;
  std::int64_t* words;
  std::uint64_t* pending;
};
void load_words(state_view state, std::span<const std::int64_t> words);
void normalise(state_view state);
void add_product(state_view state, const void* a, const void* b);
void add_products(state_view state, const any_vector& a, const any_vector& b, const options& options);
void merge(state_view state, state_view other);
[[nodiscard]] std::uint64_t round(state_view state, element_type result);
}  // namespace detail

/// Value semantics. One object must not be used by two threads at once, not even to read: reading may normalise it.
/// All members but the default constructor and clear() throw errc::headroom, and lose nothing, if the sum passes
/// 2^63 largest products.
template <element T>
class accumulator {
 public:
  static constexpr std::size_t limb_count = detail::limb_count(info_of(type_of<T>));
  /// limbs; then NaNs, +∞, −∞; then the number of states merged (1 for a single one)
  static constexpr std::size_t word_count = limb_count + 4;
  /// The weight of bit 0 of limb 0 is 2^lowest_exponent: the last bit of a product of two subnormals.
  static constexpr int lowest_exponent = detail::lowest_product_exponent(info_of(type_of<T>));

  accumulator() noexcept { clear(); }

  /// The state whose words these are: the words of one accumulator, or the elementwise sum of the words of up to
  /// 2^31 − 1 of them. Throws errc::size_mismatch unless words.size() == word_count, errc::headroom if more states
  /// than that were summed or the sum is beyond 2^63 largest products, and errc::bad_option for words that are no
  /// such sum.
  explicit accumulator(std::span<const std::int64_t> words) { detail::load_words(view(), words); }

  /// Adds a·b exactly. Cost: a few nanoseconds.
  void add(T a, T b) { detail::add_product(view(), &a, &b); }
  /// Adds x exactly.
  void add(T x) { add(x, T{1}); }
  /// Adds the products a[i]·b[i] (a, b of the same length) on the device that exactdot::dot would use, at its
  /// speed. options.mode is ignored. Throws as exactdot::dot does, and then adds nothing.
  void add(std::span<const T> a, std::span<const T> b, const options& options = {}) {
    detail::add_products(view(), to_any(a), to_any(b), options);
  }
  /// The same for views of any stride and byte order. Throws errc::bad_option for elements of another type.
  void add(const any_vector& a, const any_vector& b, const options& options = {}) {
    detail::add_products(view(), a, b, options);
  }
  /// Adds every x[i] (a plain sum). Cost: that of a dot product of x.
  void add(std::span<const T> x, const options& options = {}) { add(to_any(x), options); }
  void add(const any_vector& x, const options& options = {}) {
    const T one{1};
    detail::add_products(view(), x, {&one, x.n, type_of<T>, 0, false}, options);
  }

  /// Adds the other state. Throws errc::headroom, and leaves this state unchanged, if the magnitude would pass 2^63
  /// largest products. Cost: word_count integer additions.
  void merge(const accumulator& other) { detail::merge(view(), other.view()); }

  /// The canonical words of this state: every limb but the last in [0, 2^32), the last word 1. Two accumulators of
  /// finite terms hold the same sum if and only if their words are equal. Valid until the next change.
  [[nodiscard]] std::span<const std::int64_t> words() const {
    detail::normalise(view());
    return words_;
  }

  /// The sum rounded once to R, to nearest, ties to even; special values by docs/contract.md.
  template <element R>
  [[nodiscard]] R round() const {
    return detail::from_word<R>(detail::round(view(), type_of<R>));
  }

  /// Back to the empty sum.
  void clear() noexcept {
    words_.fill(0);
    words_.back() = 1;
    pending_ = 0;
  }

 private:
  [[nodiscard]] detail::state_view view() const { return {type_of<T>, words_.data(), &pending_}; }

  mutable std::array<std::int64_t, word_count> words_;
  mutable std::uint64_t pending_ = 0;  // additions since the last normalisation
};

}  // namespace exactdot
