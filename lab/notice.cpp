// What to notice; see notice.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lab/notice.hpp>

namespace exactdot::lab {
namespace {

const row* find(const ladder_result& result, std::string_view name) {
  const auto found =
      std::ranges::find(result.rows, name, [](const row& one) { return std::string_view(one.info.name); });
  return found == result.rows.end() ? nullptr : &*found;
}

/// The fastest rung of ours that finishes on the device.
const row* fastest(const ladder_result& result) {
  const row* best = nullptr;
  for (const row& one : result.rows) {
    const bool ours =
        one.info.blocks != block_rule::none && !one.info.wrong_on_purpose && !one.info.host_finishes && one.seconds;
    if (ours && (best == nullptr || *one.seconds < *best->seconds)) best = &one;
  }
  return best;
}

std::string speed(const ladder_result& result) {
  const row* const best = fastest(result);
  if (best == nullptr || !result.naive || !result.cublas) return {};
  return fmt::format("{} takes 1/{:.0f} of the time of atomic_per_element and {:.2f} x that of cublas",
                     best->info.name, *result.naive / *best->seconds, *best->seconds / *result.cublas);
}

std::string race(const ladder_result& result) {
  const row* const racy = find(result, "racy");
  if (racy == nullptr || racy->correct.value_or(true)) return {};
  const std::string text = fmt::format("racy gives {:.4g} where {:.4g} is right", racy->value, result.exact);
  if (racy->found.empty()) return text;
  const finding& first = racy->found.front();
  return fmt::format("{} ({}, {}:{})", text, first.kind, first.file, first.line);
}

std::string order(const ladder_result& result) {
  std::string moving, steady;
  for (const row& one : result.rows) {
    if (one.info.wrong_on_purpose || one.info.blocks == block_rule::none) continue;
    if (one.distinct_results > 1 && moving.empty()) {
      moving = fmt::format("{} has {} results in {} runs", one.info.name, one.distinct_results, one.runs);
    }
    if (one.info.same_bits != determinism::none) steady = one.info.name;
  }
  if (moving.empty() || steady.empty()) return moving;
  return moving + ", " + steady + " one";
}

std::string failures(const ladder_result& result) {
  const auto failed = std::ranges::count_if(result.rows, [](const row& one) { return !one.fault.empty(); });
  return failed == 0 ? "" : fmt::format("{} of {} rungs break a promise", failed, result.rows.size());
}

}  // namespace

std::string notice(const ladder_result& result) {
  std::string text = failures(result);
  for (const std::string& part : {speed(result), race(result), order(result)}) {
    const std::string joined = text.empty() || part.empty() ? text + part : text + "; " + part;
    if (joined.size() <= 108) text = joined;
  }
  if (text.empty() && result.rows.size() == 1) text = result.rows.front().info.notice;
  if (text.empty()) text = "every rung keeps its promise; exactdot lab --explain RUNG says what it is";
  return fmt::format("Notice: {}.\n", text);
}

}  // namespace exactdot::lab
