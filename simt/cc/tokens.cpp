// The tokenizer: one pass over the text, without copies. [lex] of the C++ standard; line markers as GCC prints
// them.
#include "tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace exactdot::simtcc {
namespace {

bool is_name_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || (c & 0x80) != 0;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c) { return is_name_start(c) || is_digit(c); }

class reader {
 public:
  reader(std::string_view text, token_list& list) : text_(text), list_(list) {}

  void run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_, ++at_, line_start_ = true;
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0 || (c == '\\' && next(1) == '\n')) {
        ++at_;
      } else if (c == '/' && (next(1) == '/' || next(1) == '*')) {
        skip_comment();
      } else if (c == '#' && line_start_) {
        read_directive();
      } else {
        line_start_ = false;
        read_token();
      }
    }
    at_ = text_.size();
    add(token_kind::end, 0);
  }

 private:
  [[nodiscard]] char next(std::size_t distance) const {
    return at_ + distance < text_.size() ? text_[at_ + distance] : '\0';
  }

  /// Adds the token of this length, which may span lines.
  void add(token_kind kind, std::size_t length) {
    length = std::min(length, text_.size() - at_);
    const std::string_view spelling = text_.substr(at_, length);
    list_.tokens.push_back({kind, spelling, at_, line_, file_});
    line_ += static_cast<int>(std::count(spelling.begin(), spelling.end(), '\n'));
    at_ += length;
  }

  void skip_comment() {
    std::size_t end = text_.size();
    if (next(1) == '*') {
      const std::size_t close = text_.find("*/", at_ + 2);
      if (close != std::string_view::npos) end = close + 2;
    } else {
      end = at_;
      while (end < text_.size() && (text_[end] != '\n' || text_[end - 1] == '\\')) ++end;
    }
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
  }

  /// A preprocessor line, with its continuation lines. A line marker sets file and line of what follows.
  void read_directive() {
    std::size_t end = at_;
    while (end < text_.size() && (text_[end] != '\n' || text_[end - 1] == '\\')) ++end;
    const std::string_view line = text_.substr(at_, end - at_);
    if (line.size() > 2 && line[1] == ' ' && is_digit(line[2])) {
      read_marker(line);
      at_ = end;
    } else {
      add(token_kind::directive, end - at_);
    }
  }

  void read_marker(std::string_view line) {
    int number = 0;
    std::from_chars(line.data() + 2, line.data() + line.size(), number);
    const source_file includer{"", false, file_, line_};  // the marker stands in the place of the directive
    line_ = number - 1;                                   // of the line after the marker
    const std::size_t open = line.find('"'), close = line.rfind('"');
    if (open == std::string_view::npos || close == open) return;
    const std::string name(line.substr(open + 1, close - open - 1));
    const bool system = line.find('3', close) != std::string_view::npos;
    const auto found = std::find_if(list_.files.begin(), list_.files.end(), [&](const source_file& file) {
      return file.name == name && file.system == system;
    });
    file_ = static_cast<unsigned>(found - list_.files.begin());
    if (found == list_.files.end()) list_.files.push_back({name, system, includer.includer, includer.included_at});
  }

  void read_token() {
    const char c = text_[at_];
    if (is_name_start(c)) {
      std::size_t length = 1;
      while (is_name(next(length))) ++length;
      const std::string_view name = text_.substr(at_, length);
      const bool prefix = name == "u8" || name == "u" || name == "U" || name == "L";
      if (next(length) == '"' && (prefix || (name.back() == 'R' && (length == 1 || is_prefix(name))))) {
        return name.back() == 'R' ? read_raw_string(length) : read_quoted(length, '"', token_kind::string);
      }
      if (next(length) == '\'' && prefix) return read_quoted(length, '\'', token_kind::character);
      return add(token_kind::identifier, length);
    }
    if (is_digit(c) || (c == '.' && is_digit(next(1)))) return read_number();
    if (c == '"') return read_quoted(0, '"', token_kind::string);
    if (c == '\'') return read_quoted(0, '\'', token_kind::character);
    read_punctuation();
  }

  static bool is_prefix(std::string_view name) {
    return name == "u8R" || name == "uR" || name == "UR" || name == "LR";
  }

  void read_quoted(std::size_t prefix, char quote, token_kind kind) {
    std::size_t length = prefix + 1;
    while (next(length) != quote && next(length) != '\n' && at_ + length < text_.size())
      length += next(length) == '\\' ? 2 : 1;
    add(kind, length + 1);
  }

  void read_raw_string(std::size_t prefix) {
    const std::size_t open = text_.find('(', at_ + prefix);
    if (open == std::string_view::npos) return add(token_kind::string, text_.size());
    const std::string end = ")" + std::string(text_.substr(at_ + prefix + 1, open - at_ - prefix - 1)) + "\"";
    const std::size_t close = text_.find(end, open);
    add(token_kind::string, close == std::string_view::npos ? text_.size() : close + end.size() - at_);
  }

  void read_number() {
    std::size_t length = 1;
    for (;; ++length) {
      const char c = next(length), before = next(length - 1);
      const bool sign = (c == '+' || c == '-') && std::string_view("eEpP").find(before) != std::string_view::npos;
      if (!is_name(c) && c != '.' && !sign && !(c == '\'' && is_name(next(length + 1)))) break;
    }
    add(token_kind::number, length);
  }

  void read_punctuation() {
    static constexpr std::array<std::string_view, 24> longer = {
        "<<<", ">>>", "<=>", "->*", "...", "<<", ">>", "::", "->", "==", "!=", "<=",
        ">=",  "&&",  "||",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "++", "--"};
    for (const std::string_view wanted : longer) {
      if (text_.substr(at_, wanted.size()) == wanted) return add(token_kind::punctuation, wanted.size());
    }
    add(token_kind::punctuation, 1);
  }

  std::string_view text_;
  token_list& list_;
  std::size_t at_ = 0;
  int line_ = 1;
  unsigned file_ = 0;
  bool line_start_ = true;
};

}  // namespace

token_list read_tokens(std::string_view text, const std::string& file) {
  token_list list;
  list.files.push_back({file, false});
  list.tokens.reserve(text.size() / 4);
  reader(text, list).run();
  return list;
}

}  // namespace exactdot::simtcc
