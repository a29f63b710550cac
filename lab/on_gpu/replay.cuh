// Times work on a GPU: captures many calls into a CUDA graph and replays the graph between two events.
//
// The time is the device's alone: no launch waits for the host, and many calls per sample exceed the resolution of
// the clock. An untimed replay precedes each timed one, because on an idle stream the start event would complete
// while the host is still launching the graph, and the gap would be included.
#pragma once

#include <algorithm>
#include <exactdot/simt/on_gpu.hpp>
#include <vector>

namespace exactdot::lab {
namespace {

class event {
 public:
  event() { on_gpu::check(cudaEventCreate(&handle_), "creating an event"); }
  ~event() { cudaEventDestroy(handle_); }
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  void record(const on_gpu::stream& stream) {
    on_gpu::check(cudaEventRecord(handle_, stream.handle()), "recording an event");
  }
  [[nodiscard]] double seconds_since(const event& start) const {
    float milliseconds = 0;
    on_gpu::check(cudaEventSynchronize(handle_), "waiting for an event");
    on_gpu::check(cudaEventElapsedTime(&milliseconds, start.handle_, handle_), "reading the clock");
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t handle_ = nullptr;
};

/// A CUDA graph of `calls` calls of `enqueue`.
class replay {
 public:
  template <class Enqueue>
  replay(const on_gpu::stream& stream, const Enqueue& enqueue, int calls) {
    cudaGraph_t graph = nullptr;
    on_gpu::check(cudaStreamBeginCapture(stream.handle(), cudaStreamCaptureModeRelaxed), "starting a capture");
    for (int call = 0; call < calls; ++call) enqueue();
    on_gpu::check(cudaStreamEndCapture(stream.handle(), &graph), "capturing");
    const cudaError_t status = cudaGraphInstantiate(&graph_, graph, 0);
    cudaGraphDestroy(graph);
    on_gpu::check(status, "instantiating a graph");
  }
  ~replay() { cudaGraphExecDestroy(graph_); }
  replay(const replay&) = delete;
  replay& operator=(const replay&) = delete;

  void launch(const on_gpu::stream& stream) const {
    on_gpu::check(cudaGraphLaunch(graph_, stream.handle()), "replaying a graph");
  }

  /// Returns the seconds of the second of two consecutive replays.
  [[nodiscard]] double seconds(const on_gpu::stream& stream) const {
    event start, stop;
    launch(stream);
    start.record(stream);
    launch(stream);
    stop.record(stream);
    return stop.seconds_since(start);
  }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

/// Returns the seconds of one warm call of `enqueue`: the median of 11 samples of about 1 ms each, or of 3 samples
/// if one call takes longer than 0.1 s. `enqueue` must be capturable.
template <class Enqueue>
double median_replay_seconds(const on_gpu::stream& stream, const Enqueue& enqueue) {
  constexpr double sample_seconds = 1e-3;
  enqueue();
  const double first = replay(stream, enqueue, 1).seconds(stream);
  const int calls = static_cast<int>(std::clamp(sample_seconds / std::max(first, 1e-6), 1.0, 100.0));
  const replay repeated(stream, enqueue, calls);
  std::vector<double> samples(first > 0.1 ? 3 : 11);
  for (double& sample : samples) sample = repeated.seconds(stream) / calls;
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

}  // namespace
}  // namespace exactdot::lab
