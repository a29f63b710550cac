// Comparison of all peers for one type and length: their series of samples, the rounds, and the evaluation.
//
// Medians and quartiles tolerate disturbed samples. Values and bits are those of one further call in the same
// timing mode.
#pragma once

#include <bench/exact_result.hpp>
#include <bench/gpu.hpp>
#include <bench/on_gpu/peer.cuh>
#include <bench/on_gpu/timing_modes.cuh>
#include <bench/quantile.hpp>
#include <bench/vectors.hpp>
#include <exactdot/element.hpp>
#include <exactdot/reductions.hpp>
#include <map>
#include <numeric>
#include <random>

namespace bench {
namespace {

constexpr int max_calls = 400, max_cold_calls = 64, max_host_calls = 50;
/// Longer calls are sampled only three times, and data sets on which exact takes longer are not timed at greater
/// lengths.
constexpr double slow_seconds = 0.02;

/// Vectors on the host and, those that the reduction reads, on the device, with the CPU's results.
template <class T>
struct problem {
  problem(reduction what, stream& gpu_stream, const std::string& data, std::size_t n)
      : host(data, n, alignment::cache_line),
        a(gpu_stream, n),
        b(gpu_stream, exactdot::inputs_of(what) == 2 ? n : 0),
        reference(what, host, 0) {
    a.copy_from(host.a(), n);
    b.copy_from(host.b(), b.size());
    exact = on_cpu(what, exactdot::mode::exact);
    if (has_fast(what)) fast = on_cpu(what, exactdot::mode::fast);
    exactdot::on_gpu::synchronise(gpu_stream);
  }

  vectors<T> host;
  buffer<T> a, b;
  exact_result<T> reference;
  std::uint64_t exact = 0, fast = 0;  // the CPU's results as words

 private:
  [[nodiscard]] std::uint64_t on_cpu(reduction what, exactdot::mode mode) const {
    const exactdot::options options{.mode = mode, .device = exactdot::device::cpu};
    const auto x = exactdot::to_any(host.a(), host.size()), y = exactdot::to_any(host.b(), host.size());
    return (what == reduction::dot ? exactdot::dot(x, y, result_type<T>(what), options)
                                   : exactdot::reduce(what, x, result_type<T>(what), options))
        .bits;
  }
};

/// The samples of one peer, data set and timing mode.
template <class T>
struct sample_series {
  gpu_measurement result;
  sampler sample;
  std::function<std::uint64_t()> value;  ///< null: the peer has no result
  const problem<T>* data;
  bool slow = false;
  std::vector<double> samples = {};
};

template <class T>
class comparison {
 public:
  comparison(stream& gpu_stream, cold_copies& copies, const gpu_request& request, std::size_t n)
      : stream_(gpu_stream), copies_(copies), request_(request), n_(n), result_(gpu_stream, 1) {}

  /// Adds every peer in every timing mode that it supports, and the readers.
  void add_all(const std::vector<gpu_peer<T>>& peers, const problem<T>& uniform) {
    const int vectors = exactdot::inputs_of(request_.what);
    const int copies = vectors * n_ * sizeof(T) <= cold_copies::max_bytes
                           ? copies_.make_copies(uniform.a.data(), uniform.b.data(), n_, vectors, max_cold_calls)
                           : 0;
    for (const gpu_peer<T>& peer : peers) {
      if (n_ > peer.max_length) continue;
      if (peer.enqueue) {
        add_graph(peer, uniform);
        if (copies > 0 && peer.name != "empty") add_cold_graph(peer, uniform, copies);
        add_launches(peer, uniform);
      }
      if (peer.to_host) add_host(peer, uniform);
    }
    add_readers(uniform, copies);
  }

  /// Adds a peer in mode graph, warm; returns an estimate of the seconds per call.
  double add_graph(const gpu_peer<T>& peer, const problem<T>& data) {
    const auto call = warm_call(peer, data);
    const double seconds = estimate_seconds(stream_, call);
    const int calls = calls_per_sample(request_.sample_seconds, seconds, max_calls);
    add(peer, data, "graph", "warm", in_warm_graph(stream_, call, calls), seconds);
    return seconds;
  }

  /// Samples all series in rounds and evaluates them.
  std::vector<gpu_measurement> run() {
    std::vector<std::size_t> order(all_series_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937 random(1);
    for (int round = 0; round < request_.rounds; ++round) {
      std::shuffle(order.begin(), order.end(), random);
      for (const std::size_t i : order) {
        sample_series<T>& series = all_series_[i];
        if (!series.slow || round < 3) series.samples.push_back(series.sample());
      }
    }
    std::vector<gpu_measurement> measurements;
    for (sample_series<T>& series : all_series_) measurements.push_back(evaluate(series));
    return with_best_readers(measurements);
  }

 private:
  auto warm_call(const gpu_peer<T>& peer, const problem<T>& data) {
    return [enqueue = peer.enqueue, a = data.a.data(), b = data.b.data(), n = n_, result = result_.data()] {
      enqueue(a, b, n, result);
    };
  }

  void add_cold_graph(const gpu_peer<T>& peer, const problem<T>& data, int copies) {
    const auto call = [&](const T* a, const T* b) { peer.enqueue(a, b, n_, result_.data()); };
    add(peer, data, "graph", "cold", copies_.in_cold_graph<T>(call, copies), 0);
  }

  void add_launches(const gpu_peer<T>& peer, const problem<T>& data) {
    const auto call = warm_call(peer, data);
    const double seconds = estimate_seconds(stream_, call);
    const int calls = calls_per_sample(request_.sample_seconds, seconds, max_calls);
    add(peer, data, "stream", "warm", as_launches(stream_, call, calls), seconds);
  }

  void add_host(const gpu_peer<T>& peer, const problem<T>& data) {
    const auto call = [to_host = peer.to_host, a = data.a.data(), b = data.b.data(), n = n_] { to_host(a, b, n); };
    call();
    const double seconds = end_to_end(stream_, call, 1)();
    const int calls = calls_per_sample(request_.sample_seconds, seconds, max_host_calls);
    add(peer, data, "host", "warm", end_to_end(stream_, call, calls), seconds);
    if (peer.has_result)
      all_series_.back().value = [&peer, &data, n = n_] { return peer.to_host(data.a.data(), data.b.data(), n); };
  }

  /// Adds the three readers that are fastest in three samples each, separately for warm and cold. with_best_readers
  /// keeps the best of them.
  void add_readers(const problem<T>& data, int copies) {
    const read_arrays warm = arrays_of(request_.what, data.a.data(), data.b.data(), n_);
    std::vector<std::pair<double, sample_series<T>>> candidates;
    for (const reader& kernel : readers(stream_, warm.bytes)) {
      const auto call = [=] { kernel.enqueue(warm.a, warm.b, warm.bytes); };
      const auto cold_call = [&](const T* x, const T* y) {
        const read_arrays cold = arrays_of(request_.what, x, y, n_);
        kernel.enqueue(cold.a, cold.b, cold.bytes);
      };
      const int calls = calls_per_sample(request_.sample_seconds, estimate_seconds(stream_, call), max_calls);
      const auto add_candidate = [&](const char* l2, const sampler& sample) {
        std::vector<double> samples{sample(), sample(), sample()};
        std::sort(samples.begin(), samples.end());
        candidates.emplace_back(
            samples[1],
            sample_series<T>{make_result("read", "graph", l2, data, kernel.launch_config), sample, {}, &data});
      };
      add_candidate("warm", in_warm_graph(stream_, call, calls));
      if (copies > 0) add_candidate("cold", copies_.in_cold_graph<T>(cold_call, copies));
    }
    std::sort(candidates.begin(), candidates.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    std::map<std::string, int> taken;
    for (auto& [seconds, series] : candidates) {
      if (++taken[series.result.l2] <= 3) all_series_.push_back(std::move(series));
    }
  }

  gpu_measurement make_result(const std::string& peer, const char* timing_mode, const char* l2,
                              const problem<T>& data, const std::string& launch_config = {}) const {
    return {.type = std::string(exactdot::name_of(exactdot::type_of<T>)),
            .n = n_,
            .data = data.host.data(),
            .peer = peer,
            .timing_mode = timing_mode,
            .l2 = l2,
            .launch_config = launch_config,
            .vectors = exactdot::inputs_of(request_.what)};
  }

  void add(const gpu_peer<T>& peer, const problem<T>& data, const char* timing_mode, const char* l2, sampler sample,
           double seconds) {
    all_series_.push_back(
        {make_result(peer.name, timing_mode, l2, data), std::move(sample), {}, &data, seconds > slow_seconds});
    if (!peer.has_result) return;
    all_series_.back().value = [this, sample = all_series_.back().sample] {
      result_.fill_zero();
      sample();
      std::uint64_t word = 0;
      result_.copy_to(&word, 1);
      return word;
    };
  }

  gpu_measurement evaluate(sample_series<T>& series) {
    gpu_measurement result = series.result;
    std::sort(series.samples.begin(), series.samples.end());
    const double median = quantile(series.samples, 0.5);
    result.microseconds = median * 1e6;
    result.spread = (quantile(series.samples, 0.75) - quantile(series.samples, 0.25)) / median;
    if (!series.value) return result;
    const problem<T>& data = *series.data;
    result.bits = series.value();
    result.error_ulps = data.reference.error_ulps(result.bits);
    if (result.peer == "exact") result.same_bits_as_cpu = result.bits == data.exact;
    if (result.peer == "fast") result.same_bits_as_cpu = result.bits == data.fast;
    return result;
  }

  /// Removes all readers except the fastest, separately for warm and cold.
  static std::vector<gpu_measurement> with_best_readers(const std::vector<gpu_measurement>& measurements) {
    std::vector<gpu_measurement> kept;
    for (const gpu_measurement& candidate : measurements) {
      const auto is_faster_reader = [&](const gpu_measurement& other) {
        return other.peer == "read" && other.l2 == candidate.l2 && other.microseconds < candidate.microseconds;
      };
      const bool slower =
          candidate.peer == "read" && std::any_of(measurements.begin(), measurements.end(), is_faster_reader);
      if (!slower) kept.push_back(candidate);
    }
    return kept;
  }

  stream& stream_;
  cold_copies& copies_;
  const gpu_request& request_;
  std::size_t n_;
  buffer<std::uint64_t> result_;
  std::vector<sample_series<T>> all_series_;
};

}  // namespace
}  // namespace bench
