// Reductions on a GPU by launch configurations and variants of the library's kernels: the program behind the rows
// of src/cuda/core/tuning.hpp. Clusters up to 2^17 elements, claims from 2^20 on, plain loads everywhere, mode fast.
//
// Beside them: the library's choice, cuBLAS, and the kernels of the bench's read ceiling. Of each way the three
// configurations that are fastest in three samples are measured in rounds, all in turn, in a replayed graph and as
// launches on a stream. Every one must give the bits of the library's choice. Output: one JSON object a line, with
// the median of the rounds, then a table of the best of each way. Inputs are uniform in [-1, 1). Usage:
// gpu_variants dot|sum|sum_of_squares|all [SHORTEST LONGEST], powers of two.
#include <algorithm>
#include <bench/experiments/gpu_variants.hpp>
#include <bench/on_gpu/timing_modes.cuh>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda/core/tuning.hpp>
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
constexpr std::size_t longest_cluster = std::size_t{1} << 17, shortest_claiming = std::size_t{1} << 20;

struct measured {
  std::string reduction, type, timing, way, launch_config;
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
  problem(stream& on, std::size_t n) : gpu(on), a(on, n), b(on, n), result(on, 1), workspace(on.handle()) {
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
  exactdot::cuda::workspace workspace;
};

template <class T, class Term>
std::vector<candidate<T>> candidates_for(exactdot::reduction what, problem<T>& on, std::size_t n) {
  std::vector<candidate<T>> all;
  std::vector<bench::gpu_peer<T>> peers;
  bench::peer_remarks remarks;
  bench::add_exactdot(what, peers, on.gpu, remarks);
  bench::add_cublas(what, peers, on.gpu, remarks);
  for (const std::string& missing : remarks.missing) std::fprintf(stderr, "%s\n", missing.c_str());
  for (const auto& peer : peers) {
    all.push_back({peer.name, {}, [enqueue = peer.enqueue](const T* a, const T* b, std::size_t count, T* result) {
                     enqueue(a, b, count, reinterpret_cast<std::uint64_t*>(result));
                   }});
  }
  const auto add = [&](auto&& more) { all.insert(all.end(), more.begin(), more.end()); };
  const environment& where = on.workspace.library_storage();
  const auto& rows = engine::exact_rows<T, Term, false>();
  const engine::summation sums = rows[engine::row_for(rows, n * sizeof(T))].config.sums;
  add(direct_candidates<T, Term>(where, sums));
  if (sizeof(T) == sizeof(float) && n >= shortest_claiming) {
    for (const engine::summation other : {engine::plain, engine::grouped, engine::compensated}) {
      if (other != sums) add(direct_candidates<T, Term>(where, other));
    }
  }
  add(fast_candidates<T, Term>(where));
  if (n <= longest_cluster) add(cluster_candidates<T, Term>(where));
  if (n < shortest_claiming) return all;
  add(claiming_candidates<T, Term>(where));
  const bench::read_arrays arrays = bench::arrays_of(what, on.a.data(), on.b.data(), n);
  for (const bench::reader& kernel : bench::readers(on.gpu, arrays.bytes)) {
    all.push_back(
        {"read", kernel.launch_config, [enqueue = kernel.enqueue, arrays](const T*, const T*, std::size_t, T*) {
           enqueue(arrays.a, arrays.b, arrays.bytes);
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

/// Exits if a kernel of the library gives other bits than the library's choice of the same mode.
template <class T>
void check_bits(problem<T>& on, const candidate<T>& of, std::size_t n, std::map<bool, std::uint64_t>& expected) {
  if (of.way == "cublas" || of.way.starts_with("read")) return;
  T value{};
  on.result.fill_zero();
  of.enqueue(on.a.data(), on.b.data(), n, on.result.data());
  on.result.copy_to(&value, 1);
  const std::uint64_t bits = bench::word_of(value);
  const auto [at, is_first] = expected.emplace(of.way.starts_with("fast"), bits);
  if (at->second == bits) return;
  std::fprintf(stderr, "gpu_variants: %s, n = %zu: %s, %s: other bits\n", type_name<T>(), n, of.way.c_str(),
               of.launch_config.c_str());
  std::exit(1);
}

/// Of each way the configurations that are fastest in three samples.
template <class T, class Term>
std::vector<series<T>> best_of_each_way(exactdot::reduction what, problem<T>& on, std::size_t n) {
  std::vector<std::pair<double, series<T>>> all;
  std::map<bool, std::uint64_t> expected;
  for (const candidate<T>& of : candidates_for<T, Term>(what, on, n)) {
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

template <class T, class Term>
void measure(exactdot::reduction what, problem<T>& on, std::size_t n, std::vector<measured>& results) {
  std::vector<series<T>> all = best_of_each_way<T, Term>(what, on, n);
  for (int round = 0; round < rounds; ++round) {
    for (series<T>& each : all) each.graph_samples.push_back(each.graph());
    for (series<T>& each : all) each.launch_samples.push_back(each.launches());
  }
  const auto report = [&](const series<T>& each, const char* timing, const std::vector<double>& samples) {
    results.push_back({exactdot::name_of(what), type_name<T>(), timing, each.of.way, each.of.launch_config, n,
                       1e6 * median(samples)});
    const measured& last = results.back();
    std::printf(
        "{\"reduction\": \"%s\", \"type\": \"%s\", \"n\": %zu, \"timing\": \"%s\", \"way\": \"%s\", "
        "\"microseconds\": %.3f, "
        "\"launch\": \"%s\"}\n",
        last.reduction.c_str(), last.type.c_str(), n, timing, last.way.c_str(), last.microseconds,
        last.launch_config.c_str());
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
    const bool same = each.reduction == like.reduction && each.type == like.type && each.n == like.n &&
                      each.timing == like.timing && each.way == way;
    if (same && (best == nullptr || each.microseconds < best->microseconds)) best = &each;
  }
  return best;
}

void print_table(const std::vector<measured>& results) {
  const std::vector<std::string> ways = {"exact",  "cublas", "direct",       "cluster",
                                         "claims", "fast",   "fast, direct", "read"};
  std::printf("\n%-14s %-7s %4s %-6s", "reduction", "type", "2^", "timing");
  for (const std::string& way : ways) std::printf(" %14s", way.c_str());
  std::printf("  best of mode exact; of mode fast\n");
  for (const measured& row : results) {
    if (best_of(results, row, "exact") != &row) continue;
    std::printf("%-14s %-7s %4d %-6s", row.reduction.c_str(), row.type.c_str(),
                exactdot::core::trailing_zeros(row.n), row.timing.c_str());
    const measured* best = nullptr;
    for (const std::string& way : ways) {
      const measured* const of_way = best_of(results, row, way);
      of_way == nullptr ? std::printf(" %14s", "-") : std::printf(" %14.3f", of_way->microseconds);
      const bool competes = way == "direct" || way == "cluster" || way == "claims";
      if (competes && of_way != nullptr && (best == nullptr || of_way->microseconds < best->microseconds))
        best = of_way;
    }
    const measured* const fast = best_of(results, row, "fast, direct");
    std::printf("  %s %s; %s\n", best->way.c_str(), best->launch_config.c_str(), fast->launch_config.c_str());
  }
}

struct range {
  int shortest = 10, longest = 28;
};

template <class T>
void measure_lengths(stream& gpu, const std::string& which, range lengths, std::vector<measured>& results) {
  problem<T> on(gpu, std::size_t{1} << lengths.longest);
  const auto measure_if = [&]<class Term>(Term, exactdot::reduction what) {
    if (which != "all" && which != exactdot::name_of(what)) return;
    for (int log2_n = lengths.shortest; log2_n <= lengths.longest; ++log2_n)
      measure<T, Term>(what, on, std::size_t{1} << log2_n, results);
  };
  measure_if(exactdot::core::product{}, exactdot::reduction::dot);
  measure_if(exactdot::core::value{}, exactdot::reduction::sum);
  measure_if(exactdot::core::square{}, exactdot::reduction::sum_of_squares);
}

int run(int arguments, char** argument) {
  const std::string which = arguments > 1 ? argument[1] : "all";
  range lengths;
  if (arguments > 3) lengths = {std::atoi(argument[2]), std::atoi(argument[3])};
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "querying the device");
  std::printf("{\"gpu\": \"%s\", \"multiprocessors\": %d}\n", properties.name, properties.multiProcessorCount);
  stream gpu;
  std::vector<measured> results;
  measure_lengths<float>(gpu, which, lengths, results);
  measure_lengths<double>(gpu, which, lengths, results);
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
