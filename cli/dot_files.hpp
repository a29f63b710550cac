// The dot product of two open files, whatever their byte order.
#pragma once

#include <cli/report.hpp>
#include <exactdot/options.hpp>
#include <io/vector_file.hpp>
#include <string>

namespace exactdot::cli {

/// a·b by options.mode, as `type`. a and b agree in type and length. The files are read where they are mapped.
/// Throws what exactdot::dot throws.
[[nodiscard]] rounded_value dot_files(const io::vector_file& a, const io::vector_file& b, element_type type,
                                      const options& options);

/// "cpu", or "cuda:0".
[[nodiscard]] std::string device_text(const options& options);

/// What computes n products under these options: "avx512, 2 threads", "NVIDIA H100 80GB HBM3, sm_90".
[[nodiscard]] std::string engine_text(std::size_t n, const options& options);

/// The threads that exactdot uses for n products under these options.
[[nodiscard]] int thread_count(std::size_t n, const options& options);

}  // namespace exactdot::cli
