// GPU peer: an implementation of the dot product of vectors in GPU memory that the benchmark measures.
#pragma once

#include <exactdot/simt/on_gpu.hpp>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace bench {

using exactdot::on_gpu::check;
using exactdot::on_gpu::stream;

template <class T>
struct gpu_peer {
  std::string name;
  /// Enqueues one capturable call; the result stays on the device. Null: not supported.
  std::function<void(const T* a, const T* b, std::size_t n, T* result)> enqueue = {};
  /// Calls and waits for the result on the host. Null: not supported.
  std::function<T(const T* a, const T* b, std::size_t n)> to_host = {};
  bool has_result = true;
  std::size_t max_length = std::numeric_limits<std::size_t>::max();  ///< largest n that is timed
};

/// Descriptions of the peers, and the reasons for missing ones.
struct peer_remarks {
  std::vector<std::pair<std::string, std::string>> descriptions;
  std::vector<std::string> missing;
};

/// Adds exactdot's modes exact and fast, through the public interface.
template <class T>
void add_exactdot(std::vector<gpu_peer<T>>& peers, stream& gpu_stream, peer_remarks& remarks);
/// Adds cuBLAS, loaded at run time.
template <class T>
void add_cublas(std::vector<gpu_peer<T>>& peers, stream& gpu_stream, peer_remarks& remarks);
/// Adds CUB and Thrust.
template <class T>
void add_cub(std::vector<gpu_peer<T>>& peers, stream& gpu_stream, peer_remarks& remarks);
/// Adds lower bounds on the time of a dot product: an empty kernel; one block that reads both vectors, up to the
/// length at which more blocks would help; and, end to end, a kernel that writes one word to host memory, for which
/// the host waits or polls.
template <class T>
void add_floors(std::vector<gpu_peer<T>>& peers, stream& gpu_stream, peer_remarks& remarks);

/// A kernel that reads both vectors, with one launch configuration.
struct reader {
  std::string launch_config;
  std::function<void(const void* a, const void* b, std::size_t bytes)> enqueue;
};
/// Returns a reader for each launch configuration, for vectors of `bytes` bytes each.
std::vector<reader> readers(stream& gpu_stream, std::size_t bytes);

/// A word of mapped host memory that the GPU can write.
template <class T>
class mapped_word {
 public:
  mapped_word() {
    check(cudaHostAlloc(&host_, sizeof(T), cudaHostAllocMapped), "allocating mapped host memory");
    check(cudaHostGetDevicePointer(&device_, host_, 0), "mapping host memory");
  }
  ~mapped_word() { cudaFreeHost(host_); }
  mapped_word(const mapped_word&) = delete;
  mapped_word& operator=(const mapped_word&) = delete;
  [[nodiscard]] T read() const { return *static_cast<const volatile T*>(host_); }
  [[nodiscard]] T* host() const { return static_cast<T*>(host_); }
  [[nodiscard]] T* device() const { return static_cast<T*>(device_); }

 private:
  void *host_ = nullptr, *device_ = nullptr;
};

}  // namespace bench
