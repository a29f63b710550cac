// The exact state of a sum whose element type is known at run time: exactdot::accumulator without the template.
//
// Words and their meaning: exactdot/accumulator.hpp. A state takes every element type whose sums it holds exactly,
// so float64 takes all. Used with the GIL held; reading may normalise the state.
#pragma once

#include <compare>
#include <cstdint>
#include <exactdot/accumulator.hpp>
#include <span>
#include <vector>

namespace exactdot::python {

class exact_state {
 public:
  /// The empty sum. Error sentences begin with `caller`.
  explicit exact_state(element_type type, const char* caller = "Accumulator")
      : type_(type), caller_(caller), words_(word_count(type)) {
    clear();
  }
  /// From words(), or the elementwise sum of those of several. Throws as the constructor of exactdot::accumulator.
  exact_state(element_type type, std::span<const std::int64_t> words, const char* caller = "Accumulator")
      : exact_state(type, caller) {
    detail::load_words(view(), words);
  }

  static std::size_t word_count(element_type type) {
    return static_cast<std::size_t>(detail::state_shape_of(type).limbs()) + 4;
  }

  [[nodiscard]] element_type type() const { return type_; }
  [[nodiscard]] const char* caller() const { return caller_; }
  [[nodiscard]] std::span<const std::int64_t> words() const {
    detail::normalise(view());
    return words_;
  }
  void clear() {
    words_.assign(words_.size(), 0);
    words_.back() = 1;
    pending_ = 0;
  }

  /// Adds the terms of dot (`b` is not null), sum or sum_of_squares.
  void add(reduction what, const any_vector& a, const any_vector* b, const options& options) {
    if (b != nullptr) return detail::add_products(view(), a, *b, options);
    detail::add_values(view(), what, a, options);
  }
  /// Adds the other state, which may be this one; changes nothing if it throws. Throws errc::bad_option unless
  /// detail::state_holds(type(), other.type()).
  void merge(const exact_state& other);
  void negate() { detail::negate(view()); }

  /// The order of the sums; infinities as of float, and a sum that is NaN is unordered.
  [[nodiscard]] std::partial_ordering compare(const exact_state& other) const {
    return detail::compare(view(), other.view());
  }
  /// NaN, an infinity, or if the sum is finite its sign: -1, 0 or 1.
  [[nodiscard]] double special_or_sign() const;

  [[nodiscard]] any_scalar round(element_type result, detail::rounding kind = detail::rounding::sum,
                                 std::uint64_t count = 1) const {
    return {result, detail::round(view(), result, kind, count)};
  }
  [[nodiscard]] detail::state_view view() const { return {type_, words_.data(), &pending_, caller_}; }

 private:
  element_type type_;
  const char* caller_;
  mutable std::vector<std::int64_t> words_;
  mutable std::uint64_t pending_ = 0;  // additions since the last normalisation
};

/// The type of the sum of sums of these types: that of the two which holds both; of two with one state float32, or
/// the wider integer, signed if one of them is.
[[nodiscard]] element_type type_of_sum(element_type a, element_type b);

}  // namespace exactdot::python
