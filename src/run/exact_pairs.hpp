// Bivariate moments whose element type is a value: what those of Python hold. As exact_state.hpp.
#pragma once

#include <array>
#include <exactdot/bivariate_moments.hpp>
#include <run/exact_state.hpp>

namespace exactdot::inline v0_3::engine {

struct exact_pairs {
  static constexpr const char* name = "BivariateMoments";

  explicit exact_pairs(element_type type, const char* named = name)
      : sums{exact_state(type, named), exact_state(type, named), exact_state(type, named), exact_state(type, named),
             exact_state(type, named)} {}
  /// Throws as the constructor of exactdot::bivariate_moments.
  exact_pairs(element_type type, std::span<const std::int64_t> words, const char* named = name)
      : exact_pairs(type, named) {
    count = detail::load_words(view(), words);
  }

  [[nodiscard]] static std::size_t words_of(element_type type) {
    return 1 + detail::bivariate_view::sum_count * state_format{reduction::sum, type}.words();
  }
  [[nodiscard]] element_type type() const { return sums[0].type(); }
  [[nodiscard]] detail::bivariate_view view() const {
    return {count, {sums[0].view(), sums[1].view(), sums[2].view(), sums[3].view(), sums[4].view()}};
  }
  [[nodiscard]] std::vector<std::int64_t> words() const {
    std::vector<std::int64_t> words(words_of(type()));
    detail::store_words(view(), words.data());
    return words;
  }
  void add(const any_vector& x, const any_vector& y, const options& options) {
    count = detail::add_pairs(view(), x, y, options);
  }
  void merge(const exact_pairs& other) { count = detail::merge(view(), other.view()); }
  [[nodiscard]] any_scalar ratio(reduction what, element_type result, std::int64_t ddof = 0) const {
    return {result, detail::round_ratio(view(), what, result, ddof)};
  }
  [[nodiscard]] bool operator==(const exact_pairs& other) const {
    bool same = count == other.count;
    for (std::size_t i = 0; i < sums.size(); ++i) same = same && sums[i].compare(other.sums[i]) == 0;
    return same;
  }

  std::uint64_t count = 0;
  std::array<exact_state, detail::bivariate_view::sum_count> sums;  ///< in the order of core::ratio_sum
};

}  // namespace exactdot::inline v0_3::engine
