// Everyone who is timed for one type and length: the ways that they enter in, the rounds, and what is made of them.
//
// Quartiles, not means: a sample that something disturbed is lost, not the row. Values and bits are those of one
// more call in the same way.
#pragma once

#include <bench/gpu.hpp>
#include <bench/on_gpu/peer.cuh>
#include <bench/on_gpu/ways.cuh>
#include <bench/vectors.hpp>
#include <cstring>
#include <exactdot/accumulator.hpp>
#include <exactdot/dot.hpp>
#include <lab/ulp_error.hpp>
#include <map>
#include <numeric>
#include <random>
#include <span>

namespace bench {
namespace {

constexpr int most_calls = 400, most_cold_calls = 64, most_waiting_calls = 50;
/// A call of this length is sampled three times only, and data on which exact takes so long are not timed at
/// greater lengths.
constexpr double slow_seconds = 0.02;

template <class T>
std::uint64_t bits_of(T x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof x);
  return bits;
}

/// Vectors here and there, and what the CPU says of them.
template <class T>
struct problem {
  problem(stream& on, const std::string& data, std::size_t n)
      : here(data, n, alignment::cache_line), a(on, n), b(on, n) {
    a.copy_from(here.a(), n);
    b.copy_from(here.b(), n);
    const std::span<const T> x(here.a(), n), y(here.b(), n);
    sum.add(x, y, {.device = exactdot::device::cpu});
    exact = exactdot::dot(x, y, {.device = exactdot::device::cpu});
    fast = exactdot::dot(x, y, {.mode = exactdot::mode::fast, .device = exactdot::device::cpu});
    exactdot::on_gpu::synchronise(on);
  }
  vectors<T> here;
  buffer<T> a, b;
  exactdot::accumulator<T> sum;
  T exact, fast;
};

template <class T>
struct contender {
  gpu_row row;
  sampler sample;
  std::function<T()> value;  ///< null: none
  const problem<T>* on;
  bool slow = false;
  std::vector<double> samples = {};
};

double quantile(const std::vector<double>& sorted, double fraction) {
  return sorted[static_cast<std::size_t>(fraction * static_cast<double>(sorted.size() - 1) + 0.5)];
}

template <class T>
class bout {
 public:
  bout(stream& on, cold_copies& copies, const gpu_request& request, std::size_t n)
      : on_(on), copies_(copies), request_(request), n_(n), result_(on, 1) {}

  void enter_all(const std::vector<gpu_peer<T>>& peers, const problem<T>& uniform) {
    const int copies = 2 * n_ * sizeof(T) <= cold_copies::longest
                           ? copies_.hold(uniform.a.data(), uniform.b.data(), n_, most_cold_calls)
                           : 0;
    for (const gpu_peer<T>& peer : peers) {
      if (n_ > peer.longest) continue;
      if (peer.enqueue) {
        enter_graph(peer, uniform);
        if (copies > 0 && peer.name != "empty") enter_cold(peer, uniform, copies);
        enter_launches(peer, uniform);
      }
      if (peer.to_host) enter_host(peer, uniform);
    }
    enter_readers(uniform, copies);
  }

  /// Returns seconds of a call, roughly.
  double enter_graph(const gpu_peer<T>& peer, const problem<T>& on) {
    const auto call = warm(peer, on);
    const double one = first_look(on_, call);
    const int calls = calls_in(request_.sample_seconds, one, most_calls);
    add(peer, on, "graph", "warm", in_warm_graph(on_, call, calls), one);
    return one;
  }

  std::vector<gpu_row> run() {
    std::vector<std::size_t> order(contenders_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937 random(1);
    for (int round = 0; round < request_.rounds; ++round) {
      std::shuffle(order.begin(), order.end(), random);
      for (const std::size_t i : order) {
        contender<T>& each = contenders_[i];
        if (!each.slow || round < 3) each.samples.push_back(each.sample());
      }
    }
    std::vector<gpu_row> rows;
    for (contender<T>& each : contenders_) rows.push_back(finished(each));
    return best_readers(rows);
  }

 private:
  auto warm(const gpu_peer<T>& peer, const problem<T>& on) {
    return [enqueue = peer.enqueue, a = on.a.data(), b = on.b.data(), n = n_, result = result_.data()] {
      enqueue(a, b, n, result);
    };
  }

  void enter_cold(const gpu_peer<T>& peer, const problem<T>& on, int copies) {
    const auto call = [&](const T* a, const T* b) { peer.enqueue(a, b, n_, result_.data()); };
    add(peer, on, "graph", "cold", copies_.in_cold_graph<T>(call, copies), 0);
  }

  void enter_launches(const gpu_peer<T>& peer, const problem<T>& on) {
    const auto call = warm(peer, on);
    const double one = first_look(on_, call);
    add(peer, on, "stream", "warm", as_launches(on_, call, calls_in(request_.sample_seconds, one, most_calls)),
        one);
  }

  void enter_host(const gpu_peer<T>& peer, const problem<T>& on) {
    const auto call = [to_host = peer.to_host, a = on.a.data(), b = on.b.data(), n = n_] { to_host(a, b, n); };
    call();
    const double one = end_to_end(on_, call, 1)();
    add(peer, on, "host", "warm", end_to_end(on_, call, calls_in(request_.sample_seconds, one, most_waiting_calls)),
        one);
    if (peer.has_result)
      contenders_.back().value = [&peer, &on, n = n_] { return peer.to_host(on.a.data(), on.b.data(), n); };
  }

  /// Of all shapes the three that are fastest in three samples each; of those the best counts in the end.
  void enter_readers(const problem<T>& on, int copies) {
    const std::size_t bytes = n_ * sizeof(T);
    const void *const a = on.a.data(), *const b = on.b.data();
    std::vector<std::pair<double, contender<T>>> tried;
    for (const reader& each : readers(on_, bytes)) {
      const auto call = [=] { each.enqueue(a, b, bytes); };
      const auto cold = [&](const T* x, const T* y) { each.enqueue(x, y, bytes); };
      const int calls = calls_in(request_.sample_seconds, first_look(on_, call), most_calls);
      const auto enter = [&](const char* l2, const sampler& sample) {
        std::vector<double> samples{sample(), sample(), sample()};
        std::sort(samples.begin(), samples.end());
        tried.emplace_back(samples[1],
                           contender<T>{described("read", "graph", l2, on, each.shape), sample, {}, &on});
      };
      enter("warm", in_warm_graph(on_, call, calls));
      if (copies > 0) enter("cold", copies_.in_cold_graph<T>(cold, copies));
    }
    std::sort(tried.begin(), tried.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    std::map<std::string, int> taken;
    for (auto& [seconds, one] : tried) {
      if (++taken[one.row.l2] <= 3) contenders_.push_back(std::move(one));
    }
  }

  gpu_row described(const std::string& peer, const char* how, const char* l2, const problem<T>& on,
                    const std::string& shape = {}) const {
    return {sizeof(T) == 4 ? "float32" : "float64", n_, on.here.data(), peer, how, l2, shape};
  }

  void add(const gpu_peer<T>& peer, const problem<T>& on, const char* how, const char* l2, sampler sample,
           double seconds) {
    contenders_.push_back({described(peer.name, how, l2, on), std::move(sample), {}, &on, seconds > slow_seconds});
    if (!peer.has_result) return;
    contenders_.back().value = [this, sample = contenders_.back().sample] {
      result_.fill_zero();
      sample();
      T value{};
      result_.copy_to(&value, 1);
      return value;
    };
  }

  gpu_row finished(contender<T>& each) {
    gpu_row row = each.row;
    std::sort(each.samples.begin(), each.samples.end());
    const double median = quantile(each.samples, 0.5);
    row.microseconds = median * 1e6;
    row.spread = (quantile(each.samples, 0.75) - quantile(each.samples, 0.25)) / median;
    if (!each.value) return row;
    const T value = each.value();
    row.bits = bits_of(value);
    row.error_ulps = static_cast<double>(exactdot::lab::ulp_error(each.on->sum, value, exactdot::io::dtype_of<T>));
    if (row.peer == "exact") row.same_bits_as_cpu = row.bits == bits_of(each.on->exact);
    if (row.peer == "fast") row.same_bits_as_cpu = row.bits == bits_of(each.on->fast);
    return row;
  }

  static std::vector<gpu_row> best_readers(const std::vector<gpu_row>& rows) {
    std::vector<gpu_row> kept;
    for (const gpu_row& row : rows) {
      const bool beaten =
          row.peer == "read" && std::any_of(rows.begin(), rows.end(), [&](const gpu_row& other) {
            return other.peer == "read" && other.l2 == row.l2 && other.microseconds < row.microseconds;
          });
      if (!beaten) kept.push_back(row);
    }
    return kept;
  }

  stream& on_;
  cold_copies& copies_;
  const gpu_request& request_;
  std::size_t n_;
  buffer<T> result_;
  std::vector<contender<T>> contenders_;
};

}  // namespace
}  // namespace bench
