// CUDA C++ for the host compiler: kernels (kernel.hpp), streams, memory and launches, on the simulator.
//
// Link to exactdot::simt, which adds the compile options of kernels.
#pragma once

#include <algorithm>
#include <cmath>
#include <exactdot/simt/kernel.hpp>
#include <exactdot/simt/simulator.hpp>
#include <tuple>
#include <utility>

namespace exactdot::simt {

namespace detail {
void run(stream& stream, dim3 grid, dim3 block, std::size_t shared_bytes, dim3 cluster, const void* kernel,
         void (*body)(void*), void* arguments, std::size_t argument_bytes);
void* allocate(stream& stream, std::size_t bytes);
void release(stream& stream, void* memory);
void mark_initialised(stream& stream, void* memory, std::size_t bytes);
/// Reports a copy to the host of elements of which nothing was written.
void check_written(stream& stream, const void* memory, std::size_t n, std::size_t element_bytes, const char* file,
                   int line);
}  // namespace detail

/// Blocks of a thread block cluster, in each direction of the grid.
struct cluster_dimensions {
  unsigned x = 1, y = 1, z = 1;
};

/// Runs the kernel to its end, with copies of the arguments for every thread. Adds faults to stream.faults().
/// Throws exactdot::error if the launch exceeds the limits of GPUs.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
            cluster_dimensions cluster, stream& stream, Arguments&&... arguments) {
  struct bound_call {
    void (*kernel)(Parameters...);
    std::tuple<Parameters...> arguments;
  } call{kernel, {static_cast<Parameters>(std::forward<Arguments>(arguments))...}};
  detail::run(
      stream, grid, block, shared_bytes, {cluster.x, cluster.y, cluster.z}, reinterpret_cast<const void*>(kernel),
      [](void* data) {
        const bound_call& bound = *static_cast<bound_call*>(data);
        std::apply(bound.kernel, bound.arguments);
      },
      &call, sizeof call);
}
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes, stream& stream,
            Arguments&&... arguments) {
  launch(kernel, grid, block, shared_bytes, cluster_dimensions{}, stream, std::forward<Arguments>(arguments)...);
}

inline void synchronise(stream&) {}  // launch() returns when the kernel has ended

/// Returns the faults since the stream's clear(), one line each.
inline std::vector<std::string> findings(const stream& stream) {
  std::vector<std::string> lines;
  for (const fault& found : stream.faults()) lines.push_back(found.text());
  return lines;
}

/// Simulated device memory for n elements. Uninitialised: filled with 0xcb bytes; reads before a write are
/// reported.
template <class T>
class buffer {
 public:
  buffer(stream& stream, std::size_t n)
      : stream_(&stream), data_(static_cast<T*>(detail::allocate(stream, n * sizeof(T)))), size_(n) {}
  ~buffer() { detail::release(*stream_, data_); }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  void fill_zero() {
    if (size_ != 0) std::memset(static_cast<void*>(data_), 0, size_ * sizeof(T));
    detail::mark_initialised(*stream_, data_, size_ * sizeof(T));
  }
  void copy_from(const T* host, std::size_t n) {
    if (n != 0) std::memcpy(data_, host, n * sizeof(T));
    detail::mark_initialised(*stream_, data_, n * sizeof(T));
  }
  void copy_to(T* host, std::size_t n, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    detail::check_written(*stream_, data_, n, sizeof(T), file, line);
    if (n != 0) std::memcpy(host, data_, n * sizeof(T));
  }

 private:
  stream* stream_;
  T* data_;
  std::size_t size_;
};

}  // namespace exactdot::simt
