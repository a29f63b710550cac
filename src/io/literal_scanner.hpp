// literal_scanner: reads the Python dict literal of a .npy header, token by token.
//
// NumPy evaluates the header as a Python literal. Files written by any .npy writer need a small part of
// that: quoted strings without escapes, words (True, 12, 12L) and brackets. Everything else is refused;
// values are handed over as text, so that a message can quote what was not understood.
#pragma once

#include <cstddef>
#include <string_view>

namespace exactdot::io {

/// Every function throws errc::file with the file's name when the text is not what it expects.
class literal_scanner {
 public:
  literal_scanner(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  /// Skips white space, then `character` if it comes next; false if not.
  bool accept(char character);
  /// Skips white space; true at the end of the text.
  [[nodiscard]] bool at_end();
  /// The contents of a quoted string.
  std::string_view string();
  /// One whole value as it stands in the text: a string, a word or a balanced bracket.
  std::string_view value();
  /// Throws: "header is not a dict: EXPECTED expected at 'what stands there'".
  [[noreturn]] void reject(std::string_view expected) const;

 private:
  void skip_space();
  void skip_prefix();  // the u of a Python 2 writer
  void skip_string();
  void skip_brackets();
  [[nodiscard]] bool next_is(std::string_view characters) const;

  std::string_view text_;
  std::string_view file_;
  std::size_t at_ = 0;
};

}  // namespace exactdot::io
