// Groups by keys in a GPU's memory: sums of 2^26 elements in 4 to 2^20 groups, beside racy atomics and a kernel
// that only reads the elements and their keys, with uniform, sorted, equal and Zipf-distributed keys.
//
// Medians of rounds in which all ways take turns, in a replayed graph. All sums of some shapes are compared with
// the CPU's. Output: one JSON object a line. Usage: gpu_groups [--log2 N] [--variants | --check]: launch
// configurations of the first look, too; or only the comparison of all shapes.
#include <algorithm>
#include <bench/experiments/fill.cuh>
#include <bench/on_gpu/timing_modes.cuh>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda/group_sums.cuh>
#include <exactdot/cuda/batches.hpp>
#include <exactdot/exactdot.hpp>
#include <string>
#include <vector>

namespace experiment {
namespace {

using exactdot::reduction;
using exactdot::on_gpu::buffer;
using exactdot::on_gpu::check;
using exactdot::on_gpu::stream;
namespace engine = exactdot::cuda_engine;

constexpr int rounds = 5;
constexpr const char* orders[] = {"uniform", "sorted", "equal", "zipf"};

/// Keys below `groups`. zipf: the frequency of key k is about 1/(k + 1).
__global__ void fill_keys(int* keys, std::size_t n, unsigned groups, int order) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    std::uint64_t z = (i + 12345) * 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    z ^= z >> 31;
    unsigned key = static_cast<unsigned>(z % groups);
    if (order == 1) key = static_cast<unsigned>(i * groups / n);
    if (order == 2) key = groups / 2;
    if (order == 3) {
      const double u = static_cast<double>(z >> 11) * 0x1p-53;
      key = min(static_cast<unsigned>(exp(u * log(groups + 1.0)) - 1), groups - 1);
    }
    keys[i] = static_cast<int>(key);
  }
}

/// Exponents from -60 to 60; each number is followed by its negative in most groups of sorted keys.
template <class T>
__global__ void make_cancel(T* x, std::size_t n) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n / 2; i += stride) {
    const int exponent = static_cast<int>(i * 2654435761U >> 7 & 127) - 64;
    x[2 * i] *= static_cast<T>(ldexp(1.0, exponent));
    x[2 * i + 1] = i % 64 == 0 ? T(1) : -x[2 * i];
  }
}

template <class T>
__global__ void racy(const T* x, const int* keys, std::size_t n, T* out) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x * 4;
  for (std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4; i < n; i += stride) {
    const auto a = *reinterpret_cast<const engine::element_pack<T>*>(x + i);
    const auto k = *reinterpret_cast<const engine::element_pack<int>*>(keys + i);
#pragma unroll
    for (int j = 0; j < 4; ++j) atomicAdd(out + k.element[j], a.element[j]);
  }
}

template <class T>
__global__ void only_read(const T* x, const int* keys, std::size_t n, unsigned never, unsigned* out) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x * 4;
  unsigned combined = 0;
  for (std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4; i < n; i += stride) {
    const auto a = *reinterpret_cast<const engine::element_pack<T>*>(x + i);
    const auto k = *reinterpret_cast<const engine::element_pack<int>*>(keys + i);
#pragma unroll
    for (int j = 0; j < 4; ++j)
      combined |= static_cast<unsigned>(k.element[j]) | __float_as_uint(float(a.element[j]));
  }
  if (combined == never) *out = combined;
}

struct way {
  std::string name;
  std::function<void()> enqueue;
};

template <class T>
class measurement {
 public:
  explicit measurement(std::size_t n)
      : n_(n), x_(gpu_, n), keys_(gpu_, n), out_(gpu_, max_count), workspace_(gpu_.handle()) {
    fill<<<1024, 256, 0, gpu_.handle()>>>(x_.data(), n, std::uint64_t{1} << 40);
    exactdot::on_gpu::synchronise(gpu_);
  }

  void run(bool variants, bool checks) {
    for (int order = 0; order < 4; ++order) {
      for (const int log2_count : {2, 4, 8, 10, 12, 13, 14, 16, 18, 20}) {
        count_ = 1U << log2_count;
        fill_keys<<<1024, 256, 0, gpu_.handle()>>>(keys_.data(), n_, count_, order);
        const bool is_checked = checks || (log2_count == 10 || log2_count == 16);
        const long wrong = is_checked ? wrong_sums() : -1;
        if (!checks) time(orders[order], wrong);
        if (checks) {
          std::printf("{\"groups\": %u, \"type\": \"%s\", \"keys\": \"%s\", \"wrong\": %ld}\n", count_, type(),
                      orders[order], wrong);
        }
        if (variants && order == 0) time_variants();
        std::fflush(stdout);
      }
    }
    if (checks) return;
    make_cancel<<<1024, 256, 0, gpu_.handle()>>>(x_.data(), n_);
    for (const int log2_count : {4, 10, 16, 20}) {
      count_ = 1U << log2_count;
      fill_keys<<<1024, 256, 0, gpu_.handle()>>>(keys_.data(), n_, count_, 1);
      time("sorted, sums that cancel", wrong_sums());
    }
  }

 private:
  static constexpr std::size_t max_count = std::size_t{1} << 20;
  static const char* type() { return sizeof(T) == 4 ? "float32" : "float64"; }

  [[nodiscard]] auto view() const {
    return exactdot::groups{std::span<const T>(x_.data(), n_), std::span<const int>(keys_.data(), n_), count_};
  }
  way exact(const char* name, reduction what) {
    return {name, [=, this] { exactdot::cuda::reduce(workspace_, what, view(), out_.data()); }};
  }

  void measure(const std::vector<way>& ways) {
    std::vector<bench::sampler> samplers;
    std::vector<std::vector<double>> samples(ways.size());
    for (const way& each : ways) samplers.push_back(bench::in_warm_graph(gpu_, each.enqueue, 1));
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < ways.size(); ++i) samples[i].push_back(samplers[i]());
    }
    medians_.clear();
    for (auto& each : samples) {
      std::sort(each.begin(), each.end());
      medians_.push_back(1e6 * each[each.size() / 2]);
    }
  }

  void time(const char* order, long wrong) {
    std::vector<way> ways = {exact("exact", reduction::sum),
                             exact("mean", reduction::mean),
                             exact("nrm2", reduction::nrm2),
                             exact("variance", reduction::variance),
                             exact("max", reduction::max),
                             {"count",
                              [this] {
                                exactdot::cuda::group_sizes(workspace_, std::span<const int>(keys_.data(), n_),
                                                            count_, reinterpret_cast<std::int64_t*>(sizes_.data()));
                              }},
                             {"racy",
                              [this] {
                                check(cudaMemsetAsync(out_.data(), 0, count_ * sizeof(T), gpu_.handle()),
                                      "clearing");
                                racy<<<2112, 256, 0, gpu_.handle()>>>(x_.data(), keys_.data(), n_, out_.data());
                              }},
                             {"read", [this] {
                                only_read<<<1056, 512, 0, gpu_.handle()>>>(
                                    x_.data(), keys_.data(), n_, 1U, reinterpret_cast<unsigned*>(out_.data()));
                              }}};
    for (const way& each : ways) each.enqueue();  // allocates
    measure(ways);
    std::printf("{\"groups\": %u, \"type\": \"%s\", \"keys\": \"%s\", \"wrong\": %ld", count_, type(), order,
                wrong);
    for (std::size_t i = 0; i < ways.size(); ++i) std::printf(", \"%s\": %.1f", ways[i].name.c_str(), medians_[i]);
    std::printf(", \"waits\": %.1f}\n", waiting_us());
  }

  /// Of the call that waits, by wall clock.
  double waiting_us() {
    std::vector<double> samples;
    for (int i = 0; i < rounds; ++i) {
      const auto start = std::chrono::steady_clock::now();
      exactdot::sum(view(), std::span<T>(out_.data(), count_));
      samples.push_back(1e6 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(samples.begin(), samples.end());
    return samples[samples.size() / 2];
  }

  long wrong_sums() {
    std::vector<T> x(n_), expected(count_), found(count_);
    std::vector<int> keys(n_);
    x_.copy_to(x.data(), n_), keys_.copy_to(keys.data(), n_);
    exactdot::sum(exactdot::groups{x, keys, count_}, expected);
    exact("", reduction::sum).enqueue();
    out_.copy_to(found.data(), count_);
    long wrong = 0;
    for (std::size_t i = 0; i < count_; ++i) wrong += std::memcmp(&found[i], &expected[i], sizeof(T)) != 0;
    return wrong;
  }

  /// The first look's kernel alone, in other configurations.
  void time_variants() {
    using source = engine::native_source<T, engine::group_terms::value>;
    engine::group_job job;
    job.in.a = job.in.b = {reinterpret_cast<const char*>(x_.data()), sizeof(T), exactdot::type_of<T>, false};
    job.in.keys = reinterpret_cast<const char*>(keys_.data());
    job.in.n = n_, job.in.groups = count_;
    engine::set_input_layout(job, false);
    std::vector<way> ways;
    std::vector<std::string> names;
    std::vector<engine::group_job> jobs;
    for (const bool in_shared : {true, false}) {
      engine::group_job one = job;
      one.scheme = engine::scheme_of(source{}, one.in, false, {132, 200 << 10}, in_shared);
      if (in_shared && !one.scheme.in_shared) continue;
      for (const unsigned threads : {256U, 512U, 1024U}) {
        for (const unsigned blocks : {1U, 2U, 3U, 4U, 6U, 8U, 16U}) {
          if (!in_shared && threads != 256) continue;
          if (in_shared && (threads * blocks > 2048 || (one.scheme.shared_bytes + 1024) * blocks > (227 << 10)))
            continue;
          engine::group_job chosen = one;
          chosen.scheme.threads = threads, chosen.scheme.blocks = 132 * blocks;
          jobs.push_back(chosen);
          names.push_back((in_shared ? "tables " : "records ") + std::to_string(threads) + "x" +
                          std::to_string(blocks));
        }
      }
    }
    std::size_t bytes = 0;
    for (const auto& each : jobs) bytes = std::max(bytes, engine::first_look_bytes(each));
    buffer<unsigned char> memory(gpu_, bytes);
    memory.fill_zero();
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      engine::place_memory(jobs[i], memory.data());
      ways.push_back({names[i], [=, this, one = jobs[i]] {
                        const engine::group_scheme& scheme = one.scheme;
                        if (scheme.in_shared) {
                          exactdot::on_gpu::launch(engine::group_table_kernel<source>, scheme.blocks,
                                                   scheme.threads, scheme.shared_bytes, gpu_, one.in, scheme,
                                                   one.to);
                        } else {
                          exactdot::on_gpu::launch(engine::group_scatter_kernel<source, false>, scheme.blocks,
                                                   scheme.threads, std::size_t{0}, gpu_, one.in, scheme, one.to);
                        }
                      }});
    }
    // the window, once: at the exponents of the data
    exactdot::on_gpu::launch(engine::group_window_kernel, engine::sampled_terms / engine::window_threads,
                             engine::window_threads, std::size_t{0}, gpu_, job.in, jobs[0].to.status);
    measure(ways);
    std::printf("{\"variants\": \"sum\", \"type\": \"%s\", \"groups\": %u", type(), count_);
    for (std::size_t i = 0; i < ways.size(); ++i) std::printf(", \"%s\": %.1f", names[i].c_str(), medians_[i]);
    std::printf("}\n");
  }

  stream gpu_;
  std::size_t n_;
  buffer<T> x_;
  buffer<int> keys_;
  buffer<T> out_;
  buffer<std::int64_t> sizes_{gpu_, max_count};
  exactdot::cuda::workspace workspace_;
  unsigned count_ = 0;
  std::vector<double> medians_;
};

}  // namespace
}  // namespace experiment

int main(int argc, char** argv) {
  bool variants = false, checks = false;
  std::size_t n = std::size_t{1} << 26;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    variants = variants || option == "--variants";
    checks = checks || option == "--check";
    if (option == "--log2" && i + 1 < argc) n = std::size_t{1} << std::stoul(argv[i + 1]);
  }
  cudaDeviceProp properties{};
  exactdot::on_gpu::check(cudaGetDeviceProperties(&properties, 0), "asking for the GPU's name");
  std::printf("{\"gpu\": \"%s\", \"n\": %zu}\n", properties.name, n);
  experiment::measurement<float>(n).run(variants, checks);
  experiment::measurement<double>(n).run(variants, checks);
}
