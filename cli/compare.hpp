// dot --compare: the same dot product by every method at hand.
#pragma once

#include <cli/report.hpp>
#include <exactdot/options.hpp>
#include <io/vector_file.hpp>
#include <string>
#include <vector>

namespace exactdot::cli {

struct method_result {
  std::string method;  ///< for people: "OpenBLAS (Zen)"
  std::string name;    ///< for programs: "openblas"
  std::string fault;   ///< why it could not run; empty when it did, and only then the rest means something
  rounded_value result;
  long double ulps = 0;  ///< its error, in ulps of the correctly rounded result
  double seconds = 0;    ///< of one call, the median of a few
  int threads = 0;
};

/// Sequential loops, Dot2, OpenBLAS, fast and exact, in this order, on a·b; every value rounded to `type`.
/// OpenBLAS gets as many threads as exactdot. Files of the other byte order are copied into memory first;
/// throws errc::file when that does not suffice. A signal ends the process while this runs.
[[nodiscard]] std::vector<method_result> compare(const io::vector_file& a, const io::vector_file& b,
                                                 element_type type, const options& options);

}  // namespace exactdot::cli
