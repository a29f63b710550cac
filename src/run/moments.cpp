// The functions behind moments<T>, for every element type: a count and two accumulators.
#include <algorithm>
#include <exactdot/core/quotient.hpp>
#include <exactdot/moments.hpp>
#include <plan/state_words.hpp>
#include <run/run.hpp>

namespace exactdot::inline v0_3::detail {
namespace {

core::state_class class_of(state_view state) {
  normalise(state);
  return core::class_of(core::layout_of(state.type), state.words);
}

/// change(sum, squares), which leaves the squares as they are if it throws, on a copy of the sum, so that then
/// neither changes. Returns the count with `more` elements.
template <class Change>
std::uint64_t change_both(const moments_view& of, std::uint64_t more, Change change) {
  const std::uint64_t count = sum_of_counts(of.count, more, of.sum.caller);
  const int words = core::layout_of(of.sum.type).words();
  std::int64_t changed[core::max_state_words];
  std::uint64_t pending = *of.sum.pending;
  std::copy_n(of.sum.words, words, changed);
  change(state_view{of.sum.type, changed, &pending, of.sum.caller}, of.squares);
  std::copy_n(changed, words, of.sum.words);
  *of.sum.pending = pending;
  return count;
}

/// Throws unless elements can have these moments.
void check_moments(const moments_view& of, std::int64_t count) {
  const auto refuse_if = [&](bool impossible, const char* why) {
    if (impossible) engine::throw_error(errc::bad_option, of.sum.caller, why);
  };
  const core::state_class of_sum = class_of(of.sum), of_squares = class_of(of.squares);
  refuse_if(count < 0, "the count is negative");
  refuse_if(count == 0 && !(of_sum.zero && of_squares.zero), "the count is 0, the sums are not");
  refuse_if((of_sum.nan || of_sum.infinite) != (of_squares.nan || of_squares.infinite),
            "one of the sums is finite, the other is not");
  refuse_if(!of_squares.nan && of_squares.negative, "the sum of squares is negative");
  refuse_if(of_squares.nan && !of_sum.nan, "the sum of squares is NaN, the sum is not");
  static_cast<void>(round_moments(of, element_type::float64, 0, false));
}

}  // namespace

std::uint64_t add_elements(const moments_view& to, const any_vector& x, const options& options) {
  return change_both(to, x.n, [&](state_view sum, state_view squares) {
    add_terms(sum, reduction::sum, x, x, options);
    add_terms(squares, reduction::sum_of_squares, x, x, options);
  });
}

std::uint64_t merge(const moments_view& into, const moments_view& other) {
  return change_both(into, other.count, [&](state_view sum, state_view squares) {
    merge(sum, other.sum);
    merge(squares, other.squares);
  });
}

std::uint64_t load_words(const moments_view& to, std::span<const std::int64_t> words) {
  engine::require_word_count(words.size(), {reduction::variance, to.sum.type}, to.sum.caller);
  const std::size_t each = words.size() / 2;
  load_words(to.sum, words.subspan(1, each));
  load_words(to.squares, words.subspan(1 + each));
  const auto count = static_cast<std::uint64_t>(words[0]);
  check_moments({count, to.sum, to.squares}, words[0]);
  return count;
}

void store_words(const moments_view& of, std::int64_t* words) {
  *words++ = static_cast<std::int64_t>(of.count);
  for (const state_view state : {of.sum, of.squares}) {
    normalise(state);
    words = std::copy_n(state.words, core::layout_of(state.type).words(), words);
  }
}

}  // namespace exactdot::inline v0_3::detail
