// The functions behind exactdot/states.hpp that work on words alone: merging, normalising, converting, rounding.
//
// Every check is made before the first word is written: words first, then what only the sums tell. Cost of a merge:
// that of reading and writing the words; of a rounding some ten to some hundred nanoseconds a state.
#include <exactdot/moments.hpp>
#include <exactdot/states.hpp>
#include <plan/batch_checks.hpp>
#include <plan/state_request.hpp>
#include <run/for_states.hpp>
#include <string>

namespace exactdot::inline v0_3::detail {
namespace {

using engine::for_states;
using engine::require_state_count;
using engine::require_words;
using engine::stored;
using engine::stored_state;

[[noreturn]] void refuse(errc code, const char* caller, const std::string& sentence) {
  engine::throw_error(code, caller, sentence);
}

/// The number of states. Throws unless the words are whole states.
std::size_t count_of(const stored_state& of, std::size_t words, const char* caller) {
  const auto each = static_cast<std::size_t>(of.words);
  if (words % each != 0) {
    refuse(errc::size_mismatch, caller,
           std::to_string(words) + " words are no whole number of states of " + std::to_string(each) + " words");
  }
  return words / each;
}

bool overlap(const void* a, std::size_t bytes_of_a, const void* b, std::size_t bytes_of_b) {
  const auto first = reinterpret_cast<std::uintptr_t>(a), second = reinterpret_cast<std::uintptr_t>(b);
  return first < second + bytes_of_b && second < first + bytes_of_a;
}

/// A normalised sum of a stored state, as an accumulator has it.
struct full_sum {
  std::int64_t words[core::max_state_words];
  std::uint64_t pending = 0;

  full_sum(const state_format& of, const stored_state& stored, int index, const std::int64_t* state,
           const char* caller) {
    const core::state_layout& layout = stored.of[index].layout;
    std::int64_t sum[core::max_state_words];
    engine::load_sum(stored, index, state, sum);
    core::normalise(layout, sum);
    if (!engine::move_limbs(layout, sum, core::layout_of(of.type), words)) {
      refuse(errc::headroom, caller, "the sum exceeds the headroom of 2^63 largest terms");
    }
  }
  [[nodiscard]] state_view view(element_type type, const char* caller) { return {type, words, &pending, caller}; }
};

}  // namespace

void merge_states(const state_format& of, const_state_span from, state_span into, const char* caller) {
  const stored_state states = stored(of, caller);
  const std::size_t count = count_of(states, into.size(), caller), each = static_cast<std::size_t>(states.words);
  require_state_count(count, from.size(), states, caller);
  require_words(from.data(), from.size(), caller), require_words(into.data(), into.size(), caller);
  if (from.data() != into.data() && overlap(from.data(), from.size_bytes(), into.data(), into.size_bytes())) {
    refuse(errc::bad_option, caller, "the two arrays of states overlap");
  }
  for_states(count, caller, [&](std::size_t i) {
    const std::int64_t* const added = &from[i * each];
    engine::check_state(caller, states, added, 0, 0);
    const auto elements = static_cast<std::uint64_t>(states.counts_elements != 0 ? added[0] : 0);
    const core::state_layout& layout = states.of[0].layout;
    const std::int64_t merged = added[states.of[0].first_word + layout.limbs + states.counts - 1];
    engine::check_state(caller, states, &into[i * each], merged, elements);
    engine::check_merged_tops(caller, states, added, &into[i * each]);
  });
  for (std::size_t i = 0; i < into.size(); ++i) into[i] += from[i];
}

void convert_states(const state_format& of, const_state_span from, state_form form, state_span to,
                    const char* caller) {
  const state_format target{of.what, of.type, form};
  const stored_state source = stored(of, caller), states = stored(target, caller);
  const std::size_t count = count_of(source, from.size(), caller);
  require_state_count(count, to.size(), states, caller);
  require_words(from.data(), from.size(), caller), require_words(to.data(), to.size(), caller);
  const bool in_place = from.data() == to.data() && of.form == form;
  if (!in_place && overlap(from.data(), from.size_bytes(), to.data(), to.size_bytes())) {
    refuse(errc::bad_option, caller, "the two arrays of states overlap");
  }
  const auto convert = [&](bool stores, std::size_t i) {
    const std::int64_t* const state = &from[i * static_cast<std::size_t>(source.words)];
    std::int64_t* const converted = &to[i * static_cast<std::size_t>(states.words)];
    if (!stores) engine::check_state(caller, source, state, 0, 0);
    if (stores && states.counts_elements != 0) converted[0] = state[0];
    for (int k = 0; k < states.sums; ++k) {
      full_sum sum(of, source, k, state, caller);
      std::int64_t moved[core::max_state_words];
      if (!engine::move_limbs(core::layout_of(of.type), sum.words, states.of[k].layout, moved)) {
        refuse(errc::bad_option, caller,
               "the sum does not fit into the compact form: it is none of such terms, or of more than 2^63");
      }
      if (stores) engine::store_sum(states, k, moved, converted);
    }
  };
  for_states(count, caller, [&](std::size_t i) { convert(false, i); });
  for_states(count, caller, [&](std::size_t i) { convert(true, i); });
}

void normalise_states(const state_format& of, state_span words, const char* caller) {
  convert_states(of, words, of.form, words, caller);
}

namespace {

void check_result_type(const state_format& of, reduction finish, element_type type, const char* caller) {
  if (!is_known(type)) {
    refuse(errc::bad_option, caller, "unknown element type " + std::to_string(static_cast<int>(type)));
  }
  const bool rounds = core::info_of(finish).finish == core::finish::round;
  const bool allowed = !is_integer(type) || (rounds && is_integer(of.type) && size_of(type) == 8);
  if (allowed) return;
  refuse(errc::bad_option, caller,
         std::string(name_of(finish)) + " of " + std::string(name_of(of.type)) + " cannot be rounded to " +
             std::string(name_of(type)));
}

/// The bits of a state's result.
std::uint64_t round_state(const state_format& of, const stored_state& states, reduction finish,
                          const std::int64_t* state, element_type result, std::uint64_t ddof, const char* caller) {
  const core::finish kind = core::info_of(finish).finish;
  const auto n = static_cast<std::uint64_t>(states.counts_elements != 0 ? state[0] : 1);
  const auto sum_at = [&](int index) { return full_sum(of, states, index, state, caller); };
  if (core::info_of(finish).needs_squares()) {
    full_sum sum = sum_at(0), squares = sum_at(1);
    return round_moments({n, sum.view(of.type, caller), squares.view(of.type, caller)}, result, ddof,
                         kind == core::finish::deviation);
  }
  full_sum sum = sum_at(core::info_of(of.what).sum_of(core::info_of(finish).term));
  return round(sum.view(of.type, caller), result, kind, n);
}

}  // namespace

void round_states(const state_format& of, reduction finish, const_state_span words, const any_results& out,
                  std::int64_t ddof, const char* caller) {
  const stored_state states = stored(of, caller);
  const std::size_t count = count_of(states, words.size(), caller);
  if (!is_known(finish) || !core::info_of(of.what).provides(core::info_of(finish))) {
    refuse(errc::bad_option, caller,
           "states of " + std::string(name_of(of.what)) + " have no " + std::string(name_of(finish)));
  }
  check_result_type(of, finish, out.type, caller);
  if (ddof < 0) refuse(errc::bad_option, caller, "ddof is " + std::to_string(ddof) + "; use 0 or more");
  require_words(words.data(), words.size(), caller);
  const axis each[] = {{count, 0}};
  const engine::batch_request asked{caller, finish, out};
  engine::require_equal_axes(asked, each, out.axes, "the numbers of states and of results");
  engine::check_results(asked, count);
  const any_vector as_vector{words.data(), words.size(), element_type::int64};
  engine::check_vector(asked, "the states", as_vector, count);
  std::vector<std::uint64_t> found(count);
  for_states(count, caller, [&](std::size_t i) {
    const std::int64_t* const state = &words[i * static_cast<std::size_t>(states.words)];
    engine::check_state(caller, states, state, 0, 0);
    found[i] = round_state(of, states, finish, state, out.type, static_cast<std::uint64_t>(ddof), caller);
  });
  engine::batch results;
  results.each.result_type = out.type, results.out_swapped = out.swapped;
  for (std::size_t i = 0; i < count; ++i) {
    results.store(static_cast<char*>(out.data) + static_cast<std::ptrdiff_t>(i) * out.axes[0].stride, found[i]);
  }
}

}  // namespace exactdot::inline v0_3::detail
