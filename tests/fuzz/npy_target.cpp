// Fuzz target: the parser of .npy headers, and the name of what a file is instead, on arbitrary bytes.
//
// It must throw errc::file with one printable line that begins with the name of the file, or return a header whose
// data are within the bytes. The result must not depend on the bytes after the data.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exactdot/error.hpp>
#include <io/foreign_format.hpp>
#include <io/npy_header.hpp>
#include <optional>
#include <span>
#include <string>

namespace {

[[noreturn]] void fail(const char* fault) {
  std::fprintf(stderr, "parse_npy_header: %s\n", fault);
  std::abort();
}

using exactdot::io::npy_numbers, exactdot::io::npy_shapes;
using expected_type = std::optional<exactdot::element_type>;

void check_header(const exactdot::io::npy_header& header, std::span<const std::byte> bytes, expected_type expected,
                  npy_numbers numbers) {
  if (numbers == npy_numbers::real && exactdot::is_complex(header.type)) fail("accepted complex numbers");
  const std::size_t item = exactdot::size_of(header.type);
  if (header.data_offset > bytes.size()) fail("the data begin after the end");
  if (header.n > (bytes.size() - header.data_offset) / item) fail("the data end after the end");
  if (!exactdot::io::has_npy_magic(bytes)) fail("accepted without the magic");
  const std::size_t end = header.data_offset + header.n * item;
  const auto again = exactdot::io::parse_npy_header(bytes.first(end), "shorter.npy", expected, npy_shapes::vectors, numbers);
  if (again.n != header.n || again.data_offset != header.data_offset || again.type != header.type ||
      again.big_endian != header.big_endian) {
    fail("the bytes after the data changed the header");
  }
}

void require_printable(const std::string& sentence) {
  for (const char letter : sentence) {
    if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) fail("a sentence holds control characters");
  }
}

void check_refusal(const exactdot::error& refusal) {
  const std::string sentence = refusal.what();
  if (refusal.code() != exactdot::errc::file) fail("refused with a code that is not errc::file");
  if (sentence.rfind("fuzz.npy: ", 0) != 0) fail("the refusal does not name the file first");
  require_printable(sentence);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  for (const expected_type expected : {expected_type(), expected_type(exactdot::element_type::bfloat16)}) {
    for (const npy_numbers numbers : {npy_numbers::real, npy_numbers::any}) {
      try {
        const auto header =
            exactdot::io::parse_npy_header(bytes, "fuzz.npy", expected, npy_shapes::vectors, numbers);
        check_header(header, bytes, expected, numbers);
      } catch (const exactdot::error& refusal) {
        check_refusal(refusal);
      }
    }
  }
  if (const auto format = exactdot::io::foreign_format_of(bytes, "fuzz.npz")) require_printable(format->sentence);
  return 0;
}
