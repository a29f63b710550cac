// Streams are identified by CUDA's stream id, which is never reused. Handles are: a new stream may get the handle
// of a destroyed one, and the per-thread default streams of all threads share one handle.
#include <cuda/host/workspace.hpp>
#include <deque>
#include <iterator>
#include <map>
#include <python/src/gil.hpp>
#include <python/src/gpu_streams.hpp>
#include <tuple>
#include <utility>
#include <vector>

namespace exactdot::python {
namespace {

/// Exceeds the number of streams that a program keeps busy; each workspace takes less than 256 KiB.
constexpr std::size_t max_workspaces = 64;
/// Calls in progress before the host waits for the oldest.
constexpr std::size_t max_pending_calls = 256;

using key = std::pair<int, unsigned long long>;

/// Never destroyed: at exit CUDA may already be unloaded.
auto& workspaces() {
  static auto* const all = new std::map<key, std::shared_ptr<shared_workspace>>;
  return *all;
}

struct pending_call {
  cuda_engine::event done;
  std::vector<nb::object> objects;
};

auto& pending_calls() {
  static auto* const all = new std::deque<pending_call>;
  return *all;
}

pending_call pop_oldest() {
  pending_call oldest = std::move(pending_calls().front());
  pending_calls().pop_front();
  return oldest;
}

/// Allows this thread, while it captures a stream, calls that a graph does not record, such as event queries.
class relaxed_capture {
 public:
  relaxed_capture() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  ~relaxed_capture() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  relaxed_capture(const relaxed_capture&) = delete;
  relaxed_capture& operator=(const relaxed_capture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// A stream's id. CUDA does not return it during a capture: then it is the last known id of the handle, or 0.
unsigned long long stream_id(int device, std::intptr_t stream, bool captured) {
  static auto* const known = new std::map<std::tuple<int, std::intptr_t, unsigned long>, unsigned long long>;
  const bool is_thread_stream = as_stream(stream) == cudaStreamPerThread;
  unsigned long long& id = (*known)[{device, stream, is_thread_stream ? PyThread_get_thread_ident() : 0}];
  if (!captured) cuda::check(cudaStreamGetId(as_stream(stream), &id), "asking for a stream's id");
  return id;
}

/// Destroys the workspaces that no graph uses, after waiting for the device.
void release_unused_workspaces() {
  std::vector<std::shared_ptr<shared_workspace>> unused;
  for (auto entry = workspaces().begin(); entry != workspaces().end();) {
    const auto next = std::next(entry);
    if (!entry->second->is_in_graph) unused.push_back(workspaces().extract(entry).mapped());
    entry = next;
  }
  const gil_release gil_released;
  cuda::check(cudaDeviceSynchronize(), "waiting for the device before releasing workspaces");
  unused.clear();
}

}  // namespace

std::shared_ptr<shared_workspace> workspace_of(int device, std::intptr_t stream) {
  const bool in_a_graph = is_captured(stream);
  const key wanted{device, stream_id(device, stream, in_a_graph)};
  const auto found = workspaces().find(wanted);
  if (in_a_graph) {
    if (found == workspaces().end()) {
      throw error(errc::bad_option,
                  "exactdot: a stream has no workspace yet; make a call on it before capturing one into a graph");
    }
    found->second->is_in_graph = true;
  }
  if (found != workspaces().end()) return found->second;
  std::shared_ptr<shared_workspace> created;
  {
    const gil_release gil_released;  // the constructor waits for the device
    created = std::make_shared<shared_workspace>(as_stream(stream));
  }
  if (workspaces().size() >= max_workspaces) release_unused_workspaces();
  return workspaces().emplace(wanted, std::move(created)).first->second;
}

bool is_captured(std::intptr_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cuda::check(cudaStreamIsCapturing(as_stream(stream), &status), "asking whether a stream is captured");
  return status != cudaStreamCaptureStatusNone;
}

void keep_alive_until_done(const std::vector<const imported_array*>& arrays, const stream_choice& stream) {
  std::vector<nb::object> objects;
  for (const imported_array* array : arrays) {
    const bool is_of_torch = array->is_torch && stream.framework == "torch";
    if (!is_of_torch && (stream.framework.empty() || framework_of(array->object) != stream.framework)) {
      objects.push_back(nb::borrow(array->object));
    }
  }
  if (objects.empty() && pending_calls().empty()) return;
  if (is_captured(stream.handle)) return;  // the caller keeps the memory of a graph alive
  const relaxed_capture relaxed;
  while (!pending_calls().empty() && cudaEventQuery(pending_calls().front().done.get()) == cudaSuccess) {
    const pending_call done = pop_oldest();
  }
  static_cast<void>(cudaGetLastError());  // clears cudaErrorNotReady
  if (objects.empty()) return;
  if (pending_calls().size() >= max_pending_calls) {
    const pending_call oldest = pop_oldest();
    const gil_release gil_released;
    cuda::check(cudaEventSynchronize(oldest.done.get()), "waiting for an earlier call");
  }
  auto done = cuda_engine::make_event();
  cuda::check(cudaEventRecord(done.get(), as_stream(stream.handle)), "recording an event");
  pending_calls().push_back({std::move(done), std::move(objects)});
}

stream_memory::stream_memory(std::size_t bytes, cudaStream_t stream) : stream_(stream) {
  cuda::check(cudaMallocAsync(&data_, bytes, stream), "allocating an exact state");
}

stream_memory::~stream_memory() { static_cast<void>(cudaFreeAsync(data_, stream_)); }

}  // namespace exactdot::python
