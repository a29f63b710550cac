// Compares runtimes for the CPU engine's threads: OpenMP, OpenMP with passive waiting, oneTBB, the library's pool.
//
//   thread_runtimes            the table of failures, then the tables of times (a quarter of an hour)
//   thread_runtimes --quick    fewer lengths and samples
//
// Each runtime divides the same loop: mode fast on float vectors, one thread per processor. Samples are taken in
// child processes in turns, because a runtime's waiting threads slow the others down, and because libgomp reads its
// waiting policy when it is loaded.
#include "thread_runtimes.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exactdot/exactdot.hpp>
#include <plan/thread_count.hpp>
#include <plan/threads.hpp>

namespace thread_runtimes {
namespace {

exactdot::options with_threads(int threads) {
  return {.mode = exactdot::mode::fast, .device = exactdot::device::cpu, .threads = threads};
}

double dot_with_threads(const float* a, const float* b, std::size_t n, int threads) {
  return exactdot::dot<float>(a, b, n, with_threads(threads));
}
double one_thread(const float* a, const float* b, std::size_t n) { return dot_with_threads(a, b, n, 1); }
double library(const float* a, const float* b, std::size_t n) { return dot_with_threads(a, b, n, 0); }

/// What the dynamic runtimes take at a time, at least.
std::size_t grain_of(std::size_t n) { return std::min(exactdot::engine::min_share, n / 4); }

double openmp(const float* a, const float* b, std::size_t n) {
  std::atomic<double> sum{0};
  const auto threads = static_cast<std::size_t>(exactdot::engine::available_processors());
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (std::size_t i = 0; i < threads; ++i) {
    const std::size_t first = n * i / threads, last = n * (i + 1) / threads;
    sum += one_thread(a + first, b + first, last - first);
  }
  return sum;
}

double onetbb(const float* a, const float* b, std::size_t n) {
  std::atomic<double> sum{0};
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, grain_of(n)), [&](const auto& range) {
    sum += one_thread(a + range.begin(), b + range.begin(), range.size());
  });
  return sum;
}

double pool(const float* a, const float* b, std::size_t n) {
  std::atomic<double> sum{0};
  const int threads = exactdot::engine::available_processors();
  exactdot::engine::for_shares(n, grain_of(n), threads, [&](std::size_t first, std::size_t count, int) noexcept {
    sum += one_thread(a + first, b + first, count);
  });
  return sum;
}

constexpr runtime all[] = {
    {"one", "1 thread", false, one_thread},
    {"openmp", "OpenMP", false, openmp},
    {"openmp_passive", "OpenMP, passive", true, openmp},
    {"onetbb", "oneTBB", false, onetbb},
    {"pool", "pool", false, pool},
    {"library", "`threads = 0`", false, library},
};

}  // namespace

const std::span<const runtime> runtimes(all);

}  // namespace thread_runtimes

int main(int argc, char** argv) {
  using namespace thread_runtimes;
  const auto has = [&](const char* option) {
    return std::any_of(argv + 1, argv + argc, [&](const char* word) { return std::strcmp(word, option) == 0; });
  };
  if (argc > 2 && std::strcmp(argv[1], "--measure") == 0) {
    for (const runtime& each : runtimes) {
      if (std::strcmp(each.name, argv[2]) == 0) measure(each, has("--quick"), has("--pauses"));
    }
    return 0;
  }
  print_failures();
  print_times(argv[0], has("--quick"));
}
