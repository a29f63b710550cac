// What is captured of a stream instead of run.
#pragma once

#include <exactdot/simt/runtime/graphs.hpp>
#include <functional>

#include "context.hpp"

namespace exactdot::simt {

[[nodiscard]] bool is_capturing(cudaStream_t stream);
/// Work of a capturing stream.
void capture(cudaStream_t stream, std::function<void()> work);
/// A function of the host, which runs without the lock of the runtime: it may wait for threads that need it.
void run_or_capture_of_host(cudaStream_t stream, std::function<void()> function);
/// Runs the work or, of a capturing stream, keeps it. Returns the work's error or cudaSuccess.
template <class Work>
cudaError_t run_or_capture(cudaStream_t stream, Work work) {
  const runtime_lock lock;
  if (!is_capturing(stream)) {
    runtime_context::instance().current_stream = stream;
    return work();
  }
  capture(stream, [work] { static_cast<void>(work()); });
  return cudaSuccess;
}
/// The graph that captures the stream; null if none does.
[[nodiscard]] cudaGraph_t graph_of(cudaStream_t stream);
/// The stream waits for work of the graph: it joins its capture.
void join_capture(cudaStream_t stream, cudaGraph_t graph);
/// A call that no capture allows: its error if this stream is captured, or any with `stream` null and mode global.
/// The capture becomes invalid.
[[nodiscard]] cudaError_t refuse_while_capturing(cudaStream_t stream);
[[nodiscard]] cudaError_t refuse_while_any_captures();

}  // namespace exactdot::simt
