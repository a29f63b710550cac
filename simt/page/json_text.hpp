// Text of JSON, without a library.
#pragma once

#include <string>
#include <string_view>

namespace exactdot::simt {

/// Returns a string of JSON. Bytes that are no UTF-8 become U+FFFD; < is escaped.
[[nodiscard]] inline std::string json_text(std::string_view text) {
  std::string json = "\"";
  const auto continues = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '"' || c == '\\') {
      json += '\\', json += text[i];
    } else if (c < 0x20 || c == '<' || c == 0x7f) {
      constexpr char digits[] = "0123456789abcdef";
      json += "\\u00", json += digits[c >> 4], json += digits[c & 15];
    } else if (c < 0x80) {
      json += text[i];
    } else {
      const std::size_t length = c >= 0xc2 && c < 0xe0   ? 2
                                 : c >= 0xe0 && c < 0xf0 ? 3
                                 : c >= 0xf0 && c < 0xf5 ? 4
                                                         : 0;
      std::size_t end = i + 1;
      while (end < i + length && continues(end)) ++end;
      const bool is_whole = length != 0 && end == i + length;
      json += is_whole ? text.substr(i, length) : "\xef\xbf\xbd";
      i = is_whole ? end - 1 : i;
    }
  }
  return json += '"';
}

/// An array or an object of JSON, to which members are added in their order.
class json_list {
 public:
  json_list& add(const std::string& json) {
    text_ += (text_.empty() ? "" : ",") + json;
    return *this;
  }
  template <class Integer>
  json_list& add_number(Integer number) {
    return add(std::to_string(number));
  }
  json_list& add(std::string_view name, const std::string& json) { return add(json_text(name) + ':' + json); }
  json_list& add_text(std::string_view name, std::string_view text) { return add(name, json_text(text)); }
  template <class Integer>
  json_list& add_number(std::string_view name, Integer number) {
    return add(name, std::to_string(number));
  }
  [[nodiscard]] std::string array() const { return '[' + text_ + ']'; }
  [[nodiscard]] std::string object() const { return '{' + text_ + '}'; }
  [[nodiscard]] bool is_empty() const { return text_.empty(); }

 private:
  std::string text_;
};

}  // namespace exactdot::simt
