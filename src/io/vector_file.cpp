// An operand from a .npy or raw file; see vector_file.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <io/fault.hpp>
#include <io/foreign_format.hpp>
#include <io/npy_header.hpp>
#include <io/type_names.hpp>
#include <io/vector_file.hpp>

namespace exactdot::io {
namespace {

void refuse_foreign_format(std::span<const std::byte> bytes, const std::string& path, bool may_be_raw) {
  if (has_npy_magic(bytes)) return;
  const auto format = foreign_format_of(bytes, path);
  if (format && (format->is_named || !may_be_raw)) fail(path, "is not a .npy file but " + format->sentence);
}

/// Throws errc::file unless all bytes are 0 or 1: others have no one meaning.
void check_booleans(std::span<const std::byte> bytes, const std::string& path) {
  constexpr std::byte max{1};
  std::byte all{};
  for (const std::byte each : bytes) all |= each;  // in vectors, which a search is not
  if (all <= max) return;
  const auto odd = std::ranges::find_if(bytes, [](std::byte each) { return each > max; });
  fail(path,
       fmt::format("element {} is the byte {}; a bool is 0 or 1", odd - bytes.begin(), std::to_integer<int>(*odd)));
}

}  // namespace

vector_file::vector_file(const std::string& path, std::optional<element_type> raw_type, npy_shapes shapes,
                         npy_numbers numbers)
    : file_(path) {
  const std::span<const std::byte> bytes = file_.bytes();
  const bool is_npy = has_npy_magic(bytes) || path.ends_with(".npy");
  refuse_foreign_format(bytes, path, raw_type && !is_npy);
  if (!raw_type && !is_npy && !bytes.empty()) {
    fail(path, fmt::format("is not a .npy file; for raw elements, add --dtype with one of {}",
                           fmt::join(number_type_names(numbers), ", ")));
  }
  if (!raw_type || is_npy) {
    const npy_header header = parse_npy_header(bytes, path, raw_type, shapes, numbers);
    type_ = header.type;
    big_endian_ = header.big_endian;
    shape_ = header.shape, fortran_order_ = header.fortran_order;
    n_ = header.n;
    data_ = bytes.subspan(header.data_offset, n_ * size_of(type_));
    is_boolean_ = header.is_boolean;
    if (raw_type && (*raw_type != type_ || is_boolean_)) {
      fail(path, fmt::format("holds {}, but --dtype says {}", type_name(), name_of(*raw_type)));
    }
    if (is_boolean_) check_booleans(data_, path);
    return;
  }
  type_ = *raw_type;
  if (bytes.empty()) fail(path, "is empty; a vector of length 0 needs a .npy file");
  if (bytes.size() % size_of(type_) != 0) {
    fail(path, fmt::format("size of {} bytes is not a multiple of {}, the size of {}", bytes.size(), size_of(type_),
                           name_of(type_)));
  }
  n_ = bytes.size() / size_of(type_);
  shape_ = {n_};
  data_ = bytes;
}

std::vector<axis> vector_file::axes() const {
  std::vector<axis> axes(shape_.size());
  auto stride = static_cast<std::ptrdiff_t>(size_of(type_));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t place = fortran_order_ ? i : axes.size() - 1 - i;
    axes[place] = {shape_[place], stride};
    stride *= static_cast<std::ptrdiff_t>(shape_[place]);
  }
  return axes;
}

std::string vector_file::shape_text() const {
  if (shape_.size() == 1) return fmt::format("length {}", n_);
  return fmt::format("the shape ({})", fmt::join(shape_, ", "));
}

void check_types(const vector_file& a, const vector_file& b) {
  if (is_integer(a.type()) != is_integer(b.type())) {
    const bool complex = is_complex(a.type()) || is_complex(b.type());
    fail(b.path(), fmt::format("holds {}, but {} holds {}; expected two {}", b.type_name(), printable(a.path()),
                               a.type_name(), complex ? "types of floating-point or complex numbers"
                                                      : "floating-point or two integer types"));
  }
}

void check_lengths(const vector_file& a, const vector_file& b) {
  if (a.n() != b.n()) {
    fail(b.path(), fmt::format("has length {}, but {} has length {}; expected the same length", b.n(),
                               printable(a.path()), a.n()));
  }
}

}  // namespace exactdot::io
