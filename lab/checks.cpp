// Checks of a rung's promises; see checks.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <lab/checks.hpp>
#include <set>
#include <utility>

namespace exactdot::lab {
namespace {

template <element T>
using word = typename detail::unsigned_of<sizeof(T)>::type;

template <element T>
std::vector<T> run_once(const rung& tested, executor& device, const rung_input<T>& input, std::uint64_t seed,
                        int launches = 1) {
  device.start_run(seed);
  const auto prepared = tested.prepare(input);
  for (int i = 0; i < launches; ++i) prepared->launch();
  return prepared->results();
}

template <element T>
std::vector<word<T>> bits_of(const std::vector<T>& results) {
  std::vector<word<T>> bits(results.size());
  std::ranges::transform(results, bits.begin(), [](T value) { return std::bit_cast<word<T>>(value); });
  return bits;
}

/// Adds the findings of the last run to the result; each kind and source line once.
void collect_findings(const executor& device, measurement& result) {
  for (const finding& reported : device.findings()) {
    const bool known = std::ranges::any_of(result.findings, [&](const finding& other) {
      return other.kind == reported.kind && other.file == reported.file && other.line == reported.line;
    });
    if (!known) result.findings.push_back(reported);
  }
  if (!result.findings.empty() && !result.info.wrong_on_purpose && result.fault.empty()) {
    result.fault = "the simulator reports: " + result.findings.front().text;
  }
}

template <element T>
bool same_bits(T x, T y) {
  return std::bit_cast<word<T>>(x) == std::bit_cast<word<T>>(y) || (std::isnan(x) && std::isnan(y));
}

/// Returns whether the error is at most the bound of a binary tree. For rungs that are wrong on purpose: the bound
/// for an arbitrary order, n roundings, would not distinguish lost updates from rounding.
template <element T>
bool within_tree_bound(long double error, const reference<T>& expected, const launch_config& config) {
  rung_info tree;
  tree.roundings = [](const launch_config& of) -> std::uint64_t { return tree_depth(of.n) + 1; };
  return error <= expected.allowed_ulps(tree, config);
}

/// Updates the largest error of `result`; a NaN is kept. Returns which promise the value breaks; empty if none.
template <element T>
std::string check_value(T value, const reference<T>& expected, const launch_config& config, measurement& result) {
  const long double error = expected.error_ulps(value);
  const long double allowed = expected.allowed_ulps(result.info, config);
  if (!(error <= result.error_ulps) && !std::isnan(result.error_ulps)) result.error_ulps = error;
  result.allowed_ulps = std::max(result.allowed_ulps, allowed);
  result.within_tree_bound = result.within_tree_bound && within_tree_bound(error, expected, config);
  if (std::isinf(allowed)) return {};
  if (error <= allowed) {  // false for a NaN
    if (result.info.error != error_rule::correctly_rounded || same_bits(value, expected.value())) return {};
    return fmt::format("{} instead of {}, which is correctly rounded", value, expected.value());
  }
  return fmt::format("an error of {:.3g} ulp; the proved bound is {:.3g} ulp", error, allowed);
}

/// Returns "" if `broken`, a broken promise of result i, is empty; else names the result, if there are several.
std::string of_result(std::size_t i, std::size_t count, const std::string& broken) {
  return broken.empty() || count == 1 ? broken : fmt::format("result {}: {}", i, broken);
}

/// Applies `broken(value, reference)` to every result; returns its first sentence that is not empty.
template <element T, class Broken>
std::string first_broken(const std::vector<T>& results, const std::vector<reference<T>>& expected,
                         const Broken& broken) {
  if (results.size() != expected.size()) {
    return fmt::format("{} results instead of {}", results.size(), expected.size());
  }
  std::string first;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string sentence = of_result(i, results.size(), broken(results[i], expected[i]));
    if (first.empty()) first = sentence;
  }
  return first;
}

template <element T>
std::string check_results(const std::vector<T>& results, const std::vector<reference<T>>& expected,
                          const launch_config& config, measurement& result) {
  return first_broken(results, expected, [&](T value, const reference<T>& wanted) {
    return check_value(value, wanted, config, result);
  });
}

template <element T>
std::string difference_of(const std::vector<T>& results, const std::vector<reference<T>>& expected) {
  return first_broken(results, expected, [](T value, const reference<T>& wanted) {
    return value == wanted.value() ? "" : fmt::format("{} instead of {}", value, wanted.value());
  });
}

/// Records the first broken promise only.
void record_fault(measurement& result, const std::string& fault) {
  if (result.fault.empty()) result.fault = fault;
}

/// The check on integers with one division of the elements.
template <element T>
bool exact_on_divided_integers(const rung& tested, executor& device, const run_options& options,
                               const division& parts, measurement& result) {
  constexpr std::size_t max_length = 4100, launched_twice = 257;
  constexpr std::pair<std::size_t, std::size_t> starts[] = {{0, 0}, {1, 1}, {0, 1}, {1, 4}, {1, 2}};
  const workload& kind = find_workload(tested.info.workload);
  const host_vectors<T> integers = kind.of<T>().integers(max_length, options.op, parts);
  const problem<T> data(device, integers, options.op, kind, parts);
  for (const std::size_t n : {0, 1, 2, 31, 33, 63, 64, 257, 1000, 4096}) {
    for (const auto& [skip_a, skip_b] : starts) {
      if (n < 31 && skip_a + skip_b != 0) continue;
      const std::vector<reference<T>> expected =
          kind.of<T>().references(data.vectors().part(n, skip_a, skip_b), options.op, parts);
      const rung_input<T> input = data.input_for(tested, device, options, n, skip_a, skip_b);
      const int launches = n == launched_twice ? 2 : 1;
      const std::string difference =
          difference_of(run_once(tested, device, input, options.seed + n, launches), expected);
      collect_findings(device, result);
      if (difference.empty() || result.info.wrong_on_purpose) continue;
      record_fault(result, fmt::format("on integers, n = {}{}, starts {} and {}{}: {}", n,
                                       kind.divided != nullptr ? " in " + kind.divided(n, parts) : "", skip_a,
                                       skip_b, launches == 1 ? "" : ", launched twice", difference));
      return false;
    }
  }
  return result.fault.empty();
}

}  // namespace

template <element T>
bool exact_on_integers(const rung& tested, executor& device, const run_options& options, measurement& result) {
  return std::ranges::all_of(find_workload(tested.info.workload).checked, [&](const division& parts) {
    return exact_on_divided_integers<T>(tested, device, options, parts, result);
  });
}

template <element T>
void check_runs(const rung& tested, executor& device, const problem<T>& data, const run_options& options,
                measurement& result) {
  const rung_input<T> input = data.input_for(tested, device, options);
  std::set<std::vector<word<T>>> different;
  result.error_ulps = 0;
  for (result.runs = 0; result.runs < std::max(options.runs, 1); ++result.runs) {
    device.count_costs(result.runs == 0);
    const std::vector<T> results =
        run_once(tested, device, input, options.seed + static_cast<std::uint64_t>(result.runs));
    if (result.runs == 0) {
      result.values.assign(results.begin(), results.end());
      if (!results.empty()) result.value = result.values.front();
      result.counts = device.read_counters();
    }
    collect_findings(device, result);
    different.insert(bits_of(results));
    record_fault(result, check_results(results, data.references(), input.config, result));
  }
  device.count_costs(false);
  result.distinct_results = static_cast<int>(different.size());
  if (result.runs > 1) result.deterministic = different.size() == 1;
  if (result.info.same_bits != determinism::none && different.size() != 1) {
    record_fault(result, fmt::format("{} different results in {} runs; the rung promises one", different.size(),
                                     result.runs));
  }
}

template <element T>
void check_grids(const rung& tested, executor& device, const problem<T>& data, const run_options& options,
                 measurement& result) {
  if (result.info.grid == grid_rule::none || result.info.wrong_on_purpose) return;
  std::set<std::vector<word<T>>> different{bits_of(std::vector<T>(result.values.begin(), result.values.end()))};
  std::set<std::pair<unsigned, unsigned>> launched{{result.config.grid, result.config.block}};
  std::vector<run_options> others(3, options);
  others[0].grid = 3, others[1].grid = 17;
  others[2].block = options.block == 128 ? 256 : 128;
  for (const run_options& other : others) {
    const rung_input<T> input = data.input_for(tested, device, other);
    if (!launched.emplace(input.config.grid, input.config.block).second) continue;
    const std::vector<T> results = run_once(tested, device, input, options.seed);
    collect_findings(device, result);
    different.insert(bits_of(results));
    const std::string fault = check_results(results, data.references(), input.config, result);
    if (!fault.empty()) {
      record_fault(result, fmt::format("with {} blocks of {}: {}", input.config.grid, input.config.block, fault));
    }
  }
  result.grids = static_cast<int>(launched.size());
  result.distinct_over_grids = static_cast<int>(different.size());
  if (result.info.same_bits == determinism::always && different.size() != 1) {
    record_fault(result, fmt::format("{} different results over {} grids; the rung promises one", different.size(),
                                     result.grids));
  }
}

template bool exact_on_integers<float>(const rung&, executor&, const run_options&, measurement&);
template bool exact_on_integers<double>(const rung&, executor&, const run_options&, measurement&);
template void check_runs(const rung&, executor&, const problem<float>&, const run_options&, measurement&);
template void check_runs(const rung&, executor&, const problem<double>&, const run_options&, measurement&);
template void check_grids(const rung&, executor&, const problem<float>&, const run_options&, measurement&);
template void check_grids(const rung&, executor&, const problem<double>&, const run_options&, measurement&);

}  // namespace exactdot::lab
