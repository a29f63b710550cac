// Times of states of segments, groups and few long rows in a GPU's memory: one line of JSON each, medians of calls
// with a workspace, which only enqueue. `gigabytes_per_second`: of elements, offsets and keys, each read once.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exactdot/cuda/batch_states.hpp>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace exactdot;

void require(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(1);
}

template <class T>
struct on_gpu {
  T* data = nullptr;
  std::size_t n;
  explicit on_gpu(const std::vector<T>& x) : n(x.size()) {
    require(cudaMalloc(reinterpret_cast<void**>(&data), n * sizeof(T)));
    require(cudaMemcpy(data, x.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  }
  explicit on_gpu(std::size_t zeros) : n(zeros) {
    require(cudaMalloc(reinterpret_cast<void**>(&data), n * sizeof(T)));
    require(cudaMemset(data, 0, n * sizeof(T)));
  }
  ~on_gpu() { cudaFree(data); }
  on_gpu(const on_gpu&) = delete;
  on_gpu& operator=(const on_gpu&) = delete;
};

/// The median of some calls, in microseconds, on the default stream.
double microseconds_of(const std::function<void()>& call) {
  constexpr int calls = 15;
  cudaEvent_t begin = nullptr, end = nullptr;
  require(cudaEventCreate(&begin)), require(cudaEventCreate(&end));
  call();
  std::vector<float> times;
  for (int i = 0; i < calls; ++i) {
    require(cudaEventRecord(begin));
    call();
    require(cudaEventRecord(end)), require(cudaEventSynchronize(end));
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, begin, end));
    times.push_back(milliseconds);
  }
  cudaEventDestroy(begin), cudaEventDestroy(end);
  std::ranges::sort(times);
  return 1000.0 * static_cast<double>(times[calls / 2]);
}

void report(const char* shape, const std::string& kind, reduction what, element_type type, std::size_t n,
            std::size_t results, double bytes, const std::function<void()>& call) {
  const double time = microseconds_of(call);
  std::printf(
      "{\"shape\": \"%s\", \"kind\": \"%s\", \"reduction\": \"%s\", \"type\": \"%s\", \"n\": %zu, "
      "\"results\": %zu, \"microseconds\": %.1f, \"gigabytes_per_second\": %.0f}\n",
      shape, kind.c_str(), std::string(name_of(what)).c_str(), std::string(name_of(type)).c_str(), n, results, time,
      bytes / time * 1e-3);
}

std::vector<int> offsets_of(std::size_t n, std::size_t length, bool has_huge) {
  std::vector<int> offsets{0};
  if (has_huge) offsets.push_back(static_cast<int>(n / 2));
  while (static_cast<std::size_t>(offsets.back()) < n) {
    offsets.push_back(static_cast<int>(std::min(n, static_cast<std::size_t>(offsets.back()) + length)));
  }
  return offsets;
}

template <class T>
void measure_segments(cuda::workspace& workspace, const on_gpu<T>& x) {
  for (const std::size_t length : {std::size_t{8}, std::size_t{64}, std::size_t{1024}, std::size_t{1} << 16, x.n}) {
    for (const bool has_huge : {false, true}) {
      if (has_huge && length == x.n) continue;
      const on_gpu<int> offsets(offsets_of(x.n, length, has_huge));
      const std::size_t count = offsets.n - 1;
      for (const reduction what : {reduction::sum, reduction::variance}) {
        const on_gpu<std::int64_t> words(count * state_words<T>(what, state_form::compact));
        const segments given{std::span<const T>(x.data, x.n), std::span<const int>(offsets.data, offsets.n)};
        report("segments", std::to_string(length) + (has_huge ? " and half in one" : ""), what, type_of<T>, x.n,
               count, static_cast<double>(x.n * sizeof(T) + 4 * count),
               [&] { cuda::reduce_into(workspace, what, given, words.data, state_form::compact); });
      }
    }
  }
}

template <class T>
void measure_groups(cuda::workspace& workspace, const on_gpu<T>& x) {
  for (const std::size_t count :
       {std::size_t{16}, std::size_t{1} << 10, std::size_t{1} << 14, std::size_t{1} << 18}) {
    for (const bool is_skewed : {false, true}) {
      std::mt19937 random(1);
      std::vector<int> keys(x.n);
      for (int& key : keys) {
        key = static_cast<int>(is_skewed && random() % 2 == 0 ? count / 2 : random() % count);
      }
      const on_gpu<int> k(keys);
      const groups given{std::span<const T>(x.data, x.n), std::span<const int>(k.data, k.n), count};
      for (const reduction what : {reduction::sum, reduction::variance}) {
        const on_gpu<std::int64_t> words(count * state_words<T>(what, state_form::compact));
        report("groups", is_skewed ? "half in one" : "uniform", what, type_of<T>, x.n, count,
               static_cast<double>(x.n * (sizeof(T) + 4)),
               [&] { cuda::reduce_into(workspace, what, given, words.data, state_form::compact); });
      }
    }
  }
}

template <class T>
void measure(std::size_t n) {
  std::mt19937 random(2);
  std::vector<T> a(n);
  for (T& each : a) each = static_cast<T>(static_cast<double>(random()) * 0x1p-31 - 1);
  const on_gpu<T> x(a);
  cuda::workspace workspace;
  measure_segments(workspace, x);
  measure_groups(workspace, x);
  for (const std::size_t m : {std::size_t{1}, std::size_t{16}, std::size_t{1000}}) {
    const on_gpu<std::int64_t> words(m * state_words<T>(reduction::sum));
    report("rows", "", reduction::sum, type_of<T>, n / m * m, m, static_cast<double>(n * sizeof(T)), [&] {
      cuda::reduce_into(workspace, reduction::sum, rows<T>{x.data, m, n / m}, words.data);
    });
  }
}

}  // namespace

int main() {
  measure<float>(std::size_t{1} << 24);
  measure<double>(std::size_t{1} << 24);
}
