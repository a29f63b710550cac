// Implementation of state_request.hpp.
#include <plan/batch_checks.hpp>
#include <plan/state_request.hpp>
#include <string>
#include <utility>

namespace exactdot::inline v0_3::engine {
namespace {

std::vector<axis> places_of(std::vector<axis> axes, const stored_state& of) {
  auto step = static_cast<std::ptrdiff_t>(of.words) * static_cast<std::ptrdiff_t>(sizeof(std::int64_t));
  for (std::size_t i = axes.size(); i-- != 0;) {
    axes[i].stride = step;
    if (__builtin_mul_overflow(step, static_cast<std::ptrdiff_t>(axes[i].n), &step)) step = 0;  // refused elsewhere
  }
  return axes;
}

}  // namespace

stored_state stored(const state_format& of, const char* caller) {
  if (of.words() != 0) return stored_state(of);
  if (!is_known(of.type)) {
    throw_error(errc::bad_option, caller, "unknown element type " + std::to_string(static_cast<int>(of.type)));
  }
  if (!is_known(of.what)) {
    throw_error(errc::bad_option, caller, "unknown reduction " + std::to_string(static_cast<int>(of.what)));
  }
  if (exactdot::detail::sums_of(of.what) != 0) {
    throw_error(errc::bad_option, caller, "unknown form of states; use full or compact");
  }
  const bool is_ratio = core::info_of(of.what).is_ratio;
  throw_error(errc::bad_option, caller,
              std::string(name_of(of.what)) + " has no states" +
                  (is_ratio ? "; those of its sums, variance and dot, merge"
                            : ": results of parts merge by min and max themselves"));
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

void require_one_type(const state_format& of, element_type second, const char* caller) {
  if (inputs_of(of.what) == 1 || of.type == second || !is_known(second)) return;
  throw_error(errc::bad_option, caller,
              "the vectors hold " + std::string(name_of(of.type)) + " and " + std::string(name_of(second)) +
                  "; states are of one element type");
}

states_request::states_request(const state_format& of, std::vector<axis> axes, std::span<std::int64_t> words,
                               const exactdot::options& given, const char* caller)
    : states(stored(of, caller)), places(places_of(std::move(axes), states)), options(given) {
  options.mode = mode::exact;
  asked = {caller, of.what, {words.data(), element_type::float64, places, false}, 0, &states};
  const std::size_t count = count_or_refuse(asked, places, "results");
  require_state_count(count, words.size(), states, caller);
  require_words(words.data(), words.size(), caller);
}

}  // namespace exactdot::inline v0_3::engine
