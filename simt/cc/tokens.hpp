// Tokens of C++ and CUDA source text.
//
// Comments, string literals (raw ones too), character literals and preprocessor lines are single tokens, so that
// what looks like a launch in them is none. A run of `<` or `>` is split as CUDA does: `<<<` and `>>>` are tokens.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace exactdot::simtcc {

enum class token_kind { identifier, number, string, character, punctuation, directive, end };

struct token {
  token_kind kind = token_kind::end;
  std::string_view text;
  std::size_t offset = 0;  // in the source text
  int line = 0;            // in the file that the last line marker names
  unsigned file = 0;       // index in token_list::files
  [[nodiscard]] bool is(std::string_view wanted) const { return text == wanted && kind != token_kind::string; }
};

struct source_file {
  std::string name;
  bool system = false;    // a header of the system or of this tool, by the line marker's flag
  unsigned includer = 0;  // the file that includes it first, and the line there
  int included_at = 0;
};

struct token_list {
  std::vector<token> tokens;  // without comments; ends with a token of kind end
  std::vector<source_file> files;
};

/// Reads preprocessed text, with line markers `# 12 "file.cu" 3`, or plain source text of the file with this name.
token_list read_tokens(std::string_view text, const std::string& file);

}  // namespace exactdot::simtcc
