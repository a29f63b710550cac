// A stream is known by the number that CUDA gives it for ever: its handle may be that of a destroyed one, and the
// handle of the per-thread default stream is the same in all threads.
#include <cuda/workspace.hpp>
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

/// A stream's number. While it is captured CUDA does not say: then it is the one that the handle had before, or 0.
unsigned long long number_of(int device, std::intptr_t stream, bool captured) {
  static auto* const known = new std::map<std::tuple<int, std::intptr_t, unsigned long>, unsigned long long>;
  const bool is_the_threads = as_stream(stream) == cudaStreamPerThread;
  unsigned long long& number = (*known)[{device, stream, is_the_threads ? PyThread_get_thread_ident() : 0}];
  if (!captured) cuda::check(cudaStreamGetId(as_stream(stream), &number), "asking for a stream's number");
  return number;
}

/// All that no graph uses.
void give_back_workspaces() {
  std::vector<std::shared_ptr<shared_workspace>> unused;
  for (auto one = workspaces().begin(); one != workspaces().end();) {
    const auto next = std::next(one);
    if (!one->second->is_in_a_graph) unused.push_back(workspaces().extract(one).mapped());
    one = next;
  }
  const gil_release others_may_run;
  cuda::check(cudaDeviceSynchronize(), "waiting for the device before giving workspaces back");
  unused.clear();
}

}  // namespace

std::shared_ptr<shared_workspace> workspace_of(int device, std::intptr_t stream) {
  const bool in_a_graph = is_captured(stream);
  const key wanted{device, number_of(device, stream, in_a_graph)};
  const auto found = workspaces().find(wanted);
  if (in_a_graph) {
    if (found == workspaces().end()) {
      throw error(
          errc::bad_option,
          "exactdot: to be captured into a graph, a call needs one on the same stream before, which is not");
    }
    found->second->is_in_a_graph = true;
  }
  if (found != workspaces().end()) return found->second;
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
  cuda::check(cudaMallocAsync(&data_, bytes, stream), "allocating an exact state");
}

stream_memory::~stream_memory() { static_cast<void>(cudaFreeAsync(data_, stream_)); }

}  // namespace exactdot::python
