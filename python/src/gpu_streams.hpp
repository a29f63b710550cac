// A workspace for each stream in use, and what has to live until a stream has come past a call.
//
// Both are lists of the whole process, guarded by the GIL. Whatever may let go of it in between (a wait, the end of
// a foreign array) happens when the list is in order again.
#pragma once

#include <cuda/resources.hpp>
#include <exactdot/cuda.hpp>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <python/src/operand.hpp>
#include <python/src/stream.hpp>

namespace exactdot::python {

inline cudaStream_t as_stream(std::intptr_t handle) { return reinterpret_cast<cudaStream_t>(handle); }

/// One call at a time may use a workspace.
struct shared_workspace {
  explicit shared_workspace(cudaStream_t stream) : workspace(stream) {}
  std::mutex mutex;
  cuda::workspace workspace;
  bool is_in_a_graph = false;  // then it is never destroyed: nothing tells when the graph is
};

/// That of a stream of the current device; made at the first call, which waits for the device. With the GIL held.
std::shared_ptr<shared_workspace> workspace_of(int device, std::intptr_t stream);

/// Whether calls on this stream are captured into a graph.
bool is_captured(std::intptr_t stream);

/// Keeps the operands that are not of the stream's framework until what the stream holds now is done: the others'
/// memory is given back in stream order. With the GIL held. Not for calls that are captured.
void keep_until_done(std::initializer_list<const operand*> operands, const stream_choice& stream);

/// Memory that is taken and given back in stream order.
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
