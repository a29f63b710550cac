// One-line summary; see summary.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lab/summary.hpp>

namespace exactdot::lab {
namespace {

/// Returns the fastest of this project's rungs whose result stays on the device; null without times.
const measurement* fastest(const ladder_result& result) {
  const measurement* best = nullptr;
  for (const measurement& candidate : result.measurements) {
    const bool eligible = candidate.info.blocks != block_rule::none && !candidate.info.wrong_on_purpose &&
                          !candidate.info.host_finishes && candidate.seconds;
    if (eligible && (best == nullptr || *candidate.seconds < *best->seconds)) best = &candidate;
  }
  return best;
}

std::string speed(const ladder_result& result) {
  const measurement* const best = fastest(result);
  if (best == nullptr || !result.naive_seconds || !result.cublas_seconds) return {};
  return fmt::format("{} takes 1/{:.0f} of the time of atomic_per_element and {:.2f} x that of cublas",
                     best->info.name, *result.naive_seconds / *best->seconds,
                     *best->seconds / *result.cublas_seconds);
}

std::string race(const ladder_result& result) {
  const auto racy = std::ranges::find_if(result.measurements, [](const measurement& tested) {
    return tested.info.wrong_on_purpose && !tested.correct.value_or(true);
  });
  if (racy == result.measurements.end()) return {};
  const std::string text =
      fmt::format("{} returns {:.4g} instead of {:.4g}", racy->info.name, racy->value, result.exact);
  if (racy->findings.empty()) return text;
  const finding& first = racy->findings.front();
  return fmt::format("{} ({}, {}:{})", text, first.kind, first.file, first.line);
}

std::string reproducibility(const ladder_result& result) {
  std::string varying, stable;
  for (const measurement& candidate : result.measurements) {
    if (candidate.info.wrong_on_purpose || candidate.info.blocks == block_rule::none) continue;
    if (candidate.distinct_results > 1 && varying.empty()) {
      varying = fmt::format("{} has {} results in {} runs", candidate.info.name, candidate.distinct_results,
                            candidate.runs);
    }
    if (candidate.info.same_bits != determinism::none) stable = candidate.info.name;
  }
  if (varying.empty() || stable.empty()) return varying;
  return varying + ", " + stable + " has one";
}

std::string failures(const ladder_result& result) {
  const auto failed =
      std::ranges::count_if(result.measurements, [](const measurement& tested) { return !tested.fault.empty(); });
  return failed == 0 ? "" : fmt::format("{} of {} rungs break a promise", failed, result.measurements.size());
}

/// How many results have no correct digit, although their errors are within bounds: those of sums that cancel.
std::string lost_digits(const ladder_result& result) {
  const auto is_lost = [&](const measurement& tested) {
    return !tested.info.wrong_on_purpose && tested.value != result.exact &&
           !(std::abs(tested.value - result.exact) < std::abs(result.exact));
  };
  const auto lost = std::isfinite(result.exact) ? std::ranges::count_if(result.measurements, is_lost) : 0;
  if (lost == 0) return {};
  return fmt::format("{} of {} rungs return no correct digit, although within their error bounds", lost,
                     result.measurements.size());
}

}  // namespace

std::string summary(const ladder_result& result) {
  constexpr std::size_t max_width = 108;
  std::string text = failures(result);
  for (const std::string& clause : {lost_digits(result), speed(result), race(result), reproducibility(result)}) {
    const std::string joined = text.empty() || clause.empty() ? text + clause : text + "; " + clause;
    if (joined.size() <= max_width) text = joined;
  }
  if (text.empty() && result.measurements.size() == 1) text = result.measurements.front().info.summary;
  if (text.empty()) text = "every rung keeps its promises; exactdot lab --explain RUNG describes a rung";
  return fmt::format("Summary: {}.\n", text);
}

}  // namespace exactdot::lab
