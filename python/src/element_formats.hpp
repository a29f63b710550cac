// Element types as the protocols of Python arrays write them.
//
// Sources: the struct module (PEP 3118), the DLPack specification, NumPy's type strings.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exactdot/element.hpp>
#include <optional>
#include <python/src/dlpack.hpp>
#include <string>
#include <string_view>

namespace exactdot::python {

struct element_format {
  element_type type;
  bool swapped;  // not in this machine's byte order
  bool is_boolean = false;
};

/// Whether NumPy has the type only with ml_dtypes. Its arrays export no buffer.
constexpr bool is_of_ml_dtypes(element_type type) { return info_of(type).struct_format == 0 && !is_complex(type); }

/// The element type of a kind ('i', 'u', 'f', or 'V' for bfloat16) and a size.
inline std::optional<element_type> type_of_kind(char kind, std::size_t bytes) {
  for (const element_info& known : elements) {
    if (known.kind == kind && known.bytes == bytes) return known.type;
  }
  return std::nullopt;
}

/// Whether a byte order, as the struct module and NumPy write it, is not this machine's.
inline bool is_swapped(char order, std::size_t bytes) {
  constexpr bool little = std::endian::native == std::endian::little;
  return bytes > 1 && ((order == '<' && !little) || ((order == '>' || order == '!') && little));
}

/// A letter of the struct module: the kind of its type, and its size.
struct struct_letter {
  char kind = '\0';
  std::size_t bytes = 0;  ///< 0: differs between platforms
};
constexpr struct_letter meaning_of(char letter) {
  switch (letter) {
    case 'b':
      return {'i', 1};
    case 'B':
    case '?':  // booleans are integers of one byte, as NumPy adds them
      return {'u', 1};
    case 'h':
      return {'i', 2};
    case 'H':
      return {'u', 2};
    case 'i':
      return {'i', 4};
    case 'I':
      return {'u', 4};
    case 'q':
      return {'i', 8};
    case 'Q':
      return {'u', 8};
    case 'l':
    case 'n':
      return {'i', 0};
    case 'L':
    case 'N':
      return {'u', 0};
    case 'e':
      return {'f', 2};
    case 'f':
      return {'f', 4};
    case 'd':
      return {'f', 8};
    default:
      return {};
  }
}

/// A format of the struct module: one element, with a byte order. The size comes from the buffer, and must be the
/// letter's where that has one.
inline std::optional<element_format> read_struct_format(const char* format, std::size_t bytes) {
  char order = '@';
  if (*format == '@' || *format == '=' || *format == '<' || *format == '>' || *format == '!') order = *format++;
  if (*format == '\0' || format[1] != '\0') return std::nullopt;
  const struct_letter letter = meaning_of(*format);
  if (letter.bytes != 0 && letter.bytes != bytes) return std::nullopt;
  const auto type = type_of_kind(letter.kind, bytes);
  if (!type) return std::nullopt;
  return element_format{*type, is_swapped(order, bytes), *format == '?'};
}

/// The same of complex numbers, as NumPy writes them: Z before the letter of a part.
inline std::optional<element_format> read_complex_format(const char* format, std::size_t bytes) {
  const char order = *format == '<' || *format == '>' || *format == '=' ? *format++ : '=';
  const bool is_single = std::strcmp(format, "Zf") == 0;
  if (!is_single && std::strcmp(format, "Zd") != 0) return std::nullopt;
  const element_type type = is_single ? element_type::complex64 : element_type::complex128;
  if (size_of(type) != bytes) return std::nullopt;
  return element_format{type, is_swapped(order, bytes)};
}

/// A type code and size of DLPack.
inline std::optional<element_type> read_dlpack_type(dlpack::data_type type) {
  if (type.lanes != 1 || type.bits % 8 != 0) return std::nullopt;
  switch (type.code) {
    case dlpack::signed_integer:
      return type_of_kind('i', type.bits / 8);
    case dlpack::boolean:
      return type.bits == 8 ? type_of_kind('u', 1) : std::nullopt;
    case dlpack::unsigned_integer:
      return type_of_kind('u', type.bits / 8);
    case dlpack::floating:
      return type.bits == 8 ? std::nullopt : type_of_kind('f', type.bits / 8);
    case dlpack::brain_floating:
      return type.bits == 8 ? std::nullopt : type_of_kind('V', type.bits / 8);
    case dlpack::float8_e4m3fn:
      return type.bits == 8 ? std::optional(element_type::float8_e4m3fn) : std::nullopt;
    case dlpack::float8_e5m2:
      return type.bits == 8 ? std::optional(element_type::float8_e5m2) : std::nullopt;
    default:
      return std::nullopt;
  }
}

/// The inverse.
inline dlpack::data_type dlpack_type_of(element_type type) {
  const element_info& known = info_of(type);
  const std::uint8_t code = type == element_type::float8_e4m3fn ? dlpack::float8_e4m3fn
                            : type == element_type::float8_e5m2 ? dlpack::float8_e5m2
                            : known.kind == 'i'                 ? dlpack::signed_integer
                            : known.kind == 'u'                 ? dlpack::unsigned_integer
                            : known.kind == 'V'                 ? dlpack::brain_floating
                                                                : dlpack::floating;
  return {code, static_cast<std::uint8_t>(8 * known.bytes), 1};
}

/// Whether a type string is that of types of ml_dtypes, of which there may be several: "<V1", "<V2", "<f1".
inline bool needs_name(std::string_view text) {
  return text.size() == 3 && (text[1] == 'V' || (text[1] == 'f' && text[2] == '1'));
}

/// A type string of NumPy, such as "<f8". `name`: of the array's dtype, which decides if needs_name(text).
inline std::optional<element_format> read_type_string(std::string_view text, std::string_view name) {
  if (text.size() != 3 || std::strchr("<>|", text[0]) == nullptr || text[0] == '\0') return std::nullopt;
  const char kind = text[1] == 'b' ? 'u' : text[1];
  const auto bytes = static_cast<std::size_t>(text[2] - '0');
  const auto type = type_of_kind(kind, bytes);
  if (type && needs_name(text) && name_of(*type) != name) return std::nullopt;
  if (!type || (text[0] == '|' && bytes != 1) || (text[1] == 'b' && bytes != 1)) return std::nullopt;
  return element_format{*type, is_swapped(text[0], bytes), text[1] == 'b'};
}

/// "float32, float64, … or uint64", for messages.
inline std::string element_type_names() {
  std::string names;
  for (const element_info& known : elements) {
    if (&known != &elements.front()) names += &known == &elements.back() ? " or " : ", ";
    names += known.name;
  }
  return names;
}

}  // namespace exactdot::python
