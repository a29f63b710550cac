// One version's side of the comparison; see version.hpp. Compiled against that version's public headers.
#include "version.hpp"

#include <chrono>
#include <exactdot/accumulator.hpp>
#include <exactdot/dot.hpp>
#include <span>
#if VERSION_HAS_CUDA
#include <exactdot/cuda.hpp>
#endif

namespace {

using versions::mode;

template <class Call>
double seconds_of(int calls, Call call) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

exactdot::options options_of(mode what, int threads) {
  exactdot::options made;
  made.mode = what == mode::fast ? exactdot::mode::fast : exactdot::mode::exact;
  made.device = exactdot::device::cpu;
  made.threads = threads;
  return made;
}

template <class T>
double seconds(mode what, const void* a, const void* b, std::size_t n, int threads, int calls) {
  const exactdot::options options = options_of(what, threads);
  const T *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
  if (what == mode::accumulate) {
    exactdot::accumulator<T> sum;
    return seconds_of(calls, [&] { sum.add(std::span(x, n), std::span(y, n), options); });
  }
  volatile T sink = 0;
  return seconds_of(calls, [&] { sink = exactdot::dot<T>(x, y, n, options); });
}

}  // namespace

extern "C" double version_seconds(int bytes, mode what, const void* a, const void* b, std::size_t n, int threads,
                                  int calls) {
  return bytes == 4 ? seconds<float>(what, a, b, n, threads, calls)
                    : seconds<double>(what, a, b, n, threads, calls);
}

#if VERSION_HAS_CUDA
extern "C" void* version_workspace(void* stream) {
  return new exactdot::cuda::workspace(static_cast<exactdot::cuda::stream_handle>(stream));
}

namespace {
template <class T>
void enqueue(void* workspace, mode what, const void* a, const void* b, std::size_t n, void* result) {
  exactdot::options options;
  options.mode = what == mode::fast ? exactdot::mode::fast : exactdot::mode::exact;
  exactdot::cuda::dot(*static_cast<exactdot::cuda::workspace*>(workspace), static_cast<const T*>(a),
                      static_cast<const T*>(b), n, static_cast<T*>(result), options);
}
}  // namespace

extern "C" void version_enqueue(void* workspace, int bytes, mode what, const void* a, const void* b, std::size_t n,
                                void* result) {
  bytes == 4 ? enqueue<float>(workspace, what, a, b, n, result) : enqueue<double>(workspace, what, a, b, n, result);
}
#endif
