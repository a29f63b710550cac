// exactdot::cuda: dot products of vectors in a GPU's memory, ordered by a stream.
//
// The same bits as exactdot::dot on a CPU, in both modes. Nothing is allocated and nothing waits but where it says
// so, so calls can be captured in a graph. Link exactdot::cuda; no header of CUDA is needed to include this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exactdot/element.hpp>
#include <exactdot/error.hpp>
#include <exactdot/options.hpp>
#include <memory>

struct CUstream_st;

namespace exactdot::cuda {

/// cudaStream_t.
using stream_handle = CUstream_st*;

/// What calls on one stream share: less than 256 KiB of device memory, and two words of host memory that the GPU
/// writes. One workspace serves one stream, whose order keeps its calls apart, and one thread at a time: a second
/// is refused. Nobody can see, so the caller has to take care, that a graph captured from that stream does not run
/// at the same time as other calls, or another launch of itself, with the same workspace. After a move it may only
/// be destroyed or assigned to.
class workspace {
 public:
  /// On the current device. Waits for the device. Throws errc::no_device where there is none.
  explicit workspace(stream_handle stream = nullptr);
  ~workspace();
  workspace(workspace&&) noexcept;
  workspace& operator=(workspace&&) noexcept;

  [[nodiscard]] stream_handle stream() const noexcept;
  [[nodiscard]] int device() const noexcept;  ///< its index

  struct memory;
  [[nodiscard]] memory& own() noexcept { return *memory_; }  ///< for the library

 private:
  std::unique_ptr<memory> memory_;
};

/// *result = a·b, when the stream comes to it. All three pointers are the device's (or what it can reach: managed
/// memory, mapped host memory); a and b aligned to their elements.
///
/// R: float or double; rounded once from the exact sum in mode exact, converted in mode fast. n = 0 gives +0.
/// Uses options.mode only. Throws errc::null_pointer, errc::bad_option (a pointer the device cannot use, or into
/// another device's memory, an unknown mode, another device current than the workspace's, a workspace that another
/// thread's call is using), errc::device_failure (what CUDA says, also of what failed earlier on this device; an
/// error that the thread's earlier calls left is reported, and cleared). Cost: one launch that reads both vectors
/// once. In mode exact they are read a second time where what the first pass lost may matter to the rounding
/// (docs/algorithms.md, "On a GPU"): among floats in sums of condition number 1e40, and from some 2^25 elements on of
/// 1e16 (docs/performance.md, "Hostile data").
template <element R, element T>
void dot(workspace& on, const T* a, const T* b, std::size_t n, R* result, const options& options = {});

/// The same, waited for: the result arrives in mapped host memory, without a copy. Returns as soon as it is there.
template <element R, element T>
[[nodiscard]] R dot(workspace& on, const T* a, const T* b, std::size_t n, const options& options = {});

/// Adds a·b to the words of an accumulator<T> in device memory (accumulator<T>::word_count of them, all zero for an
/// empty one), as one more state: to be read back, merged, or summed by NCCL or MPI. At most 2^30 calls on the same
/// words. Errors and cost as above.
template <element T>
void dot_into(workspace& on, const T* a, const T* b, std::size_t n, std::int64_t* words);

extern template void dot(workspace&, const float*, const float*, std::size_t, float*, const options&);
extern template void dot(workspace&, const float*, const float*, std::size_t, double*, const options&);
extern template void dot(workspace&, const double*, const double*, std::size_t, float*, const options&);
extern template void dot(workspace&, const double*, const double*, std::size_t, double*, const options&);
extern template float dot<float, float>(workspace&, const float*, const float*, std::size_t, const options&);
extern template double dot<double, float>(workspace&, const float*, const float*, std::size_t, const options&);
extern template float dot<float, double>(workspace&, const double*, const double*, std::size_t, const options&);
extern template double dot<double, double>(workspace&, const double*, const double*, std::size_t, const options&);
extern template void dot_into(workspace&, const float*, const float*, std::size_t, std::int64_t*);
extern template void dot_into(workspace&, const double*, const double*, std::size_t, std::int64_t*);

}  // namespace exactdot::cuda
