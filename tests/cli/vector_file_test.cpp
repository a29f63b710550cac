// Operands: .npy and raw files of both byte orders, and pairs that differ in type or length.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <exactdot/error.hpp>
#include <functional>
#include <io/vector_file.hpp>
#include <span>
#include <string>
#include <vector>

#include "support/npy_bytes.hpp"
#include "support/temporary_folder.hpp"

namespace {

using cli_test::element_bytes;
using cli_test::npy_file;
using cli_test::write_file;
using exactdot::element_type;
using exactdot::io::vector_file;

const std::vector<float> floats = {1.5F, -2, 3e-40F};
const std::vector<exactdot::bfloat16> halves = {exactdot::bfloat16(1.5F), exactdot::bfloat16(3e38F)};
const std::vector<double> doubles = {0.1, -1e300, 5e-324, 4};

class vector_files : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& bytes) {
    write_file(folder / name, bytes);
    return folder / name;
  }
  std::string fault_of(const std::string& path, std::optional<element_type> raw_type) {
    return fault_of([&] { vector_file{path, raw_type}; });
  }
  std::string fault_of(const std::function<void()>& function) {
    try {
      function();
    } catch (const exactdot::error& error) {
      EXPECT_EQ(error.code(), exactdot::errc::file);
      return error.what();
    }
    return {};
  }
  template <class T>
  static std::vector<T> elements(const vector_file& file, std::size_t first = 0) {
    std::vector<T> values;
    const exactdot::any_vector all = file.view();
    for (std::size_t i = first; i < all.n; ++i) {
      std::array<char, sizeof(T)> bytes;
      std::memcpy(bytes.data(), static_cast<const char*>(all.data) + static_cast<std::ptrdiff_t>(i) * all.stride,
                  sizeof(T));
      if (all.swapped) std::ranges::reverse(bytes);
      values.push_back(std::bit_cast<T>(bytes));
    }
    return values;
  }

  cli_test::temporary_folder folder;
};

TEST_F(vector_files, read_npy_files_in_both_byte_orders) {
  for (const bool big : {false, true}) {
    const vector_file two{write("two.npy", npy_file(halves, big)), element_type::bfloat16};
    const vector_file one{write("one.npy", npy_file(std::vector<std::int8_t>{-1, 2}, big))};
    EXPECT_EQ(two.type(), element_type::bfloat16);
    EXPECT_EQ(one.type(), element_type::int8);
    EXPECT_EQ(two.swapped(), big);
    EXPECT_EQ(elements<exactdot::bfloat16>(two).back(), halves.back());
    EXPECT_EQ(elements<std::int8_t>(one), (std::vector<std::int8_t>{-1, 2}));
    const vector_file four{write("four.npy", npy_file(floats, big))};
    const vector_file eight{write("eight.npy", npy_file(doubles, big))};
    EXPECT_EQ(four.type(), element_type::float32);
    EXPECT_EQ(eight.type(), element_type::float64);
    EXPECT_EQ(four.swapped(), big);
    EXPECT_EQ(eight.swapped(), big);
    EXPECT_EQ(elements<float>(four), floats);
    EXPECT_EQ(elements<double>(eight), doubles);
    EXPECT_EQ(elements<double>(eight, 2), (std::vector<double>{5e-324, 4}));
  }
}

TEST_F(vector_files, read_raw_files) {
  const vector_file four{write("four", element_bytes(floats)), element_type::float32};
  const vector_file eight{write("eight", element_bytes(doubles)), element_type::float64};
  EXPECT_EQ(elements<float>(four), floats);
  EXPECT_EQ(elements<double>(eight), doubles);
  EXPECT_FALSE(four.swapped());
}

TEST_F(vector_files, read_complex_numbers_for_callers_that_take_them) {
  using exactdot::io::npy_numbers, exactdot::io::npy_shapes;
  const std::string raw = write("raw", element_bytes(std::vector<float>{1, 2, 3, 4}));
  const vector_file file{raw, element_type::complex64, npy_shapes::vectors, npy_numbers::any};
  EXPECT_EQ(file.n(), 2U);
  EXPECT_EQ(file.type_name(), "complex64");
  EXPECT_EQ(file.view().stride, 8);
  EXPECT_EQ(file.axes().front().stride, 8);
  EXPECT_NE(fault_of([&] { vector_file(raw, std::nullopt, npy_shapes::any, npy_numbers::any); }).find(
                "float8_e5m2, complex64, complex128"),
            std::string::npos);
}

TEST_F(vector_files, refuse_raw_files_with_an_incomplete_element) {
  const std::string path = write("raw", element_bytes(doubles) + "x");
  EXPECT_EQ(fault_of(path, element_type::float64),
            path + ": size of 33 bytes is not a multiple of 8, the size of float64");
  const std::string empty = write("empty", "");
  EXPECT_EQ(fault_of(empty, element_type::float64), empty + ": is empty; a vector of length 0 needs a .npy file");
  EXPECT_EQ(fault_of(empty, std::nullopt), empty + ": is empty: it has no .npy header");
}

TEST_F(vector_files, never_read_a_npy_file_as_raw) {
  const std::string unnamed = write("unnamed", npy_file(doubles));
  EXPECT_EQ(elements<double>(vector_file(unnamed, element_type::float64)), doubles);
  EXPECT_EQ(fault_of(unnamed, element_type::float32), unnamed + ": holds float64, but --dtype says float32");
  const std::string broken = write("broken.npy", element_bytes(doubles));
  EXPECT_EQ(fault_of(broken, element_type::float64),
            broken + ": is not a .npy file: it does not begin with \\x93NUMPY");
}

TEST_F(vector_files, need_a_type_for_raw_files) {
  const std::string path = write("raw", element_bytes(doubles));
  EXPECT_EQ(fault_of(path, std::nullopt),
            path +
                ": is not a .npy file; for raw elements, add --dtype with one of float32, float64, float16, "
                "bfloat16, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float8_e4m3fn, float8_e5m2");
}

TEST_F(vector_files, must_agree_in_kind_and_length) {
  const vector_file a{write("a.npy", npy_file(doubles))};
  const vector_file same{write("same.npy", npy_file(doubles, true))};
  const vector_file shorter{write("shorter.npy", npy_file(std::vector<double>{1, 2, 3}))};
  const vector_file narrow{write("narrow.npy", npy_file(std::vector<float>{1, 2, 3, 4}))};
  const vector_file integers{write("integers.npy", npy_file(std::vector<std::int16_t>{1, 2, 3, 4}))};
  const vector_file bytes{write("bytes.npy", npy_file(std::vector<std::uint8_t>{1, 2, 3, 4}))};
  EXPECT_EQ(fault_of([&] { check_lengths(a, same); }), "");
  EXPECT_EQ(fault_of([&] { check_lengths(a, shorter); }),
            shorter.path() + ": has length 3, but " + a.path() + " has length 4; expected the same length");
  EXPECT_EQ(fault_of([&] { check_types(a, narrow); }), "");
  EXPECT_EQ(fault_of([&] { check_types(integers, bytes); }), "");
  EXPECT_EQ(fault_of([&] { check_types(a, integers); }),
            integers.path() + ": holds int16, but " + a.path() +
                " holds float64; expected two floating-point or two integer types");
}

}  // namespace
