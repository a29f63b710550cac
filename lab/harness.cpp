// The harness; see harness.hpp.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <lab/checks.hpp>
#include <lab/harness.hpp>

namespace exactdot::lab {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The median of a few calls.
template <class Function>
double median_seconds(Function&& function) {
  std::vector<double> samples(5);
  for (double& sample : samples) {
    const auto start = std::chrono::steady_clock::now();
    function();
    sample = seconds_since(start);
  }
  std::ranges::nth_element(samples, samples.begin() + 2);
  return samples[2];
}

template <element T>
const T* in_reach(const rung& one, std::span<const T> host, const T* device, std::size_t skip) {
  const T* const first = one.where == world::host ? host.data() : device;
  return first == nullptr ? first : first + skip;
}

/// Whether the error is no more than that of a sum by a binary tree. For what is wrong on purpose: a bound for any
/// order, n roundings, would let lost updates pass for rounding.
template <element T>
bool right_like_a_tree(const reference<T>& right, const row& result) {
  rung_info tree;
  tree.roundings = [](const shape& size) -> std::uint64_t { return levels(size.n) + 1; };
  return result.ulps <= right.ulps_allowed(tree, result.size);
}

}  // namespace

template <element T>
problem<T>::problem(bench& on, std::span<const T> a, std::span<const T> b, operation op)
    : a_(a),
      b_(b),
      a_copy_(on.upload(a.data(), a.size_bytes())),
      b_copy_(on.upload(b.data(), b.size_bytes())),
      right_(a, b, op) {}

template <element T>
task<T> problem<T>::task_for(const rung& one, bench& on, const conditions& how, std::size_t n, std::size_t skip_a,
                             std::size_t skip_b) const {
  return {on.stream(), in_reach(one, a_, device_a(), skip_a), in_reach(one, b_, device_b(), skip_b), how.op,
          choose_shape(one.info, n, how.block, how.grid, on.multiprocessors())};
}

template <element T>
std::optional<double> time_of(const rung& one, bench& on, const problem<T>& data, const conditions& how) {
  const auto attempt = one.start(data.task_for(one, on, how));
  if (one.where != world::host) return on.seconds([&] { attempt->launch(); });
  if (on.where() != world::cuda) return {};  // a time beside simulated kernels would compare nothing
  attempt->launch();
  return median_seconds([&] { attempt->launch(); });
}

template <element T>
row measure(const rung& one, bench& on, const problem<T>& data, const conditions& how) {
  row result;
  result.info = one.info;
  result.size = data.task_for(one, on, how).size;
  const bool exact = exact_on_integers<T>(one, on, how, result);
  check_runs(one, on, data, how, result);
  if (exact) check_grids(one, on, data, how, result);
  if (!std::isinf(data.right().ulps_allowed(one.info, result.size))) {
    result.correct = result.fault.empty();
  } else if (!result.fault.empty()) {
    result.correct = false;
  }
  if (one.info.wrong_on_purpose) result.correct = right_like_a_tree(data.right(), result);
  if (!result.fault.empty()) return result;
  result.seconds = time_of(one, on, data, how);
  if (result.seconds && one.info.host_finishes) {
    const auto attempt = one.start(data.task_for(one, on, how));
    attempt->launch();
    static_cast<void>(attempt->result());
    result.finish_seconds = median_seconds([&] { static_cast<void>(attempt->result()); });
  }
  return result;
}

template class problem<float>;
template class problem<double>;
template row measure(const rung&, bench&, const problem<float>&, const conditions&);
template row measure(const rung&, bench&, const problem<double>&, const conditions&);
template std::optional<double> time_of(const rung&, bench&, const problem<float>&, const conditions&);
template std::optional<double> time_of(const rung&, bench&, const problem<double>&, const conditions&);

}  // namespace exactdot::lab
