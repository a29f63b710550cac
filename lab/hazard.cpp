// The hazards' registry; see hazard.hpp.
#include <algorithm>
#include <lab/hazard.hpp>
#include <limits>

namespace exactdot::lab {
namespace {

/// Made on first use: hazards enlist before main, in no fixed order.
std::vector<hazard>& enlisted() {
  static std::vector<hazard> all;
  return all;
}

}  // namespace

void add_hazard(const hazard& one) { enlisted().push_back(one); }

std::vector<hazard> hazards(world where) {
  std::vector<hazard> found;
  std::ranges::copy_if(enlisted(), std::back_inserter(found),
                       [&](const hazard& one) { return one.where == where; });
  std::ranges::sort(found, {}, [](const hazard& one) { return one.info.number; });
  return found;
}

std::string explanation_of(const hazard_info& info) {
  return std::string(info.does) + " " + info.why + " " + info.cure;
}

double figure_of(const hazard_outcome& seen, std::string_view name) {
  const auto at = std::ranges::find(seen.figures, name, &hazard_figure::name);
  return at == seen.figures.end() ? std::numeric_limits<double>::quiet_NaN() : at->value;
}

}  // namespace exactdot::lab
