// Implementation of state_words.hpp.
#include <algorithm>
#include <plan/plan.hpp>
#include <plan/state_words.hpp>
#include <string>

namespace exactdot::inline v0_3::engine {
namespace {

constexpr std::int64_t max_limb = 0xffffffff;
constexpr std::int64_t max_top = std::int64_t{1} << 62;  ///< the magnitude of a last limb

/// Whether these words can be the elementwise sum of so many canonical states.
bool are_possible(const core::state_layout& layout, const std::int64_t* words, std::int64_t states) {
  const auto max_sum = static_cast<std::uint64_t>(states * max_limb);
  std::uint64_t signs = 0;  // of a limb, or of max_sum - limb: without branches, so that the loop is vectorised
  for (int i = 0; i < layout.limbs - 1; ++i) {
    const auto limb = static_cast<std::uint64_t>(words[i]);
    signs |= limb | (max_sum - limb);
  }
  if (signs >> 63 != 0) return false;
  // layouts of integers begin at 2^0, and no integer is NaN or infinite
  const std::int64_t max_specials = layout.lowest_exponent == 0 ? 0 : states * core::state_layout::max_count;
  for (int i = layout.nans(); i < layout.states(); ++i) {
    if (words[i] < 0 || words[i] > max_specials) return false;
  }
  return true;
}

/// The words of a sum as they are, with four counts.
void copy_sum(const stored_state& of, int index, const std::int64_t* state, std::int64_t* words) {
  const auto& [layout, first] = of.of[index];
  std::copy_n(state + first, layout.limbs, words);
  std::fill_n(words + layout.limbs, 4, 0);
  std::copy_n(state + first + layout.limbs, of.counts, words + layout.words() - of.counts);
}

}  // namespace

void throw_headroom(const char* caller, const char* sum) {
  throw_error(errc::headroom, caller,
              std::string(sum) + " exceeds the headroom of 2^63 largest products; use several accumulators");
}

void require_word_count(std::size_t given, const state_format& of, const char* caller) {
  if (given == of.words()) return;
  throw_error(errc::size_mismatch, caller,
              "an array of " + std::to_string(given) + " words, this state has " + std::to_string(of.words()));
}

stored_state::stored_state(const state_format& format)
    : counts_elements(detail::counts_elements(format.what) ? 1 : 0),
      sums(detail::sums_of(format.what)),
      counts(detail::count_words(format.type, format.form)),
      words(counts_elements) {
  const detail::state_shape full = detail::state_shape_of(format.type);
  for (int i = 0; i < sums; ++i) {
    const bool are_products = detail::sums_products(format.what, i);
    const detail::limb_range limbs = detail::limbs_of(format.type, are_products, format.form);
    const int lowest = full.lowest_exponent + 32 * limbs.first;
    // compact limbs end where 2^63 largest terms do
    const int highest = format.form == state_form::full ? full.highest_exponent
                                                        : detail::highest_exponent_of(format.type, are_products);
    of[i] = {{limbs.count, lowest, highest}, words};
    words += limbs.count + counts;
  }
}

bool move_limbs(const core::state_layout& from, const std::int64_t* words, const core::state_layout& to,
                std::int64_t* moved) noexcept {
  const std::int64_t top = words[from.limbs - 1], sign = top < 0 ? -1 : 0;
  const auto limb = [&](int i) -> std::int64_t {
    if (i < 0) return 0;
    if (i < from.limbs - 1) return words[i];
    return (i == from.limbs - 1 ? top : sign) & max_limb;
  };
  const int offset = (to.lowest_exponent - from.lowest_exponent) / 32, end = offset + to.limbs;
  bool fits = core::fits(from, words);
  for (int i = 0; i < offset; ++i) fits = fits && words[i] == 0;
  for (int i = end; i < from.limbs; ++i) fits = fits && limb(i) == (sign & max_limb);
  for (int i = 0; i < to.limbs; ++i) moved[i] = limb(offset + i);
  moved[to.limbs - 1] += sign * (max_limb + 1);
  std::copy_n(words + from.limbs, 4, moved + to.limbs);
  return fits && core::fits(to, moved);
}

void load_sum(const stored_state& of, int index, const std::int64_t* state, std::int64_t* words) noexcept {
  const core::state_layout& layout = of.of[index].layout;
  copy_sum(of, index, state, words);
  for (int i = layout.nans(); i < layout.states(); ++i) {
    words[i] = std::min(words[i], core::state_layout::max_count);
  }
}

void store_sum(const stored_state& of, int index, const std::int64_t* words, std::int64_t* state) noexcept {
  const auto& [layout, first] = of.of[index];
  std::int64_t* const counts = std::copy_n(words, layout.limbs, state + first);
  std::copy_n(words + layout.words() - of.counts, of.counts, counts);
  counts[of.counts - 1] = 1;
}

void add_to_state(const stored_state& of, std::size_t n, const core::state_layout& layout, std::int64_t* words,
                  std::int64_t* state) noexcept {
  if (of.counts_elements != 0) state[0] += static_cast<std::int64_t>(n);
  for (int i = 0; i < of.sums; ++i, words += layout.words()) {
    const auto& [to, first] = of.of[i];
    std::int64_t moved[core::max_state_words];
    if ((to.lowest_exponent - layout.lowest_exponent) % 32 == 0) {
      static_cast<void>(move_limbs(layout, words, to, moved));  // terms of the type, so it fits
    } else {                                                    // integers, from the state of their carrier
      std::fill_n(moved, to.words(), 0);
      core::add_state(to, moved, layout, words);
      core::normalise(to, moved);
    }
    moved[to.states()] = 1;
    std::int64_t* const sum = state + first;
    for (int k = 0; k < to.limbs; ++k) sum[k] += moved[k];
    for (int k = 0; k < of.counts; ++k) sum[to.limbs + k] += moved[to.words() - of.counts + k];
  }
}

void check_sum(const char* caller, const core::state_layout& layout, const std::int64_t* words) {
  const std::int64_t states = words[layout.states()];
  // The true sum of the allowed number of states leaves the last limb far smaller; carries into it cannot overflow.
  const std::int64_t top = words[layout.limbs - 1];
  if (top < -max_top || top > max_top) throw_headroom(caller);
  if (states > core::state_layout::max_states) {
    throw_error(errc::headroom, caller,
                "these words are the sum of more than 2^31 - 1 states; construct accumulators of fewer and merge "
                "them");
  }
  if (states < 1 || !are_possible(layout, words, states)) {
    throw_error(errc::bad_option, caller,
                "these words are not a sum of accumulator states (a limb or a count is impossible)");
  }
}

void check_state(const char* caller, const stored_state& of, const std::int64_t* state, std::int64_t more_states,
                 std::uint64_t more_elements) {
  if (std::all_of(state, state + of.words, [](std::int64_t word) { return word == 0; })) return;
  if (of.counts_elements != 0) {
    if (state[0] < 0) throw_error(errc::bad_option, caller, "the count is negative");
    constexpr std::uint64_t max_elements = ~std::uint64_t{0} >> 1;
    if (more_elements > max_elements - static_cast<std::uint64_t>(state[0])) {
      throw_error(errc::headroom, caller, "more than 2^63 - 1 elements");
    }
  }
  for (int i = 0; i < of.sums; ++i) {
    const core::state_layout& layout = of.of[i].layout;
    std::int64_t words[core::max_state_words];
    copy_sum(of, i, state, words);
    check_sum(caller, layout, words);
    const core::state_layout& first = of.of[0].layout;
    if (words[layout.states()] != state[of.of[0].first_word + first.limbs + of.counts - 1]) {
      throw_error(errc::bad_option, caller, "its two sums were merged from different numbers of states");
    }
    if (words[layout.states()] > core::state_layout::max_states - more_states) {
      throw_error(errc::headroom, caller,
                  "the sum of more than 2^31 - 1 states; call normalise_states before adding more");
    }
  }
}

void check_merged_tops(const char* caller, const stored_state& of, const std::int64_t* a, const std::int64_t* b) {
  for (int i = 0; i < of.sums; ++i) {
    const int top = of.of[i].first_word + of.of[i].layout.limbs - 1;
    if (a[top] >= 0 ? b[top] > max_top - a[top] : b[top] < -max_top - a[top]) throw_headroom(caller);
  }
}

}  // namespace exactdot::inline v0_3::engine
