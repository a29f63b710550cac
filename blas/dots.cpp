// Dot products; see routines.hpp.
//
// A part of a complex dot is one dot of 2n reals: x as it lies, beside a copy of y with real and imaginary parts
// exchanged or negated. Of vectors too long to copy, blocks are added to an accumulator: both round once. Mode fast
// adds the blocks' results in order.
#include <algorithm>
#include <bit>
#include <blas/routines.hpp>
#include <blas/settings.hpp>
#include <exactdot/accumulator.hpp>
#include <exactdot/reductions.hpp>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace exactdot::blas {
namespace {

/// How a block of y goes into a part: (re, ±im) into the real one, (im, ±re) into the imaginary one.
struct component {
  bool imaginary, negated;
};

template <class T>
const T* reals_of(const complex<T>* x) {
  return reinterpret_cast<const T*>(x);
}

/// x, or −x by its sign bit: in the caller's arithmetic a product may flush subnormal numbers.
template <class T, class Bits>
T with_flipped(T x, Bits sign) {
  return std::bit_cast<T>(std::bit_cast<Bits>(x) ^ sign);
}

/// Constant steps, so that the compiler uses vector registers.
template <class T>
void copy_contiguous(component which, const T* y, std::size_t n, T* out) {
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const bits sign = which.negated ? bits{1} << (8 * sizeof(T) - 1) : 0;
  if (which.imaginary) {
    for (std::size_t i = 0; i < 2 * n; i += 2) {
      out[i] = y[i + 1];
      out[i + 1] = with_flipped(y[i], sign);
    }
  } else {
    for (std::size_t i = 0; i < 2 * n; i += 2) {
      out[i] = y[i];
      out[i + 1] = with_flipped(y[i + 1], sign);
    }
  }
}

template <class T>
void copy_for(component which, const vector<complex<T>>& y, T* out) {
  if (y.is_contiguous()) return copy_contiguous(which, reals_of(y.first), y.n, out);
  for (std::size_t i = 0; i < y.n; i += longest_copy) {
    const contiguous<complex<T>> block(y.from(i, std::min(longest_copy, y.n - i)));
    copy_contiguous(which, reals_of(block.data()), std::min(longest_copy, y.n - i), out + 2 * i);
  }
}

template <class T>
T dot_of_block(const vector<complex<T>>& x, const vector<complex<T>>& y, component which) {
  const contiguous<complex<T>> left(x);
  T right[2 * longest_copy];
  copy_for(which, y, right);
  return exactdot::dot(reals_of(left.data()), right, 2 * x.n, chosen.options);
}

template <class T>
T dot_of_blocks(const vector<complex<T>>& x, const vector<complex<T>>& y, component which) {
  accumulator<T> exact;
  T fast = 0;
  for (std::size_t i = 0; i < x.n; i += longest_copy) {
    const std::size_t n = std::min(longest_copy, x.n - i);
    if (chosen.options.mode == mode::fast) {
      fast += dot_of_block(x.from(i, n), y.from(i, n), which);
      continue;
    }
    const contiguous<complex<T>> left(x.from(i, n));
    T right[2 * longest_copy];
    copy_for(which, y.from(i, n), right);
    exact.add(std::span<const T>(reals_of(left.data()), 2 * n), std::span<const T>(right, 2 * n), chosen.options);
  }
  return chosen.options.mode == mode::fast ? fast : exact.template round<T>();
}

/// Vectors of at most so many elements are copied to the heap, which takes less time than an accumulator.
constexpr std::size_t longest_buffer = std::size_t{1} << 22;

template <class T>
T dot_of_component(const vector<complex<T>>& x, const vector<complex<T>>& y, component which) {
  if (x.n <= longest_copy) return dot_of_block(x, y, which);
  if (x.n > longest_buffer) return dot_of_blocks(x, y, which);
  const std::size_t copies = x.is_contiguous() ? 1 : 2;
  const std::unique_ptr<T[]> buffer(new (std::nothrow) T[copies * 2 * x.n]);
  if (buffer == nullptr) return dot_of_blocks(x, y, which);
  const T* left = reals_of(x.first);
  if (copies == 2) {
    copy_for({false, false}, x, buffer.get() + 2 * x.n);
    left = buffer.get() + 2 * x.n;
  }
  copy_for(which, y, buffer.get());
  return exactdot::dot(left, buffer.get(), 2 * x.n, chosen.options);
}

/// sum + Σ xᵢ·yᵢ, by blocks.
template <class T>
accumulator<T> sum_of_blocks(const vector<T>& x, const vector<T>& y, accumulator<T> sum = {}) {
  for (std::size_t i = 0; i < x.n; i += longest_copy) {
    const std::size_t n = std::min(longest_copy, x.n - i);
    const contiguous<T> left(x.from(i, n)), right(y.from(i, n));
    sum.add(std::span<const T>(left.data(), n), std::span<const T>(right.data(), n), chosen.options);
  }
  return sum;
}

}  // namespace

template <class R, class T>
R dot(const vector<T>& x, const vector<T>& y) {
  if (x.is_contiguous() && y.is_contiguous()) return exactdot::dot<R>(x.first, y.first, x.n, chosen.options);
  if (x.n > longest_copy) {
    return unless_out_of_memory<R>([&] { return exactdot::dot<R>(view_of(x), view_of(y), chosen.options); },
                                   [&] { return sum_of_blocks(x, y).template round<R>(); });
  }
  const contiguous<T> left(x), right(y);
  return exactdot::dot<R>(left.data(), right.data(), x.n, chosen.options);
}
template float dot(const vector<float>& x, const vector<float>& y);
template double dot(const vector<float>& x, const vector<float>& y);
template double dot(const vector<double>& x, const vector<double>& y);

float dot_from(float start, const vector<float>& x, const vector<float>& y) {
  if (x.n == 0) return start;
  accumulator<float> first;
  first.add(start);
  const auto in_one_pass = [&] {
    accumulator<float> sum = first;
    sum.add(view_of(x), view_of(y), chosen.options);
    return sum.round<float>();
  };
  return unless_out_of_memory<float>(in_one_pass, [&] { return sum_of_blocks(x, y, first).round<float>(); });
}

template <class T>
complex<T> complex_dot(const vector<complex<T>>& x, const vector<complex<T>>& y, bool conjugated) {
  if (x.n == 0) return {0, 0};
  const component real{false, !conjugated}, imaginary{true, conjugated};
  if (conjugated && x.is_contiguous() && y.is_contiguous()) {
    const T re = exactdot::dot(reals_of(x.first), reals_of(y.first), 2 * x.n, chosen.options);
    return {re, dot_of_component(x, y, imaginary)};
  }
  return {dot_of_component(x, y, real), dot_of_component(x, y, imaginary)};
}
template complex<float> complex_dot(const vector<complex<float>>& x, const vector<complex<float>>& y,
                                    bool conjugated);
template complex<double> complex_dot(const vector<complex<double>>& x, const vector<complex<double>>& y,
                                     bool conjugated);

}  // namespace exactdot::blas
