// A comparison as a table and as JSON; see comparison_report.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cli/comparison_report.hpp>
#include <cli/report.hpp>
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
  if (seconds < 1e-3) return fmt::format("{:.1f} µs", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.2f} ms", seconds * 1e3) : fmt::format("{:.2f} s", seconds);
}

const method_result* find(std::span<const method_result> results, std::string_view name) {
  const auto row =
      std::find_if(results.begin(), results.end(), [&](const method_result& r) { return r.name == name; });
  return row == results.end() || !row->fault.empty() ? nullptr : &*row;
}

/// Orders errors; NaN is the largest.
bool smaller_error(const method_result& x, const method_result& y) {
  if (std::isnan(x.ulps) || std::isnan(y.ulps)) return !std::isnan(x.ulps) && std::isnan(y.ulps);
  return x.ulps < y.ulps;
}

std::string summary(std::span<const method_result> results) {
  const method_result& exact = *find(results, "exact");
  const method_result& worst = *std::max_element(results.begin(), results.end(), smaller_error);
  std::string text = "Summary: ";
  if (smaller_error(exact, worst)) {
    text += fmt::format("no {} is closer to the exact value than the result of exact; {} ",
                        name_of(exact.result.type), worst.title);
    text += std::isfinite(worst.ulps) ? fmt::format("has an error of {} ulp", ulp_text(worst.ulps))
                                      : fmt::format("gives {}", value_text(worst.result));
  } else {
    text += fmt::format("every method returns the correctly rounded {}", name_of(exact.result.type));
  }
  const method_result* baseline = find(results, "openblas");
  if (baseline == nullptr) baseline = find(results, "fast");
  return text + fmt::format("; the time of exact is {:.2f} x that of {}.\n", exact.seconds / baseline->seconds,
                            baseline->title);
}

}  // namespace

std::string comparison_table(std::span<const method_result> results, std::size_t bytes) {
  constexpr const char* line = "{:<20} {:>24} {:>11} {:>10} {:>7} {:>8}\n";
  std::string table = fmt::format(fmt::runtime(line), "method", "value", "error, ulp", "time", "GB/s", "threads");
  for (const method_result& result : results) {
    if (!result.fault.empty()) {
      table += fmt::format("{:<20} {}\n", result.title, result.fault);
      continue;
    }
    table += fmt::format(fmt::runtime(line), result.title, value_text(result.result), ulp_text(result.ulps),
                         time_text(result.seconds), fmt::format("{:.1f}", gb_per_s(result.seconds, bytes)),
                         result.threads);
  }
  return table + summary(results);
}

nlohmann::ordered_json comparison_json(std::span<const method_result> results, std::size_t bytes) {
  auto list = nlohmann::ordered_json::array();
  for (const method_result& result : results) {
    nlohmann::ordered_json object = {{"method", result.name}, {"title", result.title}};
    if (!result.fault.empty()) {
      object["fault"] = result.fault;
    } else {
      put_value(object, result.result);
      const auto ulps = static_cast<double>(result.ulps);
      if (std::isfinite(ulps)) {
        object["error_ulps"] = ulps;
      } else {
        object["error_ulps"] = ulp_text(result.ulps);
      }
      object["threads"] = result.threads;
      put_timing(object, result.seconds, bytes);
    }
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace exactdot::cli
