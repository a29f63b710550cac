// Registry of the hazards; see hazard.hpp.
#include <algorithm>
#include <lab/hazard.hpp>
#include <limits>

namespace exactdot::lab {
namespace {

/// A local static: hazards are registered before main, in unspecified order.
std::vector<hazard>& registered_hazards() {
  static std::vector<hazard> all;
  return all;
}

}  // namespace

void add_hazard(const hazard& added) { registered_hazards().push_back(added); }

std::vector<hazard> hazards(backend target) {
  std::vector<hazard> found;
  std::ranges::copy_if(registered_hazards(), std::back_inserter(found),
                       [&](const hazard& candidate) { return candidate.target == target; });
  std::ranges::sort(found, {}, [](const hazard& candidate) { return candidate.info.number; });
  return found;
}

std::string explanation_of(const hazard_info& info) {
  return std::string(info.effect) + " " + info.cause + " " + info.fix;
}

double figure_of(const hazard_outcome& outcome, std::string_view name) {
  const auto found = std::ranges::find(outcome.figures, name, &hazard_figure::name);
  return found == outcome.figures.end() ? std::numeric_limits<double>::quiet_NaN() : found->value;
}

}  // namespace exactdot::lab
