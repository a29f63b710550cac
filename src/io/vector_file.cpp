// An operand from a .npy or raw file; see vector_file.hpp.
#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <io/fault.hpp>
#include <io/npy_header.hpp>
#include <io/vector_file.hpp>
#include <type_traits>

namespace exactdot::io {
namespace {

constexpr std::uint32_t swap_bytes(std::uint32_t word) { return __builtin_bswap32(word); }
constexpr std::uint64_t swap_bytes(std::uint64_t word) { return __builtin_bswap64(word); }

}  // namespace

vector_file::vector_file(const std::string& path, std::optional<dtype> raw_type) : file_(path) {
  const std::span<const std::byte> bytes = file_.bytes();
  const bool is_npy = has_npy_magic(bytes) || path.ends_with(".npy");
  if (!raw_type && !is_npy && !bytes.empty()) {
    fail(path, "is not a .npy file; if it holds raw elements, say which: --dtype float32 or --dtype float64");
  }
  if (!raw_type || is_npy) {
    const npy_header header = parse_npy_header(bytes, path);
    type_ = header.type;
    big_endian_ = header.big_endian;
    n_ = header.n;
    data_ = bytes.subspan(header.data_offset, n_ * item_size(type_));
    if (raw_type && *raw_type != type_) {
      fail(path, fmt::format("holds {}, but --dtype says {}", name(type_), name(*raw_type)));
    }
    return;
  }
  type_ = *raw_type;
  if (bytes.empty()) fail(path, "is empty; only a .npy file can hold a vector of length 0");
  if (bytes.size() % item_size(type_) != 0) {
    fail(path, fmt::format("its {} bytes are no whole number of {} elements of {} bytes", bytes.size(), name(type_),
                           item_size(type_)));
  }
  n_ = bytes.size() / item_size(type_);
  data_ = bytes;
}

template <element T>
void vector_file::read(std::size_t first, std::span<T> values) const {
  if (values.empty()) return;
  std::memcpy(values.data(), data_.data() + first * sizeof(T), values.size_bytes());
  if (!swapped()) return;
  using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  for (T& value : values) value = std::bit_cast<T>(swap_bytes(std::bit_cast<word>(value)));
}

template void vector_file::read<float>(std::size_t, std::span<float>) const;
template void vector_file::read<double>(std::size_t, std::span<double>) const;

void check_pair(const vector_file& a, const vector_file& b) {
  if (a.type() != b.type()) {
    fail(b.path(), fmt::format("holds {}, but {} holds {}: both must be of one type", name(b.type()),
                               printable(a.path()), name(a.type())));
  }
  if (a.n() != b.n()) {
    fail(b.path(), fmt::format("has length {}, but {} has length {}", b.n(), printable(a.path()), a.n()));
  }
}

}  // namespace exactdot::io
