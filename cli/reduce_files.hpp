// A reduction of open files of any type and byte order, and its description.
#pragma once

#include <cli/file_filter.hpp>
#include <cli/report.hpp>
#include <exactdot/error.hpp>
#include <exactdot/options.hpp>
#include <exactdot/reduction.hpp>
#include <exactdot/shapes.hpp>
#include <io/vector_file.hpp>
#include <optional>
#include <string>

namespace exactdot::cli {

/// The one or two files that a reduction reads.
class operands {
 public:
  /// A file and the type of its elements, if it is raw (see vector_file).
  struct source {
    std::string path;
    std::optional<element_type> raw_type;
  };
  /// Opens the files; `b` counts only for a reduction of two inputs. `conjugates`: of complex numbers in `a` the
  /// conjugates are multiplied. Throws errc::file, also for complex numbers that the reduction does not have.
  /// Vectors have the same length; the axes of arrays of any shape are not compared.
  operands(reduction what, const source& a, const source& b, bool conjugates,
           io::npy_shapes shapes = io::npy_shapes::vectors);

  [[nodiscard]] const io::vector_file& a() const { return a_; }
  /// Returns the second file; of a reduction of one input, the first.
  [[nodiscard]] const io::vector_file& b() const { return b_ ? *b_ : a_; }
  [[nodiscard]] int count() const { return b_ ? 2 : 1; }
  [[nodiscard]] std::size_t n() const { return a_.n(); }
  [[nodiscard]] bool has_complex() const { return is_complex(a_.type()) || is_complex(b().type()); }
  /// Returns the real numbers that are read of a file, which the engine shares out among threads, and those of all
  /// sums, which its monitor counts.
  [[nodiscard]] std::size_t reals() const { return has_complex() ? 2 * n() : n(); }
  [[nodiscard]] std::size_t terms() const {
    return b_ && is_complex(a_.type()) && is_complex(b_->type()) ? 2 * reals() : reals();
  }
  /// Returns the arrays with some of their axes.
  [[nodiscard]] any_grid grid_of_a(std::span<const axis> results, std::span<const axis> elements) const;
  [[nodiscard]] any_grid grid_of_b(std::span<const axis> results, std::span<const axis> elements) const;
  /// Returns the numbers of the first file in the order of the file.
  [[nodiscard]] any_vector view_of_a() const;
  /// Returns the size of the elements of all files.
  [[nodiscard]] std::size_t bytes() const { return a_.bytes().size() + (b_ ? b_->bytes().size() : 0); }
  /// Throws errc::file if a file changed since it was opened.
  void check() const;

 private:
  io::vector_file a_;
  std::optional<io::vector_file> b_;
  bool conjugates_;
};

/// Computes the reduction, with a result of `type`. The mapped files are read in place. Throws errc::file, with the
/// name of the file, if the vector is empty and has no result, or if an integer type does not hold the result; else
/// as exactdot::reduce does.
[[nodiscard]] any_number reduce_files(reduction what, const operands& files, element_type type,
                                      const options& options, std::int64_t ddof);
/// The same of the elements that a filter leaves.
[[nodiscard]] any_number reduce_files(reduction what, const operands& files, const file_filter& filter,
                                      element_type type, const options& options, std::int64_t ddof);

/// Throws errc::file for an error of the library that names a file: elements are missing, or an integer type does
/// not hold a result; otherwise rethrows it.
[[noreturn]] void fail_with_file(const error& fault, reduction what, const operands& files, element_type type);

/// Returns "cpu" or "cuda:N".
[[nodiscard]] std::string device_text(const options& options);

/// Returns the engine for n elements with these options: "avx512, 2 threads", "NVIDIA H100 80GB HBM3, sm_90".
[[nodiscard]] std::string engine_text(std::size_t n, const options& options);

/// Returns the number of CPU threads for n elements with these options.
[[nodiscard]] int thread_count(std::size_t n, const options& options);

}  // namespace exactdot::cli
