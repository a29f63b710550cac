// The functions behind bivariate_moments<T>, for every element type: a count and five accumulators.
#include <algorithm>
#include <cpu/environment.hpp>
#include <cpu/ratio_sums.hpp>
#include <exactdot/bivariate_moments.hpp>
#include <plan/state_words.hpp>
#include <run/run.hpp>
#include <string>
#include <utility>
#include <vector>

namespace exactdot::inline v0_3::detail {
namespace {

constexpr std::size_t sum_count = bivariate_view::sum_count;
static_assert(sum_count == core::sum_of_yy + 1, "the sums are the first of core::ratio_sum");

/// Copies of the words of all sums.
struct copied_sums {
  explicit copied_sums(const bivariate_view& of) : from(of), view(of) {
    for (std::size_t i = 0; i < sum_count; ++i) {
      pending[i] = *of.sums[i].pending;
      std::copy_n(of.sums[i].words, core::layout_of(of.sums[i].type).words(), words[i]);
      view.sums[i].words = words[i], view.sums[i].pending = &pending[i];
    }
  }
  copied_sums(const copied_sums&) = delete;
  copied_sums& operator=(const copied_sums&) = delete;
  void copy_back() const {
    for (std::size_t i = 0; i < sum_count; ++i) {
      std::copy_n(words[i], core::layout_of(from.sums[i].type).words(), from.sums[i].words);
      *from.sums[i].pending = pending[i];
    }
  }

  const bivariate_view from;
  bivariate_view view;  ///< of the copies
  std::uint64_t pending[sum_count];
  std::int64_t words[sum_count][core::max_state_words];
};

/// change(sums) on copies, so that nothing changes if it throws. Returns the count with `more` pairs.
template <class Change>
std::uint64_t change_all(const bivariate_view& of, std::uint64_t more, Change change) {
  const std::uint64_t count = sum_of_counts(of.count, more, of.sums[0].caller);
  copied_sums copies(of);
  change(copies.view.sums);
  copies.copy_back();
  return count;
}

}  // namespace

std::uint64_t add_pairs(const bivariate_view& to, const any_vector& x, const any_vector& y,
                        const options& options) {
  return change_all(to, x.n, [&](std::array<state_view, sum_count>& sums) {
    add_terms(sums[core::sum_of_xy], reduction::dot, x, y, options);  // first: it compares the lengths
    add_terms(sums[core::sum_of_x], reduction::sum, x, x, options);
    add_terms(sums[core::sum_of_y], reduction::sum, y, y, options);
    add_terms(sums[core::sum_of_xx], reduction::sum_of_squares, x, x, options);
    add_terms(sums[core::sum_of_yy], reduction::sum_of_squares, y, y, options);
  });
}

std::uint64_t merge(const bivariate_view& into, const bivariate_view& other) {
  return change_all(into, other.count, [&](std::array<state_view, sum_count>& sums) {
    for (std::size_t i = 0; i < sum_count; ++i) merge(sums[i], other.sums[i]);
  });
}

std::uint64_t load_words(const bivariate_view& to, std::span<const std::int64_t> words) {
  const char* const caller = to.sums[0].caller;
  const auto each = static_cast<std::size_t>(core::layout_of(to.sums[0].type).words());
  const std::size_t expected = 1 + sum_count * each;
  if (words.size() != expected) {
    engine::throw_error(errc::size_mismatch, caller,
                        std::to_string(words.size()) + " words; states of " +
                            std::string(name_of(to.sums[0].type)) + " have " + std::to_string(expected));
  }
  // x and its squares are the moments of the elements x; so are those of y, whose checks are these
  for (const auto& [sum, squares] :
       {std::pair(core::sum_of_x, core::sum_of_xx), std::pair(core::sum_of_y, core::sum_of_yy)}) {
    std::vector<std::int64_t> of_one(1, words[0]);
    for (const core::ratio_sum i : {sum, squares}) {
      const auto part = words.subspan(1 + i * each, each);
      of_one.insert(of_one.end(), part.begin(), part.end());
    }
    static_cast<void>(load_words(moments_view{0, to.sums[sum], to.sums[squares]}, of_one));
  }
  load_words(to.sums[core::sum_of_xy], words.subspan(1 + core::sum_of_xy * each, each));
  return static_cast<std::uint64_t>(words[0]);
}

void store_words(const bivariate_view& of, std::int64_t* words) {
  *words++ = static_cast<std::int64_t>(of.count);
  for (const state_view& state : of.sums) {
    normalise(state);
    words = std::copy_n(state.words, core::layout_of(state.type).words(), words);
  }
}

std::uint64_t round_ratio(const bivariate_view& of, reduction what, element_type result, std::int64_t ddof) {
  if (ddof < 0) {
    engine::throw_error(errc::bad_option, of.sums[0].caller, "ddof is " + std::to_string(ddof) + "; use 0 or more");
  }
  const cpu_engine::standard_arithmetic environment;
  copied_sums copies(of);
  const core::sum_set used = core::sums_of(core::info_of(what));
  std::int64_t* words[cpu_engine::ratio_state_count] = {};
  for (std::size_t i = 0; i < sum_count; ++i) {
    normalise(copies.view.sums[i]);
    if (used.has(static_cast<int>(i))) words[i] = copies.words[i];
  }
  const core::state_layout layout = core::layout_of(of.sums[0].type);
  return cpu_engine::finish({what, core::format_of(result), ddof}, of.count, layout, words);
}

}  // namespace exactdot::inline v0_3::detail
