// GPU peer: an implementation of a reduction of vectors in GPU memory that the benchmark measures.
//
// Reductions of one vector ignore the second one. Results are words (bench/reduction.hpp): the bits of a T in the
// low bytes, or an index.
#pragma once

#include <bench/reduction.hpp>
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
  std::function<void(const T* a, const T* b, std::size_t n, std::uint64_t* result)> enqueue = {};
  /// Calls and waits for the result on the host. Null: not supported.
  std::function<std::uint64_t(const T* a, const T* b, std::size_t n)> to_host = {};
  bool has_result = true;
  std::size_t max_length = std::numeric_limits<std::size_t>::max();  ///< largest n that is timed
};

/// Descriptions of the peers, and the reasons for missing ones.
struct peer_remarks {
  std::vector<std::pair<std::string, std::string>> descriptions;
  std::vector<std::string> missing;
};

/// Adds exactdot's mode exact and, where it exists, mode fast, through the public interface.
template <class T>
void add_exactdot(reduction what, std::vector<gpu_peer<T>>& peers, stream& gpu_stream, peer_remarks& remarks);
/// Adds cuBLAS, loaded at run time, if it has the reduction: dot, asum, nrm2; for a sum of squares the dot of a
/// vector with itself.
template <class T>
void add_cublas(reduction what, std::vector<gpu_peer<T>>& peers, stream& gpu_stream, peer_remarks& remarks);
/// Adds CUB and Thrust for a dot; CUB for a sum, extrema and their indices.
template <class T>
void add_cub(reduction what, std::vector<gpu_peer<T>>& peers, stream& gpu_stream, peer_remarks& remarks);
/// Adds lower bounds on the time of a reduction: an empty kernel; one block that reads all vectors, up to the
/// length at which more blocks would help; and, end to end, a kernel that writes one word to host memory, for which
/// the host waits or polls.
template <class T>
void add_floors(reduction what, std::vector<gpu_peer<T>>& peers, stream& gpu_stream, peer_remarks& remarks);

/// A kernel that reads two arrays, with one launch configuration.
struct reader {
  std::string launch_config;
  std::function<void(const void* a, const void* b, std::size_t bytes)> enqueue;
};
/// Returns a reader for each launch configuration, for arrays of `bytes` bytes each.
std::vector<reader> readers(stream& gpu_stream, std::size_t bytes);

/// What a reduction reads, as two arrays of `bytes` bytes each: both vectors, or the halves of one.
struct read_arrays {
  const void *a, *b;
  std::size_t bytes;
};
template <class T>
read_arrays arrays_of(reduction what, const T* a, const T* b, std::size_t n) {
  if (exactdot::inputs_of(what) == 2) return {a, b, n * sizeof(T)};
  const std::size_t half = n * sizeof(T) / 2 / 16 * 16;  // the second half starts at a whole 16-byte load
  return {a, reinterpret_cast<const char*>(a) + half, half};
}

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
