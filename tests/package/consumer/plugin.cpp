// A library that holds exactdot and exports one function of its own.
#include <exactdot/exactdot.hpp>
#include <span>
#include <vector>

extern "C" __attribute__((visibility("default"))) double plugin_sum(const double* x, std::size_t n) {
  const std::span<const double> all(x, n);
  exactdot::accumulator<double> sum;
  sum.add(all);
  std::vector<double> rows(n / 2);
  exactdot::sum(exactdot::rows<double>(x, n / 2, 2), rows);
  try {
    return exactdot::variance(all) + exactdot::min(all) + sum.round<double>() + rows[0];
  } catch (const exactdot::error&) {
    return 0;
  }
}
