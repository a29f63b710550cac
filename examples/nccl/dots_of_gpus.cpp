// Exact dot products and variances of data that are spread over the GPUs of this machine.
//
// Each GPU adds its share to words (dot_into, moments_into), NCCL sums the words as 64-bit integers, each GPU
// rounds the sums: one stream a GPU, and no host between the stages. So the results have the bits of one CPU,
// whatever the number of GPUs; rounded partial results, summed by NCCL as doubles, need not. On several machines
// only the communicators differ (ncclCommInitRank). GPUs that reach each other's memory sum the dot products a
// second time, and round them, in one launch without NCCL (round_among).
#include <algorithm>
#include <cstdio>
#include <exactdot/cuda/peer_sums.hpp>
#include <exactdot/exactdot.hpp>
#include <memory>
#include <random>
#include <stdexcept>

#include "nccl_errors.hpp"

namespace {

using exactdot::accumulator;
using exactdot::moments;
using exactdot::reduction;

constexpr std::size_t vectors = 3, n = 100'000;
constexpr std::size_t words_of_dot = accumulator<double>::word_count;
constexpr std::size_t words_of_moments = moments<double>::word_count;
constexpr std::size_t all_words = vectors * words_of_dot + words_of_moments;

/// `vectors` pairs of vectors whose products cancel, one after another.
struct data {
  std::vector<double> a, b;
};
data make_data() {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> values(-1, 1);
  data made{std::vector<double>(vectors * n), std::vector<double>(vectors * n)};
  for (std::size_t i = 0; i < made.a.size(); ++i) {
    const bool again = i % 2 == 1;
    made.a[i] = again ? -made.a[i - 1] : values(random) * 1e15;
    made.b[i] = again ? made.b[i - 1] * (1 + 1e-14) : values(random);
  }
  return made;
}

template <class T>
T* on_device(std::size_t count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)), "allocating device memory");
  check(cudaMemset(memory, 0, count * sizeof(T)), "clearing device memory");
  return static_cast<T*>(memory);
}

/// A GPU with its share of every vector: elements first to first + count.
struct gpu {
  int number;
  std::size_t first, count;
  cudaStream_t stream = nullptr;
  std::unique_ptr<exactdot::cuda::workspace> workspace;
  double *a = nullptr, *b = nullptr, *results = nullptr, *among_peers = nullptr;
  std::int64_t* words = nullptr;

  gpu(int number_, int gpus, const data& from)
      : number(number_),
        first(n * static_cast<std::size_t>(number_) / static_cast<std::size_t>(gpus)),
        count(n * static_cast<std::size_t>(number_ + 1) / static_cast<std::size_t>(gpus) - first) {
    check(cudaSetDevice(number), "choosing a GPU");
    check(cudaStreamCreate(&stream), "creating a stream");
    workspace = std::make_unique<exactdot::cuda::workspace>(stream);
    a = on_device<double>(vectors * count + 1), b = on_device<double>(vectors * count + 1);
    results = on_device<double>(vectors + 1), words = on_device<std::int64_t>(all_words);
    among_peers = on_device<double>(vectors);
    for (std::size_t i = 0; i < vectors; ++i) {
      const std::size_t bytes = count * sizeof(double);
      check(cudaMemcpy(a + i * count, &from.a[i * n + first], bytes, cudaMemcpyHostToDevice), "copying a");
      check(cudaMemcpy(b + i * count, &from.b[i * n + first], bytes, cudaMemcpyHostToDevice), "copying b");
    }
  }

  void add_share() const {
    check(cudaSetDevice(number), "choosing a GPU");
    for (std::size_t i = 0; i < vectors; ++i) {
      exactdot::cuda::dot_into(*workspace, a + i * count, b + i * count, count, words + i * words_of_dot);
    }
    exactdot::cuda::moments_into(*workspace, a, count, words + vectors * words_of_dot);
  }
  [[nodiscard]] exactdot::cuda::state_rows dots() const {
    return {{reduction::dot, exactdot::element_type::float64}, words, vectors};
  }
  /// Sums the words of all GPUs' dot products, which stay as they are, and rounds.
  void round_among(const exactdot::cuda::peer_sums& peers) const {
    check(cudaSetDevice(number), "choosing a GPU");
    exactdot::cuda::round_among(*workspace, peers, dots(), reduction::dot, among_peers);
  }
  void round() const {
    check(cudaSetDevice(number), "choosing a GPU");
    using exactdot::element_type;
    exactdot::cuda::round(*workspace, dots(), reduction::dot, results);
    exactdot::cuda::round(*workspace,
                          {{reduction::variance, element_type::float64}, words + vectors * words_of_dot},
                          reduction::variance, results + vectors);
  }
  [[nodiscard]] std::vector<double> read(const double* from, std::size_t size) const {
    check(cudaSetDevice(number), "choosing a GPU");
    workspace->check();
    std::vector<double> found(size);
    check(cudaMemcpy(found.data(), from, size * sizeof(double), cudaMemcpyDeviceToHost), "copying back");
    return found;
  }
};

/// For each GPU; none if they do not reach each other's memory.
std::vector<exactdot::cuda::peer_sums> peers_of(int gpus) {
  std::vector<int> devices;
  for (int i = 0; i < gpus; ++i) devices.push_back(i);
  try {
    return exactdot::cuda::connect_peers(devices, vectors, words_of_dot);
  } catch (const exactdot::error& failure) {
    std::printf("%s\n", failure.what());
    return {};
  }
}

/// The results of every GPU.
std::vector<std::vector<double>> results_of(int gpus, const data& from) {
  const communicators communicator(gpus);
  const std::vector<exactdot::cuda::peer_sums> peers = peers_of(gpus);
  std::vector<gpu> all;
  for (int i = 0; i < gpus; ++i) all.emplace_back(i, gpus, from);
  for (const gpu& each : all) each.add_share();
  for (std::size_t i = 0; i < peers.size(); ++i) all[i].round_among(peers[i]);
  check(ncclGroupStart(), "starting a group");
  for (const gpu& each : all) {
    check(ncclAllReduce(each.words, each.words, all_words, ncclInt64, ncclSum, communicator[each.number],
                        each.stream),
          "enqueuing an allreduce");
  }
  check(ncclGroupEnd(), "enqueuing the allreduces");
  for (const gpu& each : all) each.round();
  std::vector<std::vector<double>> found;
  for (const gpu& each : all) {
    found.push_back(each.read(each.results, vectors + 1));
    check_asynchronous(communicator[each.number]);
    if (peers.empty()) continue;
    const std::vector<double> again = each.read(each.among_peers, vectors);
    if (!std::equal(again.begin(), again.end(), found.back().begin())) {
      throw std::runtime_error("round_among gave other bits");
    }
  }
  return found;
}

std::vector<double> results_of_cpu(const data& from) {
  const exactdot::options on_cpu{.device = exactdot::device::cpu};
  std::vector<double> found;
  for (std::size_t i = 0; i < vectors; ++i) {
    found.push_back(exactdot::dot<double>(&from.a[i * n], &from.b[i * n], n, on_cpu));
  }
  found.push_back(exactdot::variance(std::span<const double>(from.a.data(), n), 0, on_cpu));
  return found;
}

}  // namespace

int main() {
  constexpr int skipped = 77;
  const int gpus = visible_gpus();
  if (gpus == 0) {
    std::puts("no GPU");
    return skipped;
  }
  try {
    const data from = make_data();
    const std::vector<double> expected = results_of_cpu(from);
    int wrong = 0;
    for (int count = 1; count <= gpus; ++count) {
      const auto found = results_of(count, from);
      for (const auto& of_gpu : found) wrong += of_gpu != expected;
      std::printf("%d GPU%s: %a %a %a, variance %a\n", count, count == 1 ? "" : "s", found[0][0], found[0][1],
                  found[0][2], found[0][3]);
    }
    std::printf("%s\n", wrong == 0 ? "the bits of one CPU on every GPU" : "WRONG: the bits differ");
    return wrong == 0 ? 0 : 1;
  } catch (const std::exception& failure) {
    std::printf("failed: %s\n", failure.what());
    return 1;
  }
}
