// A workspace's storage, and the checks of a call; see workspace.hpp.
#include <cuda/core/tuning.hpp>
#include <cuda/host/launch.hpp>
#include <exactdot/core/finish.hpp>
#include <string>
#include <utility>

namespace exactdot::inline v0_3::cuda {
namespace {

/// After these every call fails.
bool loses_the_context(cudaError_t status) {
  switch (status) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorECCUncorrectable:
    case cudaErrorContained:
      return true;
    default:
      return false;
  }
}

std::string what_to_do(cudaError_t status) {
  if (status == cudaErrorNoDevice) return "; this machine has no GPU: compute on the CPU";
  if (status == cudaErrorInsufficientDriver) return "; " + insufficient_driver() + ", or compute on the CPU";
  if (status == cudaErrorMemoryAllocation) return "; free memory on the device, or compute on the CPU";
  if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorUnsupportedPtxVersion) {
    return "; build exactdot for this GPU: add its compute capability to CMAKE_CUDA_ARCHITECTURES";
  }
  if (loses_the_context(status)) return "; CUDA gives this process no more work on the device: start it again";
  return "";
}

}  // namespace

std::string insufficient_driver() {
  int version = 0;
  if (cudaDriverGetVersion(&version) != cudaSuccess || version == 0)
    return "this machine has no NVIDIA driver: install one";
  const auto text = [](int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
  };
  return "this machine's NVIDIA driver is for CUDA " + text(version) + ", this build for CUDA " +
         text(CUDART_VERSION) + ": update the driver";
}

void check(cudaError_t status, const char* what, std::source_location where) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // reported here, so not once more by the next call
  const std::string sentence = std::string("cuda: ") + what + " failed: " + cudaGetErrorString(status) +
                               what_to_do(status) + " (" + where.file_name() + ":" + std::to_string(where.line()) +
                               ")";
  if (status == cudaErrorMemoryAllocation) throw out_of_memory(errc::device_failure, sentence);
  const bool none = status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver;
  throw error(none ? errc::no_device : errc::device_failure, sentence);
}

workspace::workspace(stream_handle stream) : storage_(std::make_unique<storage>()) {
  storage& made = *storage_;
  made.stream = stream;
  int devices = 0;
  cuda::check(cudaGetDeviceCount(&devices), "looking for a GPU");
  cuda::check(cudaGetDevice(&made.device), "asking for the current device");
  const auto ask = [&](cudaDeviceAttr what) {
    int value = 0;
    cuda::check(cudaDeviceGetAttribute(&value, what, made.device), "asking for the device's properties");
    return value;
  };
  made.multiprocessors = ask(cudaDevAttrMultiProcessorCount);
  made.has_capability_9 = kernels_have_capability_9();
  /// Everything on the device, in one piece, zero at first.
  struct device_memory {
    cuda_engine::device_state state;
    std::int64_t words[2 * core::max_state_words];
    std::int64_t scratch[core::max_moment_limbs];
    cuda_engine::extremum_state extremum;
    cuda_engine::moments_state moments;
    cuda_engine::line_state lines;
    cuda_engine::wide_unsigned bad_segment;
    cuda_engine::wide_unsigned empty_segment;
    cuda_engine::wide_unsigned group_errors[2];
    unsigned status;
    alignas(16) unsigned char partials[detail::callable_call::partial_bytes];
  };
  static_assert(sizeof(device_memory) < std::size_t{1} << 21, "the header says so");
  void* memory = nullptr;
  cuda::check(cudaMalloc(&memory, sizeof(device_memory)), "allocating a workspace");
  auto* const all = static_cast<device_memory*>(memory);
  made.state = &all->state, made.words = all->words, made.scratch = all->scratch;
  made.extremum = &all->extremum, made.moments = &all->moments;
  made.lines = &all->lines, made.bad_segment = &all->bad_segment;
  made.empty_segment = &all->empty_segment;
  made.group_errors = all->group_errors;
  made.status = &all->status, made.partials = all->partials;
  cuda::check(cudaMemset(memory, 0, sizeof(device_memory)), "clearing a workspace");
  using cuda_engine::wide_unsigned;
  constexpr std::size_t words = 2;
  void *on_host = nullptr, *on_device = nullptr;
  cuda::check(cudaHostAlloc(&on_host, words * sizeof(wide_unsigned), cudaHostAllocMapped),
              "allocating mapped host memory");
  made.host_result = static_cast<wide_unsigned*>(on_host);
  for (std::size_t k = 0; k < words; ++k) made.host_result[k] = 0;
  cuda::check(cudaHostGetDevicePointer(&on_device, on_host, 0), "mapping host memory");
  made.device_result = static_cast<wide_unsigned*>(on_device);
  cuda::check(cudaDeviceSynchronize(), "waiting for the device");
}

workspace::storage::~storage() {
  cudaFree(state);  // waits for the work that uses it
  cudaFreeHost(const_cast<cuda_engine::wide_unsigned*>(host_result));
  static_cast<void>(cudaGetLastError());
}

workspace::~workspace() = default;
workspace::workspace(workspace&&) noexcept = default;
workspace& workspace::operator=(workspace&& other) noexcept {
  std::swap(storage_, other.storage_);
  return *this;
}

stream_handle workspace::stream() const noexcept { return storage_->stream; }
int workspace::device() const noexcept { return storage_->device; }

workspace_lock::workspace_lock(workspace::storage& storage) : storage_(&storage) {
  if (storage.in_use.exchange(true, std::memory_order_acquire)) {
    throw error(errc::bad_option,
                "cuda: another thread is using this workspace; give each thread, and each stream, a separate one");
  }
}

void require_device(const workspace::storage& storage) {
  int current = -1;
  check(cudaGetDevice(&current), "asking for the current device");
  if (current != storage.device) {
    throw error(errc::bad_option, "cuda: the workspace belongs to device " + std::to_string(storage.device) +
                                      " and device " + std::to_string(current) +
                                      " is current; call cudaSetDevice, or make a workspace for that device");
  }
  const cudaError_t earlier = cudaGetLastError();
  if (earlier == cudaSuccess) return;
  check(earlier, loses_the_context(earlier)
                     ? "an earlier launch on this device"
                     : "an earlier call of this thread, whose error was pending and is now cleared,");
}

namespace {

void require_address(const workspace::storage& storage, const void* pointer, const char* name) {
  cudaPointerAttributes found{};
  check(cudaPointerGetAttributes(&found, pointer), "asking where a pointer points to");
  if (found.type == cudaMemoryTypeUnregistered) {
    throw error(errc::bad_option,
                std::string("cuda: ") + name +
                    " points to host memory that the device cannot reach; copy it with cudaMemcpy, "
                    "or use a call without a workspace");
  }
  if (found.type == cudaMemoryTypeDevice && found.device != storage.device) {
    throw error(errc::bad_option, std::string("cuda: ") + name + " lies on device " + std::to_string(found.device) +
                                      " and the workspace on device " + std::to_string(storage.device) +
                                      "; use a workspace of that device, or copy with cudaMemcpyPeer");
  }
}

}  // namespace

void require_reachable(const workspace::storage& storage, const void* pointer, std::size_t n, std::ptrdiff_t stride,
                       std::size_t alignment, const char* name) {
  if (n == 0) return;
  if (pointer == nullptr) {
    throw error(errc::null_pointer,
                std::string("cuda: ") + name + " is null, for " + std::to_string(n) + " elements");
  }
  const auto size = static_cast<std::ptrdiff_t>(alignment);
  if (reinterpret_cast<std::uintptr_t>(pointer) % alignment != 0 || (n > 1 && stride % size != 0)) {
    throw error(errc::bad_option, std::string("cuda: ") + name + " is not aligned to its elements of " +
                                      std::to_string(alignment) + " bytes, as a GPU needs it");
  }
  require_address(storage, pointer, name);
  const bool contiguous = stride == size;
  const auto* const last = static_cast<const char*>(pointer) + static_cast<std::ptrdiff_t>(n - 1) * stride;
  if (!contiguous && n > 1) require_address(storage, last, name);
}

}  // namespace exactdot::inline v0_3::cuda
