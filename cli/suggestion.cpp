// Suggestions by edit distance; see suggestion.hpp.
#include <algorithm>
#include <cli/suggestion.hpp>
#include <cstddef>
#include <vector>

namespace exactdot::cli {
namespace {

/// Returns the optimal string alignment distance (Damerau 1964) of two words.
std::size_t edit_distance(std::string_view x, std::string_view y) {
  std::vector<std::vector<std::size_t>> distance(x.size() + 1, std::vector<std::size_t>(y.size() + 1));
  for (std::size_t i = 0; i <= x.size(); ++i) {
    for (std::size_t j = 0; j <= y.size(); ++j) {
      if (i == 0 || j == 0) {
        distance[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = distance[i - 1][j - 1] + (x[i - 1] == y[j - 1] ? 0 : 1);
      distance[i][j] = std::min({replaced, distance[i - 1][j] + 1, distance[i][j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && x[i - 1] == y[j - 2] && x[i - 2] == y[j - 1];
      if (swapped) distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
    }
  }
  return distance[x.size()][y.size()];
}

std::string_view without_dashes(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

}  // namespace

std::string closest(std::string_view word, std::span<const std::string> candidates) {
  constexpr std::size_t max_length = 64;  // bounds the time for arbitrary arguments
  const std::string_view letters = without_dashes(word);
  if (letters.empty() || letters.size() > max_length) return {};
  std::string_view nearest;
  std::size_t min_distance = (letters.size() + 2) / 3 + 1;
  for (const std::string& candidate : candidates) {
    const std::string_view known = without_dashes(candidate);
    if (known.starts_with(letters)) return candidate;
    const std::size_t distance = edit_distance(letters, known);
    if (distance < min_distance) min_distance = distance, nearest = candidate;
  }
  return std::string(nearest);
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
  const std::string nearest = closest(word, candidates);
  return nearest.empty() ? "" : " (did you mean " + nearest + "?)";
}

}  // namespace exactdot::cli
