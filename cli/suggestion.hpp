// Suggestions for misspelt words: "did you mean dot?".
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace exactdot::cli {

/// Returns the candidate that begins with the word, else the one with the smallest edit distance (insertions,
/// deletions, replacements, swaps of neighbours); empty if that distance is above a third of the word's length,
/// rounded up.
[[nodiscard]] std::string closest(std::string_view word, std::span<const std::string> candidates);

/// Returns " (did you mean CLOSEST?)", or nothing if no candidate is close.
[[nodiscard]] std::string suggestion(std::string_view word, std::span<const std::string> candidates);

}  // namespace exactdot::cli
