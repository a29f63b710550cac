// A stream is known by the number that CUDA gives it for ever: its handle may be that of a destroyed one, and the
// handle of the per-thread default stream is the same in all threads.
#include <cuda/workspace.hpp>
#include <deque>
#include <map>
#include <python/src/gil.hpp>
#include <python/src/gpu_streams.hpp>
#include <utility>
#include <vector>

namespace exactdot::python {
namespace {

/// More streams than any program keeps busy; at less than 256 KiB each.
constexpr std::size_t most_workspaces = 64;
/// So many calls may be on their way before the host waits for the oldest.
constexpr std::size_t most_kept = 256;

using key = std::pair<int, unsigned long long>;

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

kept_call take_oldest() {
  kept_call oldest = std::move(kept_calls().front());
  kept_calls().pop_front();
  return oldest;
}

/// While this thread captures a stream, CUDA lets it do nothing else that a graph might miss: not even ask for an
/// event, unless it says that it knows.
class relaxed_capture {
 public:
  relaxed_capture() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  ~relaxed_capture() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  relaxed_capture(const relaxed_capture&) = delete;
  relaxed_capture& operator=(const relaxed_capture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

void give_back_workspaces() {
  cuda::check(cudaDeviceSynchronize(), "waiting for the device before giving workspaces back");
  std::erase_if(workspaces(), [](const auto& one) { return !one.second->is_in_a_graph; });
}

}  // namespace

std::shared_ptr<shared_workspace> workspace_of(int device, std::intptr_t stream) {
  key wanted{device, 0};
  cuda::check(cudaStreamGetId(as_stream(stream), &wanted.second), "asking for a stream's number");
  if (const auto found = workspaces().find(wanted); found != workspaces().end()) return found->second;
  std::shared_ptr<shared_workspace> made;
  {
    const gil_release others_may_run;  // making one waits for the device
    made = std::make_shared<shared_workspace>(as_stream(stream));
  }
  if (workspaces().size() >= most_workspaces) give_back_workspaces();
  return workspaces().emplace(wanted, std::move(made)).first->second;
}

bool is_captured(std::intptr_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cuda::check(cudaStreamIsCapturing(as_stream(stream), &status), "asking whether a stream is captured");
  return status != cudaStreamCaptureStatusNone;
}

void keep_until_done(std::initializer_list<const operand*> operands, const stream_choice& stream) {
  const relaxed_capture of_another_stream;
  while (!kept_calls().empty() && cudaEventQuery(kept_calls().front().done.get()) == cudaSuccess) {
    const kept_call done = take_oldest();
  }
  static_cast<void>(cudaGetLastError());  // "not ready" is no failure
  std::vector<nb::object> objects;
  for (const operand* one : operands) {
    if (stream.framework.empty() || framework_of(one->object) != stream.framework) {
      objects.push_back(nb::borrow(one->object));
    }
  }
  if (objects.empty()) return;
  if (kept_calls().size() >= most_kept) {
    const kept_call oldest = take_oldest();
    const gil_release others_may_run;
    cuda::check(cudaEventSynchronize(oldest.done.get()), "waiting for an earlier call");
  }
  auto done = cuda_engine::make_event();
  cuda::check(cudaEventRecord(done.get(), as_stream(stream.handle)), "recording an event");
  kept_calls().push_back({std::move(done), std::move(objects)});
}

stream_memory::stream_memory(std::size_t bytes, cudaStream_t stream) : stream_(stream) {
  cuda::check(cudaMallocAsync(&data_, bytes, stream), "allocating memory for a view");
}

stream_memory::~stream_memory() { static_cast<void>(cudaFreeAsync(data_, stream_)); }

}  // namespace exactdot::python
