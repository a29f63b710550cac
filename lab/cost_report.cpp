// Costs of a ladder run; see cost_report.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <lab/cost_report.hpp>
#include <lab/figures.hpp>
#include <lab/paragraph.hpp>
#include <lab/text_table.hpp>
#include <utility>
#include <vector>

namespace exactdot::lab {
namespace {

constexpr double lanes_of_a_warp = 32;

std::string decimal(std::optional<double> x, int digits) { return x ? fmt::format("{:.{}f}", *x, digits) : "-"; }

std::string times_table(const ladder_result& result) {
  std::vector<text_column> columns{
      {"rung", 19, {}, true}, {"kernel,µs", 12}, {"copy,µs", 12}, {"host,µs", 12}, {"total,µs", 12}};
  for (const measurement& tested : result.measurements) {
    const figures f = figures_of(result, tested);
    columns[0].cells.emplace_back(tested.info.name);
    columns[1].cells.push_back(tested.on_host ? "-" : decimal(f.microseconds, 2));
    columns[2].cells.push_back(decimal(f.copy_microseconds, 2));
    columns[3].cells.push_back(decimal(f.host_microseconds, 2));
    columns[4].cells.push_back(decimal(f.total_microseconds, 2));
  }
  return "\n" + text_table(std::move(columns), "   whole cost of one call");
}

std::string counts_table(const ladder_result& result) {
  std::vector<text_column> columns{{"rung", 19, {}, true}, {"requests", 10}, {"sectors", 8},  {"conflicts", 9},
                                   {"lanes", 6},           {"queue", 9},     {"barriers", 9}, {"bytes moved", 12}};
  for (const measurement& tested : result.measurements) {
    if (!tested.counts.costs || tested.on_host) continue;
    const kernel_costs& costs = *tested.counts.costs;
    columns[0].cells.emplace_back(tested.info.name);
    columns[1].cells.push_back(std::to_string(costs.global_requests));
    columns[2].cells.push_back(decimal(costs.sectors_per_request(), 1));
    columns[3].cells.push_back(decimal(costs.bank_conflict_degree(), 2));
    columns[4].cells.push_back(decimal(costs.lanes_per_request(), 1));
    columns[5].cells.push_back(std::to_string(costs.longest_queue));
    columns[6].cells.push_back(std::to_string(tested.counts.barriers.value_or(0)));
    columns[7].cells.push_back(std::to_string(costs.bytes_moved));
  }
  const bool has_conflicts =  // the table leaves out a column without values
      std::ranges::any_of(columns[3].cells, [](const std::string& cell) { return cell != "-"; });
  return "\n" + text_table(std::move(columns), "   of one run") +
         paragraph("",
                   std::string("requests: loads and stores of global memory by a warp; sectors: of 32 bytes, per "
                               "request, at best 4 for 4 bytes a lane, 16 for 16; ") +
                       (has_conflicts ? "conflicts: passes over the banks of shared memory / those needed; " : "") +
                       "lanes: active, of 32, in accesses and shuffles; queue: atomics of a launch on one address; "
                       "bytes moved: 32 for each sector",
                   3);
}

const kernel_costs* costs_of(const ladder_result& result, std::string_view name) {
  for (const measurement& tested : result.measurements) {
    if (tested.info.name == name && tested.counts.costs) return &*tested.counts.costs;
  }
  return nullptr;
}

/// Two rungs of which the first is worse in one cost.
struct comparison {
  const char *worse, *better;
  double (*cost)(const kernel_costs&);
  bool more_is_worse;
  const char* unit;
};

constexpr comparison comparisons[] = {
    {"atomic_per_element", "vectorized",
     [](const kernel_costs& costs) { return static_cast<double>(costs.longest_queue); }, true,
     "atomics queue at one address"},
    {"products_host_sum", "shared_host_sum",
     [](const kernel_costs& costs) { return static_cast<double>(costs.bytes_moved); }, true, "bytes moved"},
    {"interleaved", "shared_host_sum",
     [](const kernel_costs& costs) { return costs.lanes_per_request().value_or(lanes_of_a_warp); }, false,
     "of 32 lanes active"},
    {"thread_a_row", "warp_a_row",
     [](const kernel_costs& costs) { return costs.sectors_per_request().value_or(0); }, true,
     "sectors per request"},
    {"atomic_groups", "private_tables",
     [](const kernel_costs& costs) { return static_cast<double>(costs.bytes_moved); }, true, "bytes moved"}};

/// Returns a line for each comparison whose rungs ran and differ as expected.
std::string comparison_lines(const ladder_result& result) {
  std::string text;
  for (const auto& [worse, better, cost, more_is_worse, unit] : comparisons) {
    const kernel_costs *const first = costs_of(result, worse), *const second = costs_of(result, better);
    if (first == nullptr || second == nullptr) continue;
    const double x = cost(*first), y = cost(*second);
    if (more_is_worse ? x <= y : x >= y) continue;
    text += fmt::format("{}: {:.0f} {} where {} has {:.0f}\n", worse, x, unit, better, y);
  }
  return text;
}

/// Reads the costs of one rung.
std::string reading(const char* name, const kernel_costs& costs) {
  const double lanes = costs.lanes_per_request().value_or(lanes_of_a_warp);
  const double degree = costs.bank_conflict_degree().value_or(1);
  std::string text = fmt::format("{}: {:.0f} of 32 lanes active, ", name, lanes);
  text += costs.longest_queue > 1 ? fmt::format("{} atomics queue at one address, ", costs.longest_queue)
                                  : std::string("no queue of atomics, ");
  return text + (degree > 1 ? fmt::format("{:.2f} passes over the banks for each one needed", degree)
                            : std::string("no bank conflicts"));
}

std::string notices(const ladder_result& result) {
  std::string text = comparison_lines(result);
  if (!text.empty()) return text;
  for (const measurement& tested : result.measurements) {
    if (tested.counts.costs && !tested.on_host) text += reading(tested.info.name, *tested.counts.costs) + "\n";
  }
  return text;
}

std::string bits(const ladder_result& result) {
  constexpr std::pair<determinism, const char*> classes[] = {
      {determinism::always, "bits always the same:"},
      {determinism::fixed_grid, "bits the same on one grid:"},
      {determinism::none, "bits may differ between runs:"}};
  std::string text = "\n";
  for (const auto& [promise, heading] : classes) {
    std::string names;
    for (const measurement& tested : result.measurements) {
      if (tested.info.same_bits == promise) names += (names.empty() ? "" : ", ") + std::string(tested.info.name);
    }
    if (!names.empty()) text += paragraph(heading, names, 30);
  }
  return text;
}

}  // namespace

std::string cost_text(const ladder_result& result) {
  const bool timed = result.read_seconds.has_value();
  const bool counted = std::ranges::any_of(
      result.measurements, [](const measurement& tested) { return tested.counts.costs && !tested.on_host; });
  return (timed ? times_table(result) : counted ? counts_table(result) + notices(result) : "") + bits(result);
}

}  // namespace exactdot::lab
