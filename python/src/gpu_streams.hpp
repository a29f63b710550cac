// Workspaces per stream, and the objects that calls in progress keep alive.
//
// Both are tables of the process, guarded by the GIL. Operations that may release the GIL (a wait, the destruction
// of an array) run only while the tables are consistent.
#pragma once

#include <cuda/host/resources.hpp>
#include <exactdot/cuda.hpp>
#include <memory>
#include <mutex>
#include <python/src/imported_array.hpp>
#include <python/src/stream.hpp>
#include <vector>

namespace exactdot::python {

inline cudaStream_t as_stream(std::intptr_t handle) { return reinterpret_cast<cudaStream_t>(handle); }

/// A workspace and the mutex that its users lock: it serves one call at a time.
struct shared_workspace {
  explicit shared_workspace(cudaStream_t stream) : workspace(stream) {}
  std::mutex mutex;
  cuda::workspace workspace;
  bool is_in_graph = false;  // never destroyed then: CUDA does not tell when the graph is
};

/// The workspace of a stream of the current device. The first call creates it, which waits for the device. Call
/// with the GIL held.
std::shared_ptr<shared_workspace> workspace_of(int device, std::intptr_t stream);

/// Whether calls on this stream are captured into a graph.
bool is_captured(std::intptr_t stream);

/// Keeps arrays alive until the stream has done the work queued so far. Arrays of the stream's own framework are
/// left out: it frees memory in stream order. Does nothing for a captured call, whose graph's owner keeps them.
/// Call with the GIL held.
void keep_alive_until_done(const std::vector<const imported_array*>& arrays, const stream_choice& stream);

/// Device memory, allocated and freed in stream order.
class stream_memory {
 public:
  stream_memory(std::size_t bytes, cudaStream_t stream);
  ~stream_memory();
  stream_memory(const stream_memory&) = delete;
  stream_memory& operator=(const stream_memory&) = delete;
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  cudaStream_t stream_;
};

}  // namespace exactdot::python
