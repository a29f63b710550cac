// The promises of a rung, checked; see checks.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <lab/checks.hpp>
#include <random>
#include <set>
#include <type_traits>

namespace exactdot::lab {
namespace {

template <element T>
using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <element T>
T run_once(const rung& one, bench& on, const task<T>& what, std::uint64_t seed) {
  on.begin(seed);
  const auto attempt = one.start(what);
  attempt->launch();
  return attempt->result();
}

/// Findings of the last run, each place once.
void collect(const bench& on, row& result) {
  for (const finding& one : on.found()) {
    const bool known = std::ranges::any_of(result.found, [&](const finding& other) {
      return other.kind == one.kind && other.file == one.file && other.line == one.line;
    });
    if (!known) result.found.push_back(one);
  }
  if (!result.found.empty() && !result.info.wrong_on_purpose && result.fault.empty()) {
    result.fault = "the simulator found: " + result.found.front().text;
  }
}

/// Small integers of both signs; for products ones, twos and halves, so that no partial product grows.
template <element T>
std::vector<T> integers(std::size_t n, operation op, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto draw = generator();
    const T small = static_cast<T>(static_cast<int>(draw % 7) - 3);
    x[i] = op != operation::product ? small
                                    : static_cast<T>(draw % 2 == 0 ? -1 : 1) * static_cast<T>(i % 64 == 5 ? 2 : 1);
    if (op == operation::product && i % 64 == 7) x[i] = static_cast<T>(0.5);
  }
  return x;
}

/// Writes the error of one value; true when the rung's promise holds.
template <element T>
bool judge(T value, const reference<T>& right, const shape& size, row& result) {
  const long double error = right.ulps_off(value);
  const long double allowed = right.ulps_allowed(result.info, size);
  if (!(error <= result.ulps)) result.ulps = error;  // also where there is none yet
  result.allowed = std::max(result.allowed, allowed);
  if (std::isinf(allowed)) return true;
  if (result.info.error == error_rule::correctly_rounded && !(value == right.value()) &&
      !(std::isnan(value) && std::isnan(right.value()))) {
    return false;
  }
  return error <= allowed;
}

}  // namespace

template <element T>
bool exact_on_integers(const rung& one, bench& on, const conditions& how, row& result) {
  constexpr std::size_t longest = 4099;
  const std::vector<T> a = integers<T>(longest, how.op, 1), b = integers<T>(longest, how.op, 2);
  const problem<T> all(on, a, b, how.op);
  for (const std::size_t n : {0, 1, 2, 31, 33, 63, 64, 257, 1000, 4096}) {
    for (const auto& [skip_a, skip_b] : {std::pair(0, 0), std::pair(1, 1), std::pair(1, 2)}) {
      if (n < 31 && skip_a != 0) continue;
      const reference<T> right(all.a().subspan(skip_a, n), all.b().subspan(skip_b, n), how.op);
      const task<T> what = all.task_for(one, on, how, n, skip_a, skip_b);
      const T value = run_once(one, on, what, how.seed + n);
      collect(on, result);
      if (value == right.value() || result.info.wrong_on_purpose) continue;
      result.fault = fmt::format("on integers, n = {}, starts {} and {}: {} instead of {}", n, skip_a, skip_b,
                                 value, right.value());
      return false;
    }
  }
  return result.fault.empty();
}

template <element T>
void check_runs(const rung& one, bench& on, const problem<T>& data, const conditions& how, row& result) {
  const task<T> what = data.task_for(one, on, how);
  std::set<word<T>> seen;
  bool kept = true;
  for (result.runs = 0; result.runs < std::max(how.runs, 1); ++result.runs) {
    const T value = run_once(one, on, what, how.seed + static_cast<std::uint64_t>(result.runs));
    if (result.runs == 0) {
      result.value = static_cast<double>(value);
      result.counted = on.counted();
    }
    collect(on, result);
    seen.insert(std::bit_cast<word<T>>(value));
    kept = judge(value, data.right(), what.size, result) && kept;
  }
  result.distinct_results = static_cast<int>(seen.size());
  result.deterministic = seen.size() == 1;
  if (!kept && result.fault.empty()) {
    result.fault =
        fmt::format("an error of {:.3g} ulp, where {:.3g} is proved to be the most", result.ulps, result.allowed);
  }
  if (result.info.same_bits != determinism::none && seen.size() != 1 && result.fault.empty()) {
    result.fault = fmt::format("{} different results in {} runs, where one was promised", seen.size(), result.runs);
  }
}

template <element T>
void check_grids(const rung& one, bench& on, const problem<T>& data, const conditions& how, row& result) {
  if (result.info.grid == grid_rule::none || result.info.wrong_on_purpose) return;
  std::set<word<T>> seen{std::bit_cast<word<T>>(static_cast<T>(result.value))};
  result.grids = 1;
  std::vector<conditions> others(3, how);
  others[0].grid = 3, others[1].grid = 17;
  others[2].block = how.block == 128 ? 256 : 128;
  for (const conditions& other : others) {
    const task<T> what = data.task_for(one, on, other);
    const T value = run_once(one, on, what, how.seed);
    collect(on, result);
    ++result.grids;
    seen.insert(std::bit_cast<word<T>>(value));
    if (!judge(value, data.right(), what.size, result) && result.fault.empty()) {
      result.fault =
          fmt::format("with {} blocks of {}: an error of {:.3g} ulp, where {:.3g} is proved to be the most",
                      what.size.grid, what.size.block, result.ulps, result.allowed);
    }
  }
  result.distinct_over_grids = static_cast<int>(seen.size());
  if (result.info.same_bits == determinism::always && seen.size() != 1 && result.fault.empty()) {
    result.fault =
        fmt::format("{} different results over {} grids, where one was promised", seen.size(), result.grids);
  }
}

template bool exact_on_integers<float>(const rung&, bench&, const conditions&, row&);
template bool exact_on_integers<double>(const rung&, bench&, const conditions&, row&);
template void check_runs(const rung&, bench&, const problem<float>&, const conditions&, row&);
template void check_runs(const rung&, bench&, const problem<double>&, const conditions&, row&);
template void check_grids(const rung&, bench&, const problem<float>&, const conditions&, row&);
template void check_grids(const rung&, bench&, const problem<double>&, const conditions&, row&);

}  // namespace exactdot::lab
