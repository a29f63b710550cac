// --compare: a reduction by several methods, with error and time.
#pragma once

#include <cli/reduce_files.hpp>
#include <exactdot/options.hpp>
#include <exactdot/reduction.hpp>
#include <exactdot/views.hpp>
#include <string>
#include <vector>

namespace exactdot::cli {

struct method_result {
  std::string title;  ///< for the table: "OpenBLAS (Zen)"
  std::string name;   ///< for JSON: "openblas"
  std::string fault;  ///< why it could not run; if not empty, the members below have no meaning
  any_scalar result;
  long double ulps = 0;  ///< error in ulps of the correctly rounded result
  double seconds = 0;    ///< per call, median
  int threads = 0;
};

/// Measures sequential loops, a compensated loop (Dot2, Sum2), OpenBLAS where it has the reduction, fast and exact,
/// in this order, for a reduction that has_comparison() and floating-point elements. Values are rounded to `type`.
/// OpenBLAS uses as many threads as exactdot. The other methods read a copy of 16-bit elements, of mixed types and
/// of the other byte order, converted to float32 or float64; making it is not timed. Throws errc::file if memory
/// does not suffice. During the call a signal ends the process immediately.
[[nodiscard]] std::vector<method_result> compare(reduction what, const operands& files, element_type type,
                                                 const options& options);

}  // namespace exactdot::cli
