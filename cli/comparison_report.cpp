// A comparison as a table and as JSON; see comparison_report.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cli/comparison_report.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

namespace exactdot::cli {
namespace {

std::string ulp_text(long double ulps) {
  if (ulps == 0) return "0";
  if (ulps < 10) return fmt::format("{:.3Lg}", ulps);
  return ulps < 1e6L ? fmt::format("{:.0f}", ulps) : fmt::format("{:.1e}", ulps);
}

std::string time_text(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.1f} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.2f} ms", seconds * 1e3) : fmt::format("{:.2f} s", seconds);
}

const method_result* find(std::span<const method_result> rows, std::string_view name) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const method_result& r) { return r.name == name; });
  return row == rows.end() || !row->fault.empty() ? nullptr : &*row;
}

/// NaN counts as the largest error of all.
bool smaller_error(const method_result& x, const method_result& y) {
  if (std::isnan(x.ulps) || std::isnan(y.ulps)) return !std::isnan(x.ulps) && std::isnan(y.ulps);
  return x.ulps < y.ulps;
}

std::string notice(std::span<const method_result> rows) {
  const method_result& exact = *find(rows, "exact");
  const method_result& worst = *std::max_element(rows.begin(), rows.end(), smaller_error);
  std::string text = "Notice: ";
  if (smaller_error(exact, worst)) {
    text += fmt::format("no {} is nearer to the sum than exact; {} ", name_of(exact.result.type), worst.method);
    text += std::isfinite(worst.ulps) ? fmt::format("is {} ulp off", ulp_text(worst.ulps))
                                      : fmt::format("gives {}", value_text(worst.result));
  } else {
    text += fmt::format("on these data every method finds the nearest {}", name_of(exact.result.type));
  }
  const method_result* rival = find(rows, "openblas");
  if (rival == nullptr) rival = find(rows, "fast");
  return text +
         fmt::format("; exact takes {:.2f} x the time of {}.\n", exact.seconds / rival->seconds, rival->method);
}

}  // namespace

std::string comparison_table(std::span<const method_result> rows, std::size_t bytes) {
  constexpr const char* line = "{:<20} {:>24} {:>11} {:>10} {:>7} {:>8}\n";
  std::string table = fmt::format(fmt::runtime(line), "method", "value", "error, ulp", "time", "GB/s", "threads");
  for (const method_result& row : rows) {
    if (!row.fault.empty()) {
      table += fmt::format("{:<20} {}\n", row.method, row.fault);
      continue;
    }
    table += fmt::format(fmt::runtime(line), row.method, value_text(row.result), ulp_text(row.ulps),
                         time_text(row.seconds), fmt::format("{:.1f}", gb_per_s(row.seconds, bytes)), row.threads);
  }
  return table + notice(rows);
}

nlohmann::ordered_json comparison_json(std::span<const method_result> rows, std::size_t bytes) {
  auto list = nlohmann::ordered_json::array();
  for (const method_result& row : rows) {
    nlohmann::ordered_json object = {{"method", row.name}, {"title", row.method}};
    if (!row.fault.empty()) {
      object["fault"] = row.fault;
    } else {
      put_value(object, row.result);
      const auto ulps = static_cast<double>(row.ulps);
      if (std::isfinite(ulps)) {
        object["error_ulps"] = ulps;
      } else {
        object["error_ulps"] = ulp_text(row.ulps);
      }
      object["threads"] = row.threads;
      put_timing(object, row.seconds, bytes);
    }
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace exactdot::cli
