// Groups by keys in a GPU's memory: sums of 2^26 elements in 4 to 2^20 groups, beside racy atomics, CUB by key and
// a kernel that only reads the elements and their keys, with uniform, sorted, equal, Zipf-distributed and
// alternating keys.
//
// Medians of rounds in which all ways take turns, in a replayed graph. All sums of some shapes are compared with
// the CPU's. Output: one JSON object a line. Usage: gpu_groups [--log2 N] [--check] [--few]: only the comparison of
// all shapes; fewer numbers of groups.
#include <algorithm>
#include <bench/experiments/fill.cuh>
#include <bench/experiments/gpu_groups_peers.cuh>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exactdot/cuda/batches.hpp>
#include <exactdot/exactdot.hpp>
#include <string>
#include <vector>

namespace experiment {
namespace {

using exactdot::reduction;
constexpr int rounds = 5;
constexpr const char* orders[] = {"uniform", "sorted", "equal", "zipf", "alternating"};
constexpr int order_count = 5;

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
    if (order == 4) key = i % 2 == 0 ? groups / 2 : groups - 1;
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
class measurement {
 public:
  explicit measurement(std::size_t n)
      : n_(n),
        x_(gpu_, n),
        keys_(gpu_, n),
        out_(gpu_, max_count),
        workspace_(gpu_.handle()),
        cub_(gpu_, x_.data(), keys_.data(), n, max_count) {
    fill<<<1024, 256, 0, gpu_.handle()>>>(x_.data(), n, std::uint64_t{1} << 40);
    exactdot::on_gpu::synchronise(gpu_);
  }

  void run(bool checks, bool few) {
    for (int order = 0; order < order_count; ++order) {
      for (const int log2_count : {2, 4, 8, 10, 12, 13, 14, 16, 18, 20}) {
        if (few && (log2_count == 8 || log2_count == 13 || log2_count == 18)) continue;
        count_ = 1U << log2_count;
        fill_keys<<<1024, 256, 0, gpu_.handle()>>>(keys_.data(), n_, count_, order);
        const bool is_checked = checks || (log2_count == 10 || log2_count == 16);
        const long wrong = is_checked ? wrong_sums() : -1;
        if (!checks) time(orders[order], wrong, order == 1 || order == 2);
        if (checks) {
          std::printf("{\"groups\": %u, \"type\": \"%s\", \"keys\": \"%s\", \"wrong\": %ld}\n", count_, type(),
                      orders[order], wrong);
        }
        std::fflush(stdout);
      }
    }
    if (checks) return;
    make_cancel<<<1024, 256, 0, gpu_.handle()>>>(x_.data(), n_);
    for (const int log2_count : {4, 10, 16, 20}) {
      count_ = 1U << log2_count;
      fill_keys<<<1024, 256, 0, gpu_.handle()>>>(keys_.data(), n_, count_, 1);
      time("sorted, sums that cancel", wrong_sums(), true);
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

  void time(const char* order, long wrong, bool is_sorted) {
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
                             {"cub", [=, this] { cub_.enqueue(is_sorted, std::bit_width(count_ - 1)); }},
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

  stream gpu_;
  std::size_t n_;
  buffer<T> x_;
  buffer<int> keys_;
  buffer<T> out_;
  buffer<std::int64_t> sizes_{gpu_, max_count};
  exactdot::cuda::workspace workspace_;
  cub_by_key<T> cub_;
  unsigned count_ = 0;
  std::vector<double> medians_;
};

}  // namespace
}  // namespace experiment

int main(int argc, char** argv) {
  bool checks = false, few = false;
  std::size_t n = std::size_t{1} << 26;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    checks = checks || option == "--check";
    few = few || option == "--few";
    if (option == "--log2" && i + 1 < argc) n = std::size_t{1} << std::stoul(argv[i + 1]);
  }
  cudaDeviceProp properties{};
  exactdot::on_gpu::check(cudaGetDeviceProperties(&properties, 0), "asking for the GPU's name");
  std::printf("{\"gpu\": \"%s\", \"n\": %zu}\n", properties.name, n);
  experiment::measurement<float>(n).run(checks, few);
  experiment::measurement<double>(n).run(checks, few);
}
