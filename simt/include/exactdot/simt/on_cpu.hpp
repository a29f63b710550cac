// CUDA C++ for the host compiler: keywords, built-in variables and functions of kernels, on the simulator.
//
// Kernels are compiled with -fsanitize=thread, so loads and stores call the simulator (callbacks.cpp). All else is
// a function in this header or one that it includes. Link to exactdot::simt, which adds the compile options.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exactdot/simt/simulator.hpp>
#include <exactdot/simt/vector_types.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

#define __global__ __attribute__((patchable_function_entry(1)))  // lists kernels in a section of the program
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ constinit thread_local

// A CUDA function: not instrumented, since it belongs to the simulator; not inlined, so that its return address is
// in the kernel.
#if defined(__clang__)
#define EXACTDOT_SIMT_CALL __attribute__((noinline, nomerge, no_sanitize("thread", "coverage")))
#else
#define EXACTDOT_SIMT_CALL __attribute__((noinline, no_sanitize("thread"), no_sanitize_coverage))
#endif

// Constant while a thread runs: the compiler may keep them in registers, and accesses to them are not reported.
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
inline constexpr int warpSize = 32;

namespace exactdot::simt {

namespace detail {
enum class scope { block, device, system };
/// Begins an atomic operation: a scheduling point. Accesses up to end_atomic() are not reported. `reads`: the old
/// value matters.
void begin_atomic(void* address, std::size_t size, bool reads, scope sync_scope, const void* caller);
/// Ends it. If the value has changed, resumes the threads parked at the address.
void end_atomic(const void* address, bool changed);
void fence(scope sync_scope, const void* caller);
enum class collective_kind : std::uint8_t { shuffle, vote, match, reduction, synchronise };
/// Waits until the lanes in mask have called a collective of the same kind. values[lane] is then the value of each
/// of them. Returns the mask of the lanes that arrived.
std::uint32_t warp_collective(collective_kind kind, std::uint32_t mask, std::uint64_t value, std::uint64_t* values,
                              const void* caller);
/// `combine`, of the predicates: 0 none, 1 count, 2 and, 3 or.
int barrier(const char* operation, int predicate, int combine, const void* caller);
unsigned lane();
std::uint32_t active_mask(const void* caller);
void* dynamic_shared_bytes();
long long clock_now();
void run(stream& stream, dim3 grid, dim3 block, std::size_t shared_bytes, dim3 cluster, const void* kernel,
         void (*body)(void*), void* arguments, std::size_t argument_bytes);
void* allocate(stream& stream, std::size_t bytes);
void release(stream& stream, void* memory);
void mark_initialised(stream& stream, void* memory, std::size_t bytes);
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
  void copy_to(T* host, std::size_t n) const {
    if (n != 0) std::memcpy(host, data_, n * sizeof(T));
  }

 private:
  stream* stream_;
  T* data_;
  std::size_t size_;
};

/// Returns the block's dynamic shared memory: the launch's shared_bytes, aligned to 16 bytes.
template <class T>
T* dynamic_shared() {
  return static_cast<T*>(detail::dynamic_shared_bytes());
}

}  // namespace exactdot::simt

#include <exactdot/simt/arithmetic.hpp>
#include <exactdot/simt/atomics.hpp>
#include <exactdot/simt/intrinsics.hpp>
#include <exactdot/simt/warp_functions.hpp>
