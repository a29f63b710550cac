// Sources with line numbers, and with the headers that they include, for explanations of rungs and hazards.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace exactdot::lab {

/// Returns the text of a file by its name; empty if unknown.
using source_lookup = std::string_view (*)(std::string_view file);

/// Returns the lines from line `first` on, each after its number.
[[nodiscard]] inline std::string numbered_lines(std::string_view source, int first) {
  std::string text;
  for (int number = 1; !source.empty(); ++number) {
    const std::size_t end = std::min(source.find('\n'), source.size());
    const std::string_view line = source.substr(0, end);
    if (number >= first)
      text += line.empty() ? fmt::format("{:>4}\n", number) : fmt::format("{:>4}  {}\n", number, line);
    source.remove_prefix(std::min(end + 1, source.size()));
  }
  return text;
}

/// Appends the paths of the .cuh files of the lab that `source` includes, directly or indirectly; each once.
inline void add_included_files(std::string_view source, source_lookup find, std::vector<std::string>& paths) {
  constexpr std::string_view start = "#include <lab/", end = ".cuh>";
  for (std::size_t i = source.find(start); i != std::string_view::npos; i = source.find(start, i + 1)) {
    const std::string_view line = source.substr(i, source.find('\n', i) - i);
    if (!line.ends_with(end)) continue;
    const std::string path(line.substr(10, line.size() - 11));
    const std::string_view text = find(std::string_view(path).substr(path.rfind('/') + 1));
    if (text.empty() || std::ranges::find(paths, path) != paths.end()) continue;
    paths.push_back(path);
    add_included_files(text, find, paths);
  }
}

/// Returns a file in `folder` from line `first` on, and the headers that it includes, with line numbers.
[[nodiscard]] inline std::string listing(const std::string& folder, const std::string& file, source_lookup find,
                                         int first) {
  const std::string_view source = find(file);
  std::string text = fmt::format("\n{}{}\n{}", folder, file, numbered_lines(source, first));
  std::vector<std::string> included;
  add_included_files(source, find, included);
  for (const std::string& path : included) {
    text +=
        fmt::format("\n{}\n{}", path, numbered_lines(find(std::string_view(path).substr(path.rfind('/') + 1)), 1));
  }
  return text;
}

}  // namespace exactdot::lab
