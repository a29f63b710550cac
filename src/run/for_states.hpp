// Work on one state after the other, whose errors name the state.
#pragma once

#include <exactdot/error.hpp>
#include <string>
#include <string_view>

namespace exactdot::inline v0_3::engine {

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

}  // namespace exactdot::inline v0_3::engine
