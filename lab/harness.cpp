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

template <class E>
const E* pointer_for(const rung& user, std::span<const E> host, const device_memory& device, std::size_t skip) {
  const E* const first = user.target == backend::host ? host.data() : static_cast<const E*>(device.data());
  return first == nullptr ? first : first + skip;
}

/// Returns whether the rung's promise covers every result.
template <element T>
bool covers(const rung_info& info, const std::vector<reference<T>>& expected, const launch_config& config) {
  return std::ranges::none_of(expected,
                              [&](const reference<T>& one) { return std::isinf(one.allowed_ulps(info, config)); });
}

}  // namespace

template <element T>
problem<T>::problem(executor& device, const vector_views<T>& vectors, operation op, const workload& kind,
                    const division& parts)
    : vectors_(vectors),
      a_copy_(device.upload(vectors.a.data(), vectors.a.size_bytes())),
      b_copy_(device.upload(vectors.b.data(), vectors.b.size_bytes())),
      keys_copy_(device.upload(vectors.keys.data(), vectors.keys.size_bytes())),
      results_(kind.results),
      parts_(parts),
      references_(kind.of<T>().references(vectors, op, parts)) {}

template <element T>
rung_input<T> problem<T>::input_for(const rung& user, executor& device, const run_options& options, std::size_t n,
                                    std::size_t skip_a, std::size_t skip_b) const {
  return {device.stream(),
          pointer_for(user, vectors_.a, *a_copy_, skip_a),
          pointer_for(user, vectors_.b, *b_copy_, skip_b),
          options.op,
          choose_launch_config(user.info, n, options.block, options.grid, device.multiprocessors(), parts_),
          results_(n, parts_),
          vectors_.keys.empty() ? nullptr : pointer_for(user, vectors_.keys, *keys_copy_, skip_a)};
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
  if (tested.info.wrong_on_purpose) result.correct = result.within_tree_bound;
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
