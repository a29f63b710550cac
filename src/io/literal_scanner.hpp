// literal_scanner: reads the Python dict literal of a .npy header, token by token.
//
// NumPy evaluates the header as a Python literal. The known .npy writers use a small part of that language: quoted
// strings without escapes, words (True, 12, 12L) and brackets. Everything else is refused. Values are returned as
// text, so that an error can quote them.
#pragma once

#include <cstddef>
#include <string_view>

namespace exactdot::io {

/// Every function throws errc::file, with the name of the file, if the text is not as expected.
class literal_scanner {
 public:
  literal_scanner(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  /// Skips white space, then `character`. Returns whether it was next.
  bool accept(char character);
  /// Skips white space. Returns whether the text is at its end.
  [[nodiscard]] bool at_end();
  /// Returns the contents of a quoted string.
  std::string_view string();
  /// Returns the text of one value: a string, a word or a balanced bracket.
  std::string_view value();
  /// Throws: "header is not a dict as NumPy writes it: EXPECTED expected at 'REST OF THE TEXT'".
  [[noreturn]] void reject(std::string_view expected) const;

 private:
  void skip_space();
  void skip_prefix();  // the u of a Python 2 writer
  void skip_string();
  void skip_brackets();
  [[nodiscard]] bool next_is(std::string_view characters) const;

  std::string_view text_;
  std::string_view file_;
  std::size_t position_ = 0;
};

}  // namespace exactdot::io
