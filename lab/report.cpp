// Table of a ladder run; see report.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lab/cost_report.hpp>
#include <lab/figures.hpp>
#include <lab/report.hpp>
#include <lab/summary.hpp>
#include <lab/text_table.hpp>
#include <limits>
#include <utility>
#include <vector>

namespace exactdot::lab {
namespace {

/// Returns an error or bound in ulps. Prints values below 1e-30 as 0: a product that underflows is off by its own
/// size, which may be 1e-1000 ulps of its correctly rounded value 0.
std::string ulp_text(long double ulps) {
  constexpr long double min_shown = 1e-30L;
  if (std::isnan(ulps)) return "nan";
  if (ulps < min_shown) return "0";
  return ulps < 1e5L ? fmt::format("{:.3Lg}", ulps) : fmt::format("{:.1Le}", ulps);
}

/// Omits the sign of a NaN, which carries no information.
std::string value_text(double x) { return std::isnan(x) ? "nan" : fmt::format("{:.7g}", x); }

std::string number(std::optional<double> x, int digits) { return x ? fmt::format("{:.{}f}", *x, digits) : "-"; }
std::string number(std::optional<std::uint64_t> x) { return x ? fmt::format("{}", *x) : "-"; }
std::string ratio(int distinct, int total) { return total == 0 ? "-" : fmt::format("{}/{}", distinct, total); }

const char* status_text(const measurement& tested) {
  if (!tested.fault.empty()) return "FAILS";
  if (tested.info.wrong_on_purpose) return *tested.correct ? "right" : "wrong";
  return tested.correct ? "ok" : "-";
}

/// Appends a column with a cell of each measurement.
template <class Cell>
void add_column(std::vector<text_column>& columns, const ladder_result& result, const char* heading,
                std::size_t width, const Cell& cell) {
  text_column added{heading, width};
  for (const measurement& tested : result.measurements) added.cells.push_back(cell(tested));
  columns.push_back(std::move(added));
}

/// Appends what a run on a GPU took.
void add_times(std::vector<text_column>& columns, const ladder_result& result) {
  const auto add = [&](const char* heading, std::size_t width, std::optional<double> figures::*figure, int digits) {
    add_column(columns, result, heading, width,
               [&](const measurement& tested) { return number(figures_of(result, tested).*figure, digits); });
  };
  add("µs", 9, &figures::microseconds, 2);
  add("GB/s", 7, &figures::gb_per_s, 1);
  add("%ceil", 6, &figures::percent_of_ceiling, 1);
  add("xcublas", 7, &figures::ratio_to_cublas, 2);
  add("total,µs", 9, &figures::total_microseconds, 2);
  add_column(columns, result, "atomics", 9,
             [&](const measurement& tested) { return number(atomics_of(result, tested)); });
}

/// Appends the bound of the error, and what a run on the simulator counts.
void add_counts(std::vector<text_column>& columns, const ladder_result& result) {
  const auto add = [&](const char* heading, std::size_t width, const auto& count) {
    add_column(columns, result, heading, width, [&](const measurement& tested) {
      return tested.info.blocks == block_rule::none ? "-" : number(count(tested));
    });
  };
  add_column(columns, result, "<= ulp", 9, [](const measurement& tested) {
    return std::isinf(tested.allowed_ulps) ? "-" : ulp_text(tested.allowed_ulps);
  });
  add("launches", 8, [](const measurement& tested) { return tested.counts.launches; });
  add("atomics", 9, [&](const measurement& tested) { return atomics_of(result, tested); });
  add("steps", 10, [](const measurement& tested) { return tested.counts.steps; });
}

std::string rows(const ladder_result& result) {
  std::vector<text_column> columns;
  const auto add = [&](const char* heading, std::size_t width, const auto& cell) {
    add_column(columns, result, heading, width, cell);
  };
  add("#", 2, [](const measurement& tested) { return std::to_string(tested.info.number); });
  add("rung", 19, [](const measurement& tested) { return std::string(tested.info.name); });
  columns.back().left_aligned = true;
  add("value", 13, [](const measurement& tested) { return value_text(tested.value); });
  add("error,ulp", 9, [](const measurement& tested) { return ulp_text(tested.error_ulps); });
  add("runs", 5, [](const measurement& tested) { return ratio(tested.distinct_results, tested.runs); });
  add("grids", 5, [](const measurement& tested) { return ratio(tested.distinct_over_grids, tested.grids); });
  result.read_seconds ? add_times(columns, result) : add_counts(columns, result);
  add("check", 5, [](const measurement& tested) { return std::string(status_text(tested)); });
  return text_table(std::move(columns));
}

std::string header(const ladder_result& result) {
  std::string facts;
  for (const auto& [key, value] : result.facts) facts += fmt::format(", {} {}", key, value);
  const std::string divided = result.divided.empty() ? "" : " in " + result.divided;
  return fmt::format("{}{}: {} of {} {}{}, data {}, {}\n", result.device, facts,
                     operation_names[static_cast<std::size_t>(result.op)], result.n, result.terms, divided,
                     io::data_set_names[static_cast<std::size_t>(result.data)], name_of(result.type));
}

/// Returns whether the claims apply to the vectors of this run.
bool claims_apply(const ladder_result& result) {
  return result.workload == "dot" && result.n == std::size_t{1} << 20 && result.type == element_type::float32 &&
         result.data == io::data_set::uniform && result.op == operation::sum;
}

/// Returns the measured counterparts of all figures that claims mention.
std::string measured_text(const ladder_result& result, const measurement& tested) {
  const figures f = figures_of(result, tested);
  std::string text = fmt::format("{} results in {} runs", tested.distinct_results, tested.runs);
  const auto loop = std::ranges::find(result.measurements, std::string_view("cpu_loop"),
                                      [](const measurement& other) { return std::string_view(other.info.name); });
  if (loop != result.measurements.end()) {
    text += fmt::format("; {:.1e} from a float CPU loop", std::abs((tested.value - loop->value) / loop->value));
  }
  if (!f.microseconds) return text;
  return text + fmt::format(
                    "\n           {:.1f} GFLOP/s, {:.2f} µs, {} % of the ceiling, {} % of cuBLAS, {} x "
                    "atomic_per_element",
                    *f.gflop_per_s, *f.microseconds, number(f.percent_of_ceiling, 1),
                    f.ratio_to_cublas ? number(100 / *f.ratio_to_cublas, 1) : "-", number(f.speedup_over_naive, 1));
}

std::string claims(const ladder_result& result) {
  std::string text;
  if (!claims_apply(result)) return text;
  for (const measurement& tested : result.measurements) {
    if (*tested.info.claim == '\0') continue;
    text += fmt::format("{}\n  claimed  {}\n  measured {}\n", tested.info.name, tested.info.claim,
                        measured_text(result, tested));
  }
  return text;
}

std::string ramp(const ladder_result& result) {
  std::string text;
  for (const ramp_result& length : result.ramp) {
    text += fmt::format("n = {} = {} * 2^20\n  {:<19} {}\n  {:<19} {:.17g}\n", length.n, length.n >> 20,
                        "2 sum i^2", length.integers, "exact, float inputs", length.exact);
    for (const auto& [name, value] : length.rungs) text += fmt::format("  {:<19} {:.17g}\n", name, value);
  }
  return text;
}

}  // namespace

std::string table_of(const ladder_result& result) {
  std::string text = header(result) + rows(result);
  const bool grids =
      std::ranges::any_of(result.measurements, [](const measurement& tested) { return tested.grids > 0; });
  text += fmt::format(
      "   {:<19} {:>13}  {}\n", "reference", value_text(result.exact),
      grids ? "runs, grids: distinct results / runs, distinct results / grids" : "runs: distinct results / runs");
  if (result.results > 1) {
    text +=
        fmt::format("   {} results: value: the first; error, <= ulp: the largest of all; distinct: of all bits\n",
                    result.results);
  }
  for (const measurement& tested : result.measurements) {
    if (!tested.fault.empty()) text += fmt::format("{} FAILS: {}\n", tested.info.name, tested.fault);
  }
  for (const std::string& reason : result.skipped) text += "skipped: " + reason + "\n";
  return text + cost_text(result) + claims(result) + ramp(result) + summary(result);
}

std::string failures_of(const ladder_result& result) {
  std::string names;
  for (const measurement& tested : result.measurements) {
    if (!tested.fault.empty()) names += (names.empty() ? "" : ", ") + std::string(tested.info.name);
  }
  return names.empty() ? "" : "these rungs break a promise: " + names;
}

}  // namespace exactdot::lab
