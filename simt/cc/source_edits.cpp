// Applying edits, and matching brackets.
#include "source_edits.hpp"

#include <algorithm>

namespace exactdot::simtcc {

std::size_t source_edits::closing(std::size_t open) const {
  int depth = 0;
  for (std::size_t i = open; i + 1 < size(); ++i) {
    if (is_opening(at(i))) ++depth;
    if (is_closing(at(i)) && --depth == 0) return i;
  }
  return size() - 1;
}

std::size_t source_edits::opening(std::size_t close) const {
  int depth = 0;
  for (std::size_t i = close;; --i) {
    if (is_closing(at(i))) ++depth;
    if (is_opening(at(i)) && --depth == 0) return i;
    if (i == 0) return 0;
  }
}

std::string source_edits::result() {
  std::stable_sort(edits_.begin(), edits_.end(),
                   [](const edit& left, const edit& right) { return left.offset < right.offset; });
  std::string text;
  text.reserve(text_.size() + text_.size() / 8);
  std::size_t done = 0;
  for (const edit& change : edits_) {
    if (change.offset < done) continue;  // within a range that another edit has replaced
    text += text_.substr(done, change.offset - done);
    text += change.with;
    done = change.offset + change.length;
  }
  return text += text_.substr(done);
}

}  // namespace exactdot::simtcc
