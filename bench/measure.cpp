// Rounds of samples, and what is made of them; see measure.hpp.
//
// The number of calls in a sample is found for each contender before the first round. Quartiles, not means: whom
// the system interrupts loses a sample, not the row. The error is that of one more call, against the exact sum.
#include "measure.hpp"

#include <algorithm>
#include <cstdint>
#include <exactdot/accumulator.hpp>
#include <io/dtype.hpp>
#include <lab/ulp_error.hpp>
#include <numeric>
#include <random>
#include <span>
#include <thread>

namespace bench {
namespace {

using clock = std::chrono::steady_clock;

// Idle workers of OpenBLAS spin for 2^26 cycles and those of OpenMP for a few milliseconds: a peer must not be
// timed while another one's workers still hold the cores.
constexpr std::chrono::milliseconds workers_fall_asleep{45};

template <class T>
struct contender {
  const peer* who;
  const vectors<T>* on;
  std::size_t calls = 1;
  std::vector<double> samples = {};

  /// Seconds of `calls` calls. The result leaves through a volatile, so that no call is dropped.
  double run() const {
    auto* dot = who->function<T>();
    const int n = static_cast<int>(on->size());
    volatile T sink;
    const auto start = clock::now();
    for (std::size_t i = 0; i < calls; ++i) sink = dot(n, on->a(), 1, on->b(), 1);
    (void)sink;
    return std::chrono::duration<double>(clock::now() - start).count();
  }

  void calibrate(double least) {
    run();
    for (double seconds = run(); seconds < least; seconds = run())
      calls = std::max(calls + 1, static_cast<std::size_t>(static_cast<double>(calls) *
                                                           std::clamp(1.2 * least / seconds, 1.0, 100.0)));
  }
};

/// On one thread: the timing that follows must not meet workers that are still awake.
template <class T>
exactdot::accumulator<T> exact_sum(const vectors<T>& data) {
  exactdot::accumulator<T> sum;
  sum.add(std::span(data.a(), data.size()), std::span(data.b(), data.size()),
          {.device = exactdot::device::cpu, .threads = 1});
  return sum;
}

template <class T>
void run_rounds(std::vector<contender<T>>& contenders, int threads, const effort& how) {
  const double least = std::chrono::duration<double>(how.sample).count();
  for (auto& each : contenders) each.calibrate(least);
  std::vector<std::size_t> order(contenders.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(1);
  for (int round = 0; round < how.rounds; ++round) {
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order) {
      auto& each = contenders[i];
      if (threads > 1) std::this_thread::sleep_for(workers_fall_asleep);
      each.run();  // wakes its workers, and leaves in the caches what fits there
      each.samples.push_back(each.run() / static_cast<double>(each.calls) * 1e9);
    }
  }
}

double quantile(const std::vector<double>& sorted, double fraction) {
  return sorted[static_cast<std::size_t>(fraction * static_cast<double>(sorted.size() - 1) + 0.5)];
}

unsigned modulo_64(const void* address) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(address) % 64);
}

}  // namespace

template <class T>
std::vector<row> measure(const std::vector<peer>& peers, const std::vector<vectors<T>>& data, int threads,
                         const effort& how) {
  std::vector<contender<T>> contenders;
  std::vector<exactdot::accumulator<T>> sums;  // of each of `data`
  for (const auto& on : data) {
    sums.push_back(exact_sum(on));
    for (const auto& who : peers) {
      if (&on != &data.front() && &who != &peers.front()) continue;  // hostile data: exact alone
      if (threads > 1 && who.set_threads == nullptr) continue;
      if (who.set_threads != nullptr) who.set_threads(threads);
      contenders.push_back({&who, &on});
    }
  }
  run_rounds(contenders, threads, how);

  std::vector<row> rows;
  for (auto& [who, on, calls, samples] : contenders) {
    std::ranges::sort(samples);
    const double median = quantile(samples, 0.5);
    const T value = who->template function<T>()(static_cast<int>(on->size()), on->a(), 1, on->b(), 1);
    const auto& sum = sums[static_cast<std::size_t>(on - data.data())];
    const auto ulps = static_cast<double>(exactdot::lab::ulp_error(sum, value, exactdot::io::dtype_of<T>));
    rows.push_back({sizeof(T) == 4 ? "float32" : "float64", on->size(), threads, on->data(), who->name, median,
                    (quantile(samples, 0.75) - quantile(samples, 0.25)) / median, ulps, modulo_64(on->a()),
                    modulo_64(on->b())});
  }
  return rows;
}

template std::vector<row> measure(const std::vector<peer>&, const std::vector<vectors<float>>&, int, const effort&);
template std::vector<row> measure(const std::vector<peer>&, const std::vector<vectors<double>>&, int,
                                  const effort&);

}  // namespace bench
