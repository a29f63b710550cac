// What a call that adds states to words asks for, after the checks of format, types and lengths; for every engine.
#pragma once

#include <exactdot/state_format.hpp>
#include <plan/batch.hpp>
#include <span>
#include <vector>

namespace exactdot::inline v0_3::engine {

/// Throws for a format without states.
[[nodiscard]] stored_state stored(const state_format& of, const char* caller);

/// Throws unless so many words are `count` states.
void require_state_count(std::size_t count, std::size_t words, const stored_state& of, const char* caller);
/// Throws for a null pointer to words.
void require_words(const void* words, std::size_t count, const char* caller);
/// Throws for a dot product of two element types.
void require_one_type(const state_format& of, element_type second, const char* caller);

/// A request of a batch of states, which follow each other in the order of the axes of results, the last one
/// fastest.
struct states_request {
  stored_state states;
  std::vector<axis> places;
  exactdot::options options;  ///< of mode exact, whatever the caller's
  batch_request asked;

  /// Throws unless there are as many words as the axes have states.
  states_request(const state_format& of, std::vector<axis> axes, std::span<std::int64_t> words,
                 const exactdot::options& given, const char* caller);
  states_request(const states_request&) = delete;  // `asked` refers to members
  states_request& operator=(const states_request&) = delete;
};

}  // namespace exactdot::inline v0_3::engine
