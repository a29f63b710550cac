// The dot product of two open files of any byte order, and its description.
#pragma once

#include <cli/report.hpp>
#include <exactdot/options.hpp>
#include <io/vector_file.hpp>
#include <string>

namespace exactdot::cli {

/// Computes a·b of files of equal type and length, rounded to `type`. The mapped files are read in place. Throws as
/// exactdot::dot does.
[[nodiscard]] rounded_value dot_files(const io::vector_file& a, const io::vector_file& b, element_type type,
                                      const options& options);

/// Returns "cpu" or "cuda:N".
[[nodiscard]] std::string device_text(const options& options);

/// Returns the engine for n products with these options: "avx512, 2 threads", "NVIDIA H100 80GB HBM3, sm_90".
[[nodiscard]] std::string engine_text(std::size_t n, const options& options);

/// Returns the number of CPU threads for n products with these options.
[[nodiscard]] int thread_count(std::size_t n, const options& options);

}  // namespace exactdot::cli
