// Sums of absolute values, norms and the index of the greatest element; see routines.hpp.
//
// Complex vectors are 2n reals; long ones whose elements lie apart go into an accumulator by blocks, in mode fast,
// too.
#include <algorithm>
#include <blas/routines.hpp>
#include <blas/settings.hpp>
#include <cmath>
#include <cpu/environment.hpp>
#include <exactdot/accumulator.hpp>
#include <exactdot/reductions.hpp>
#include <span>

namespace exactdot::blas {
namespace {

/// reduce(pointer, number of reals) of a short vector or one without gaps; else reduce_strided(x).
template <class T, class Element, class Reduce, class Strided>
T reduced(const vector<Element>& x, const Reduce& reduce, const Strided& reduce_strided) {
  constexpr std::size_t reals = sizeof(Element) / sizeof(T);
  if (x.n == 0) return 0;
  if (x.is_contiguous()) return reduce(reinterpret_cast<const T*>(x.first), reals * x.n);
  if (x.n > longest_copy) return reduce_strided(x);
  const contiguous<Element> copy(x);
  return reduce(reinterpret_cast<const T*>(copy.data()), reals * x.n);
}

/// Adds x, whose elements lie apart, by blocks: add(sum, the elements of a block).
template <class T, class Add>
accumulator<T> sum_of_blocks(const vector<T>& x, const Add& add) {
  accumulator<T> sum;
  for (std::size_t i = 0; i < x.n; i += longest_copy) {
    const std::size_t n = std::min(longest_copy, x.n - i);
    T elements[longest_copy];
    for (std::size_t j = 0; j < n; ++j) elements[j] = std::abs(x[i + j]);
    add(sum, std::span<const T>(elements, n));
  }
  return sum;
}

constexpr auto add_elements = [](auto& sum, auto elements) { sum.add(elements, chosen.options); };
constexpr auto add_squares = [](auto& sum, auto elements) { sum.add_squares(elements, chosen.options); };

constexpr auto asum_of = [](const auto&... x) { return exactdot::asum(x..., chosen.options); };
constexpr auto norm_of = [](const auto&... x) { return exactdot::nrm2(x..., chosen.options); };

/// Adds the real and imaginary parts of x, whose elements lie apart, by blocks: add(sum, the components of a
/// block).
template <class T, class Add>
accumulator<T> sum_of_components(const vector<complex<T>>& x, const Add& add) {
  accumulator<T> sum;
  for (std::size_t i = 0; i < x.n; i += longest_copy) {
    const std::size_t n = std::min(longest_copy, x.n - i);
    T components[2 * longest_copy];
    for (std::size_t j = 0; j < n; ++j) {
      components[2 * j] = std::abs(x[i + j].re);
      components[2 * j + 1] = std::abs(x[i + j].im);
    }
    add(sum, std::span<const T>(components, 2 * n));
  }
  return sum;
}

/// The index of the greatest of magnitude(x[0]), …; found by lanes that the compiler keeps in vector registers.
template <class T, class Element, class Magnitude>
std::int64_t index_of_greatest(const vector<Element>& x, const Magnitude& magnitude) {
  if (x.n == 0 || x.stride <= 0) return 0;
  const cpu_engine::standard_arithmetic environment;  // the caller's may take subnormal numbers for zeros
  if (x.n == 1 || std::isnan(magnitude(x[0]))) return 1;
  constexpr std::size_t lanes = 16;
  T greatest[lanes];
  std::fill_n(greatest, lanes, magnitude(x[0]));
  std::size_t i = 0;
  if (x.is_contiguous()) {
    for (; i + lanes <= x.n; i += lanes) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const T here = magnitude(x.first[i + lane]);
        greatest[lane] = here > greatest[lane] ? here : greatest[lane];
      }
    }
  }
  T result = *std::max_element(greatest, greatest + lanes);
  for (; i < x.n; ++i) result = magnitude(x[i]) > result ? magnitude(x[i]) : result;
  for (i = 0; i + 1 < x.n && magnitude(x[i]) != result; ++i) {  // another thread may write to x
  }
  return static_cast<std::int64_t>(i) + 1;
}

}  // namespace

template <class T>
T asum(const vector<T>& x) {
  if (x.stride <= 0) return 0;
  return reduced<T>(x, asum_of, [](const auto& strided) {
    return unless_out_of_memory<T>([&] { return asum_of(view_of(strided)); },
                                   [&] { return sum_of_blocks(strided, add_elements).template round<T>(); });
  });
}
template <class T>
T asum(const vector<complex<T>>& x) {
  if (x.stride <= 0) return 0;
  return reduced<T>(x, asum_of, [](const auto& strided) {
    return sum_of_components<T>(strided, add_elements).template round<T>();
  });
}
template float asum(const vector<float>& x);
template double asum(const vector<double>& x);
template float asum(const vector<complex<float>>& x);
template double asum(const vector<complex<double>>& x);

template <class T>
T nrm2(const vector<T>& x) {
  return reduced<T>(x, norm_of, [](const auto& strided) {
    return unless_out_of_memory<T>([&] { return norm_of(view_of(strided)); },
                                   [&] { return sum_of_blocks(strided, add_squares).template round_root<T>(); });
  });
}
template <class T>
T nrm2(const vector<complex<T>>& x) {
  return reduced<T>(x, norm_of, [](const auto& strided) {
    return sum_of_components<T>(strided, add_squares).template round_root<T>();
  });
}
template float nrm2(const vector<float>& x);
template double nrm2(const vector<double>& x);
template float nrm2(const vector<complex<float>>& x);
template double nrm2(const vector<complex<double>>& x);

template <class T>
std::int64_t index_of_max(const vector<T>& x) {
  return index_of_greatest<T>(x, [](T element) { return std::abs(element); });
}
template <class T>
std::int64_t index_of_max(const vector<complex<T>>& x) {
  return index_of_greatest<T>(x, [](const complex<T>& z) { return std::abs(z.re) + std::abs(z.im); });
}
template std::int64_t index_of_max(const vector<float>& x);
template std::int64_t index_of_max(const vector<double>& x);
template std::int64_t index_of_max(const vector<complex<float>>& x);
template std::int64_t index_of_max(const vector<complex<double>>& x);

}  // namespace exactdot::blas
