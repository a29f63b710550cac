// Times two versions of the library in turns, in one process, on the same vectors; prints the ratio of their
// medians.
//
// usage: compare cpu|gpu OLD.so NEW.so [--rounds N] [--quick]
// A sample is many calls of one version; the versions alternate, so that both meet the same state of the machine.
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "version.hpp"
#if VERSION_HAS_CUDA
#include <cuda_runtime.h>
#endif

namespace {

using versions::mode;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "compare: %s\n", why.c_str());
  std::exit(2);
}

struct version {
  explicit version(const char* file) : library(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
    if (library == nullptr) fail(dlerror());
  }
  template <class Function>
  Function* find(const char* name) const {
    void* const found = dlsym(library, name);
    if (found == nullptr) fail(std::string(name) + " is missing");
    return reinterpret_cast<Function*>(found);
  }
  void* library;
};

/// Seconds of one call, from a sample.
using sampler = std::function<double()>;

struct comparison {
  double old_median, new_median, ratio;
};

double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

comparison compare(const sampler& old_version, const sampler& new_version, int rounds) {
  std::vector<double> before, after;
  for (int round = 0; round < rounds; ++round) {
    double x = 0, y = 0;
    if (round % 2 == 0) {
      x = old_version(), y = new_version();
    } else {
      y = new_version(), x = old_version();
    }
    before.push_back(x), after.push_back(y);
  }
  return {median(before), median(after), median(after) / median(before)};
}

template <class T>
std::vector<T> uniform(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> x(n);
  for (T& value : x) value = static_cast<T>(std::ldexp(static_cast<double>(static_cast<long long>(random())), -63));
  return x;
}

const char* name_of(mode what) {
  return what == mode::exact ? "exact" : what == mode::fast ? "fast" : "accumulate";
}

template <class T>
constexpr std::string_view type_name = std::is_same_v<T, float> ? "float32" : "float64";

struct summary {
  std::vector<double> ratios;
  void add(std::string_view type, mode what, std::size_t n, int threads, const comparison& found, double unit) {
    ratios.push_back(found.ratio);
    std::printf("| %.*s | %s | %zu | %d | %.4g | %.4g | %.3f |\n", static_cast<int>(type.size()), type.data(),
                name_of(what), n, threads, found.old_median * unit, found.new_median * unit, found.ratio);
    std::fflush(stdout);
  }
  void print() const {
    std::printf("\nmedian of all ratios %.3f, largest %.3f, %zu rows\n", median(ratios),
                *std::max_element(ratios.begin(), ratios.end()), ratios.size());
  }
};

template <class T>
void compare_cpu(const version& before, const version& after, int rounds, bool quick, summary& all) {
  auto* const old_seconds = before.find<versions::seconds_of_calls>("version_seconds");
  auto* const new_seconds = after.find<versions::seconds_of_calls>("version_seconds");
  const std::vector<std::size_t> lengths =
      quick ? std::vector<std::size_t>{16, 1000, 100'000}
            : std::vector<std::size_t>{16, 100, 1000, 10'000, 100'000, 1'000'000, 20'000'000};
  for (const std::size_t n : lengths) {
    const std::vector<T> a = uniform<T>(n, 1), b = uniform<T>(n, 2);
    for (const mode what : {mode::exact, mode::fast, mode::accumulate}) {
      for (const int threads : {1, 2}) {
        if (threads > 1 && n < 100'000) continue;
        const auto seconds = [&](auto* call, int calls) {
          return call(sizeof(T), what, a.data(), b.data(), n, threads, calls);
        };
        const double one = seconds(old_seconds, 3) / 3;
        const int calls = std::max(1, static_cast<int>(std::min(2e-3 / one, 2e5)));
        const auto sample = [&](auto* call) { return [&, call] { return seconds(call, calls) / calls; }; };
        all.add(type_name<T>, what, n, threads, compare(sample(old_seconds), sample(new_seconds), rounds), 1e9);
      }
    }
  }
}

#if VERSION_HAS_CUDA
void check(cudaError_t status) {
  if (status != cudaSuccess) fail(cudaGetErrorString(status));
}

/// A graph of `calls` calls, replayed.
class replay {
 public:
  template <class Call>
  replay(cudaStream_t stream, int calls, const Call& call) : stream_(stream), calls_(calls) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    for (int i = 0; i < calls; ++i) call();
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&graph_, graph, 0));
    check(cudaGraphDestroy(graph));
    check(cudaEventCreate(&start_)), check(cudaEventCreate(&stop_));
    seconds();
  }
  double seconds() {
    check(cudaGraphLaunch(graph_, stream_));  // the stream is busy when the start event is recorded
    check(cudaEventRecord(start_, stream_));
    check(cudaGraphLaunch(graph_, stream_));
    check(cudaEventRecord(stop_, stream_));
    check(cudaEventSynchronize(stop_));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_, stop_));
    return milliseconds * 1e-3 / calls_;
  }

 private:
  cudaStream_t stream_;
  int calls_;
  cudaGraphExec_t graph_ = nullptr;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

template <class T>
void compare_gpu(const version& before, const version& after, int rounds, bool quick, summary& all) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  const std::size_t longest = std::size_t{1} << 29;
  T *a = nullptr, *b = nullptr, *result = nullptr;
  check(cudaMalloc(&a, longest * sizeof(T))), check(cudaMalloc(&b, longest * sizeof(T)));
  check(cudaMalloc(&result, 256));
  const std::size_t chunk = std::size_t{1} << 22;
  const std::vector<T> x = uniform<T>(chunk, 1), y = uniform<T>(chunk - 3, 2);
  for (std::size_t i = 0; i < longest; i += chunk) {
    check(cudaMemcpy(a + i, x.data(), chunk * sizeof(T), cudaMemcpyDefault));
  }
  for (std::size_t i = 0; i < longest; i += y.size()) {
    check(cudaMemcpy(b + i, y.data(), std::min(y.size(), longest - i) * sizeof(T), cudaMemcpyDefault));
  }
  // Where a workspace lies in memory changes the latency of the exchange between blocks, so each version has
  // several.
  const version* const both[] = {&before, &after};
  constexpr int places = 7;
  void* workspaces[2][places];
  for (int place = 0; place < places; ++place) {
    for (int k = 0; k < 2; ++k) {
      const int which = (place + k) % 2;
      workspaces[which][place] = both[which]->find<versions::make_workspace>("version_workspace")(stream);
    }
  }
  for (int log2 = 10; log2 <= 29; log2 += quick ? 5 : 1) {
    const std::size_t n = std::size_t{1} << log2;
    for (const mode what : {mode::exact, mode::fast}) {
      const int calls = static_cast<int>(std::clamp<std::size_t>((std::size_t{1} << 28) / n, 1, 200));
      std::vector<replay> graphs[2];
      for (int k = 0; k < 2; ++k) {
        auto* const enqueue = both[k]->find<versions::enqueue>("version_enqueue");
        for (void* const workspace : workspaces[k]) {
          graphs[k].emplace_back(stream, calls,
                                 [&] { enqueue(workspace, sizeof(T), what, a, b, n, result + 8 * k); });
        }
      }
      const auto sample = [&](int k) {
        return [&graphs, k, round = 0]() mutable {
          return graphs[k][static_cast<std::size_t>(round++ % places)].seconds();
        };
      };
      all.add(type_name<T>, what, n, 0, compare(sample(0), sample(1), rounds), 1e6);
      T results[9];
      check(cudaMemcpy(results, result, sizeof results, cudaMemcpyDefault));
      if (std::memcmp(&results[0], &results[8], sizeof(T)) != 0) fail("the versions' bits differ");
    }
  }
  check(cudaFree(a)), check(cudaFree(b));
}
#endif

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) fail("usage: compare cpu|gpu OLD.so NEW.so [--rounds N] [--quick]");
  int rounds = 41;
  bool quick = false;
  for (int i = 4; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quick") == 0) quick = true;
    if (std::strcmp(argv[i], "--rounds") == 0 && i + 1 < argc) rounds = std::atoi(argv[++i]);
  }
  // otherwise OpenMP's threads, which versions up to 0.2 use, compute while the other version is measured
  setenv("OMP_WAIT_POLICY", "passive", 0);
  const version before(argv[2]), after(argv[3]);
  summary all;
  const bool gpu = std::strcmp(argv[1], "gpu") == 0;
  std::printf("| type | mode | n | threads | old, %s | new, %s | new / old |\n|---|---|--:|--:|--:|--:|--:|\n",
              gpu ? "µs" : "ns", gpu ? "µs" : "ns");
  if (!gpu) {
    compare_cpu<float>(before, after, rounds, quick, all);
    compare_cpu<double>(before, after, rounds, quick, all);
  } else {
#if VERSION_HAS_CUDA
    compare_gpu<float>(before, after, rounds, quick, all);
    compare_gpu<double>(before, after, rounds, quick, all);
#else
    fail("built without CUDA");
#endif
  }
  all.print();
}
