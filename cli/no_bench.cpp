// exactdot bench in a build without benchmarks: an error.
#include <cli/bench.hpp>
#include <stdexcept>

namespace exactdot::cli {

const std::vector<std::string>& bench_data_names() {
  static const std::vector<std::string> none;
  return none;
}

void run_bench(const bench_arguments&) {
  throw std::runtime_error(
      "bench: this program was built without benchmarks; configure with "
      "-DEXACTDOT_BUILD_BENCH=ON");
}

}  // namespace exactdot::cli
