// Checks of a rung's promises; see checks.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <lab/checks.hpp>
#include <random>
#include <set>
#include <type_traits>
#include <utility>

namespace exactdot::lab {
namespace {

template <element T>
using word = typename detail::unsigned_of<sizeof(T)>::type;

template <element T>
T run_once(const rung& tested, executor& device, const rung_input<T>& input, std::uint64_t seed, int launches = 1) {
  device.start_run(seed);
  const auto prepared = tested.prepare(input);
  for (int i = 0; i < launches; ++i) prepared->launch();
  return prepared->result();
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

/// Returns 2 if i is a nonzero square modulo 61, 1/2 if it is not a square, 1 if 61 divides i. Every arithmetic
/// progression whose step 61 does not divide has equally many factors 2 and 1/2 per 61 terms, so partial products
/// stay in range.
template <element T>
T balanced_factor(std::size_t i) {
  constexpr std::size_t modulus = 61;
  if (i % modulus == 0) return 1;
  for (std::size_t root = 1; root < modulus; ++root) {
    if (root * root % modulus == i % modulus) return 2;
  }
  return static_cast<T>(0.5);
}

template <element T>
struct vectors {
  std::vector<T> a, b;
};

/// Makes vectors whose partial results are all representable and in which every omitted element changes the result.
///
/// sum: small nonzero integers of both signs. min, max, absmax: the last element is the result, for every length;
/// min and max have elements of one sign only and no zero, so that a wrong start value shows.
template <element T>
vectors<T> integer_vectors(std::size_t n, operation op) {
  std::mt19937 generator(1);
  const auto small = [&] {
    const int draw = static_cast<int>(generator() % 6) - 3;
    return static_cast<T>(draw < 0 ? draw : draw + 1);
  };
  const auto sign = [&] { return static_cast<T>(generator() % 2 == 0 ? -1 : 1); };
  vectors<T> made{std::vector<T>(n), std::vector<T>(n, 1)};
  for (std::size_t i = 0; i < n; ++i) {
    switch (op) {
      case operation::sum:
        made.a[i] = small(), made.b[i] = small();
        break;
      case operation::min:
        made.a[i] = static_cast<T>(n - i);
        break;
      case operation::max:
        made.a[i] = -static_cast<T>(n - i);
        break;
      case operation::absmax:
        made.a[i] = sign() * static_cast<T>(i + 1);
        break;
      case operation::product:
        made.a[i] = balanced_factor<T>(i + 1), made.b[i] = sign();
        break;
    }
  }
  return made;
}

template <element T>
bool same_bits(T x, T y) {
  return std::bit_cast<word<T>>(x) == std::bit_cast<word<T>>(y) || (std::isnan(x) && std::isnan(y));
}

/// Updates the largest error of `result`; a NaN is kept. Returns which promise the value breaks; empty if none.
template <element T>
std::string check_value(T value, const reference<T>& expected, const launch_config& config, measurement& result) {
  const long double error = expected.error_ulps(value);
  const long double allowed = expected.allowed_ulps(result.info, config);
  if (!(error <= result.error_ulps) && !std::isnan(result.error_ulps)) result.error_ulps = error;
  result.allowed_ulps = std::max(result.allowed_ulps, allowed);
  if (std::isinf(allowed)) return {};
  if (error <= allowed) {  // false for a NaN
    if (result.info.error != error_rule::correctly_rounded || same_bits(value, expected.value())) return {};
    return fmt::format("{} instead of {}, which is correctly rounded", value, expected.value());
  }
  return fmt::format("an error of {:.3g} ulp; the proved bound is {:.3g} ulp", error, allowed);
}

/// Records the first broken promise only.
void record_fault(measurement& result, const std::string& fault) {
  if (result.fault.empty()) result.fault = fault;
}

}  // namespace

template <element T>
bool exact_on_integers(const rung& tested, executor& device, const run_options& options, measurement& result) {
  constexpr std::size_t max_length = 4100, launched_twice = 257;
  constexpr std::pair<std::size_t, std::size_t> starts[] = {{0, 0}, {1, 1}, {0, 1}, {1, 4}, {1, 2}};
  const vectors<T> integers = integer_vectors<T>(max_length, options.op);
  const problem<T> data(device, integers.a, integers.b, options.op);
  for (const std::size_t n : {0, 1, 2, 31, 33, 63, 64, 257, 1000, 4096}) {
    for (const auto& [skip_a, skip_b] : starts) {
      if (n < 31 && skip_a + skip_b != 0) continue;
      const reference<T> expected(data.a().subspan(skip_a, n), data.b().subspan(skip_b, n), options.op);
      const rung_input<T> input = data.input_for(tested, device, options, n, skip_a, skip_b);
      const int launches = n == launched_twice ? 2 : 1;
      const T value = run_once(tested, device, input, options.seed + n, launches);
      collect_findings(device, result);
      if (value == expected.value() || result.info.wrong_on_purpose) continue;
      record_fault(result, fmt::format("on integers, n = {}, starts {} and {}{}: {} instead of {}", n, skip_a,
                                       skip_b, launches == 1 ? "" : ", launched twice", value, expected.value()));
      return false;
    }
  }
  return result.fault.empty();
}

template <element T>
void check_runs(const rung& tested, executor& device, const problem<T>& data, const run_options& options,
                measurement& result) {
  const rung_input<T> input = data.input_for(tested, device, options);
  std::set<word<T>> results;
  result.error_ulps = 0;
  for (result.runs = 0; result.runs < std::max(options.runs, 1); ++result.runs) {
    device.count_costs(result.runs == 0);
    const T value = run_once(tested, device, input, options.seed + static_cast<std::uint64_t>(result.runs));
    if (result.runs == 0) {
      result.value = static_cast<double>(value);
      result.counts = device.read_counters();
    }
    collect_findings(device, result);
    results.insert(std::bit_cast<word<T>>(value));
    record_fault(result, check_value(value, data.reference(), input.config, result));
  }
  device.count_costs(false);
  result.distinct_results = static_cast<int>(results.size());
  if (result.runs > 1) result.deterministic = results.size() == 1;
  if (result.info.same_bits != determinism::none && results.size() != 1) {
    record_fault(
        result, fmt::format("{} different results in {} runs; the rung promises one", results.size(), result.runs));
  }
}

template <element T>
void check_grids(const rung& tested, executor& device, const problem<T>& data, const run_options& options,
                 measurement& result) {
  if (result.info.grid == grid_rule::none || result.info.wrong_on_purpose) return;
  std::set<word<T>> results{std::bit_cast<word<T>>(static_cast<T>(result.value))};
  std::set<std::pair<unsigned, unsigned>> launched{{result.config.grid, result.config.block}};
  std::vector<run_options> others(3, options);
  others[0].grid = 3, others[1].grid = 17;
  others[2].block = options.block == 128 ? 256 : 128;
  for (const run_options& other : others) {
    const rung_input<T> input = data.input_for(tested, device, other);
    if (!launched.emplace(input.config.grid, input.config.block).second) continue;
    const T value = run_once(tested, device, input, options.seed);
    collect_findings(device, result);
    results.insert(std::bit_cast<word<T>>(value));
    const std::string fault = check_value(value, data.reference(), input.config, result);
    if (!fault.empty()) {
      record_fault(result, fmt::format("with {} blocks of {}: {}", input.config.grid, input.config.block, fault));
    }
  }
  result.grids = static_cast<int>(launched.size());
  result.distinct_over_grids = static_cast<int>(results.size());
  if (result.info.same_bits == determinism::always && results.size() != 1) {
    record_fault(result, fmt::format("{} different results over {} grids; the rung promises one", results.size(),
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
