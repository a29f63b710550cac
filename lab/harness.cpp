// Harness; see harness.hpp.
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

constexpr std::size_t samples_per_median = 5;

double median_of(std::vector<double> samples) {
  std::ranges::nth_element(samples, samples.begin() + samples_per_median / 2);
  return samples[samples_per_median / 2];
}

/// Returns the median of five calls.
template <class Function>
double median_seconds(Function&& function) {
  std::vector<double> samples(samples_per_median);
  for (double& sample : samples) {
    const auto start = std::chrono::steady_clock::now();
    function();
    sample = seconds_since(start);
  }
  return median_of(samples);
}

/// Returns the medians of five completions of a result whose kernels have ended.
template <element T>
finish_times median_finish(prepared_rung<T>& prepared) {
  std::vector<double> copies, additions;
  prepared.launch();
  static_cast<void>(prepared.result());
  for (std::size_t i = 0; i < samples_per_median; ++i) {
    static_cast<void>(prepared.result());
    copies.push_back(prepared.last_finish().copy);
    additions.push_back(prepared.last_finish().add);
  }
  return {median_of(copies), median_of(additions)};
}

template <element T>
const T* pointer_for(const rung& user, std::span<const T> host, const T* device, std::size_t skip) {
  const T* const first = user.target == backend::host ? host.data() : device;
  return first == nullptr ? first : first + skip;
}

/// Returns whether the error is at most the bound of a binary tree. Applies to rungs that are wrong on purpose: the
/// bound for an arbitrary order, n roundings, would not distinguish lost updates from rounding.
template <element T>
bool within_tree_bound(const std::vector<reference<T>>& expected, const measurement& result) {
  rung_info tree;
  tree.roundings = [](const launch_config& config) -> std::uint64_t { return tree_depth(config.n) + 1; };
  return std::ranges::any_of(expected, [&](const reference<T>& one) {
    return result.error_ulps <= one.allowed_ulps(tree, result.config);
  });
}

/// Returns whether the rung's promise covers every result.
template <element T>
bool covers(const rung_info& info, const std::vector<reference<T>>& expected, const launch_config& config) {
  return std::ranges::none_of(expected,
                              [&](const reference<T>& one) { return std::isinf(one.allowed_ulps(info, config)); });
}

}  // namespace

template <element T>
problem<T>::problem(executor& device, std::span<const T> a, std::span<const T> b, operation op,
                    const workload& kind)
    : a_(a),
      b_(b),
      a_copy_(device.upload(a.data(), a.size_bytes())),
      b_copy_(device.upload(b.data(), b.size_bytes())),
      results_(kind.results),
      references_(kind.of<T>().references(a, b, op)) {}

template <element T>
rung_input<T> problem<T>::input_for(const rung& user, executor& device, const run_options& options, std::size_t n,
                                    std::size_t skip_a, std::size_t skip_b) const {
  return {device.stream(),
          pointer_for(user, a_, device_a(), skip_a),
          pointer_for(user, b_, device_b(), skip_b),
          options.op,
          choose_launch_config(user.info, n, options.block, options.grid, device.multiprocessors()),
          results_(n)};
}

template <element T>
std::optional<double> kernel_seconds(const rung& timed, executor& device, const problem<T>& data,
                                     const run_options& options) {
  const auto prepared = timed.prepare(data.input_for(timed, device, options));
  if (timed.target != backend::host) return device.seconds_per_call([&] { prepared->launch(); });
  if (device.target() != backend::cuda) return {};  // simulated kernels have no time to compare with
  prepared->launch();
  return median_seconds([&] { prepared->launch(); });
}

template <element T>
measurement measure(const rung& tested, executor& device, const problem<T>& data, const run_options& options) {
  measurement result;
  result.info = tested.info;
  result.on_host = tested.target == backend::host;
  result.config = data.input_for(tested, device, options).config;
  const bool exact = exact_on_integers<T>(tested, device, options, result);
  check_runs(tested, device, data, options, result);
  if (exact) check_grids(tested, device, data, options, result);
  if (covers(tested.info, data.references(), result.config)) {
    result.correct = result.fault.empty();
  } else if (!result.fault.empty()) {
    result.correct = false;
  }
  if (tested.info.wrong_on_purpose) result.correct = within_tree_bound(data.references(), result);
  if (!result.fault.empty()) return result;
  result.seconds = kernel_seconds(tested, device, data, options);
  if (result.seconds && tested.info.host_finishes) {
    result.finish = median_finish(*tested.prepare(data.input_for(tested, device, options)));
  }
  return result;
}

template class problem<float>;
template class problem<double>;
template measurement measure(const rung&, executor&, const problem<float>&, const run_options&);
template measurement measure(const rung&, executor&, const problem<double>&, const run_options&);
template std::optional<double> kernel_seconds(const rung&, executor&, const problem<float>&, const run_options&);
template std::optional<double> kernel_seconds(const rung&, executor&, const problem<double>&, const run_options&);

}  // namespace exactdot::lab
