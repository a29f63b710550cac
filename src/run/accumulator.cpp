// The functions behind accumulator<T>, for every element type: the state is an array of words and its layout.
//
// Additions leave carries in the limbs; reading normalises. Headroom is checked at each normalisation, when the
// last limb still has 2^32 times the room that the contract promises, so no overflow passes unnoticed.
#include <algorithm>
#include <core/state.hpp>
#include <cpu/levels.hpp>
#include <exactdot/accumulator.hpp>
#include <run/run.hpp>
#include <string>

namespace exactdot::detail {
namespace {

constexpr const char* caller = "accumulator";

[[noreturn]] void throw_headroom(const char* what) {
  engine::throw_error(
      errc::headroom, caller,
      std::string(what) + " exceeds the headroom of 2^63 largest products; use several accumulators");
}

core::state_layout layout_of(state_view state) { return core::layout_of(state.type); }

/// work(layout) with a layout that the compiler knows, so that it unrolls the loops over a short state.
template <class Work>
void with_layout(state_view state, Work work) {
  with_element(state.type, [&]<class T>(T) { work(core::layout_of<core::carrier_of<T>>()); });
}

/// Whether these words can be the elementwise sum of so many canonical states.
bool are_possible(const core::state_layout& layout, std::span<const std::int64_t> words, std::int64_t states) {
  constexpr std::int64_t max_limb = 0xffffffff;
  for (int i = 0; i < layout.limbs - 1; ++i) {
    if (words[i] < 0 || words[i] > states * max_limb) return false;
  }
  for (int i = layout.nans(); i < layout.states(); ++i) {
    if (words[i] < 0 || words[i] > states * core::state_layout::max_count) return false;
  }
  return true;
}

void check_words(const core::state_layout& layout, std::span<const std::int64_t> words) {
  if (words.size() != static_cast<std::size_t>(layout.words())) {
    engine::throw_error(
        errc::size_mismatch, caller,
        std::to_string(words.size()) + " words given, a state has " + std::to_string(layout.words()));
  }
  const std::int64_t states = words[layout.states()];
  // The true sum of the allowed number of states leaves the last limb far smaller; carries into it cannot overflow.
  const std::int64_t top = words[layout.limbs - 1];
  constexpr std::int64_t limit = std::int64_t{1} << 62;
  if (top < -limit || top > limit) throw_headroom("the sum");
  if (states > core::state_layout::max_states) {
    engine::throw_error(errc::headroom, caller,
                        "these words are the sum of more than 2^31 - 1 states; construct accumulators of fewer and "
                        "merge them");
  }
  if (states < 1 || !are_possible(layout, words, states)) {
    engine::throw_error(errc::bad_option, caller,
                        "these words are not a sum of accumulator states (a limb or a count is impossible)");
  }
}

}  // namespace

void load_words(state_view state, std::span<const std::int64_t> words) {
  const core::state_layout layout = layout_of(state);
  check_words(layout, words);
  std::copy(words.begin(), words.end(), state.words);
  for (int i = layout.nans(); i < layout.states(); ++i) {
    state.words[i] = std::min(state.words[i], core::state_layout::max_count);
  }
  state.words[layout.states()] = 1;
  *state.pending = 1;
  normalise(state);
}

void normalise(state_view state) {
  if (*state.pending == 0) return;
  with_layout(state, [&](const core::state_layout& layout) {
    core::normalise(layout, state.words);
    if (!core::fits(layout, state.words)) throw_headroom("the sum");
  });
  *state.pending = 0;
}

void add_product(state_view state, const void* a, const void* b) {
  constexpr std::size_t term = core::info_of(reduction::dot).term;
  const auto& kernels = cpu_engine::current_kernels(state.type, term);
  kernels.accumulate_integers(a, b, 1, state.words);
  if (++*state.pending >= core::additions_between_normalisations) normalise(state);
}

void add_products(state_view state, const any_vector& a, const any_vector& b, const options& options) {
  if (a.type != state.type) {
    engine::throw_error(errc::bad_option, caller,
                        "the vectors hold " + std::string(is_known(a.type) ? name_of(a.type) : "an unknown type") +
                            ", this accumulator " + std::string(name_of(state.type)));
  }
  normalise(state);
  std::int64_t sum[core::max_state_words];
  const auto copy = [&](const std::int64_t* from, std::int64_t* to) {
    with_layout(state, [&](const core::state_layout& layout) { std::copy_n(from, layout.words(), to); });
  };
  copy(state.words, sum);
  if (is_contiguous(a) && is_contiguous(b) && a.type == b.type && a.n == b.n &&
      engine::is_short_call(a.data, b.data, a.n, options)) {
    const auto& kernels = cpu_engine::current_kernels(a.type, core::info_of(reduction::dot).term);
    cpu_engine::accumulate(kernels, a.type, a.data, b.data, a.n, sum, false);
  } else {
    engine::add(engine::make_plan({caller, reduction::dot, a, b, state.type}, options), sum);
  }
  if (!core::fits(layout_of(state), sum)) throw_headroom("the sum");
  copy(sum, state.words);
}

void merge(state_view state, state_view other) {
  normalise(state);
  normalise(other);
  with_layout(state, [&](const core::state_layout& layout) {
    std::int64_t sum[core::max_state_words];
    std::copy_n(state.words, layout.words(), sum);
    core::merge(layout, sum, other.words);
    core::normalise(layout, sum);
    if (!core::fits(layout, sum)) throw_headroom("the merged sum");
    std::copy_n(sum, layout.words(), state.words);
  });
}

std::uint64_t round(state_view state, element_type result) {
  normalise(state);
  const core::state_layout layout = layout_of(state);
  std::int64_t copy[core::max_state_words];
  std::copy_n(state.words, layout.words(), copy);
  return core::finish_state({core::finish::round, core::format_of(result)}, layout, copy);
}

}  // namespace exactdot::detail
