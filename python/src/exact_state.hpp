// The exact state of a sum whose element type is known at run time: exactdot::accumulator without the template.
//
// Words and their meaning: exactdot/accumulator.hpp. Used with the GIL held; reading may normalise the state.
#pragma once

#include <cstdint>
#include <exactdot/accumulator.hpp>
#include <span>
#include <vector>

namespace exactdot::python {

class exact_state {
 public:
  /// The empty sum.
  explicit exact_state(element_type type) : type_(type), words_(word_count(type)) { clear(); }
  /// From words(), or the elementwise sum of those of several. Throws as the constructor of exactdot::accumulator.
  exact_state(element_type type, std::span<const std::int64_t> words) : exact_state(type) {
    detail::load_words(view(), words);
  }

  static std::size_t word_count(element_type type) {
    return static_cast<std::size_t>(detail::state_shape_of(type).limbs()) + 4;
  }

  [[nodiscard]] element_type type() const { return type_; }
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
  /// Adds the other state, which has the same type and may be this one; changes nothing if it throws.
  void merge(const exact_state& other) {
    const exact_state copy = other;
    detail::merge(view(), copy.view());
  }
  void negate() { detail::negate(view()); }

  [[nodiscard]] any_scalar round(element_type result, detail::rounding kind = detail::rounding::sum,
                                 std::uint64_t count = 1) const {
    return {result, detail::round(view(), result, kind, count)};
  }
  [[nodiscard]] detail::state_view view() const { return {type_, words_.data(), &pending_}; }

 private:
  element_type type_;
  mutable std::vector<std::int64_t> words_;
  mutable std::uint64_t pending_ = 0;  // additions since the last normalisation
};

}  // namespace exactdot::python
