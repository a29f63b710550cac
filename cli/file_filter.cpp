// See file_filter.hpp.
#include <fmt/format.h>

#include <cli/file_filter.hpp>
#include <io/fault.hpp>
#include <io/mapped_file.hpp>
#include <io/npy_header.hpp>
#include <nlohmann/json.hpp>

namespace exactdot::cli {
namespace {

bool is_npy(const std::string& path) {
  return path.ends_with(".npy") || io::has_npy_magic(io::mapped_file(path).bytes());
}

}  // namespace

file_filter::file_filter(const filter_arguments& arguments) : arguments_(arguments) {
  if (arguments.where.empty()) return;
  const std::string& path = arguments.where;
  const auto raw = is_npy(path) ? std::nullopt : std::optional(element_type::uint8);
  mask_.emplace(path, raw, io::npy_shapes::any);
  if (mask_->type() == element_type::int8 || mask_->type() == element_type::uint8) return;
  io::fail(path, fmt::format("holds {}; a mask holds booleans or 8-bit integers", mask_->type_name()));
}

std::vector<axis> file_filter::axes_beside(const io::vector_file& values) const {
  std::vector<axis> axes = values.axes();
  if (!mask_) return axes;
  const std::vector<axis> given = mask_->axes();
  const auto refuse = [&] {
    io::fail(mask_->path(), fmt::format("has {}, but {} has {}; expected a flag for each element",
                                        mask_->shape_text(), io::printable(values.path()), values.shape_text()));
  };
  if (given.size() > axes.size()) refuse();
  const std::size_t missing = axes.size() - given.size();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const axis mask = i < missing ? axis{1, 0} : given[i - missing];
    if (mask.n != 1 && mask.n != axes[i].n) refuse();
    axes[i].stride = mask.n == 1 ? 0 : mask.stride;
  }
  return axes;
}

element_filter file_filter::with(std::span<const axis> results, std::span<const axis> elements) const {
  return {{mask_ ? mask_->bytes().data() : nullptr, results, elements}, arguments_.skip_nan, {}};
}

void file_filter::check() const {
  if (mask_) mask_->check();
}

void file_filter::put(nlohmann::ordered_json& object) const {
  if (mask_) object["where"] = io::printable(mask_->path());
  if (arguments_.skip_nan) object["skip_nan"] = true;
}

void fail_with_nothing_left(const error& fault, const std::string& path) {
  if (fault.code() != errc::empty_input) throw;
  io::fail(path, "has no element that is left of a result, which has no least or greatest one then");
}

}  // namespace exactdot::cli
