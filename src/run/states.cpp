// The functions behind exactdot/states.hpp that add states of many vectors to words.
//
// The engine of batches computes the canonical words of each result and adds them to the caller's. Every check is
// made before the first word is written.
#include <cpu/batch.hpp>
#include <exactdot/states.hpp>
#include <plan/axes.hpp>
#include <plan/batch_checks.hpp>
#include <plan/batch_setup.hpp>
#include <run/state_checks.hpp>
#include <string>
#include <utility>

namespace exactdot {
namespace engine {

stored_state stored(const state_format& of, const char* caller) {
  if (of.words() != 0) return stored_state(of);
  if (!is_known(of.type)) {
    throw_error(errc::bad_option, caller, "unknown element type " + std::to_string(static_cast<int>(of.type)));
  }
  if (!is_known(of.what)) {
    throw_error(errc::bad_option, caller, "unknown reduction " + std::to_string(static_cast<int>(of.what)));
  }
  if (exactdot::detail::sums_of(of.what) != 0) {
    throw_error(errc::bad_option, caller, "unknown form of states; use state_form::full or state_form::compact");
  }
  throw_error(errc::bad_option, caller,
              std::string(name_of(of.what)) + " has no states: results of parts merge by min and max themselves");
}

void require_state_count(std::size_t count, std::size_t words, const stored_state& of, const char* caller) {
  const auto each = static_cast<std::size_t>(of.words);
  if (words % each == 0 && count == words / each) return;
  throw_error(errc::size_mismatch, caller,
              std::to_string(words) + " words given for " + std::to_string(count) + " states of " +
                  std::to_string(each) + " words");
}

void require_words(const void* words, std::size_t count, const char* caller) {
  if (words != nullptr || count == 0) return;
  throw_error(errc::null_pointer, caller, "a null pointer for " + std::to_string(count) + " words");
}

}  // namespace engine

namespace detail {
namespace {

using engine::stored_state;
using engine::throw_error;

/// Adds the batch, which has been checked but for the states that its sums are added to.
void add(const engine::batch& batch, state_span words, std::size_t max_elements, const char* caller) {
  if (batch.each.on_gpu) {
    throw_error(errc::bad_option, caller,
                "states are not there yet for arrays in a GPU's memory: copy them with cudaMemcpy, or call "
                "cuda::dot_into once per vector");
  }
  if (max_elements > ~std::size_t{0} >> 1) throw_error(errc::headroom, caller, "more than 2^63 - 1 elements");
  const stored_state& of = *batch.states;
  engine::for_states(batch.count, caller, [&](std::size_t i) {
    engine::check_state(caller, of, &words[i * static_cast<std::size_t>(of.words)], 1, max_elements);
  });
  cpu_engine::reduce(batch);
}

/// The states as results along these axes, in the order of the axes.
std::vector<axis> places_of(std::vector<axis> axes, const stored_state& of) {
  auto step = static_cast<std::ptrdiff_t>(of.words) * static_cast<std::ptrdiff_t>(sizeof(std::int64_t));
  for (std::size_t i = axes.size(); i-- != 0;) {
    axes[i].stride = step;
    if (__builtin_mul_overflow(step, static_cast<std::ptrdiff_t>(axes[i].n), &step)) step = 0;  // refused elsewhere
  }
  return axes;
}

/// What a call with states asks for. The axes have been checked to have as many positions as there are states.
struct states_request {
  stored_state states;
  std::vector<axis> places;
  exactdot::options options;
  engine::batch_request asked;

  states_request(const state_format& of, std::vector<axis> axes, state_span words, const exactdot::options& given,
                 const char* caller)
      : states(engine::stored(of, caller)), places(places_of(std::move(axes), states)), options(given) {
    options.mode = mode::exact;  // whatever the caller's
    asked = {caller, of.what, {words.data(), element_type::float64, places, false}, 0, &states};
    const std::size_t count = engine::count_or_refuse(asked, places, "results");
    engine::require_state_count(count, words.size(), states, caller);
    engine::require_words(words.data(), words.size(), caller);
  }
  states_request(const states_request&) = delete;
};

void require_type(const state_format& of, element_type second, const char* caller) {
  if (of.what != reduction::dot || of.type == second || !is_known(second)) return;
  throw_error(errc::bad_option, caller,
              "the vectors hold " + std::string(name_of(of.type)) + " and " + std::string(name_of(second)) +
                  "; states are of one element type");
}

std::vector<axis> axes_of(std::span<const axis> axes) { return {axes.begin(), axes.end()}; }

}  // namespace

void add_grid_states(const state_format& of, const any_grid& a, const any_grid& b, state_span words,
                     const options& options, const char* caller) {
  require_type(of, b.type, caller);
  const states_request request(of, axes_of(a.results), words, options, caller);
  const engine::batch batch = engine::make_grid_batch(request.asked, a, b, request.options);
  add(batch, words, batch.each.n, caller);
}

void add_segment_states(const state_format& of, const any_vector& a, const any_vector& b,
                        const any_offsets& offsets, state_span words, const options& options, const char* caller) {
  require_type(of, b.type, caller);
  const states_request request(of, {{offsets.count, 0}}, words, options, caller);
  const engine::batch batch = engine::make_segment_batch(request.asked, a, b, offsets, request.options);
  add(batch, words, a.n, caller);
}

void add_group_states(const state_format& of, const any_grid& a, const any_grid& b, const any_keys& keys,
                      state_span words, const options& options, const char* caller) {
  require_type(of, b.type, caller);
  std::vector<axis> axes = axes_of(a.results);
  axes.insert(axes.begin(), {keys.groups, 0});
  const states_request request(of, std::move(axes), words, options, caller);
  const engine::batch batch = engine::make_group_batch(request.asked, a, b, keys, request.options);
  add(batch, words, keys.n, caller);
}

}  // namespace detail
}  // namespace exactdot
