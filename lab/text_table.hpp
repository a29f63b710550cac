// Tables of reports as text: columns of fixed width, without those that have nothing to say.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace exactdot::lab {

/// A column: its heading, the least width, and a cell for each row; "-" stands for no value.
struct text_column {
  std::string heading;
  std::size_t width = 0;
  std::vector<std::string> cells = {};
  bool left_aligned = false;
};

/// Returns heading and rows as lines; `note` ends the line of headings. Leaves out a column without any value.
[[nodiscard]] inline std::string text_table(std::vector<text_column> columns, const std::string& note = "") {
  const auto is_empty = [](const text_column& column) {
    return std::ranges::all_of(column.cells, [](const std::string& cell) { return cell == "-"; });
  };
  if (columns.empty() || columns.front().cells.empty()) return "";
  std::erase_if(columns, is_empty);
  std::string text;
  const auto add = [&](const text_column& column, const std::string& cell) {
    if (!text.empty() && text.back() != '\n') text += ' ';
    text +=
        column.left_aligned ? fmt::format("{:<{}}", cell, column.width) : fmt::format("{:>{}}", cell, column.width);
  };
  for (const text_column& column : columns) add(column, column.heading);
  text += note + "\n";
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
    for (const text_column& column : columns) add(column, column.cells[row]);
    text += "\n";
  }
  return text;
}

}  // namespace exactdot::lab
