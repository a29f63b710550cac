// The promises of a rung, checked; see checks.hpp.
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
using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <element T>
T run_once(const rung& one, bench& on, const task<T>& what, std::uint64_t seed, int launches = 1) {
  on.begin(seed);
  const auto attempt = one.start(what);
  for (int i = 0; i < launches; ++i) attempt->launch();
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

/// 2 where i is a square modulo 61, half where it is none, 1 where 61 divides it: as many of each in any arithmetic
/// progression, so that no thread's partial product grows, whatever its stride.
template <element T>
T square_or_not(std::size_t i) {
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

/// Vectors whose every partial result is representable, and which show every element that is left out. For a sum
/// small integers of both signs, none of them zero. For min, max and absmax the right element is the last one,
/// whatever the length, and for min and max no zero and no element of the other sign hides a wrong start value.
template <element T>
vectors<T> integers(std::size_t n, operation op) {
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
        made.a[i] = square_or_not<T>(i + 1), made.b[i] = sign();
        break;
    }
  }
  return made;
}

template <element T>
bool same(T x, T y) {
  return std::bit_cast<word<T>>(x) == std::bit_cast<word<T>>(y) || (std::isnan(x) && std::isnan(y));
}

/// Writes the error of one value; a NaN stays. Says which promise is broken, if one is.
template <element T>
std::string judge(T value, const reference<T>& right, const shape& size, row& result) {
  const long double error = right.ulps_off(value);
  const long double allowed = right.ulps_allowed(result.info, size);
  if (!(error <= result.ulps) && !std::isnan(result.ulps)) result.ulps = error;
  result.allowed = std::max(result.allowed, allowed);
  if (std::isinf(allowed)) return {};
  if (error <= allowed) {  // not so for a NaN
    if (result.info.error != error_rule::correctly_rounded || same(value, right.value())) return {};
    return fmt::format("{} instead of {}, which is correctly rounded", value, right.value());
  }
  return fmt::format("an error of {:.3g} ulp, where {:.3g} is proved to be the most", error, allowed);
}

/// Keeps the first broken promise.
void blame(row& result, const std::string& fault) {
  if (result.fault.empty()) result.fault = fault;
}

}  // namespace

template <element T>
bool exact_on_integers(const rung& one, bench& on, const conditions& how, row& result) {
  constexpr std::size_t longest = 4100, launched_twice = 257;
  constexpr std::pair<std::size_t, std::size_t> starts[] = {{0, 0}, {1, 1}, {0, 1}, {1, 4}, {1, 2}};
  const vectors<T> whole = integers<T>(longest, how.op);
  const problem<T> all(on, whole.a, whole.b, how.op);
  for (const std::size_t n : {0, 1, 2, 31, 33, 63, 64, 257, 1000, 4096}) {
    for (const auto& [skip_a, skip_b] : starts) {
      if (n < 31 && skip_a + skip_b != 0) continue;
      const reference<T> right(all.a().subspan(skip_a, n), all.b().subspan(skip_b, n), how.op);
      const task<T> what = all.task_for(one, on, how, n, skip_a, skip_b);
      const int launches = n == launched_twice ? 2 : 1;
      const T value = run_once(one, on, what, how.seed + n, launches);
      collect(on, result);
      if (value == right.value() || result.info.wrong_on_purpose) continue;
      blame(result, fmt::format("on integers, n = {}, starts {} and {}{}: {} instead of {}", n, skip_a, skip_b,
                                launches == 1 ? "" : ", launched twice", value, right.value()));
      return false;
    }
  }
  return result.fault.empty();
}

template <element T>
void check_runs(const rung& one, bench& on, const problem<T>& data, const conditions& how, row& result) {
  const task<T> what = data.task_for(one, on, how);
  std::set<word<T>> seen;
  result.ulps = 0;
  for (result.runs = 0; result.runs < std::max(how.runs, 1); ++result.runs) {
    const T value = run_once(one, on, what, how.seed + static_cast<std::uint64_t>(result.runs));
    if (result.runs == 0) {
      result.value = static_cast<double>(value);
      result.counted = on.counted();
    }
    collect(on, result);
    seen.insert(std::bit_cast<word<T>>(value));
    blame(result, judge(value, data.right(), what.size, result));
  }
  result.distinct_results = static_cast<int>(seen.size());
  if (result.runs > 1) result.deterministic = seen.size() == 1;
  if (result.info.same_bits != determinism::none && seen.size() != 1) {
    blame(result, fmt::format("{} different results in {} runs, where one was promised", seen.size(), result.runs));
  }
}

template <element T>
void check_grids(const rung& one, bench& on, const problem<T>& data, const conditions& how, row& result) {
  if (result.info.grid == grid_rule::none || result.info.wrong_on_purpose) return;
  std::set<word<T>> seen{std::bit_cast<word<T>>(static_cast<T>(result.value))};
  std::set<std::pair<unsigned, unsigned>> launched{{result.size.grid, result.size.block}};
  std::vector<conditions> others(3, how);
  others[0].grid = 3, others[1].grid = 17;
  others[2].block = how.block == 128 ? 256 : 128;
  for (const conditions& other : others) {
    const task<T> what = data.task_for(one, on, other);
    if (!launched.emplace(what.size.grid, what.size.block).second) continue;
    const T value = run_once(one, on, what, how.seed);
    collect(on, result);
    seen.insert(std::bit_cast<word<T>>(value));
    const std::string fault = judge(value, data.right(), what.size, result);
    if (!fault.empty()) {
      blame(result, fmt::format("with {} blocks of {}: {}", what.size.grid, what.size.block, fault));
    }
  }
  result.grids = static_cast<int>(launched.size());
  result.distinct_over_grids = static_cast<int>(seen.size());
  if (result.info.same_bits == determinism::always && seen.size() != 1) {
    blame(result,
          fmt::format("{} different results over {} grids, where one was promised", seen.size(), result.grids));
  }
}

template bool exact_on_integers<float>(const rung&, bench&, const conditions&, row&);
template bool exact_on_integers<double>(const rung&, bench&, const conditions&, row&);
template void check_runs(const rung&, bench&, const problem<float>&, const conditions&, row&);
template void check_runs(const rung&, bench&, const problem<double>&, const conditions&, row&);
template void check_grids(const rung&, bench&, const problem<float>&, const conditions&, row&);
template void check_grids(const rung&, bench&, const problem<double>&, const conditions&, row&);

}  // namespace exactdot::lab
