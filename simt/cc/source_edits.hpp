// A tokenized source text, the edits that will be applied to it, and the problems found in it.
//
// An edit replaces a range of the text. Edits keep every line break, so that lines stay what the line markers say.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tokens.hpp"

namespace exactdot::simtcc {

/// Something that is refused, at a line of the user's file.
struct problem {
  std::string file;
  int line = 0;
  std::string text;
  bool is_error = false;  // of the program, as nvcc reports it; else something that is not modelled
};

class source_edits {
 public:
  source_edits(std::string_view text, const std::string& file) : text_(text), list_(read_tokens(text, file)) {}

  [[nodiscard]] const std::vector<token>& tokens() const { return list_.tokens; }
  [[nodiscard]] const token& at(std::size_t i) const { return list_.tokens[i]; }
  [[nodiscard]] std::size_t size() const { return list_.tokens.size(); }
  [[nodiscard]] const std::vector<source_file>& files() const { return list_.files; }
  [[nodiscard]] const source_file& file_of(std::size_t i) const { return list_.files[at(i).file]; }

  /// The text between two tokens, without them.
  [[nodiscard]] std::string_view text_between(std::size_t before, std::size_t end) const {
    const std::size_t first = at(before).offset + at(before).text.size();
    return text_.substr(first, at(end).offset - first);
  }

  void replace(std::size_t i, std::string_view with) {
    edits_.push_back({at(i).offset, at(i).text.size(), std::string(with)});
  }
  /// Replaces tokens first up to, not including, end by nothing, but keeps the line breaks.
  void remove(std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) replace(i, "");
  }
  void insert_before(std::size_t i, std::string with) { edits_.push_back({at(i).offset, 0, std::move(with)}); }
  void insert_after(std::size_t i, std::string with) {
    edits_.push_back({at(i).offset + at(i).text.size(), 0, std::move(with)});
  }
  /// Replaces the text from the first to the last token, with its line breaks: the replacement has them.
  void replace_through(std::size_t first, std::size_t last, std::string with) {
    edits_.push_back(
        {at(first).offset, at(last).offset + at(last).text.size() - at(first).offset, std::move(with)});
  }

  void refuse(std::size_t i, std::string text) {
    problems_.push_back({file_of(i).name, at(i).line, std::move(text)});
  }
  void report_error(std::size_t i, std::string text) {
    problems_.push_back({file_of(i).name, at(i).line, std::move(text), true});
  }
  void refuse_at(const std::string& file, int line, std::string text) {
    problems_.push_back({file, line, std::move(text)});
  }
  [[nodiscard]] const std::vector<problem>& problems() const { return problems_; }

  /// Returns the token that closes the bracket at `open`; size() - 1, the end, if there is none.
  [[nodiscard]] std::size_t closing(std::size_t open) const;
  /// Returns the token that opens the bracket at `close`; 0 if there is none.
  [[nodiscard]] std::size_t opening(std::size_t close) const;

  /// Returns the text with all edits.
  [[nodiscard]] std::string result();

 private:
  struct edit {
    std::size_t offset, length;
    std::string with;
  };
  std::string_view text_;
  token_list list_;
  std::vector<edit> edits_;
  std::vector<problem> problems_;
};

[[nodiscard]] inline bool is_opening(const token& t) { return t.is("(") || t.is("[") || t.is("{"); }
[[nodiscard]] inline bool is_closing(const token& t) { return t.is(")") || t.is("]") || t.is("}"); }

}  // namespace exactdot::simtcc
