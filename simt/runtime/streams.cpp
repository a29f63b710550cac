// Streams and events. All work has run when its call returns, so a stream has no queue.
#include <exactdot/simt/runtime/attributes.hpp>
#include <exactdot/simt/runtime/streams.hpp>
#include <map>
#include <set>

#include "context.hpp"
#include "graphs.hpp"

struct CUstream_st {
  unsigned flags = 0;
  int priority = 0;
  std::map<cudaStreamAttrID, cudaStreamAttrValue> attributes;
};
struct CUevent_st {
  bool recorded = false, has_time = true;
  std::uint64_t steps = 0;
  cudaGraph_t captured_by = nullptr;
  exactdot::simt::work_clock done;  // what precedes it
};

namespace exactdot::simt {
namespace {

std::set<cudaStream_t>& live_streams() {
  static std::set<cudaStream_t> streams = {nullptr, cudaStreamLegacy, cudaStreamPerThread};
  return streams;
}
std::set<cudaEvent_t>& live_events() {
  static std::set<cudaEvent_t> events;
  return events;
}

/// Returns the error of a call with this stream: a destroyed one is an invalid handle.
cudaError_t check_stream(cudaStream_t stream) {
  return live_streams().contains(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}
/// Whether a stream was created, and not destroyed.
bool has_state(cudaStream_t stream) {
  return stream != nullptr && stream != cudaStreamLegacy && stream != cudaStreamPerThread &&
         live_streams().contains(stream);
}
cudaError_t check_event(cudaEvent_t event) {
  return live_events().contains(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}
cudaError_t wait_if(cudaError_t result) {
  return result == cudaSuccess ? runtime_context::instance().wait() : finish(result);
}
/// Calls a function of the host as work of a stream.
template <class Function>
cudaError_t call_host(cudaStream_t stream, Function function) {
  cudaError_t error = cudaSuccess;
  {
    const runtime_lock lock;
    error = check_stream(stream);
  }
  if (error == cudaSuccess) {
    run_or_capture_of_host(stream, [=] {
      function();
      const runtime_lock lock;  // it may have told the host, by a flag, that what was before it is done
      runtime_context::instance().order.synchronise(stream);
    });
  }
  return finish(error);
}
cudaError_t wait_for(cudaEvent_t event) {
  const cudaError_t result = check_event(event);
  const bool is_captured = result == cudaSuccess && event->captured_by != nullptr;
  if (result == cudaSuccess) runtime_context::instance().order.synchronise(event->done);
  return wait_if(is_captured ? cudaErrorCapturedEvent : result);
}

}  // namespace

bool is_non_blocking(cudaStream_t stream) {
  if (stream == cudaStreamPerThread) return false;
  return has_state(stream) && (stream->flags & cudaStreamNonBlocking) != 0;
}

}  // namespace exactdot::simt

using namespace exactdot::simt;

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  const runtime_lock lock;
  if (stream == nullptr) return finish(cudaErrorInvalidValue);
  *stream = new CUstream_st{flags, 0, {}};
  live_streams().insert(*stream);
  return finish(cudaSuccess);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  const runtime_lock lock;
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const runtime_lock lock;
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
      check_stream(stream) != cudaSuccess) {
    return finish(cudaErrorInvalidResourceHandle);
  }
  live_streams().erase(stream);
  runtime_context::instance().order.forget(stream);
  delete stream;
  return finish(cudaSuccess);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const runtime_lock lock;
  const cudaError_t error = check_stream(stream);
  if (error == cudaSuccess) runtime_context::instance().order.synchronise(stream);
  return wait_if(error == cudaSuccess ? refuse_while_capturing(stream) : error);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const runtime_lock lock;
  cudaError_t error = check_stream(stream);
  if (error == cudaSuccess) error = check_event(event);
  if (error == cudaSuccess && event->captured_by != nullptr) join_capture(stream, event->captured_by);
  if (error == cudaSuccess) runtime_context::instance().order.wait(stream, event->done);
  return finish(error);
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  const runtime_lock lock;
  if (flags == nullptr) return finish(cudaErrorInvalidValue);
  *flags = has_state(stream) ? stream->flags : cudaStreamDefault;
  return finish(check_stream(stream));
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  const runtime_lock lock;
  if (priority == nullptr) return finish(cudaErrorInvalidValue);
  *priority = 0;
  return finish(check_stream(stream));
}
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value) {
  const runtime_lock lock;
  if (value == nullptr || check_stream(stream) != cudaSuccess) return finish(cudaErrorInvalidValue);
  if (has_state(stream)) stream->attributes[attribute] = *value;
  return finish(cudaSuccess);
}
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue* value) {
  const runtime_lock lock;
  if (value == nullptr || check_stream(stream) != cudaSuccess) return finish(cudaErrorInvalidValue);
  *value = {};
  if (has_state(stream)) *value = stream->attributes[attribute];
  return finish(cudaSuccess);
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  const runtime_lock lock;
  if (!has_state(to) || !has_state(from)) return finish(cudaErrorInvalidValue);
  to->attributes = from->attributes;
  return finish(cudaSuccess);
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned) {
  return call_host(stream, [=] { callback(stream, cudaSuccess, data); });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return call_host(stream, [=] { function(data); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  const runtime_lock lock;
  if (event == nullptr) return finish(cudaErrorInvalidValue);
  *event = new CUevent_st;
  (*event)->has_time = (flags & cudaEventDisableTiming) == 0;
  live_events().insert(*event);
  return finish(cudaSuccess);
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const runtime_lock lock;
  if (check_event(event) != cudaSuccess) return finish(cudaErrorInvalidResourceHandle);
  live_events().erase(event);
  delete event;
  return finish(cudaSuccess);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const runtime_lock lock;
  if (check_event(event) != cudaSuccess) return finish(cudaErrorInvalidResourceHandle);
  static std::uint64_t records = 0;  // so that no two events have the same time
  event->captured_by = graph_of(stream);
  if (event->captured_by != nullptr) return finish(cudaSuccess);
  event->recorded = true;
  event->done = runtime_context::instance().order.clock_of(stream);
  event->steps = runtime_context::instance().stream.counted().steps + ++records;
  return finish(check_stream(stream));
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return wait_for(event); }
cudaError_t cudaEventQuery(cudaEvent_t event) { return wait_for(event); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  const runtime_lock lock;
  if (milliseconds == nullptr) return finish(cudaErrorInvalidValue);
  for (const cudaEvent_t event : {start, end}) {
    if (check_event(event) != cudaSuccess || !event->recorded || !event->has_time)
      return finish(cudaErrorInvalidResourceHandle);
  }
  constexpr double steps_per_millisecond = 1e6;
  runtime_context::instance().elapsed_time_used = true;
  *milliseconds = static_cast<float>((static_cast<double>(end->steps) - static_cast<double>(start->steps)) /
                                     steps_per_millisecond);
  return runtime_context::instance().wait();
}
