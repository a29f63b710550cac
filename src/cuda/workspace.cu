// A workspace's memory, and the checks of a call; see workspace.hpp.
#include <cuda/workspace.hpp>
#include <string>
#include <utility>

namespace exactdot::cuda {

void check(cudaError_t status, const char* what, std::source_location where) {
  if (status == cudaSuccess) return;
  const bool none = status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver;
  throw error(none ? errc::no_device : errc::device_failure,
              std::string("cuda: ") + what + " failed: " + cudaGetErrorString(status) + " (" + where.file_name() +
                  ":" + std::to_string(where.line()) + ")");
}

workspace::workspace(stream_handle stream) : memory_(std::make_unique<memory>()) {
  memory& own = *memory_;
  own.stream = stream;
  check(cudaGetDevice(&own.device), "asking for the current device");
  int major = 0, minor = 0;
  const auto ask = [&](cudaDeviceAttr what) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, what, own.device), "asking for the device's properties");
    return value;
  };
  own.multiprocessors = ask(cudaDevAttrMultiProcessorCount);
  major = ask(cudaDevAttrComputeCapabilityMajor), minor = ask(cudaDevAttrComputeCapabilityMinor);
  own.capability = 10 * major + minor;
  void* state = nullptr;
  check(cudaMalloc(&state, sizeof(device_state)), "allocating a workspace");
  own.state = static_cast<device_state*>(state);
  check(cudaMemset(state, 0, sizeof(device_state)), "clearing a workspace");
  void *here = nullptr, *there = nullptr;
  check(cudaHostAlloc(&here, sizeof(double), cudaHostAllocMapped), "allocating mapped host memory");
  own.host_result = static_cast<double*>(here);
  check(cudaHostGetDevicePointer(&there, here, 0), "mapping host memory");
  own.host_result_there = static_cast<double*>(there);
  check(cudaDeviceSynchronize(), "waiting for the device");
}

workspace::~workspace() {
  if (!memory_) return;
  cudaFree(memory_->state);  // waits for what uses it
  cudaFreeHost(memory_->host_result);
}
workspace::workspace(workspace&&) noexcept = default;
workspace& workspace::operator=(workspace&& other) noexcept {
  std::swap(memory_, other.memory_);
  return *this;
}

stream_handle workspace::stream() const noexcept { return memory_->stream; }
int workspace::device() const noexcept { return memory_->device; }

void require_device(const workspace::memory& own) {
  int current = -1;
  check(cudaGetDevice(&current), "asking for the current device");
  if (current != own.device) {
    throw error(errc::bad_option, "cuda: the workspace belongs to device " + std::to_string(own.device) +
                                      " and device " + std::to_string(current) +
                                      " is current; call cudaSetDevice, or make a workspace for that device");
  }
  check(cudaGetLastError(), "an earlier call on this device");
}

void require_reachable(const void* pointer, std::size_t n, std::size_t alignment, const char* name) {
  if (n == 0) return;
  if (pointer == nullptr) {
    throw error(errc::null_pointer,
                std::string("cuda: ") + name + " is null, for " + std::to_string(n) + " elements");
  }
  if (reinterpret_cast<std::uintptr_t>(pointer) % alignment != 0) {
    throw error(errc::bad_option, std::string("cuda: ") + name + " is not aligned to its elements of " +
                                      std::to_string(alignment) + " bytes, as a GPU needs it");
  }
  cudaPointerAttributes found{};
  check(cudaPointerGetAttributes(&found, pointer), "asking where a pointer points to");
  if (found.type == cudaMemoryTypeUnregistered) {
    throw error(errc::bad_option,
                std::string("cuda: ") + name +
                    " points to host memory that the device cannot reach; copy it with cudaMemcpy, "
                    "or use exactdot::dot");
  }
}

}  // namespace exactdot::cuda
