// Workload groups: sums of the elements with the same key, in any order; see workload.hpp. Keys are independent and
// uniform, so groups are about equally large.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lab/fixed_point.hpp>
#include <lab/workload.hpp>
#include <random>

namespace exactdot::lab {
namespace {

/// Fills b with ones, and adds keys.
template <element T>
host_vectors<T> with_keys(host_vectors<T> made, std::uint32_t seed, const division& parts) {
  std::ranges::fill(made.b, T{1});
  std::mt19937 generator(seed + 1);
  made.keys.resize(made.a.size());
  for (std::uint32_t& key : made.keys) key = static_cast<std::uint32_t>(generator() % parts.groups);
  return made;
}

template <element T>
host_vectors<T> group_data(const io::data_request& request, const division& parts) {
  return with_keys(dot_workload().of<T>().data(request, parts), static_cast<std::uint32_t>(request.seed), parts);
}

template <element T>
host_vectors<T> group_integers(std::size_t n, operation op, const division& parts) {
  return with_keys(dot_workload().of<T>().integers(n, op, parts), 1, parts);
}

/// The step of rung fixed_point on these data.
template <element T>
long double step_of(std::span<const T> a) {
  T largest = 0;
  for (const T x : a) largest = std::max(largest, std::abs(x));
  int exponent = 0;
  static_cast<void>(std::frexp(largest, &exponent));
  return std::ldexp(1.0L, exponent - fixed_point_bits(a.size()));
}

template <element T>
std::vector<reference<T>> group_references(const vector_views<T>& vectors, operation op, const division& parts) {
  std::vector<std::size_t> end(parts.groups + 1);  // of the group before, then of the group
  for (const std::uint32_t key : vectors.keys) ++end[key + 1];
  for (std::size_t i = 1; i < end.size(); ++i) end[i] += end[i - 1];
  std::vector<T> sorted(vectors.a.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[end[vectors.keys[i]]++] = vectors.a[i];
  const std::vector<T> ones(sorted.size(), 1);
  const long double step = step_of(vectors.a);
  std::vector<reference<T>> groups;
  groups.reserve(parts.groups);
  for (std::size_t group = 0, first = 0; group < parts.groups; first = end[group++]) {
    const std::size_t count = end[group] - first;
    groups.emplace_back(std::span(sorted).subspan(first, count), std::span(ones).subspan(first, count), op, step);
  }
  return groups;
}

template <element T>
constexpr workload_functions<T> group_functions{group_data<T>, group_integers<T>, group_references<T>};

}  // namespace

workload groups_workload() {
  return {.name = "groups",
          .summary = "sums the elements with the same key; --groups gives the number of keys",
          .terms = "elements",
          .reads_b = false,
          .has_keys = true,
          .results = [](std::size_t, const division& parts) { return parts.groups; },
          .divided = [](std::size_t, const division& parts) { return fmt::format("{} groups", parts.groups); },
          .checked = {{.groups = 1}, {.groups = 7}, {.groups = 200}},
          .of_float = group_functions<float>,
          .of_double = group_functions<double>};
}

}  // namespace exactdot::lab
