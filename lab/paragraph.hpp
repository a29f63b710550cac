// Text in columns: a heading and, beside it, words on as many lines as needed.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace exactdot::lab {

/// Returns lines of at most 118 columns: the heading, then the words from column `margin` on.
[[nodiscard]] inline std::string paragraph(std::string_view heading, std::string_view words, std::size_t margin) {
  constexpr std::size_t columns = 118;
  std::string text, line(heading);
  line.resize(std::max(margin - 1, line.size()), ' ');
  const std::size_t start = line.size();
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    const std::string_view word = words.substr(0, end);
    if (line.size() > start && line.size() + 1 + word.size() > columns) {
      text += line + "\n";
      line.assign(margin, ' ');
      line.pop_back();
    }
    line += ' ';
    line += word;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return text + line + "\n";
}

}  // namespace exactdot::lab
