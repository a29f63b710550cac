// Measures dot products of host vectors on the CPU and on the GPU, and the cost of locating a pointer.
//
// Prints Markdown. First, nanoseconds per dot of 16 elements. Then milliseconds per number of threads: on the CPU,
// and on the GPU from pageable memory (copied by the same number of threads) and from page-locked memory. Then
// milliseconds per size of chunks. Each figure is the minimum of several calls.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda/host/staging_pipeline.hpp>
#include <exactdot/info.hpp>
#include <exactdot/reductions.hpp>
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

double milliseconds(const std::vector<float>& a, const std::vector<float>& b, std::size_t n, device target,
                    int threads) {
  float result = 0;
  return 1e3 * best_of(4, [&] {
           result += exactdot::dot<float>(a.data(), b.data(), n, {.device = target, .threads = threads});
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
  for (int threads = 1; threads < exactdot::cpu().threads; threads *= 2) counts.push_back(threads);
  counts.push_back(exactdot::cpu().threads);
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
  namespace engine = exactdot::engine;
  std::printf("\n| chunk, MiB | all threads, pageable, ms | page-locked, ms |\n|--:|--:|--:|\n");
  for (std::size_t chunk = std::size_t{1} << 20; chunk <= std::size_t{1} << 26; chunk *= 2) {
    exactdot::cuda_engine::staging_pipeline pipeline(chunk, {.max_chunk = chunk, .min_chunk = chunk});
    const auto milliseconds_staged = [&] {
      const engine::plan plan = engine::make_plan({"dot", exactdot::reduction::dot, exactdot::to_any(a),
                                                   exactdot::to_any(b), exactdot::element_type::float32},
                                                  {.device = device::cuda});
      return 1e3 * best_of(4, [&] { static_cast<void>(exactdot::cuda_engine::reduce_staged(plan, pipeline)); });
    };
    const double pageable = milliseconds_staged();
    pin(a), pin(b);
    std::printf("| %zu | %.2f | %.2f |\n", chunk >> 20, pageable, milliseconds_staged());
    unpin(a), unpin(b);
  }
}

double nanoseconds_of_16(const std::vector<float>& a, const std::vector<float>& b, device target) {
  constexpr int calls = 100'000;
  volatile float sink = 0;
  return 1e9 / calls * best_of(9, [&] {
           for (int i = 0; i < calls; ++i) sink = exactdot::dot<float>(a.data(), b.data(), 16, {.device = target});
         });
}

void print_heading() {
  cudaDeviceProp gpu{};
  if (cudaGetDeviceProperties(&gpu, 0) != cudaSuccess) std::exit((std::fputs("no GPU\n", stderr), 1));
  std::printf(
      "# Host vectors on a GPU\n\nPrinted by tests/cuda/on_gpu/transfer_speed.cpp on one %s and %d "
      "threads of its host.\n\n",
      gpu.name, exactdot::cpu().threads);
}

}  // namespace

int main() {
  std::mt19937 generator(1);
  std::vector<float> a(std::size_t{1} << 28), b(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(static_cast<int>(generator())) * 0x1p-31F;
    b[i] = a[i] * 0.75F + 0.1F;
  }
  const double on_cpu = nanoseconds_of_16(a, b, device::cpu);
  const double without_driver = nanoseconds_of_16(a, b, device::automatic);
  float result = 0;
  const auto call = [&] { result = exactdot::dot<float>(a.data(), b.data(), 16, {.device = device::cuda}); };
  const double first_call = seconds_of(call);
  print_heading();
  std::printf(
      "16 elements, device::cpu: %.1f ns; automatic, before libcuda is loaded: %.1f ns; "
      "with an active CUDA context: %.1f ns; device::cuda: %.0f ns, first call %.0f ms\n\n",
      on_cpu, without_driver, nanoseconds_of_16(a, b, device::automatic), 1e9 * best_of(99, call),
      1e3 * first_call);
  print_transfers(a, b);
  print_chunks(a, b);
}
