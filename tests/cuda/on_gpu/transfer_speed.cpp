// Is a dot of host vectors faster on the GPU? And what does it cost to ask where a pointer points to?
//
// Prints Markdown: milliseconds on the CPU by so many threads, and on the GPU from pageable memory (copied by as
// many threads) and from page-locked memory; then nanoseconds of a dot of 16 elements. Best of several calls each.
#include <cuda_runtime.h>
#include <omp.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda/conveyor.hpp>
#include <exactdot/dot.hpp>
#include <random>
#include <vector>

namespace {

using exactdot::device;

double seconds_of(auto call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double best_of(int runs, auto call) {
  double best = seconds_of(call);
  for (int i = 0; i < runs; ++i) best = std::min(best, seconds_of(call));
  return best;
}

double milliseconds(const std::vector<float>& a, const std::vector<float>& b, std::size_t n, device where,
                    int threads) {
  float result = 0;
  return 1e3 * best_of(4, [&] {
           result += exactdot::dot<float>(a.data(), b.data(), n, {.device = where, .threads = threads});
         });
}

void pin(const std::vector<float>& x) {
  if (cudaHostRegister(const_cast<float*>(x.data()), x.size() * sizeof(float), cudaHostRegisterPortable) !=
      cudaSuccess) {
    std::exit((std::fputs("cannot page-lock the vectors\n", stderr), 1));
  }
}
void unpin(const std::vector<float>& x) { cudaHostUnregister(const_cast<float*>(x.data())); }

void print_transfers(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<int> counts;
  for (int threads = 1; threads < omp_get_num_procs(); threads *= 2) counts.push_back(threads);
  counts.push_back(omp_get_num_procs());
  std::printf("| floats | threads | CPU, ms | GPU, pageable, ms | GPU, page-locked, ms |\n|--:|--:|--:|--:|--:|\n");
  for (std::size_t n = std::size_t{1} << 16; n <= a.size(); n *= 4) {
    pin(a), pin(b);
    const double pinned = milliseconds(a, b, n, device::cuda, 1);
    unpin(a), unpin(b);
    for (const int threads : counts) {
      std::printf("| %zu | %d | %.3f | %.3f | %.3f |\n", n, threads, milliseconds(a, b, n, device::cpu, threads),
                  milliseconds(a, b, n, device::cuda, threads), pinned);
      std::fflush(stdout);
    }
  }
}

void print_chunks(const std::vector<float>& a, const std::vector<float>& b) {
  auto& limits = exactdot::cuda_engine::limits;
  std::printf("\n| chunk, MiB | all threads, pageable, ms | page-locked, ms |\n|--:|--:|--:|\n");
  for (std::size_t chunk = std::size_t{1} << 20; chunk <= std::size_t{1} << 26; chunk *= 2) {
    limits = {.largest_chunk = chunk, .smallest_chunk = chunk};
    const double pageable = milliseconds(a, b, a.size(), device::cuda, 0);
    pin(a), pin(b);
    std::printf("| %zu | %.2f | %.2f |\n", chunk >> 20, pageable, milliseconds(a, b, a.size(), device::cuda, 0));
    unpin(a), unpin(b);
  }
  limits = {};
}

double nanoseconds_of_16(const std::vector<float>& a, const std::vector<float>& b, device where) {
  constexpr int calls = 100'000;
  volatile float sink = 0;
  return 1e9 / calls * best_of(9, [&] {
           for (int i = 0; i < calls; ++i) sink = exactdot::dot<float>(a.data(), b.data(), 16, {.device = where});
         });
}

void print_heading() {
  cudaDeviceProp gpu{};
  if (cudaGetDeviceProperties(&gpu, 0) != cudaSuccess) std::exit((std::fputs("no GPU\n", stderr), 1));
  std::printf(
      "# Host vectors on a GPU\n\nPrinted by tests/cuda/on_gpu/transfer_speed.cpp on one %s and %d "
      "threads of its host.\n\n",
      gpu.name, omp_get_num_procs());
}

}  // namespace

int main() {
  std::mt19937 generator(1);
  std::vector<float> a(std::size_t{1} << 28), b(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(static_cast<int>(generator())) * 0x1p-31F;
    b[i] = a[i] * 0.75F + 0.1F;
  }
  const double on_cpu = nanoseconds_of_16(a, b, device::cpu), asleep = nanoseconds_of_16(a, b, device::automatic);
  float result = 0;
  const auto first = [&] { result = exactdot::dot<float>(a.data(), b.data(), 16, {.device = device::cuda}); };
  const double start = seconds_of(first);
  print_heading();
  std::printf(
      "16 elements, device::cpu: %.1f ns; automatic, before libcuda is loaded: %.1f ns; "
      "with a GPU in use: %.1f ns; device::cuda: %.0f ns, and %.0f ms the first time\n\n",
      on_cpu, asleep, nanoseconds_of_16(a, b, device::automatic), 1e9 * best_of(99, first), 1e3 * start);
  print_transfers(a, b);
  print_chunks(a, b);
}
