// The scanner for .npy headers; see literal_scanner.hpp. Linear in the header's length, no recursion.
#include <fmt/format.h>

#include <io/fault.hpp>
#include <io/literal_scanner.hpp>
#include <string>

namespace exactdot::io {

void literal_scanner::reject(std::string_view expected) const {
  const std::string_view rest = text_.substr(position_);
  const std::string found = rest.empty() ? "its end" : "'" + printable(rest, 30) + "'";
  fail(file_, fmt::format("header is not a dict as NumPy writes it: {} expected at {}", expected, found));
}

bool literal_scanner::next_is(std::string_view characters) const {
  return position_ < text_.size() && characters.find(text_[position_]) != std::string_view::npos;
}

void literal_scanner::skip_space() {
  while (next_is(" \t\r\n\f")) ++position_;
}

bool literal_scanner::accept(char character) {
  skip_space();
  if (!next_is({&character, 1})) return false;
  ++position_;
  return true;
}

bool literal_scanner::at_end() {
  skip_space();
  return position_ == text_.size();
}

std::string_view literal_scanner::string() {
  skip_space();
  skip_prefix();
  const std::size_t begin = position_;
  skip_string();
  return text_.substr(begin + 1, position_ - begin - 2);
}

std::string_view literal_scanner::value() {
  skip_space();
  const std::size_t begin = position_;
  skip_prefix();
  if (next_is("'\"")) {
    skip_string();
  } else if (next_is("([{")) {
    skip_brackets();
  } else {
    while (position_ < text_.size() && !next_is(" \t\r\n\f,:)]}'\"([{")) ++position_;
  }
  if (position_ == begin) reject("a value");
  return text_.substr(begin, position_ - begin);
}

void literal_scanner::skip_prefix() {
  const std::string_view rest = text_.substr(position_, 2);
  if (rest == "u'" || rest == "u\"") ++position_;
}

void literal_scanner::skip_string() {
  if (!next_is("'\"")) reject("a quoted string");
  const std::size_t end = text_.find_first_of({text_.data() + position_, 1}, position_ + 1);
  const std::string_view contents =
      text_.substr(position_ + 1, end == std::string_view::npos ? end : end - position_ - 1);
  if (end == std::string_view::npos || contents.find_first_of("\\\n\r") != std::string_view::npos) {
    reject("a string on one line, without escapes,");
  }
  position_ = end + 1;
}

void literal_scanner::skip_brackets() {
  std::string open;
  do {
    if (next_is("'\"")) {
      skip_string();
      continue;
    }
    if (next_is("([{")) open += text_[position_] == '(' ? ')' : text_[position_] == '[' ? ']' : '}';
    if (next_is(")]}")) {
      if (text_[position_] != open.back()) reject("the matching closing bracket");
      open.pop_back();
    }
    ++position_;
  } while (!open.empty() && position_ < text_.size());
  if (!open.empty()) reject("a closing bracket");
}

}  // namespace exactdot::io
