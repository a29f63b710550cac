// Rounds of samples and their evaluation; see measure.hpp.
//
// The number of calls per sample is determined for each series before the first round. Medians and quartiles
// tolerate samples that the system interrupts. The error is that of one further call, relative to the exact result.
#include "measure.hpp"

#include <algorithm>
#include <cstdint>
#include <exactdot/element.hpp>
#include <limits>
#include <numeric>
#include <random>
#include <thread>

#include "exact_result.hpp"
#include "quantile.hpp"

namespace bench {
namespace {

using clock = std::chrono::steady_clock;

// Idle OpenBLAS workers spin for 2^26 cycles, OpenMP workers for a few milliseconds. Before a threaded sample the
// benchmark waits until other peers' workers have released the cores.
constexpr std::chrono::milliseconds worker_spin_time{45};

/// The samples of one peer on one data set.
template <class T>
struct sample_series {
  const peer* measured_peer;
  const vectors<T>* data;
  std::size_t calls = 1;
  std::vector<double> samples = {};

  /// Returns the seconds of `calls` calls. A volatile result keeps the compiler from removing calls.
  double run() const {
    auto* reduce = measured_peer->function<T>();
    const int n = static_cast<int>(data->size());
    volatile T sink;
    const auto start = clock::now();
    for (std::size_t i = 0; i < calls; ++i) sink = reduce(n, data->a(), 1, data->b(), 1);
    (void)sink;
    return std::chrono::duration<double>(clock::now() - start).count();
  }

  /// Sets `calls` so that a run lasts at least `min_seconds`.
  void calibrate(double min_seconds) {
    run();
    for (double seconds = run(); seconds < min_seconds; seconds = run())
      calls = std::max(calls + 1, static_cast<std::size_t>(static_cast<double>(calls) *
                                                           std::clamp(1.2 * min_seconds / seconds, 1.0, 100.0)));
  }
};

template <class T>
void run_rounds(std::vector<sample_series<T>>& all_series, int threads, const sampling& settings) {
  const double min_seconds = std::chrono::duration<double>(settings.min_sample).count();
  for (auto& series : all_series) series.calibrate(min_seconds);
  std::vector<std::size_t> order(all_series.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(1);
  for (int round = 0; round < settings.rounds; ++round) {
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order) {
      auto& series = all_series[i];
      if (threads > 1) std::this_thread::sleep_for(worker_spin_time);
      series.run();  // warm-up: wakes the peer's workers and fills the caches
      series.samples.push_back(series.run() / static_cast<double>(series.calls) * 1e9);
    }
  }
}

unsigned modulo_64(const void* address) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(address) % 64);
}

}  // namespace

template <class T>
std::vector<measurement> measure(reduction what, const std::vector<peer>& peers,
                                 const std::vector<vectors<T>>& data, int threads, const sampling& settings) {
  std::vector<sample_series<T>> all_series;
  std::vector<exact_result<T>> exact_results;  // parallel to `data`
  for (const auto& set : data) {
    exact_results.emplace_back(what, set, 1);  // one thread: no workers are awake during the timing that follows
    for (const auto& peer : peers) {
      if (&set != &data.front() && &peer != &peers.front()) continue;  // hostile data: exact alone
      if (threads > 1 && peer.set_threads == nullptr) continue;
      if (peer.set_threads != nullptr) peer.set_threads(threads);
      all_series.push_back({&peer, &set});
    }
  }
  run_rounds(all_series, threads, settings);

  std::vector<measurement> measurements;
  for (auto& [peer, set, calls, samples] : all_series) {
    std::ranges::sort(samples);
    const double median = quantile(samples, 0.5);
    const auto& exact = exact_results[static_cast<std::size_t>(set - data.data())];
    double error = std::numeric_limits<double>::quiet_NaN();
    if (!peer->only_reads) {
      const T value = peer->template function<T>()(static_cast<int>(set->size()), set->a(), 1, set->b(), 1);
      error = exact.error_ulps(word_of(value));
    }
    measurements.push_back({std::string(exactdot::name_of(exactdot::type_of<T>)), set->size(), threads, set->data(),
                            peer->name, median, (quantile(samples, 0.75) - quantile(samples, 0.25)) / median, error,
                            modulo_64(set->a()), modulo_64(set->b()), exactdot::inputs_of(what)});
  }
  return measurements;
}

template std::vector<measurement> measure(reduction, const std::vector<peer>&, const std::vector<vectors<float>>&,
                                          int, const sampling&);
template std::vector<measurement> measure(reduction, const std::vector<peer>&, const std::vector<vectors<double>>&,
                                          int, const sampling&);

}  // namespace bench
