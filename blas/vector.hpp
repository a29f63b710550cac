// A vector as BLAS passes it: n elements, a pointer and an increment; and a copy of a short one without gaps.
//
// With a negative increment element 0 lies at the highest address: data[(1 − n)·increment]. n <= 0: no element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exactdot/views.hpp>
#include <new>

namespace exactdot::blas {

/// A complex number as C and Fortran store and return it.
template <class T>
struct complex {
  T re, im;
};

template <class T>
struct vector {
  const T* first;  ///< element 0
  std::ptrdiff_t stride;
  std::size_t n;

  vector(std::int64_t count, const void* data, std::int64_t increment)
      : first(static_cast<const T*>(data)), stride(increment), n(count > 0 ? static_cast<std::size_t>(count) : 0) {
    if (stride < 0 && n > 0) first -= static_cast<std::ptrdiff_t>(n - 1) * stride;
  }

  [[nodiscard]] const T& operator[](std::size_t i) const { return first[static_cast<std::ptrdiff_t>(i) * stride]; }
  [[nodiscard]] bool is_contiguous() const { return stride == 1; }
  [[nodiscard]] vector from(std::size_t i, std::size_t count) const { return vector(&(*this)[i], stride, count); }

 private:
  vector(const T* start, std::ptrdiff_t step, std::size_t count) : first(start), stride(step), n(count) {}
};

template <class T>
strided<T> view_of(const vector<T>& x) {
  return {x.first, x.n, x.stride};
}

/// Vectors of at most so many elements are copied to the stack: a strided view takes longer than they do.
inline constexpr std::size_t longest_copy = 512;

/// The elements of a vector of at most longest_copy of them one after the other: where they lie, or a copy.
template <class T>
class contiguous {
 public:
  explicit contiguous(const vector<T>& x) : data_(x.first) {
    if (x.is_contiguous()) return;
    for (std::size_t i = 0; i < x.n; ++i) copy_[i] = x[i];
    data_ = copy_;
  }
  contiguous(const contiguous&) = delete;
  contiguous& operator=(const contiguous&) = delete;
  [[nodiscard]] const T* data() const { return data_; }

 private:
  const T* data_;
  T copy_[longest_copy];  // not initialised
};

/// compute(), for which a strided pass takes memory from the heap; where there is none, by_blocks(), which takes
/// none and twice the time. BLAS has no error to return. In mode fast that result is the one rounded once.
template <class R, class Compute, class Blocks>
R unless_out_of_memory(Compute&& compute, const Blocks& by_blocks) {
  try {
    return compute();
  } catch (const std::bad_alloc&) {
    return by_blocks();
  }
}

}  // namespace exactdot::blas
