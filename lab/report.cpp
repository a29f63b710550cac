// The report as a table; see report.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lab/figures.hpp>
#include <lab/notice.hpp>
#include <lab/report.hpp>
#include <limits>

namespace exactdot::lab {
namespace {

std::string ulp_text(long double ulps) {
  if (std::isnan(ulps)) return "nan";
  if (ulps == 0) return "0";
  return ulps < 1e5L ? fmt::format("{:.3Lg}", ulps) : fmt::format("{:.1Le}", ulps);
}

/// A NaN has no sign worth telling.
std::string value_text(double x) { return std::isnan(x) ? "nan" : fmt::format("{:.7g}", x); }

std::string number(std::optional<double> x, int digits) { return x ? fmt::format("{:.{}f}", *x, digits) : "-"; }
std::string number(std::optional<std::uint64_t> x) { return x ? fmt::format("{}", *x) : "-"; }
std::string share(int distinct, int of) { return of == 0 ? "-" : fmt::format("{}/{}", distinct, of); }

const char* verdict(const row& one) {
  if (!one.fault.empty()) return "FAILS";
  if (one.info.wrong_on_purpose) return *one.correct ? "right" : "wrong";
  return one.correct ? "ok" : "-";
}

std::string timed_line(const ladder_result& result, const row& one) {
  const figures f = figures_of(result, one);
  return fmt::format("{:>9} {:>7} {:>6} {:>7} {:>9} {:>9}", number(f.microseconds, 2), number(f.gb_per_s, 1),
                     number(f.percent_of_ceiling, 1), number(f.ratio_to_cublas, 2),
                     number(f.finish_microseconds, 1), number(atomics_of(result, one)));
}

std::string counted_line(const ladder_result& result, const row& one) {
  const auto kernels = [&](std::optional<std::uint64_t> x) {
    return one.info.blocks == block_rule::none ? "-" : number(x);
  };
  return fmt::format("{:>9} {:>8} {:>9} {:>10} {:>8}", std::isinf(one.allowed) ? "-" : ulp_text(one.allowed),
                     kernels(one.counted.launches), kernels(atomics_of(result, one)), kernels(one.counted.steps),
                     kernels(one.counted.barriers));
}

std::string header(const ladder_result& result, bool timed) {
  std::string facts;
  for (const auto& [key, value] : result.facts) facts += fmt::format(", {} {}", key, value);
  return fmt::format("{}{}: {} of {} products, data {}, {}\n", result.device, facts,
                     operation_names[static_cast<std::size_t>(result.op)], result.n,
                     io::data_set_names[static_cast<std::size_t>(result.data)], io::name(result.type)) +
         fmt::format("{:>2} {:<19} {:>13} {:>9} {:>5} {:>5} ", "#", "rung", "value", "error,ulp", "runs", "grids") +
         (timed ? fmt::format("{:>9} {:>7} {:>6} {:>7} {:>9} {:>9}", "us", "GB/s", "%ceil", "xcublas", "copy,us",
                              "atomics")
                : fmt::format("{:>9} {:>8} {:>9} {:>10} {:>8}", "<= ulp", "launches", "atomics", "steps",
                              "barriers")) +
         " check\n";
}

/// The vectors that the claims speak of.
bool claimed_for(const ladder_result& result) {
  return result.n == std::size_t{1} << 20 && result.type == io::dtype::float32 &&
         result.data == io::data_set::uniform && result.op == operation::sum;
}

/// What was measured of everything that any claim is about.
std::string measured(const ladder_result& result, const row& one) {
  const figures f = figures_of(result, one);
  std::string text = fmt::format("{} results in {} runs", one.distinct_results, one.runs);
  const auto loop = std::ranges::find(result.rows, std::string_view("cpu_loop"),
                                      [](const row& other) { return std::string_view(other.info.name); });
  if (loop != result.rows.end()) {
    text += fmt::format("; {:.1e} from a float CPU loop", std::abs((one.value - loop->value) / loop->value));
  }
  if (!f.microseconds) return text;
  return text + fmt::format(
                    "\n           {:.1f} GFLOP/s, {:.2f} us, {} % of the ceiling, {} % of cuBLAS, {} x "
                    "atomic_per_element",
                    *f.gflop_per_s, *f.microseconds, number(f.percent_of_ceiling, 1),
                    f.ratio_to_cublas ? number(100 / *f.ratio_to_cublas, 1) : "-", number(f.speedup_over_naive, 1));
}

std::string claims(const ladder_result& result) {
  std::string text;
  if (!claimed_for(result)) return text;
  for (const row& one : result.rows) {
    if (*one.info.claim == '\0') continue;
    text += fmt::format("{}\n  claimed  {}\n  here     {}\n", one.info.name, one.info.claim, measured(result, one));
  }
  return text;
}

std::string ramp(const ladder_result& result) {
  std::string text;
  for (const ramp_truth& truth : result.ramp) {
    text += fmt::format("n = {} = {} * 2^20\n  {:<19} {}\n  {:<19} {:.17g}\n", truth.n, truth.n >> 20, "2 sum i^2",
                        truth.integers, "exact, as rounded", truth.exact);
    for (const auto& [name, value] : truth.rungs) text += fmt::format("  {:<19} {:.17g}\n", name, value);
  }
  return text;
}

}  // namespace

std::string table_of(const ladder_result& result) {
  const bool timed = result.ceiling.has_value();
  std::string text = header(result, timed);
  for (const row& one : result.rows) {
    text += fmt::format("{:>2} {:<19} {:>13} {:>9} {:>5} {:>5} {} {:>5}\n", one.info.number, one.info.name,
                        value_text(one.value), ulp_text(one.ulps), share(one.distinct_results, one.runs),
                        share(one.distinct_over_grids, one.grids),
                        timed ? timed_line(result, one) : counted_line(result, one), verdict(one));
  }
  text += fmt::format("   {:<19} {:>13}  runs, grids: different results in so many runs, on so many grids\n",
                      "the truth", value_text(result.exact));
  for (const row& one : result.rows) {
    if (!one.fault.empty()) text += fmt::format("{} FAILS: {}\n", one.info.name, one.fault);
  }
  for (const std::string& why : result.left_out) text += "left out: " + why + "\n";
  return text + claims(result) + ramp(result) + notice(result);
}

std::string failures_of(const ladder_result& result) {
  std::string names;
  for (const row& one : result.rows) {
    if (!one.fault.empty()) names += (names.empty() ? "" : ", ") + std::string(one.info.name);
  }
  return names.empty() ? "" : "these rungs break their promise: " + names;
}

}  // namespace exactdot::lab
