// SPDX-License-Identifier: Apache-2.0
// exactdot::cuda: reductions of vectors in a GPU's memory, ordered by a stream.
//
// The same bits as exactdot's functions on a CPU, in both modes. Calls allocate no device memory and do not wait,
// except where stated, so they can be captured in a graph. Link exactdot::cuda; this header needs no header of
// CUDA.
#pragma once

#include <exactdot/requirements.hpp>

#include <cstddef>
#include <cstdint>
#include <exactdot/accumulator.hpp>
#include <exactdot/element.hpp>
#include <exactdot/error.hpp>
#include <exactdot/options.hpp>
#include <exactdot/reductions.hpp>
#include <exactdot/views.hpp>
#include <memory>

struct CUstream_st;

namespace exactdot::inline v0_3::cuda {

/// cudaStream_t.
using stream_handle = CUstream_st*;

/// What the calls on one stream share: less than 2 MiB of device memory, and two words of host memory that the
/// GPU writes. One workspace serves one stream, which orders its calls, and one thread at a time: a second thread
/// is refused. The library cannot detect, so the caller must prevent, that a graph captured from that stream runs
/// at the same time as other calls, or as another launch of itself, with the same workspace. A moved-from workspace
/// may only be destroyed or assigned to.
class workspace {
 public:
  /// On the current device. Waits for the device. Throws errc::no_device if there is none.
  explicit workspace(stream_handle stream = nullptr);
  ~workspace();
  workspace(workspace&&) noexcept;
  workspace& operator=(workspace&&) noexcept;

  [[nodiscard]] stream_handle stream() const noexcept;
  [[nodiscard]] int device() const noexcept;  ///< its index
  /// Waits for the stream and throws what earlier stream-ordered calls could not throw themselves: errc::overflow
  /// if an integer result did not fit into its type (it is then 0); errc::bad_option, with the first segment, if
  /// offsets decreased or passed the end (its result is then NaN or, if it is an integer, 0); errc::empty_input,
  /// with the first one, if a segment or group has no extreme element because it is empty (NaN or 0);
  /// errc::headroom or errc::bad_option for words that are no state (cuda/states.hpp; the result is then NaN).
  void check();

  struct storage;
  [[nodiscard]] storage& library_storage() noexcept { return *storage_; }  ///< for the library

 private:
  std::unique_ptr<storage> storage_;
};

class workspace_lock;

namespace detail {
void enqueue(workspace& on, reduction what, const any_vector& a, const any_vector& b, element_type type,
             void* result, const options& options, std::int64_t ddof = 0);
[[nodiscard]] std::uint64_t reduce(workspace& on, reduction what, const any_vector& a, const any_vector& b,
                                   element_type type, const options& options, std::int64_t ddof = 0);
void add_into(workspace& on, reduction what, const any_vector& a, const any_vector& b, std::int64_t* words);

/// A call of a reduction with a callable (cuda/reduce.cuh): locks the workspace while it exists, and checks the
/// arguments.
class callable_call {
 public:
  callable_call(workspace& on, const any_vector& x, void* result, std::size_t result_bytes, std::size_t alignment);
  ~callable_call();

  static constexpr std::size_t partial_bytes = 16 << 10;

  /// partial_bytes of device memory for the blocks' results.
  [[nodiscard]] void* partials() const;
  /// Throws errc::device_failure if the last launch failed.
  void check_launch() const;

 private:
  workspace& on_;
  std::unique_ptr<workspace_lock> lock_;
};
}  // namespace detail

/// *result = a·b, when the stream reaches it. All pointers are the device's (or of memory that it can access:
/// managed, or mapped host memory); a, b and result aligned to their types.
///
/// R: float or double; rounded once from the exact sum in mode exact, converted in mode fast. n = 0 gives +0.
/// Uses options.mode only. Throws errc::null_pointer, errc::bad_option (a pointer that the device cannot use, or
/// into another device's memory; an unknown mode; a current device other than the workspace's; a workspace that
/// another thread's call is using), errc::device_failure (CUDA's error, also of earlier work on this device; an
/// error that earlier calls of the thread left pending is reported, and cleared). Cost: one launch that reads both
/// vectors once. In mode exact they are read again if what the first pass left out may change the rounding
/// (docs/algorithms.md, "On a GPU"): for floats in sums of condition number 1e40, and from some 2^25 elements on of
/// 1e16 (docs/results/gpu.md, "Hostile data").
template <element R, element T>
void dot(workspace& on, const T* a, const T* b, std::size_t n, R* result, const options& options = {}) {
  detail::enqueue(on, reduction::dot, to_any(a, n), to_any(b, n), type_of<R>, result, options);
}

/// The same, waited for: the result arrives in mapped host memory, without a copy. Returns as soon as it has
/// arrived.
template <element R, element T>
[[nodiscard]] R dot(workspace& on, const T* a, const T* b, std::size_t n, const options& options = {}) {
  return exactdot::detail::from_word<R>(
      detail::reduce(on, reduction::dot, to_any(a, n), to_any(b, n), type_of<R>, options));
}

/// *result = a·b for vectors of any stride and byte order, read in place; a result of `type`. Element by element: a
/// stride of s elements costs up to s times the memory traffic. The vectors may hold two floating-point or two
/// integer types. Errors: as above, and errc::size_mismatch, and errc::bad_option for a floating-point and an
/// integer type together and for strides that are no multiple of the element's size.
inline void dot(workspace& on, const any_vector& a, const any_vector& b, element_type type, void* result,
                const options& options = {}) {
  detail::enqueue(on, reduction::dot, a, b, type, result, options);
}

/// The same, waited for.
[[nodiscard]] inline any_scalar dot(workspace& on, const any_vector& a, const any_vector& b, element_type type,
                                    const options& options = {}) {
  return {type, detail::reduce(on, reduction::dot, a, b, type, options)};
}

/// *result = any reduction of one vector, when the stream reaches it; a result of `type` (exactdot::reduce says
/// which types a reduction gives). Values as exactdot's functions. One launch; in mode fast two for roots,
/// quotients and results of other types. Variances take four, of which the last three do nothing unless the first,
/// which reads the vector once, leaves the rounding open. Errors: as above, errc::empty_input, and for integer
/// results errc::overflow from workspace::check().
inline void reduce(workspace& on, reduction what, const any_vector& x, element_type type, void* result,
                   const options& options = {}, ddof_number ddof = 0) {
  exactdot::detail::require_one_input(what);
  detail::enqueue(on, what, x, x, type, result, options, ddof);
}

/// The same, waited for. Throws errc::overflow itself.
[[nodiscard]] inline any_scalar reduce(workspace& on, reduction what, const any_vector& x, element_type type,
                                       const options& options = {}, ddof_number ddof = 0) {
  exactdot::detail::require_one_input(what);
  return {type, detail::reduce(on, what, x, x, type, options, ddof)};
}

/// Adds a·b to the words of an accumulator of their element type in device memory (accumulator<T>::word_count of
/// them, all zero for an empty one), as one more state: to be read back, or summed by NCCL or MPI and rounded on
/// the device (cuda/states.hpp). At most 2^30 calls on the same words. Errors and cost as above.
inline void dot_into(workspace& on, const any_vector& a, const any_vector& b, std::int64_t* words) {
  detail::add_into(on, reduction::dot, a, b, words);
}

template <element T>
void dot_into(workspace& on, const T* a, const T* b, std::size_t n, std::int64_t* words) {
  dot_into(on, to_any(a, n), to_any(b, n), words);
}

/// The same for Σ xᵢ and for Σ xᵢ².
inline void sum_into(workspace& on, const any_vector& x, std::int64_t* words) {
  detail::add_into(on, reduction::sum, x, x, words);
}
inline void sum_of_squares_into(workspace& on, const any_vector& x, std::int64_t* words) {
  detail::add_into(on, reduction::sum_of_squares, x, x, words);
}

}  // namespace exactdot::inline v0_3::cuda
