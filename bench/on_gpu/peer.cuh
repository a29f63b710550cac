// One way to compute a dot product of vectors in a GPU's memory, as the benchmark calls it.
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
  /// One call on the stream, which can be captured; the result stays on the device. Null: not called so.
  std::function<void(const T* a, const T* b, std::size_t n, T* result)> enqueue = {};
  /// One call, waited for. Null: not called so.
  std::function<T(const T* a, const T* b, std::size_t n)> to_host = {};
  bool has_result = true;
  std::size_t longest = std::numeric_limits<std::size_t>::max();  ///< n that it is timed for
};

/// Said of peers, and by those that are not to be had.
struct peer_remarks {
  std::vector<std::pair<std::string, std::string>> how;
  std::vector<std::string> missing;
};

/// exact and fast, through the public interface.
template <class T>
void add_our_peers(std::vector<gpu_peer<T>>& to, stream& on, peer_remarks& remarks);
/// Loaded at run time.
template <class T>
void add_cublas(std::vector<gpu_peer<T>>& to, stream& on, peer_remarks& remarks);
/// CUB and Thrust.
template <class T>
void add_cub(std::vector<gpu_peer<T>>& to, stream& on, peer_remarks& remarks);
/// What no dot product can be faster than: an empty kernel, one block that reads both vectors (up to a length at
/// which more blocks would help), and, end to end, a kernel that writes one word to the host's memory, waited for
/// or looked at.
template <class T>
void add_floors(std::vector<gpu_peer<T>>& to, stream& on, peer_remarks& remarks);

/// Reading both vectors with a kernel of one shape.
struct reader {
  std::string shape;
  std::function<void(const void* a, const void* b, std::size_t bytes)> enqueue;
};
/// All shapes, for vectors of so many bytes each.
std::vector<reader> readers(stream& on, std::size_t bytes);

/// One word of host memory that the GPU can write, and where the GPU sees it.
template <class T>
class mapped_word {
 public:
  mapped_word() {
    check(cudaHostAlloc(&here_, sizeof(T), cudaHostAllocMapped), "allocating mapped host memory");
    check(cudaHostGetDevicePointer(&there_, here_, 0), "mapping host memory");
  }
  ~mapped_word() { cudaFreeHost(here_); }
  mapped_word(const mapped_word&) = delete;
  mapped_word& operator=(const mapped_word&) = delete;
  [[nodiscard]] T read() const { return *static_cast<const volatile T*>(here_); }
  [[nodiscard]] T* here() const { return static_cast<T*>(here_); }
  [[nodiscard]] T* there() const { return static_cast<T*>(there_); }

 private:
  void *here_ = nullptr, *there_ = nullptr;
};

}  // namespace bench
