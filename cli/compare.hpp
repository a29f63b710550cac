// dot --compare: the dot product by several methods, with error and time.
#pragma once

#include <cli/report.hpp>
#include <exactdot/options.hpp>
#include <io/vector_file.hpp>
#include <string>
#include <vector>

namespace exactdot::cli {

struct method_result {
  std::string title;  ///< for the table: "OpenBLAS (Zen)"
  std::string name;   ///< for JSON: "openblas"
  std::string fault;  ///< why it could not run; if not empty, the members below have no meaning
  rounded_value result;
  long double ulps = 0;  ///< error in ulps of the correctly rounded result
  double seconds = 0;    ///< per call, median
  int threads = 0;
};

/// Measures sequential loops, Dot2, OpenBLAS, fast and exact, in this order. Values are rounded to `type`. OpenBLAS
/// uses as many threads as exactdot. Files of the other byte order are copied to memory first; throws errc::file if
/// it does not suffice. During the call a signal ends the process immediately.
[[nodiscard]] std::vector<method_result> compare(const io::vector_file& a, const io::vector_file& b,
                                                 element_type type, const options& options);

}  // namespace exactdot::cli
