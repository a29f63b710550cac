// The strict .npy header parser; see npy_header.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <io/fault.hpp>
#include <io/literal_scanner.hpp>
#include <io/npy_header.hpp>
#include <io/type_names.hpp>
#include <limits>
#include <optional>
#include <string>

namespace exactdot::io {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr bool native_is_big = std::endian::native == std::endian::big;

struct header_text {
  std::string_view text;
  unsigned major_version;
  std::size_t data_offset;
};

struct dict_values {
  std::string_view descr, fortran_order, shape;
};

header_text find_header(std::string_view bytes, std::string_view file) {
  if (bytes.empty()) fail(file, "is empty: it has no .npy header");
  if (!bytes.starts_with(magic.substr(0, bytes.size()))) {
    fail(file, "is not a .npy file: it does not begin with \\x93NUMPY");
  }
  const auto byte_at = [&](std::size_t i) -> unsigned {
    if (i >= bytes.size()) fail(file, fmt::format("truncated header: the file ends after {} bytes", bytes.size()));
    return static_cast<unsigned char>(bytes[i]);
  };
  const unsigned major_version = byte_at(6);
  const unsigned minor_version = byte_at(7);
  if (major_version < 1 || major_version > 3 || minor_version != 0) {
    fail(file,
         fmt::format("unknown .npy format version {}.{}; expected 1.0, 2.0 or 3.0", major_version, minor_version));
  }
  const std::size_t length_bytes = major_version == 1 ? 2 : 4;
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | byte_at(8 + i);
  const std::size_t begin = 8 + length_bytes;
  if (length > bytes.size() - begin) {
    fail(file, fmt::format("truncated header: it gives its length as {} bytes, the file ends after {}", length,
                           bytes.size() - begin));
  }
  return {bytes.substr(begin, length), major_version, begin + length};
}

dict_values read_dict(std::string_view text, std::string_view file) {
  std::array<std::optional<std::string_view>, 3> values;
  constexpr std::array<std::string_view, 3> keys = {"descr", "fortran_order", "shape"};
  literal_scanner scanner{text, file};
  if (!scanner.accept('{')) scanner.reject("'{'");
  while (!scanner.accept('}')) {
    const std::string_view key = scanner.string();
    const auto known = std::find(keys.begin(), keys.end(), key);
    if (known == keys.end()) fail(file, fmt::format("unknown key '{}' in the header", printable(key, 40)));
    auto& value = values[static_cast<std::size_t>(known - keys.begin())];
    if (value) fail(file, fmt::format("key '{}' occurs twice in the header", key));
    if (!scanner.accept(':')) scanner.reject("':'");
    value = scanner.value();
    if (scanner.accept(',')) continue;
    if (!scanner.accept('}')) scanner.reject("',' or '}'");
    break;
  }
  if (!scanner.at_end()) scanner.reject("the end of the header");
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!values[i]) fail(file, fmt::format("key '{}' is missing in the header", keys[i]));
  }
  return {*values[0], *values[1], *values[2]};
}

/// Types of NumPy that are no elements: the letter of the code, the name, and what to save instead.
struct other_type {
  char letter;
  std::string_view name, instead;
};
constexpr std::string_view to_double = "save x.astype(\"float64\"); decimals become doubles: docs/decimals.md";
constexpr other_type other_types[] = {
    {'O', "object", to_double},
    {'S', "bytes string", to_double},
    {'a', "bytes string", to_double},
    {'U', "unicode string", to_double},
    {'V', "void", "save x.astype(\"float32\") of types that NumPy does not know, a field of others"},
    {'M', "datetime64", "save differences as integers: (x - x[0]).astype(\"int64\")"},
    {'m', "timedelta64", "save x.astype(\"int64\"), the number of units"},
    {'f', "float", "save x.astype(\"float64\"), which rounds"},
    {'i', "int", {}},
    {'u', "uint", {}},
    {'c', "complex", "save x.astype(\"complex128\"), which rounds"},
};

/// Returns the type of a code such as "<c16" or "<M8[ns]"; null if the code is unknown. `bits`: of its elements.
const other_type* find_other_type(std::string_view code, int& bits) {
  if (!code.empty() && std::string_view("<>=|").find(code[0]) != std::string_view::npos) code.remove_prefix(1);
  if (code.empty()) return nullptr;
  const std::string_view unit =
      code[0] == 'M' || code[0] == 'm' ? code.substr(std::min(code.find('['), code.size())) : "";
  const std::string_view digits = code.substr(1, code.size() - 1 - unit.size());
  if (digits.size() > 4 || digits.find_first_not_of("0123456789") != std::string_view::npos) return nullptr;
  bits = digits.empty() ? 0 : 8 * std::stoi(std::string(digits));
  const auto* const found = std::ranges::find(other_types, code[0], &other_type::letter);
  return found == std::end(other_types) ? nullptr : found;
}

[[noreturn]] void reject_dtype(std::string_view descr, std::string_view file, npy_numbers numbers) {
  const bool quoted = descr.size() >= 2 && (descr[0] == '\'' || descr[0] == '"');
  const bool compound = descr[0] == '[' || descr[0] == '(' || descr[0] == '{';
  std::string kind, instead;
  int bits = 0;
  if (const other_type* other = quoted ? find_other_type(descr.substr(1, descr.size() - 2), bits) : nullptr) {
    const bool has_bits = std::string_view("fiuc").find(other->letter) != std::string_view::npos;
    kind = has_bits ? fmt::format("{}{} ", other->name, bits) : fmt::format("{} ", other->name);
    instead = other->instead;
  } else if (compound) {
    kind = "structured ", instead = "save a field: x[\"NAME\"]";
  }
  if (instead.empty()) instead = fmt::format("expected {}", fmt::join(number_type_names(numbers), ", "));
  fail(file, fmt::format("dtype {}{} is not supported; {}", kind, printable(descr, 60), instead));
}

std::string code_of(const element_info& known) { return fmt::format("{}{}", known.kind, known.bytes); }

/// The type of ml_dtypes that is written as bytes of no type, "V1" or "V2"; nothing for other codes.
std::optional<element_type> untyped(std::string_view code) {
  for (const element_info& known : elements) {
    if (known.kind == 'V' && code == code_of(known)) return known.type;
  }
  return std::nullopt;
}

/// Returns the type of a NumPy type code without its byte order: "f4", "f", "float32", "single", "c8". A code with a
/// byte order cannot be a name.
std::optional<element_type> type_of_code(std::string_view code, bool has_order) {
  for (const element_info& known : detail::described_types) {
    if (known.kind != 'V' && code == code_of(known)) return known.type;
    if (known.struct_format != 0 && code == std::string_view(&known.struct_format, 1)) return known.type;
    if (!has_order && code == known.name) return known.type;
  }
  if (code == "F") return element_type::complex64;
  if (code == "D") return element_type::complex128;
  if (has_order) return std::nullopt;
  if (code == "half") return element_type::float16;
  if (code == "single") return element_type::float32;
  if (code == "double" || code == "float") return element_type::float64;
  if (code == "csingle") return element_type::complex64;
  if (code == "cdouble" || code == "complex") return element_type::complex128;
  return std::nullopt;
}

/// Returns the element type of the code in a file.
std::optional<element_type> type_in_file(std::string_view code, bool has_order, std::string_view file,
                                         std::optional<element_type> expected) {
  const auto possible = untyped(code);
  if (!possible) return type_of_code(code, has_order);
  if (expected == possible) return expected;
  fail(file, fmt::format("dtype void '{0}' does not name its element type; if the file holds {1}, add --dtype {1}", code,
                         name_of(*possible)));
}

void read_dtype(std::string_view descr, std::string_view file, std::optional<element_type> expected,
                npy_numbers numbers, npy_header& header) {
  if (descr.starts_with("u'") || descr.starts_with("u\"")) descr.remove_prefix(1);
  if (descr[0] != '\'' && descr[0] != '"') reject_dtype(descr, file, numbers);
  std::string_view code = descr.substr(1, descr.size() - 2);
  const char order = code.empty() ? '\0' : code[0];
  const bool has_order = order == '<' || order == '>' || order == '=' || order == '|';
  if (has_order) code.remove_prefix(1);
  header.is_boolean = code == "b1" || code == "?" || (!has_order && code == "bool");
  if (header.is_boolean) {
    header.type = element_type::int8;
    return;
  }
  if (const auto type = type_in_file(code, has_order, file, expected)) {
    if (is_complex(*type) && numbers == npy_numbers::real) {
      fail(file, fmt::format("holds {}, expected real numbers; save x.real and x.imag", name_of(*type)));
    }
    header.type = *type;
    header.big_endian = order == '>' || (order != '<' && native_is_big);
    return;
  }
  reject_dtype(descr, file, numbers);
}

/// Parses a dimension: a nonnegative Python integer, in versions 1 and 2 also with the suffix L of Python 2.
std::size_t read_dimension(std::string_view text, unsigned major_version, std::string_view shape,
                           std::string_view file) {
  if (major_version < 3 && text.ends_with('L')) text.remove_suffix(1);
  if (text.starts_with('-')) fail(file, fmt::format("negative length in shape {}", printable(shape, 60)));
  const bool digits_only = !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  const bool padded = text.size() > 1 && text[0] == '0' && text.find_first_not_of('0') != std::string_view::npos;
  if (!digits_only || padded) {
    fail(file, fmt::format("shape {} is not a tuple of integers", printable(shape, 60)));
  }
  std::size_t n = 0;
  for (const char character : text) {
    const auto digit = static_cast<std::size_t>(character - '0');
    if (n > (std::numeric_limits<std::size_t>::max() - digit) / 10) {
      fail(file, fmt::format("shape {} needs more than 2^64 bytes", printable(shape, 60)));
    }
    n = 10 * n + digit;
  }
  return n;
}

void read_shape(std::string_view shape, unsigned major_version, std::string_view file, npy_shapes shapes,
                npy_header& header) {
  literal_scanner scanner{shape, file};
  const bool is_tuple = scanner.accept('(');
  bool comma = true;  // in Python (3) is not a tuple, (3,) is
  while (is_tuple && !scanner.accept(')')) {
    if (!comma) fail(file, fmt::format("shape {} is not a tuple of integers", printable(shape, 60)));
    header.shape.push_back(read_dimension(scanner.value(), major_version, shape, file));
    comma = scanner.accept(',');
  }
  if (!is_tuple || (header.shape.size() == 1 && !comma)) {
    fail(file, fmt::format("shape {} is not a tuple of integers", printable(shape, 60)));
  }
  if (header.shape.size() != 1 && shapes == npy_shapes::vectors) {
    fail(file, fmt::format("is a {}-D array of shape {}; expected a vector (1-D)", header.shape.size(),
                           printable(shape, 60)));
  }
  header.n = 1;
  bool overflows = false;
  for (const std::size_t length : header.shape)
    overflows = __builtin_mul_overflow(header.n, length, &header.n) || overflows;
  if (std::ranges::count(header.shape, std::size_t{0}) != 0) {
    header.n = 0;
  } else if (overflows) {
    fail(file, fmt::format("shape {} needs more than 2^64 bytes", printable(shape, 60)));
  }
}

void check_data(const npy_header& header, std::size_t file_size, std::string_view file) {
  if (header.n > std::numeric_limits<std::size_t>::max() / size_of(header.type)) {
    fail(file, fmt::format("shape ({},) of {} needs more than 2^64 bytes", header.n, name_of(header.type)));
  }
  const std::size_t needed = header.n * size_of(header.type);
  const std::size_t present = file_size - header.data_offset;
  if (needed > present) {
    fail(file, fmt::format("truncated data: {} x {} needs {} bytes, the file has {}", header.n,
                           name_of(header.type), needed, present));
  }
}

}  // namespace

bool has_npy_magic(std::span<const std::byte> file_bytes) {
  return std::string_view(reinterpret_cast<const char*>(file_bytes.data()), file_bytes.size()).starts_with(magic);
}

npy_header parse_npy_header(std::span<const std::byte> file_bytes, std::string_view file,
                            std::optional<element_type> expected, npy_shapes shapes, npy_numbers numbers) {
  const std::string_view bytes{reinterpret_cast<const char*>(file_bytes.data()), file_bytes.size()};
  const header_text found = find_header(bytes, file);
  const dict_values values = read_dict(found.text, file);
  npy_header header;
  header.data_offset = found.data_offset;
  read_dtype(values.descr, file, expected, numbers, header);
  if (values.fortran_order != "True" && values.fortran_order != "False") {
    fail(file, fmt::format("fortran_order is {}; expected True or False", printable(values.fortran_order, 40)));
  }
  header.fortran_order = values.fortran_order == "True";
  read_shape(values.shape, found.major_version, file, shapes, header);
  check_data(header, bytes.size(), file);
  return header;
}

}  // namespace exactdot::io
