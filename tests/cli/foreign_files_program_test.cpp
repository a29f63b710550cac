// Files that people have and that are no vectors of an element type: text, archives, other formats, other dtypes.
// The program names what they are and how to save their numbers. Booleans are read.
#include <gtest/gtest.h>

#include <array>
#include <exactdot/element.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"

namespace {

using cli_test::element_bytes;
using cli_test::npy_dict;
using cli_test::npy_with_header;
using namespace std::string_literals;

class foreign_files : public cli_test::program {
 protected:
  std::string write_booleans(const std::string& bytes, const std::string& shape,
                             const std::string& descr = "'|b1'") {
    return write("b.npy", npy_with_header(npy_dict(descr, shape), bytes));
  }
};

TEST_F(foreign_files, text_is_named_with_the_call_that_reads_it) {
  const std::vector<std::array<std::string, 3>> files = {
      {"d.csv", "1,2\n3,4\n", "np.loadtxt(FILE, delimiter=\",\")"},
      {"d.txt", "0.1\n0.2\n", "np.loadtxt(FILE)"},
      {"d.tsv", "a\tb\n0.1\t0.2\n", "np.loadtxt(FILE, skiprows=1)"},
      {"euro.csv", "price;\u20ac\n1;2\n", "np.loadtxt(FILE, delimiter=\";\", skiprows=1)"},
      {"exponents", "1e5,-2E+3,nan,inf\n", "np.loadtxt(FILE, delimiter=\",\")"},
      {"d.npy", "1.0 2.0 3.0\n", "np.loadtxt(FILE)"}};
  for (const auto& [name, content, call] : files) {
    const std::string path = write(name, content);
    expect_fault({"sum", path}, path,
                 {"is not a .npy file but text; save its numbers with NumPy: np.save(\"x.npy\", " + call +
                  "); its decimals become doubles: docs/decimals.md\n"});
  }
  const std::string json = write("d.json", " [1, 2]\n");
  expect_fault({"sum", json}, json, {"is not a .npy file but JSON; ", "json.load(open(FILE))"});
  const std::string cut =
      write("cut.csv", "1,2\n" + std::string(4091, '1') + "\u20ac\n");  // a letter across the sample's end
  expect_fault({"sum", cut}, cut, {"but text; "});
}

TEST_F(foreign_files, other_formats_are_named) {
  const std::vector<std::array<std::string, 3>> files = {
      {"a.npz", "PK\3\4"s + std::string(22, '\0') + "\5\0\0\0x.npy\x93NUMPY"s,
       "but a .npz archive; save an array of it with NumPy: np.save(\"x.npy\", np.load(FILE)[\"NAME\"])"},
      {"a.pt", "PK\3\4"s + std::string(22, '\0') + "\20\0\0\0archive/data.pkl"s, "but a PyTorch file; "},
      {"a.zip", "PK\3\4"s + std::string(22, '\0') + "\5\0\0\0x.txt1"s, "but a ZIP archive; extract it"},
      {"a.parquet", "PAR1\x15\0"s,
       "but a Parquet file; save an array of it with NumPy: np.save(\"x.npy\", "
       "pandas.read_parquet(FILE)[\"NAME\"])"},
      {"a.feather", "ARROW1\0\0"s, "but an Arrow file; "},
      {"a.h5", "\x89HDF\r\n\x1a\n\0"s,
       "but an HDF5 file; save an array of it with NumPy: np.save(\"x.npy\", h5py.File(FILE)[\"NAME\"])"},
      {"a.mat", "MATLAB 5.0 MAT-file, Platform: GLNXA64\n", "but a MATLAB file; "},
      {"a.fits", "SIMPLE  =                    T / standard\n", "but a FITS file; "},
      {"a.nc", "CDF\1\0\0\0\0"s, "but a NetCDF file; "},
      {"a.gz", "\x1f\x8b\x08\0"s, "but compressed by gzip; decompress it"},
      {"a.bz2", "BZh91AY", "but compressed by bzip2; decompress it"},
      {"a.xz",
       "\xfd"
       "7zXZ\0"s,
       "but compressed by xz; decompress it"},
      {"a.zst", "\x28\xb5\x2f\xfd\0"s, "but compressed by Zstandard; decompress it"},
      {"a.safetensors", "\x15\0\0\0\0\0\0\0{\"x\":{\"dtype\":\"F32\"}}"s, "but a safetensors file; "},
      {"a.pkl", "\x80\x04\x95\0."s, "but a pickle; "}};
  for (const auto& [name, content, sentence] : files) {
    const std::string path = write(name, content);
    expect_fault({"sum", path}, path, {"is not a .npy file " + sentence});
    expect_fault({"sum", path, "--dtype", "int8"}, path, {"is not a .npy file " + sentence});
    expect_fault({"dot", path, path, "--dtype", "int8"}, path, {sentence});
    const std::string unnamed = write("unnamed", content);  // with --dtype these are elements
    expect_fault({"sum", unnamed}, unnamed, {sentence});
    EXPECT_NE(run_well({"sum", unnamed, "--dtype", "int8"}), "");
  }
}

/// The bytes of a text are never numbers where its name says that it is text; elsewhere the caller decides.
TEST_F(foreign_files, named_text_is_not_read_as_elements) {
  const std::string text = "12345,7\n", binary = element_bytes(std::vector<double>{1.5});
  for (const std::string name : {"d.csv", "d.CSV", "d.txt", "d.tsv"}) {
    const std::string path = write(name, text);
    for (const std::string type : {"float64", "int8"})
      expect_fault({"sum", path, "--dtype", type}, path, {"but text; "});
    EXPECT_EQ(run_well({"sum", write(name, binary), "--dtype", "float64"}), "1.5\n");
  }
  EXPECT_EQ(run_well({"sum", write("raw", text), "--dtype", "uint8"}), "364\n");
}

TEST_F(foreign_files, raw_elements_still_need_their_type) {
  for (const std::string& content : {"12345678"s, element_bytes(std::vector<float>{1, 2}), "\1\2,\n"s}) {
    const std::string raw = write("raw", content);
    expect_fault({"sum", raw}, raw, {"is not a .npy file; for raw elements, add --dtype with one of float32, "});
  }
}

TEST_F(foreign_files, booleans_are_integers) {
  for (const std::string descr : {"'|b1'", "'<b1'", "'?'", "'bool'"}) {
    const std::string file = write_booleans("\1\0\1\1"s, "(4,)", descr);
    for (const auto& [command, value] :
         std::vector<std::pair<std::string, std::string>>{{"sum", "3"},
                                                          {"asum", "3"},
                                                          {"sum_of_squares", "3"},
                                                          {"mean", "0.75"},
                                                          {"nrm2", "1.7320508075688772"},
                                                          {"var", "0.1875"},
                                                          {"min", "0"},
                                                          {"max", "1"},
                                                          {"argmin", "1"},
                                                          {"argmax", "0"}}) {
      EXPECT_EQ(run_well({command, file}), value + "\n") << command;
    }
    EXPECT_EQ(run_well({"dot", file, file}), "3\n");
  }
  const std::string file = write_booleans("\1\0\1\1\1\0"s, "(2, 3)");
  EXPECT_EQ(run_well({"sum", file, "--axis", "0"}), "2\n1\n1\n");
  const auto json = run_json({"sum", file, "--axis", "0,1"});
  EXPECT_EQ(json["values"][0], 4);
  EXPECT_EQ(json["dtype"], "int64");
  const std::string weights = write("w.npy", std::vector<std::uint8_t>{7, 8, 9});
  EXPECT_EQ(run_well({"dot", file, weights, "--axis", "1"}), "16\n15\n");
  const std::string keys = write("k.npy", std::vector<std::int64_t>{1, 1});
  EXPECT_EQ(run_well({"group", file, keys}), "0\n0\n0\n2\n1\n1\n");
}

TEST_F(foreign_files, sums_of_booleans_have_a_sign) {
  const auto json = run_json({"sum", write_booleans("\1\1"s, "(2,)")});
  EXPECT_EQ(json["value"], 2);
  EXPECT_EQ(json["dtype"], "int64");
  EXPECT_EQ(json["input_dtypes"], (nlohmann::json{"bool"}));
}

TEST_F(foreign_files, faulty_booleans_are_named) {
  const std::string odd = write_booleans("\1\0\2\1"s, "(4,)");
  expect_fault({"sum", odd}, odd, {"element 2 is the byte 2; a bool is 0 or 1"});
  const std::string high = write_booleans(std::string(100'000, '\1') + "\xff", "(100001,)");
  expect_fault({"sum", high}, high, {"element 100000 is the byte 255; a bool is 0 or 1"});
  const std::string file = write_booleans("\1\0"s, "(2,)");
  expect_fault({"sum", file, "--dtype", "uint8"}, file, {"holds bool, but --dtype says uint8"});
  expect_fault({"sum", file, "--compare"}, file, {"holds bool; --compare needs floating-point elements"});
  const std::string floats = write("f.npy", std::vector<double>{1, 2});
  expect_fault({"dot", floats, file}, file, {"holds bool, but " + floats + " holds float64; expected two"});
}

/// NumPy's other dtypes, each with what to save instead.
TEST_F(foreign_files, other_dtypes_come_with_a_way_out) {
  const std::vector<std::array<std::string, 2>> dtypes = {
      {"'<c32'", "dtype complex256 '<c32' is not supported; save x.astype(\"complex128\"), which rounds"},
      {"'|O'", "dtype object '|O' is not supported; save x.astype(\"float64\"); decimals become doubles"},
      {"'<M8[ns]'",
       "dtype datetime64 '<M8[ns]' is not supported; save differences as integers: (x - x[0]).astype(\"int64\")"},
      {"'<m8[s]'", "dtype timedelta64 '<m8[s]' is not supported; save x.astype(\"int64\")"},
      {"'<U4'", "dtype unicode string '<U4' is not supported; save x.astype(\"float64\"); decimals become doubles"},
      {"'|S5'", "dtype bytes string '|S5' is not supported; save x.astype(\"float64\"); decimals become doubles"},
      {"'<f16'", "dtype float128 '<f16' is not supported; save x.astype(\"float64\"), which rounds"},
      {"[('x', '<f4')]", "dtype structured [('x', '<f4')] is not supported; save a field: x[\"NAME\"]"},
      {"'|V3'", "dtype void '|V3' is not supported; save x.astype(\"float32\") of types that NumPy does not know"}};
  for (const auto& [descr, sentence] : dtypes) {
    const std::string path = write("x.npy", npy_with_header(npy_dict(descr, "(2,)"), std::string(64, '\0')));
    expect_fault({"sum", path}, path, {sentence});
    expect_fault({"sum", path, "--axis", "0"}, path, {sentence});
  }
  const std::string big = write("big.npy", cli_test::npy_file(std::vector<double>{0.1, 0.2}, true));
  EXPECT_EQ(run_well({"sum", big}), "0.30000000000000004\n");
}

}  // namespace
