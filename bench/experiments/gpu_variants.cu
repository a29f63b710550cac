// Dot products on a GPU by variants of the exact kernel: clusters for short vectors, streamed loads for long ones.
//
// Beside the variants: the library's choice, cuBLAS, and the kernels of the bench's read ceiling. Of each way the
// three configurations that are fastest in three samples are measured in rounds, all in turn, in a replayed graph
// and as launches on a stream. Every variant must give the bits of the library's choice. Output: one JSON object a
// line, with the median of the rounds, then a table of the best of each way. Inputs are uniform in [-1, 1). Usage:
// gpu_variants [short|long|all [SHORTEST LONGEST]], powers of two.
#include <algorithm>
#include <bench/experiments/gpu_variants.hpp>
#include <bench/on_gpu/timing_modes.cuh>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda/tuning.hpp>
#include <map>
#include <random>

namespace experiment {
namespace {

using bench::sampler;
using exactdot::on_gpu::buffer;
using exactdot::on_gpu::check;
using exactdot::on_gpu::stream;
namespace engine = exactdot::cuda_engine;

constexpr int rounds = 11, kept_of_each_way = 3;
constexpr double sample_seconds = 2e-3;
constexpr int longest_short = 17, shortest_long = 20;  // powers of two

struct measured {
  std::string type, timing, way, launch_config;
  std::size_t n;
  double microseconds;
};

double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

template <class T>
const char* type_name() {
  return sizeof(T) == sizeof(float) ? "float32" : "float64";
}

/// Two vectors and what launches need besides them.
template <class T>
struct problem {
  problem(stream& on, std::size_t n) : gpu(on), a(on, n), b(on, n), result(on, 1), state(on, 1) {
    state.fill_zero();
    std::vector<T> host(std::min(n, std::size_t{1} << 22));
    std::mt19937_64 random(7);
    std::uniform_real_distribution<T> uniform(-1, 1);
    for (buffer<T>* const vector : {&a, &b}) {
      for (T& x : host) x = uniform(random);
      for (std::size_t at = 0; at < n; at += host.size()) {
        check(cudaMemcpy(vector->data() + at, host.data(), std::min(host.size(), n - at) * sizeof(T),
                         cudaMemcpyHostToDevice),
              "copying to the device");
      }
    }
  }
  stream& gpu;
  buffer<T> a, b, result;
  buffer<engine::device_state> state;
};

/// Whether the library's choice has sums with corrections.
template <class T>
bool is_compensated(std::size_t n) {
  const auto& rows = engine::exact_rows<T, exactdot::core::product, false>();
  return rows[engine::row_for(rows, n * sizeof(T))].config.compensated;
}

template <class T>
std::vector<candidate<T>> candidates_for(problem<T>& on, std::size_t n) {
  std::vector<candidate<T>> all;
  std::vector<bench::gpu_peer<T>> peers;
  bench::peer_remarks remarks;
  bench::add_exactdot(exactdot::reduction::dot, peers, on.gpu, remarks);
  bench::add_cublas(exactdot::reduction::dot, peers, on.gpu, remarks);
  for (const std::string& missing : remarks.missing) std::fprintf(stderr, "%s\n", missing.c_str());
  for (const auto& peer : peers) {
    if (peer.name == "fast") continue;
    all.push_back({peer.name, {}, [enqueue = peer.enqueue](const T* a, const T* b, std::size_t count, T* result) {
                     enqueue(a, b, count, reinterpret_cast<std::uint64_t*>(result));
                   }});
  }
  const auto add = [&](auto&& more) { all.insert(all.end(), more.begin(), more.end()); };
  if (n <= std::size_t{1} << longest_short) {
    add(cluster_candidates<T>(on.gpu, on.state.data()));
    return all;
  }
  add(streamed_candidates<T>(on.gpu, on.state.data(), is_compensated<T>(n)));
  for (const bench::reader& kernel : bench::readers(on.gpu, n * sizeof(T))) {
    const bool bulk = kernel.launch_config.find("bulk") != std::string::npos;
    all.push_back({bulk ? "read, streamed" : "read", kernel.launch_config,
                   [enqueue = kernel.enqueue](const T* a, const T* b, std::size_t count, T*) {
                     enqueue(a, b, count * sizeof(T));
                   }});
  }
  return all;
}

/// A candidate with its samples.
template <class T>
struct series {
  candidate<T> of;
  sampler graph, launches;
  std::vector<double> graph_samples = {}, launch_samples = {};
};

/// Exits if a kernel of the library gives other bits than the library's choice.
template <class T>
void check_bits(problem<T>& on, const candidate<T>& of, std::size_t n, std::uint64_t& expected) {
  if (of.way == "cublas" || of.way.starts_with("read")) return;
  T value{};
  on.result.fill_zero();
  of.enqueue(on.a.data(), on.b.data(), n, on.result.data());
  on.result.copy_to(&value, 1);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  if (of.way == "exact") expected = bits;
  if (bits == expected) return;
  std::fprintf(stderr, "gpu_variants: %s, n = %zu: %s, %s: other bits\n", type_name<T>(), n, of.way.c_str(),
               of.launch_config.c_str());
  std::exit(1);
}

/// Of each way the configurations that are fastest in three samples.
template <class T>
std::vector<series<T>> best_of_each_way(problem<T>& on, std::size_t n) {
  std::vector<std::pair<double, series<T>>> all;
  std::uint64_t expected = 0;
  for (const candidate<T>& of : candidates_for(on, n)) {
    check_bits(on, of, n, expected);
    const auto call = [enqueue = of.enqueue, a = on.a.data(), b = on.b.data(), n, result = on.result.data()] {
      enqueue(a, b, n, result);
    };
    const int calls = bench::calls_per_sample(sample_seconds, bench::estimate_seconds(on.gpu, call), 400);
    series<T> made{of, bench::in_warm_graph(on.gpu, call, calls), bench::as_launches(on.gpu, call, calls)};
    all.emplace_back(median({made.graph(), made.graph(), made.graph()}), made);
  }
  std::sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<series<T>> kept;
  std::map<std::string, int> taken;
  for (auto& [seconds, each] : all) {
    if (++taken[each.of.way] <= kept_of_each_way) kept.push_back(std::move(each));
  }
  return kept;
}

template <class T>
void measure(problem<T>& on, std::size_t n, std::vector<measured>& results) {
  std::vector<series<T>> all = best_of_each_way(on, n);
  for (int round = 0; round < rounds; ++round) {
    for (series<T>& each : all) each.graph_samples.push_back(each.graph());
    for (series<T>& each : all) each.launch_samples.push_back(each.launches());
  }
  const auto report = [&](const series<T>& each, const char* timing, const std::vector<double>& samples) {
    results.push_back({type_name<T>(), timing, each.of.way, each.of.launch_config, n, 1e6 * median(samples)});
    const measured& last = results.back();
    std::printf(
        "{\"type\": \"%s\", \"n\": %zu, \"timing\": \"%s\", \"way\": \"%s\", \"microseconds\": %.3f, "
        "\"launch\": \"%s\"}\n",
        last.type.c_str(), n, timing, last.way.c_str(), last.microseconds, last.launch_config.c_str());
  };
  for (const series<T>& each : all) {
    report(each, "graph", each.graph_samples);
    report(each, "stream", each.launch_samples);
  }
  std::fflush(stdout);
}

/// The fastest of a way, or null.
const measured* best_of(const std::vector<measured>& results, const measured& like, const std::string& way) {
  const measured* best = nullptr;
  for (const measured& each : results) {
    const bool same = each.type == like.type && each.n == like.n && each.timing == like.timing && each.way == way;
    if (same && (best == nullptr || each.microseconds < best->microseconds)) best = &each;
  }
  return best;
}

void print_table(const std::vector<measured>& results) {
  const std::vector<std::string> ways = {"exact", "cublas", "cluster", "streamed", "read", "read, streamed"};
  std::printf("\n%-8s %10s %-7s", "type", "n", "timing");
  for (const std::string& way : ways) std::printf(" %14s", way.c_str());
  std::printf("  exact/cublas variant/cublas  variant\n");
  for (const measured& row : results) {
    if (best_of(results, row, "exact") != &row) continue;
    std::printf("%-8s %10zu %-7s", row.type.c_str(), row.n, row.timing.c_str());
    for (const std::string& way : ways) {
      const measured* const best = best_of(results, row, way);
      best == nullptr ? std::printf(" %14s", "-") : std::printf(" %14.3f", best->microseconds);
    }
    const measured* const cublas = best_of(results, row, "cublas");
    const measured* variant = best_of(results, row, "cluster");
    if (variant == nullptr) variant = best_of(results, row, "streamed");
    if (cublas != nullptr && variant != nullptr) {
      std::printf("  %12.3f %14.3f  %s", row.microseconds / cublas->microseconds,
                  variant->microseconds / cublas->microseconds, variant->launch_config.c_str());
    }
    std::printf("\n");
  }
}

struct range {
  int shortest, longest;
};

template <class T>
void measure_lengths(stream& gpu, const std::vector<range>& ranges, std::vector<measured>& results) {
  problem<T> on(gpu, std::size_t{1} << ranges.back().longest);
  for (const range& lengths : ranges) {
    for (int log2_n = lengths.shortest; log2_n <= lengths.longest; ++log2_n)
      measure(on, std::size_t{1} << log2_n, results);
  }
}

int run(int arguments, char** argument) {
  const std::string which = arguments > 1 ? argument[1] : "all";
  std::vector<range> ranges;
  if (which != "long") ranges.push_back({10, longest_short});
  if (which != "short") ranges.push_back({shortest_long, 28});
  if (arguments > 3) ranges = {{std::atoi(argument[2]), std::atoi(argument[3])}};
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "querying the device");
  std::printf("{\"gpu\": \"%s\", \"multiprocessors\": %d}\n", properties.name, properties.multiProcessorCount);
  stream gpu;
  std::vector<measured> results;
  measure_lengths<float>(gpu, ranges, results);
  measure_lengths<double>(gpu, ranges, results);
  print_table(results);
  return 0;
}

}  // namespace
}  // namespace experiment

int main(int arguments, char** argument) {
  try {
    return experiment::run(arguments, argument);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "gpu_variants: %s\n", failure.what());
    return 1;
  }
}
