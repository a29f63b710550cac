#include <cuda/workspace.hpp>
#include <deque>
#include <map>
#include <python/src/gil.hpp>
#include <python/src/gpu_streams.hpp>
#include <utility>
#include <vector>

namespace exactdot::python {
namespace {

/// More streams than any program keeps busy; at 128 KiB each.
constexpr std::size_t most_workspaces = 64;
/// So many calls may be on their way before the host waits for the oldest.
constexpr std::size_t most_kept = 256;

using key = std::pair<int, std::intptr_t>;

/// Never destroyed: at exit CUDA may be gone already.
auto& workspaces() {
  static auto* const all = new std::map<key, std::shared_ptr<shared_workspace>>;
  return *all;
}

struct kept_call {
  cuda_engine::event done;
  std::vector<nb::object> objects;
};

auto& kept_calls() {
  static auto* const all = new std::deque<kept_call>;
  return *all;
}

}  // namespace

std::shared_ptr<shared_workspace> workspace_of(int device, std::intptr_t stream) {
  const key wanted{device, stream};
  if (const auto found = workspaces().find(wanted); found != workspaces().end()) return found->second;
  std::shared_ptr<shared_workspace> made;
  {
    const gil_release others_may_run;  // making one waits for the device
    made = std::make_shared<shared_workspace>(as_stream(stream));
  }
  if (workspaces().size() >= most_workspaces) {
    cuda::check(cudaDeviceSynchronize(), "waiting for the device before giving workspaces back");
    workspaces().clear();
  }
  return workspaces().emplace(wanted, std::move(made)).first->second;
}

void keep_until_done(std::initializer_list<const operand*> operands, const stream_choice& stream) {
  auto& kept = kept_calls();
  while (!kept.empty() && cudaEventQuery(kept.front().done.get()) == cudaSuccess) kept.pop_front();
  static_cast<void>(cudaGetLastError());  // "not ready" is no failure
  cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
  cuda::check(cudaStreamIsCapturing(as_stream(stream.handle), &capturing), "asking whether a stream is captured");
  if (capturing != cudaStreamCaptureStatusNone) return;  // who captures keeps the memory for the graph
  std::vector<nb::object> objects;
  for (const operand* one : operands) {
    if (stream.framework.empty() || framework_of(one->object) != stream.framework) {
      objects.push_back(nb::borrow(one->object));
    }
  }
  if (objects.empty()) return;
  if (kept.size() >= most_kept) {
    cuda::check(cudaEventSynchronize(kept.front().done.get()), "waiting for an earlier call");
    kept.pop_front();
  }
  auto done = cuda_engine::make_event();
  cuda::check(cudaEventRecord(done.get(), as_stream(stream.handle)), "recording an event");
  kept.push_back({std::move(done), std::move(objects)});
}

stream_memory::stream_memory(std::size_t bytes, cudaStream_t stream) : stream_(stream) {
  cuda::check(cudaMallocAsync(&data_, bytes, stream), "allocating memory for a view");
}

stream_memory::~stream_memory() { static_cast<void>(cudaFreeAsync(data_, stream_)); }

}  // namespace exactdot::python
