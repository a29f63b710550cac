// exactdot::gpu on a GPU: streams, memory and launches by the CUDA runtime. For nvcc only.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <exactdot/error.hpp>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace exactdot::on_gpu {

/// Throws an error with CUDA's message and the file and line of the call. Code: errc::no_device without a GPU,
/// else errc::device_failure.
inline void check(cudaError_t status, const char* operation,
                  std::source_location location = std::source_location::current()) {
  if (status == cudaSuccess) return;
  const bool no_gpu = status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver;
  cudaGetLastError();  // resets the error, so that the next launch does not report it again
  const std::string path = location.file_name();
  throw error(no_gpu ? errc::no_device : errc::device_failure,
              std::string(operation) + ": " + cudaGetErrorString(status) + " (" + path.substr(path.rfind('/') + 1) +
                  ":" + std::to_string(location.line()) + ")");
}

class stream {
 public:
  stream() { check(cudaStreamCreate(&handle_), "creating a stream"); }
  ~stream() { cudaStreamDestroy(handle_); }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;

  [[nodiscard]] cudaStream_t handle() const { return handle_; }
  [[nodiscard]] int multiprocessors() const {
    int device = 0, count = 0;
    check(cudaGetDevice(&device), "querying the current device");
    check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
          "querying the number of multiprocessors");
    return count;
  }
  std::uint64_t launches = 0;

 private:
  cudaStream_t handle_ = nullptr;
};

inline void synchronise(stream& stream) { check(cudaStreamSynchronize(stream.handle()), "synchronising a stream"); }

/// Returns nothing: only the simulator detects faults.
inline std::vector<std::string> findings(const stream&) { return {}; }

/// Device memory for n elements, uninitialised. From cudaMalloc, not from a stream's pool: compute-sanitizer's
/// initcheck takes memory that a pool allocates again for initialised.
template <class T>
class buffer {
 public:
  buffer(stream& stream, std::size_t n) : stream_(&stream), size_(n) {
    if (n != 0) check(cudaMalloc(&data_, n * sizeof(T)), "allocating device memory");
  }
  ~buffer() { cudaFree(data_); }  // synchronises with the kernels that use it
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;

  [[nodiscard]] T* data() const { return static_cast<T*>(data_); }
  [[nodiscard]] std::size_t size() const { return size_; }
  void fill_zero() {
    if (size_ != 0)
      check(cudaMemsetAsync(data_, 0, size_ * sizeof(T), stream_->handle()), "clearing device memory");
  }
  void copy_from(const T* host, std::size_t n) {
    if (n != 0)
      check(cudaMemcpyAsync(data_, host, n * sizeof(T), cudaMemcpyHostToDevice, stream_->handle()),
            "copying to the device");
  }
  /// Returns when the copy is complete.
  void copy_to(T* host, std::size_t n) const {
    if (n != 0)
      check(cudaMemcpyAsync(host, data_, n * sizeof(T), cudaMemcpyDeviceToHost, stream_->handle()),
            "copying from the device");
    synchronise(*stream_);
  }

 private:
  stream* stream_;
  void* data_ = nullptr;
  std::size_t size_;
};

/// Dynamic shared memory that a launch gets without an attribute (CUDA C++ Programming Guide, "Compute
/// Capabilities").
inline constexpr std::size_t default_shared_bytes = 48 * 1024;

/// Blocks of a thread block cluster, in each direction of the grid. Needs compute capability 9.0, if not 1.
struct cluster_dimensions {
  unsigned x = 1, y = 1, z = 1;
};

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
            cluster_dimensions cluster, stream& stream, Arguments&&... arguments) {
  if (shared_bytes > default_shared_bytes) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
          "raising the limit of dynamic shared memory");
  }
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster.x, cluster.y, cluster.z};
  cudaLaunchConfig_t config{};
  config.gridDim = grid, config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream.handle();
  config.attrs = &attribute;
  config.numAttrs = cluster.x * cluster.y * cluster.z == 1 ? 0 : 1;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(std::forward<Arguments>(arguments))...),
        "launching a kernel");
  ++stream.launches;
}
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes, stream& stream,
            Arguments&&... arguments) {
  launch(kernel, grid, block, shared_bytes, cluster_dimensions{}, stream, std::forward<Arguments>(arguments)...);
}

/// Returns the block's dynamic shared memory: the launch's shared_bytes, aligned to 16 bytes.
template <class T>
__device__ __forceinline__ T* dynamic_shared() {
  extern __shared__ __align__(16) unsigned char exactdot_dynamic_shared[];
  return reinterpret_cast<T*>(exactdot_dynamic_shared);
}

}  // namespace exactdot::on_gpu
