// What kernels use, on the simulator: keywords, built-in variables and functions of CUDA C++.
//
// Kernels are compiled with -fsanitize=thread, so loads and stores call the simulator (callbacks.cpp). All else is
// a function in this header or one that it includes. It includes few of the standard library's headers, because it
// is read for every file of kernels.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exactdot/simt/cpp17.hpp>
#include <exactdot/simt/keywords.hpp>
#include <exactdot/simt/vector_types.hpp>
#include <type_traits>

// A CUDA function: not instrumented, since it belongs to the simulator; not inlined, so that its return address is
// in the kernel.
#if defined(__clang__)
#define EXACTDOT_SIMT_CALL __attribute__((noinline, nomerge, no_sanitize("thread", "coverage")))
#else
#define EXACTDOT_SIMT_CALL __attribute__((noinline, no_sanitize("thread"), no_sanitize_coverage))
#endif

// Constant while a thread runs: the compiler may keep them in registers, and accesses to them are no steps. As a dim3
// has constructors, compilers announce its reads; the simulator knows these addresses.
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
inline constexpr int warpSize = 32;

namespace exactdot::simt {

namespace detail {
enum class scope { block, device, system };
/// What an atomic operation does, as far as findings speak of it.
enum class atomic_use : std::uint8_t { other, exchange, compare, add_float, add_double };
/// Begins an atomic operation: a scheduling point. Accesses up to end_atomic() are not reported. `reads`: the old
/// value matters.
void begin_atomic(void* address, std::size_t size, bool reads, scope sync_scope, const void* caller,
                  atomic_use use = atomic_use::other);
/// Begins an atomic load, which end_atomic() ends.
void begin_atomic_load(const void* address, std::size_t size, scope sync_scope, const void* caller);
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
/// Of tiles of more than 32 threads, up to the whole block: waits for the tile's threads, and orders what they did
/// before. Returns what each has passed, by rank, until the caller's next call.
const std::uint64_t* tile_collective(const char* operation, std::uint32_t size, std::uint64_t value,
                                     const void* caller);
bool is_shared(const void* address);  // in shared memory
unsigned lane();
std::uint32_t active_mask(const void* caller);
void* dynamic_shared_bytes();
long long clock_now(const void* caller);
}  // namespace detail

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
