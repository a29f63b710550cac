// Capture of streams, and its replay. A stream that waits for an event of a capturing stream joins the capture.
#include "graphs.hpp"

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "context.hpp"

struct captured_step {
  std::function<void()> run;
  bool of_host;  // runs without the runtime's lock
};
using captured_work = std::vector<captured_step>;
struct CUgraph_st {
  captured_work work;
  cudaStream_t origin = nullptr;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  bool invalid = false;
};
struct CUgraphExec_st {
  std::shared_ptr<const captured_work> work;
  exactdot::simt::work_clock done;  // when the last launch of it is
};

namespace exactdot::simt {
namespace {

std::map<cudaStream_t, cudaGraph_t>& captures() {
  static auto& all = *new std::map<cudaStream_t, cudaGraph_t>;
  return all;
}
std::set<cudaGraph_t>& graphs() {
  static auto& all = *new std::set<cudaGraph_t>;
  return all;
}
std::set<cudaGraphExec_t>& executables() {
  static auto& all = *new std::set<cudaGraphExec_t>;
  return all;
}

/// What a function of the host accesses is ordered by its stream.
void run_of_host(const std::function<void()>& function) {
  auto& runtime = runtime_context::instance();
  const bool before = std::exchange(runtime.in_callback, true);
  function();
  runtime.in_callback = before;
}

}  // namespace

cudaGraph_t graph_of(cudaStream_t stream) {
  const auto at = captures().find(stream);
  return at == captures().end() ? nullptr : at->second;
}
bool is_capturing(cudaStream_t stream) { return graph_of(stream) != nullptr; }
void capture(cudaStream_t stream, std::function<void()> work) {
  graph_of(stream)->work.push_back({std::move(work), false});
}
void run_or_capture_of_host(cudaStream_t stream, std::function<void()> function) {
  {
    const runtime_lock lock;
    if (const cudaGraph_t graph = graph_of(stream); graph != nullptr)
      return graph->work.push_back({std::move(function), true});
  }
  run_of_host(function);
}
void join_capture(cudaStream_t stream, cudaGraph_t graph) {
  for (const auto& [captured, of] : captures()) {
    if (of == graph) {
      captures()[stream] = graph;
      return;
    }
  }
}

cudaError_t refuse_while_capturing(cudaStream_t stream) {
  const cudaGraph_t graph = graph_of(stream);
  if (graph == nullptr) return cudaSuccess;
  graph->invalid = true;
  return cudaErrorStreamCaptureUnsupported;
}
cudaError_t refuse_while_any_captures() {
  cudaError_t refused = cudaSuccess;
  for (const auto& [stream, graph] : captures()) {
    if (graph->mode == cudaStreamCaptureModeRelaxed) continue;
    graph->invalid = true;
    refused = cudaErrorStreamCaptureUnsupported;
  }
  return refused;
}

}  // namespace exactdot::simt

using namespace exactdot::simt;

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  const runtime_lock lock;
  if (stream == nullptr || stream == cudaStreamLegacy) return finish(cudaErrorStreamCaptureUnsupported);
  if (is_capturing(stream)) return finish(cudaErrorIllegalState);
  auto* const graph = new CUgraph_st;
  graph->origin = stream, graph->mode = mode;
  captures()[stream] = graph;
  return finish(cudaSuccess);
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const runtime_lock lock;
  if (graph == nullptr) return finish(cudaErrorInvalidValue);
  *graph = nullptr;
  const cudaGraph_t captured = graph_of(stream);
  if (captured == nullptr) return finish(cudaErrorIllegalState);
  if (captured->origin != stream) return finish(cudaErrorStreamCaptureUnmatched);
  std::erase_if(captures(), [&](const auto& entry) { return entry.second == captured; });
  if (captured->invalid) {
    delete captured;
    return finish(cudaErrorStreamCaptureInvalidated);
  }
  graphs().insert(captured);
  *graph = captured;
  return finish(cudaSuccess);
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const runtime_lock lock;
  if (status == nullptr) return finish(cudaErrorInvalidValue);
  const cudaGraph_t graph = graph_of(stream);
  *status = graph == nullptr ? cudaStreamCaptureStatusNone
            : graph->invalid ? cudaStreamCaptureStatusInvalidated
                             : cudaStreamCaptureStatusActive;
  return finish(cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  const runtime_lock lock;
  if (executable == nullptr || !graphs().contains(graph)) return finish(cudaErrorInvalidValue);
  *executable = new CUgraphExec_st{std::make_shared<const captured_work>(graph->work)};
  executables().insert(*executable);
  return finish(cudaSuccess);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, cudaGraphNode_t*, char*,
                                 std::size_t) {
  const runtime_lock lock;
  return cudaGraphInstantiate(executable, graph);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  const runtime_lock lock;
  return cudaGraphInstantiate(executable, graph);
}
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t) {
  const runtime_lock lock;
  return finish(executables().contains(executable) ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  std::shared_ptr<const captured_work> work;
  {
    const runtime_lock lock;
    if (!executables().contains(executable)) return finish(cudaErrorInvalidValue);
    work = executable->work;
    runtime_context::instance().order.wait(stream, executable->done);
  }
  run_or_capture_of_host(stream, [work, stream] {
    for (const captured_step& step : *work) {
      if (step.of_host) {
        step.run();
      } else {
        const runtime_lock lock;
        runtime_context::instance().current_stream = stream;
        step.run();
      }
    }
  });
  const runtime_lock lock;
  if (executables().contains(executable)) executable->done = runtime_context::instance().order.clock_of(stream);
  return finish(cudaSuccess);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  const runtime_lock lock;
  if (executables().erase(executable) == 0) return finish(cudaErrorInvalidValue);
  delete executable;
  return finish(cudaSuccess);
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  const runtime_lock lock;
  if (graphs().erase(graph) == 0) return finish(cudaErrorInvalidValue);
  delete graph;
  return finish(cudaSuccess);
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  const runtime_lock lock;
  if (count == nullptr || !graphs().contains(graph)) return finish(cudaErrorInvalidValue);
  if (nodes != nullptr) return finish(cudaErrorNotSupported);
  *count = graph->work.size();
  return finish(cudaSuccess);
}
