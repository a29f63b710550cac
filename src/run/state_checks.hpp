// What the functions of states share: the format of the words, their number, and errors that name a state.
#pragma once

#include <exactdot/error.hpp>
#include <exactdot/state_format.hpp>
#include <plan/state_words.hpp>
#include <string>
#include <string_view>

namespace exactdot::engine {

/// Throws for a format without states.
[[nodiscard]] stored_state stored(const state_format& of, const char* caller);

/// Throws unless so many words are `count` states.
void require_state_count(std::size_t count, std::size_t words, const stored_state& of, const char* caller);
/// Throws for a null pointer to words.
void require_words(const void* words, std::size_t count, const char* caller);

/// work(i) for every state. An error's sentence, which begins with the caller's name, names the state too.
template <class Work>
void for_states(std::size_t count, const char* caller, Work work) {
  for (std::size_t i = 0; i < count; ++i) {
    try {
      work(i);
    } catch (const error& failure) {
      const std::string_view sentence =
          std::string_view(failure.what()).substr(std::string_view(caller).size() + 2);
      throw error(failure.code(),
                  std::string(caller) + ": state " + std::to_string(i) + ": " + std::string(sentence));
    }
  }
}

}  // namespace exactdot::engine
