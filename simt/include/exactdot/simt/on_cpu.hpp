// CUDA C++ for the host compiler: the keywords, built-in variables and functions of kernels, on the simulator.
//
// Plain loads and stores reach the simulator because kernels are compiled with -fsanitize=thread, whose callbacks
// are ours; everything else is a function here. Link to exactdot::simt, which brings the compile options along.
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

// A function of CUDA's: not instrumented, for it is the simulator's; not inlined, so that its return address is in
// the kernel. Compilers spell it differently.
#if defined(__clang__)
#define EXACTDOT_SIMT_CALL __attribute__((noinline, nomerge, no_sanitize("thread", "coverage")))
#else
#define EXACTDOT_SIMT_CALL __attribute__((noinline, no_sanitize("thread"), no_sanitize_coverage))
#endif

// Constant for as long as a thread runs: so the compiler may keep them in registers, and no access is reported.
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
inline constexpr int warpSize = 32;

namespace exactdot::simt {

namespace detail {
enum class scope { block, device, system };
/// Called before an atomic operation, where other threads may run, and after it, to wake those who wait for a
/// change. What is done in between is not seen. `reads`: what was there before matters.
void atomic_access(void* address, std::size_t size, bool reads, scope reach, const void* caller);
void atomic_done(const void* address, bool changed);
void fence(scope reach, const void* caller);
/// Waits for the lanes in mask that are in an exchange of the same kind; values[lane] is then what each of them has
/// given. Returns the lanes that came.
enum class exchange_kind : std::uint8_t { shuffle, vote, match, reduction, synchronise };
std::uint32_t exchange(exchange_kind kind, std::uint32_t mask, std::uint64_t mine, std::uint64_t* values,
                       const void* caller);
int barrier(const char* what, int predicate, int combine,
            const void* caller);  // combine: 0 none, 1 count, 2 and, 3 or
unsigned lane();
std::uint32_t active_mask(const void* caller);
void* dynamic_shared_bytes();
long long steps_taken();
void run(stream& on, dim3 grid, dim3 block, std::size_t shared_bytes, const void* kernel, void (*body)(void*),
         void* arguments, std::size_t argument_bytes);
void* allocate(stream& on, std::size_t bytes);
void release(stream& on, void* memory);
void mark_initialised(stream& on, void* memory, std::size_t bytes);
}  // namespace detail

/// Runs the kernel to its end; what is found is added to on.faults(). Throws exactdot::error for a launch that no
/// GPU takes. Copies of the arguments go to every thread.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes, stream& on,
            Arguments&&... arguments) {
  struct call {
    void (*kernel)(Parameters...);
    std::tuple<Parameters...> arguments;
  } one{kernel, {static_cast<Parameters>(std::forward<Arguments>(arguments))...}};
  detail::run(
      on, grid, block, shared_bytes, reinterpret_cast<const void*>(kernel),
      [](void* data) {
        const call& self = *static_cast<call*>(data);
        std::apply(self.kernel, self.arguments);
      },
      &one, sizeof one);
}

inline void synchronise(stream&) {}  // launches run at once

/// What was found since the stream's clear(), one line each.
inline std::vector<std::string> findings(const stream& on) {
  std::vector<std::string> lines;
  for (const fault& one : on.faults()) lines.push_back(one.text());
  return lines;
}

/// Simulated device memory for n elements, not initialised: filled with a pattern, and reads of it are reported.
template <class T>
class buffer {
 public:
  buffer(stream& on, std::size_t n)
      : stream_(&on), data_(static_cast<T*>(detail::allocate(on, n * sizeof(T)))), size_(n) {}
  ~buffer() { detail::release(*stream_, data_); }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  void fill_zero() {
    if (size_ != 0) std::memset(data_, 0, size_ * sizeof(T));
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

/// The block's dynamic shared memory, of the launch's shared_bytes; aligned to 16 bytes.
template <class T>
T* dynamic_shared() {
  return static_cast<T*>(detail::dynamic_shared_bytes());
}

}  // namespace exactdot::simt

#include <exactdot/simt/arithmetic.hpp>
#include <exactdot/simt/atomics.hpp>
#include <exactdot/simt/intrinsics.hpp>
#include <exactdot/simt/warp_functions.hpp>
