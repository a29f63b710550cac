// --where and --skip-nan: which elements of a file a reduction takes.
#pragma once

#include <exactdot/missing.hpp>
#include <io/vector_file.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace exactdot::cli {

/// Values of the command line.
struct filter_arguments {
  std::string where;  // a file, or empty
  bool skip_nan = false;

  [[nodiscard]] bool is_given() const { return skip_nan || !where.empty(); }
};

class file_filter {
 public:
  /// Opens the mask: a .npy file of booleans or 8-bit integers of any shape, or a file of bytes. Throws errc::file.
  explicit file_filter(const filter_arguments& arguments);

  /// The axes of the mask beside those of the values, which it is broadcast to as in NumPy; without a mask those of
  /// the values. Throws errc::file if the shapes do not fit.
  [[nodiscard]] std::vector<axis> axes_beside(const io::vector_file& values) const;
  /// As the library takes it. The axes: some of those beside the values.
  [[nodiscard]] element_filter with(std::span<const axis> results, std::span<const axis> elements) const;

  [[nodiscard]] const std::optional<io::vector_file>& file() const { return mask_; }
  /// Throws errc::file if the file changed since it was opened.
  void check() const;
  /// Adds "where" and "skip_nan" if they were given.
  void put(nlohmann::ordered_json& object) const;

 private:
  const filter_arguments& arguments_;
  std::optional<io::vector_file> mask_;
};

/// Throws errc::file for an error of the library that no element is left of a result; otherwise rethrows it.
[[noreturn]] void fail_with_nothing_left(const error& fault, const std::string& path);

}  // namespace exactdot::cli
