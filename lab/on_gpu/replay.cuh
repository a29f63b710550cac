// How long work takes on a GPU: captured into a CUDA graph, many calls in a row, and replayed between two events.
//
// So the time is the device's: no launch waits for the host, and a call of some microseconds is not drowned by the
// clock. Each replay that is timed follows at once on one that is not: a start event on an idle stream would be
// reached while the host is still launching the graph, and the gap would count.
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
  void record(const on_gpu::stream& on) {
    on_gpu::check(cudaEventRecord(handle_, on.handle()), "recording an event");
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

/// `calls` calls of enqueue, captured.
class replay {
 public:
  template <class Enqueue>
  replay(const on_gpu::stream& on, const Enqueue& enqueue, int calls) {
    cudaGraph_t graph = nullptr;
    on_gpu::check(cudaStreamBeginCapture(on.handle(), cudaStreamCaptureModeRelaxed), "starting to capture");
    for (int call = 0; call < calls; ++call) enqueue();
    on_gpu::check(cudaStreamEndCapture(on.handle(), &graph), "capturing");
    const cudaError_t status = cudaGraphInstantiate(&graph_, graph, 0);
    cudaGraphDestroy(graph);
    on_gpu::check(status, "instantiating a graph");
  }
  ~replay() { cudaGraphExecDestroy(graph_); }
  replay(const replay&) = delete;
  replay& operator=(const replay&) = delete;

  void launch(const on_gpu::stream& on) const {
    on_gpu::check(cudaGraphLaunch(graph_, on.handle()), "replaying a graph");
  }

  /// Of the second of two replays in a row.
  [[nodiscard]] double seconds(const on_gpu::stream& on) const {
    event start, stop;
    launch(on);
    start.record(on);
    launch(on);
    stop.record(on);
    return stop.seconds_since(start);
  }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

/// Seconds of one call of enqueue, warm: the median of 11 samples of about a millisecond each, or of 3 where one
/// call takes longer than a tenth of a second. Enqueues nothing that cannot be captured.
template <class Enqueue>
double seconds_a_call(const on_gpu::stream& on, const Enqueue& enqueue) {
  constexpr double sample_seconds = 1e-3;
  enqueue();
  const double first = replay(on, enqueue, 1).seconds(on);
  const int calls = static_cast<int>(std::clamp(sample_seconds / std::max(first, 1e-6), 1.0, 100.0));
  const replay many(on, enqueue, calls);
  std::vector<double> samples(first > 0.1 ? 3 : 11);
  for (double& sample : samples) sample = many.seconds(on) / calls;
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

}  // namespace
}  // namespace exactdot::lab
