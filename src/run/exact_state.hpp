// Accumulators and moments whose element type is a value: what those of C and of Python hold.
//
// Over the functions behind exactdot::accumulator<T> and moments<T>. A member that throws changes nothing, and its
// sentence begins with `caller`. Reading may normalise the words, so no two threads use one object.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <exactdot/moments.hpp>
#include <span>
#include <vector>

namespace exactdot::inline v0_3::engine {

class exact_state {
 public:
  static constexpr const char* name = "Accumulator";
  static constexpr reduction what = reduction::sum;

  /// The empty sum.
  explicit exact_state(element_type type, const char* named = name)
      : caller(named), type_(type), words_(format().words()) {
    words_.back() = 1;
  }
  /// From words(), or the elementwise sum of those of several. Throws as the constructor of exactdot::accumulator.
  exact_state(element_type type, std::span<const std::int64_t> words, const char* named = name)
      : exact_state(type, named) {
    detail::load_words(view(), words);
  }

  [[nodiscard]] element_type type() const { return type_; }
  [[nodiscard]] state_format format() const { return {what, type_}; }
  [[nodiscard]] detail::state_view view() const { return {type_, words_.data(), &pending_, caller}; }
  /// Canonical; valid until the next change.
  [[nodiscard]] std::span<const std::int64_t> words() const {
    detail::normalise(view());
    return words_;
  }
  void clear() noexcept {
    std::ranges::fill(words_, 0);
    words_.back() = 1;
    pending_ = 0;
  }

  /// Adds the terms of a reduction; `b`: a again for reductions of one input.
  void add(reduction terms, const any_vector& a, const any_vector& b, const options& options) {
    detail::add_terms(view(), terms, a, b, options);
  }
  /// The other may be this one. Throws errc::bad_option unless detail::state_holds(type(), other.type()).
  void merge(const exact_state& other) { detail::merge(view(), other.view()); }
  void subtract(exact_state other) {
    other.negate();
    merge(other);
  }
  void negate() { detail::negate(view()); }

  [[nodiscard]] std::partial_ordering compare(const exact_state& other) const {
    return detail::compare(view(), other.view());
  }
  [[nodiscard]] any_scalar round(element_type result, core::finish finish = core::finish::round,
                                 std::uint64_t count = 1) const {
    return {result, detail::round(view(), result, finish, count)};
  }

  const char* caller;

 private:
  element_type type_;
  mutable std::vector<std::int64_t> words_;
  mutable std::uint64_t pending_ = 0;  // additions since the last normalisation
};

struct exact_moments {
  static constexpr const char* name = "Moments";
  static constexpr reduction what = reduction::variance;

  explicit exact_moments(element_type type, const char* named = name) : sum(type, named), squares(type, named) {}
  /// Throws as the constructor of exactdot::moments.
  exact_moments(element_type type, std::span<const std::int64_t> words, const char* named = name)
      : exact_moments(type, named) {
    count = detail::load_words(view(), words);
  }

  [[nodiscard]] element_type type() const { return sum.type(); }
  [[nodiscard]] state_format format() const { return {what, type()}; }
  [[nodiscard]] detail::moments_view view() const { return {count, sum.view(), squares.view()}; }
  [[nodiscard]] std::vector<std::int64_t> words() const {
    std::vector<std::int64_t> words(format().words());
    detail::store_words(view(), words.data());
    return words;
  }
  void merge(const exact_moments& other) { count = detail::merge(view(), other.view()); }
  [[nodiscard]] any_scalar mean(element_type result) const {
    return sum.round(result, core::finish::quotient, count);
  }
  [[nodiscard]] any_scalar norm(element_type result) const { return squares.round(result, core::finish::root); }
  /// The variance or its root.
  [[nodiscard]] any_scalar deviation(element_type result, std::uint64_t ddof, bool root) const {
    return {result, detail::round_moments(view(), result, ddof, root)};
  }

  std::uint64_t count = 0;
  exact_state sum, squares;
};

}  // namespace exactdot::inline v0_3::engine
