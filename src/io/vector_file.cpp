// An operand from a .npy or raw file; see vector_file.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <io/fault.hpp>
#include <io/npy_header.hpp>
#include <io/type_names.hpp>
#include <io/vector_file.hpp>

namespace exactdot::io {
vector_file::vector_file(const std::string& path, std::optional<element_type> raw_type, npy_shapes shapes)
    : file_(path) {
  const std::span<const std::byte> bytes = file_.bytes();
  const bool is_npy = has_npy_magic(bytes) || path.ends_with(".npy");
  if (!raw_type && !is_npy && !bytes.empty()) {
    fail(path, fmt::format("is not a .npy file; for raw elements, add --dtype with one of {}",
                           fmt::join(type_names(), ", ")));
  }
  if (!raw_type || is_npy) {
    const npy_header header = parse_npy_header(bytes, path, raw_type, shapes);
    type_ = header.type;
    big_endian_ = header.big_endian;
    shape_ = header.shape, fortran_order_ = header.fortran_order;
    n_ = header.n;
    data_ = bytes.subspan(header.data_offset, n_ * size_of(type_));
    if (raw_type && *raw_type != type_) {
      fail(path, fmt::format("holds {}, but --dtype says {}", name_of(type_), name_of(*raw_type)));
    }
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

void check_types(const vector_file& a, const vector_file& b) {
  if (is_integer(a.type()) != is_integer(b.type())) {
    fail(b.path(), fmt::format("holds {}, but {} holds {}; expected two floating-point or two integer types",
                               name_of(b.type()), printable(a.path()), name_of(a.type())));
  }
}

void check_pair(const vector_file& a, const vector_file& b) {
  check_types(a, b);
  if (a.n() != b.n()) {
    fail(b.path(), fmt::format("has length {}, but {} has length {}; expected the same length", b.n(),
                               printable(a.path()), a.n()));
  }
}

}  // namespace exactdot::io
