// The .npy header parser: all forms of valid headers, and one test per fault.
#include <gtest/gtest.h>

#include <array>
#include <exactdot/error.hpp>
#include <io/npy_header.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/npy_bytes.hpp"

namespace {

using cli_test::npy_dict;
using cli_test::npy_file;
using cli_test::npy_with_header;
using exactdot::element_type;
using exactdot::io::npy_header;

constexpr const char* supported =
    "float32, float64, float16, bfloat16, int8, int16, int32, int64, uint8, uint16, uint32, uint64, "
    "float8_e4m3fn, float8_e5m2";

npy_header parse(const std::string& bytes, std::optional<element_type> expected = std::nullopt) {
  return exactdot::io::parse_npy_header(std::as_bytes(std::span(bytes)), "FILE", expected);
}

std::string fault_of(const std::string& bytes) {
  try {
    const npy_header header = parse(bytes);
    return "accepted: " + std::to_string(header.n);
  } catch (const exactdot::error& error) {
    EXPECT_EQ(error.code(), exactdot::errc::file);
    return error.what();
  }
}

/// Returns a file with these values in the header, and 24 bytes of data.
std::string three(const std::string& descr, const std::string& shape = "(3,)", const std::string& order = "False") {
  return npy_with_header(npy_dict(descr, shape, order), std::string(24, '\0'));
}

std::string three_with_text(const std::string& header) { return npy_with_header(header, std::string(12, '\0')); }

TEST(npy_header, reads_all_types_byte_orders_and_versions) {
  for (const int major : {1, 2, 3}) {
    for (const bool big : {false, true}) {
      for (const std::string order : {"False", "True"}) {
        const std::string four = npy_file(std::vector<float>{1, 2, 3}, big, {major, 0}, order);
        const std::string eight = npy_file(std::vector<double>{1, 2, 3, 4}, big, {major, 0}, order);
        const npy_header float_header = parse(four);
        const npy_header double_header = parse(eight);
        EXPECT_EQ(float_header.type, element_type::float32);
        EXPECT_EQ(float_header.big_endian, big);
        EXPECT_EQ(float_header.n, 3U);
        EXPECT_EQ(float_header.data_offset, four.size() - 12);
        EXPECT_EQ(double_header.type, element_type::float64);
        EXPECT_EQ(double_header.big_endian, big);
        EXPECT_EQ(double_header.n, 4U);
        EXPECT_EQ(double_header.data_offset, eight.size() - 32);
      }
    }
  }
}

TEST(npy_header, reads_every_type_that_numpy_names) {
  const std::vector<std::pair<std::string, element_type>> codes = {
      {"f4", element_type::float32}, {"f8", element_type::float64}, {"f2", element_type::float16},
      {"i1", element_type::int8},    {"i2", element_type::int16},   {"i4", element_type::int32},
      {"i8", element_type::int64},   {"u1", element_type::uint8},   {"u2", element_type::uint16},
      {"u4", element_type::uint32},  {"u8", element_type::uint64}};
  for (const auto& [code, type] : codes) {
    for (const char order : {'<', '>', '=', '|'}) {
      const npy_header header = parse(three(std::string("'") + order + code + "'"));
      EXPECT_EQ(header.type, type) << order << code;
      EXPECT_EQ(header.big_endian, order == '>') << order << code;
    }
    EXPECT_EQ(parse(three("'" + code + "'")).type, type) << code;
  }
  for (const auto& [name, type] :
       std::vector<std::pair<std::string, element_type>>{{"half", element_type::float16},
                                                         {"e", element_type::float16},
                                                         {"bfloat16", element_type::bfloat16},
                                                         {"uint16", element_type::uint16},
                                                         {"b", element_type::int8},
                                                         {"q", element_type::int64},
                                                         {"Q", element_type::uint64}}) {
    EXPECT_EQ(parse(three("'" + name + "'")).type, type) << name;
  }
}

TEST(npy_header, takes_two_bytes_of_no_type_as_bfloat16_only_if_that_is_expected) {
  for (const std::string descr : {"'<V2'", "'|V2'", "'>V2'"}) {
    const npy_header header = parse(three(descr), element_type::bfloat16);
    EXPECT_EQ(header.type, element_type::bfloat16);
    EXPECT_EQ(header.big_endian, descr == "'>V2'");
    const std::string fault =
        "FILE: dtype void 'V2' does not name its element type; if the file holds bfloat16, add --dtype bfloat16";
    EXPECT_EQ(fault_of(three(descr)), fault);
    try {
      parse(three(descr), element_type::float16);
      ADD_FAILURE();
    } catch (const exactdot::error& error) {
      EXPECT_EQ(error.what(), fault);
    }
  }
  EXPECT_EQ(parse(three("'<f4'"), element_type::bfloat16).type, element_type::float32);
}

TEST(npy_header, takes_one_byte_of_no_type_as_float8_e4m3fn_only_if_that_is_expected) {
  for (const std::string descr : {"'<V1'", "'|V1'"}) {
    EXPECT_EQ(parse(three(descr), element_type::float8_e4m3fn).type, element_type::float8_e4m3fn);
    EXPECT_EQ(fault_of(three(descr)),
              "FILE: dtype void 'V1' does not name its element type; if the file holds float8_e4m3fn, add --dtype "
              "float8_e4m3fn");
  }
  for (const std::string descr : {"'<f1'", "'|f1'"}) EXPECT_EQ(parse(three(descr)).type, element_type::float8_e5m2);
}

TEST(npy_header, accepts_every_spelling_of_float_and_double) {
  for (const std::string descr :
       {"'<f4'", "'=f4'", "'|f4'", "'f4'", "'f'", "'<f'", "'float32'", "'single'", "\"<f4\"", "u'<f4'"}) {
    EXPECT_EQ(parse(three(descr)).type, element_type::float32) << descr;
    EXPECT_FALSE(parse(three(descr)).big_endian) << descr;
  }
  for (const std::string descr :
       {"'<f8'", "'=f8'", "'|f8'", "'f8'", "'d'", "'<d'", "'float64'", "'double'", "'float'"}) {
    EXPECT_EQ(parse(three(descr)).type, element_type::float64) << descr;
  }
  for (const std::string descr : {"'>f4'", "'>f8'", "'>f'", "'>d'"}) {
    EXPECT_TRUE(parse(three(descr)).big_endian) << descr;
  }
}

TEST(npy_header, accepts_every_layout_of_the_dict) {
  for (const std::string header : {"{'descr':'<f4','fortran_order':False,'shape':(3,)}",
                                   "{'shape': (3,), 'fortran_order': True, 'descr': '<f4'}",
                                   " \t{ 'descr' : '<f4' ,\n'fortran_order' : False , 'shape' : ( 3 , ) , } \n\n",
                                   "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (3L,), }\n"}) {
    EXPECT_EQ(parse(three_with_text(header)).n, 3U) << header;
  }
}

TEST(npy_header, accepts_no_elements_and_ignores_bytes_after_the_data) {
  EXPECT_EQ(parse(npy_file(std::vector<double>{})).n, 0U);
  EXPECT_EQ(parse(npy_file(std::vector<double>{1}) + "more").n, 1U);
}

TEST(npy_header, refuses_an_empty_file) { EXPECT_EQ(fault_of(""), "FILE: is empty: it has no .npy header"); }

TEST(npy_header, refuses_other_magic) {
  for (const std::string bytes : {"P", "PK\x03\x04", "\x93NUMPX\x01", "1.0 2.0 3.0\n"}) {
    EXPECT_EQ(fault_of(bytes), "FILE: is not a .npy file: it does not begin with \\x93NUMPY") << bytes;
  }
}

TEST(npy_header, refuses_other_versions) {
  for (const cli_test::npy_format version : {cli_test::npy_format{0, 0}, {4, 0}, {1, 1}, {255, 255}}) {
    EXPECT_EQ(fault_of(npy_with_header(npy_dict("'<f4'", "(0,)"), "", version)),
              "FILE: unknown .npy format version " + std::to_string(version.major_version) + "." +
                  std::to_string(version.minor_version) + "; expected 1.0, 2.0 or 3.0");
  }
}

TEST(npy_header, refuses_every_truncation) {
  for (const int major : {1, 2, 3}) {
    const std::string whole = npy_file(std::vector<float>{1, 2, 3}, false, {major, 0});
    for (std::size_t length = 1; length < whole.size(); ++length) {
      const std::string fault = fault_of(whole.substr(0, length));
      const bool in_data = length >= whole.size() - 12;
      EXPECT_TRUE(fault.starts_with(in_data ? "FILE: truncated data: " : "FILE: truncated header: ")) << fault;
    }
  }
}

TEST(npy_header, names_needed_and_present_bytes) {
  const std::string whole = npy_file(std::vector<double>{1, 2, 3});
  EXPECT_EQ(fault_of(whole.substr(0, whole.size() - 1)),
            "FILE: truncated data: 3 x float64 needs 24 bytes, the file has 23");
  EXPECT_EQ(fault_of(whole.substr(0, 20)),
            "FILE: truncated header: it gives its length as 118 bytes, the file ends after 10");
}

TEST(npy_header, refuses_text_that_is_not_a_dict) {
  for (const std::string header : {"",
                                   "\n",
                                   "[1, 2]",
                                   "'descr'",
                                   "{",
                                   "{'descr'",
                                   "{'descr':",
                                   "{'descr': '<f4'",
                                   "{'descr': '<f4}",
                                   "{descr: '<f4'}",
                                   "{'descr' '<f4'}",
                                   "{,}",
                                   "{'descr': '<f4',, 'fortran_order': False, 'shape': (3,)}",
                                   "{'descr': '<f4' 'fortran_order': False, 'shape': (3,)}",
                                   "{'descr': , 'fortran_order': False, 'shape': (3,)}",
                                   "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} x",
                                   "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}}",
                                   "{'descr': '<f4', 'fortran_order': False, 'shape': (3,]}",
                                   "{'descr': '<f4', 'fortran_order': False, 'shape': (3,",
                                   "{'descr': '<\\x664', 'fortran_order': False, 'shape': (3,)}"}) {
    EXPECT_TRUE(fault_of(three_with_text(header)).starts_with("FILE: header is not a dict as NumPy writes it: "))
        << header << " gives " << fault_of(three_with_text(header));
  }
}

TEST(npy_header, keeps_the_message_on_one_line) {
  const std::string fault =
      fault_of(three_with_text("{'descr': '<f4'\n\n\x1b[2J\x01 and much more of the same kind behind"));
  EXPECT_EQ(fault.find_first_of("\n\x1b\x01"), std::string::npos) << fault;
  EXPECT_LT(fault.size(), 200U);
}

TEST(npy_header, names_unknown_missing_and_repeated_keys) {
  EXPECT_EQ(fault_of(three_with_text("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'colour': 1}")),
            "FILE: unknown key 'colour' in the header");
  EXPECT_EQ(fault_of(three_with_text("{'descr': '<f4', 'shape': (3,)}")),
            "FILE: key 'fortran_order' is missing in the header");
  EXPECT_EQ(fault_of(three_with_text("{}")), "FILE: key 'descr' is missing in the header");
  EXPECT_EQ(fault_of(three_with_text("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,)}")),
            "FILE: key 'descr' occurs twice in the header");
}

TEST(npy_header, reads_booleans_as_int8) {
  for (const std::string descr : {"'|b1'", "'<b1'", "'>b1'", "'=b1'", "'b1'", "'?'", "'|?'", "'bool'"}) {
    EXPECT_TRUE(parse(three(descr)).is_boolean) << descr;
    EXPECT_EQ(parse(three(descr)).type, element_type::int8) << descr;
    EXPECT_FALSE(parse(three(descr)).big_endian) << descr;
  }
  for (const std::string descr : {"'|i1'", "'b'", "'int8'"}) EXPECT_FALSE(parse(three(descr)).is_boolean) << descr;
  EXPECT_FALSE(parse(three("'|b1'"), element_type::bfloat16).big_endian);
}

/// Each with what to save instead, or with the types that are read.
TEST(npy_header, names_unsupported_types) {
  const std::string to_double = "save x.astype(\"float64\"); decimals become doubles: docs/decimals.md";
  const std::string others = std::string("expected ") + supported;
  const std::string seconds = "save differences as integers: (x - x[0]).astype(\"int64\")";
  const std::string unknown = "save x.astype(\"float32\") of types that NumPy does not know, a field of others";
  const std::string field = "save a field: x[\"NAME\"]";
  const std::vector<std::array<std::string, 3>> names = {
      {"'|O'", "object ", to_double},
      {"'O'", "object ", to_double},
      {"'<i16'", "int128 ", others},
      {"'|u3'", "uint24 ", others},
      {"'<c32'", "complex256 ", "save x.astype(\"complex128\"), which rounds"},
      {"'<U8'", "unicode string ", to_double},
      {"'|S5'", "bytes string ", to_double},
      {"'|b2'", "", others},
      {"'<bool'", "", others},
      {"'<f16'", "float128 ", "save x.astype(\"float64\"), which rounds"},
      {"'<M8[s]'", "datetime64 ", seconds},
      {"'<M8'", "datetime64 ", seconds},
      {"'<m8[25us]'", "timedelta64 ", "save x.astype(\"int64\"), the number of units"},
      {"'|V8'", "void ", unknown},
      {"'|V3'", "void ", unknown},
      {"[('x', '<f4')]", "structured ", field},
      {"('<f4', (2,))", "structured ", field},
      {"''", "", others},
      {"'<'", "", others},
      {"'<M['", "datetime64 ", seconds},
      {"None", "", others},
      {"4", "", others},
      {"'!f4'", "", others},
      {"'<float32'", "", others}};
  for (const auto& [descr, kind, instead] : names) {
    EXPECT_EQ(fault_of(three(descr)), "FILE: dtype " + kind + descr + " is not supported; " + instead);
  }
}

TEST(npy_header, reads_complex_numbers_for_callers_that_take_them) {
  const auto parse_any = [](const std::string& bytes) {
    return exactdot::io::parse_npy_header(std::as_bytes(std::span(bytes)), "FILE", std::nullopt,
                                          exactdot::io::npy_shapes::vectors, exactdot::io::npy_numbers::any);
  };
  for (const std::string descr : {"'<c8'", "'>c8'", "'=c8'", "'c8'", "'F'", "'>F'", "'complex64'", "'csingle'"}) {
    EXPECT_EQ(parse_any(three(descr)).type, element_type::complex64) << descr;
    EXPECT_EQ(parse_any(three(descr)).big_endian, descr[1] == '>') << descr;
    EXPECT_EQ(fault_of(three(descr)), "FILE: holds complex64, expected real numbers; save x.real and x.imag") << descr;
  }
  for (const std::string descr : {"'<c16'", "'>c16'", "'D'", "'<D'", "'complex128'", "'complex'", "'cdouble'"}) {
    EXPECT_EQ(parse_any(three(descr, "(1,)")).type, element_type::complex128) << descr;
    EXPECT_EQ(fault_of(three(descr, "(1,)")), "FILE: holds complex128, expected real numbers; save x.real and x.imag");
  }
  for (const std::string descr : {"'<c4'", "'<complex64'", "'c'", "'<c32'"}) {
    EXPECT_THROW(static_cast<void>(parse_any(three(descr))), exactdot::error) << descr;
  }
  EXPECT_EQ(parse_any(three("'<f8'")).type, element_type::float64);
  EXPECT_THROW(static_cast<void>(parse_any(three("'<c16'", "(2,)"))), exactdot::error);  // 32 bytes of 24
}

TEST(npy_header, refuses_fortran_order_that_is_not_a_bool) {
  EXPECT_EQ(fault_of(three("'<f4'", "(3,)", "0")), "FILE: fortran_order is 0; expected True or False");
  EXPECT_EQ(fault_of(three("'<f4'", "(3,)", "'True'")), "FILE: fortran_order is 'True'; expected True or False");
}

TEST(npy_header, refuses_all_but_one_dimension) {
  EXPECT_EQ(fault_of(three("'<f4'", "(2, 3)")), "FILE: is a 2-D array of shape (2, 3); expected a vector (1-D)");
  EXPECT_EQ(fault_of(three("'<f4'", "(1, 1, 3,)")),
            "FILE: is a 3-D array of shape (1, 1, 3,); expected a vector (1-D)");
  EXPECT_EQ(fault_of(three("'<f4'", "()")), "FILE: is a 0-D array of shape (); expected a vector (1-D)");
}

TEST(npy_header, refuses_shapes_that_are_not_a_tuple_of_integers) {
  for (const std::string shape :
       {"(3)", "3", "[3]", "(3.0,)", "('3',)", "(True,)", "(3 4,)", "((3,),)", "(03,)", "None", "(3, 4 5)"}) {
    EXPECT_EQ(fault_of(three("'<f4'", shape)), "FILE: shape " + shape + " is not a tuple of integers");
  }
  EXPECT_EQ(fault_of(three("'<f4'", "(-3,)")), "FILE: negative length in shape (-3,)");
}

TEST(npy_header, refuses_lengths_whose_bytes_overflow) {
  EXPECT_EQ(fault_of(three("'<f8'", "(2305843009213693952,)")),
            "FILE: shape (2305843009213693952,) of float64 needs more than 2^64 bytes");
  EXPECT_TRUE(fault_of(three("'<f8'", "(2305843009213693951,)")).starts_with("FILE: truncated data: "));
  EXPECT_EQ(fault_of(three("'<f4'", "(18446744073709551616,)")),
            "FILE: shape (18446744073709551616,) needs more than 2^64 bytes");
}

TEST(npy_header, refuses_python_2_integers_in_version_3) {
  EXPECT_EQ(fault_of(npy_with_header(npy_dict("'<f4'", "(3L,)"), std::string(12, '\0'), {3, 0})),
            "FILE: shape (3L,) is not a tuple of integers");
}

TEST(npy_header, accepts_a_long_header) {
  const std::string header = npy_dict("'<f4'", "(3,)") + std::string(1 << 20, ' ');
  EXPECT_EQ(parse(npy_with_header(header, std::string(12, '\0'), {2, 0})).n, 3U);
}

}  // namespace
