// Matrices of every element type and layout for tests of rows and columns in device memory, and the comparison of a
// call's results with the CPU's vector call on each row, which tests/table compares with the oracle.
#pragma once

#include <algorithm>
#include <cmath>
#include <exactdot/cuda.hpp>
#include <exactdot/cuda/batches.hpp>
#include <exactdot/exactdot.hpp>
#include <limits>

#include "cuda/on_gpu/workspace_state.hpp"
#include "cuda/on_gpu/support.hpp"
#include "oracle/cases.hpp"
#include "oracle/generators.hpp"

namespace on_gpu {

using namespace exactdot;

/// Rows of n elements, as bytes: the first one's offset, the distance of rows and that of elements in bytes.
struct matrix {
  element_type type_a, type_b;
  std::size_t count, n;
  std::vector<unsigned char> a, b;
  std::ptrdiff_t next_a, next_b, stride_a, stride_b;
  bool swapped = false;

  [[nodiscard]] any_vector row_of_a(std::size_t i) const { return row(a, type_a, next_a, stride_a, i); }
  [[nodiscard]] any_vector row_of_b(std::size_t i) const { return row(b, type_b, next_b, stride_b, i); }

 private:
  [[nodiscard]] any_vector row(const std::vector<unsigned char>& of, element_type type, std::ptrdiff_t next,
                               std::ptrdiff_t stride, std::size_t i) const {
    return {of.data() + static_cast<std::ptrdiff_t>(i) * next, n, type, stride, swapped && size_of(type) > 1};
  }
};

/// One call on the device, and a vector call for each row. `skew`: elements before the first. `multiprocessors`: of the
/// device, as the call takes it; 0: all.
inline void expect_rows(const matrix& of, reduction what, element_type type, std::size_t skew, const std::string& name,
                        std::int64_t ddof = 0, int multiprocessors = 0) {
  const auto shifted = [&](const std::vector<unsigned char>& x, element_type t) {
    std::vector<unsigned char> all(x.size() + skew * size_of(t) + 1, 0xff);
    std::copy(x.begin(), x.end(), all.begin() + static_cast<std::ptrdiff_t>(skew * size_of(t)));
    return all;
  };
  const device_vector<unsigned char> a(shifted(of.a, of.type_a)), b(shifted(of.b, of.type_b));
  constexpr std::ptrdiff_t distance = 16;  // of results
  const std::vector<unsigned char> unwritten(static_cast<std::size_t>(distance) * (of.count + 1), 0x5a);
  const device_vector<unsigned char> out(unwritten);
  const axis rows_a{of.count, of.next_a}, rows_b{of.count, of.next_b}, places{of.count, distance};
  const axis in_a{of.n, of.stride_a}, in_b{of.n, of.stride_b};
  const any_grid first{a.data() + skew * size_of(of.type_a),
                       of.type_a,
                       {&rows_a, 1},
                       {&in_a, 1},
                       of.swapped && size_of(of.type_a) > 1};
  const any_grid second{b.data() + skew * size_of(of.type_b),
                        of.type_b,
                        {&rows_b, 1},
                        {&in_b, 1},
                        of.swapped && size_of(of.type_b) > 1};
  const any_results to{out.data(), type, {&places, 1}, false};
  cuda::workspace workspace;
  if (multiprocessors != 0) workspace.library_storage().multiprocessors = multiprocessors;
  what == reduction::dot ? cuda::dot(workspace, first, second, to)
                         : cuda::reduce(workspace, what, first, to, {}, ddof);
  workspace.check();
  ASSERT_EQ(unreset_lines(workspace), "");
  std::vector<unsigned char> expected = unwritten;
  for (std::size_t i = 0; i < of.count; ++i) {
    const options on_cpu{.device = device::cpu};
    const any_scalar right = what == reduction::dot ? dot(of.row_of_a(i), of.row_of_b(i), type, on_cpu)
                                                    : reduce(what, of.row_of_a(i), type, on_cpu, ddof);
    std::memcpy(&expected[i * distance], &right.bits, size_of(type));
  }
  const std::vector<unsigned char> found = out.read(unwritten.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i], expected[i]) << name << ": " << name_of(what) << " of " << name_of(of.type_a) << " to "
                                     << name_of(type) << ", byte " << i % distance << " of row " << i / distance
                                     << " of " << of.count << " by " << of.n << ", skew " << skew;
  }
}

/// A reduction, and a dot product, to result types in turn.
inline void expect_any(const matrix& of, unsigned seed, const std::string& name) {
  const element_type types[] = {of.type_a, element_type::float32, element_type::float64, of.type_a,
                                element_type::bfloat16};
  const reduction all[] = {reduction::sum,  reduction::mean,           reduction::asum,
                           reduction::nrm2, reduction::sum_of_squares, reduction::variance};
  expect_rows(of, all[seed / 5 % 6], types[seed % 5], seed % 4, name);
  expect_rows(of, reduction::dot, seed % 3 == 0 ? element_type::float64 : of.type_a, seed % 3, name);
}

template <class T>
std::vector<unsigned char> bytes_of(const std::vector<T>& x) {
  const auto* const first = reinterpret_cast<const unsigned char*>(x.data());
  return {first, first + x.size() * sizeof(T)};
}

/// Rows of at least n elements, the next of the generators for each; `gap` elements between rows.
template <class T>
matrix generated(oracle::rng& random, std::size_t count, std::size_t n, std::size_t gap) {
  const auto all = oracle::generators<T>();
  const std::size_t first = random.below(all.size());
  std::vector<oracle::vectors<T>> of_row;
  std::size_t length = n;
  for (std::size_t i = 0; i < count; ++i) {
    of_row.push_back(all[(first + i) % all.size()].make(random, n));
    if (n != 0) length = std::max(length, of_row.back().size());  // some kinds of data need more; never of nothing
  }
  const std::size_t next = length + gap;
  std::vector<T> a(count * next, T(NAN)), b = a;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < length; ++k) {
      a[i * next + k] = k < of_row[i].size() ? of_row[i].a[k] : T(0);
      b[i * next + k] = k < of_row[i].size() ? of_row[i].b[k] : T(1);
    }
  }
  constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(T));
  const auto distance = static_cast<std::ptrdiff_t>(next) * size;
  return {type_of<T>, type_of<T>, count, length, bytes_of(a), bytes_of(b), distance, distance, size, size};
}

/// The columns of the transpose.
inline matrix transposed(const matrix& rows, std::size_t bytes) {
  matrix to = rows;
  to.next_a = to.next_b = static_cast<std::ptrdiff_t>(bytes);
  to.stride_a = to.stride_b = static_cast<std::ptrdiff_t>(rows.count * bytes);
  for (std::size_t k = 0; k < rows.count * rows.n; ++k) {
    const std::size_t from = k * bytes, place = (k % rows.n * rows.count + k / rows.n) * bytes;
    std::memcpy(&to.a[place], &rows.a[from], bytes);
    std::memcpy(&to.b[place], &rows.b[from], bytes);
  }
  return to;
}

/// Numbers as elements of another type: rounded; as integers clamped, and rescaled so that few are 0.
template <class Element>
std::vector<unsigned char> narrowed(const std::vector<unsigned char>& floats, double scale) {
  std::vector<float> from(floats.size() / sizeof(float));
  std::memcpy(from.data(), floats.data(), floats.size());
  std::vector<Element> to(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    if constexpr (std::is_integral_v<Element>) {
      const double scaled = std::isfinite(from[i]) ? from[i] * scale : 7;
      to[i] = static_cast<Element>(
          std::clamp<double>(scaled, static_cast<double>(std::numeric_limits<Element>::lowest()) / 2.0,
                             static_cast<double>(std::numeric_limits<Element>::max()) / 2.0));
    } else {
      using carrier = std::conditional_t<std::is_same_v<Element, double>, double, float>;
      to[i] = static_cast<Element>(static_cast<carrier>(from[i] * (std::is_same_v<Element, double> ? scale : 1)));
    }
  }
  return bytes_of(to);
}

/// A matrix of floats as one of other elements.
template <class Element>
matrix narrowed(const matrix& from, double scale) {
  matrix to = from;
  to.type_a = to.type_b = type_of<Element>;
  to.a = narrowed<Element>(from.a, scale), to.b = narrowed<Element>(from.b, scale);
  const auto rescaled = [](std::ptrdiff_t& bytes) {
    bytes = bytes / static_cast<std::ptrdiff_t>(sizeof(float)) * static_cast<std::ptrdiff_t>(sizeof(Element));
  };
  rescaled(to.next_a), rescaled(to.next_b), rescaled(to.stride_a), rescaled(to.stride_b);
  return to;
}

/// Rows next to a tie, of which one small element decides on which side; and rows on the tie.
inline matrix near_ties(oracle::rng& random, std::size_t count, std::size_t n, int bits) {
  std::vector<float> a(count * n), b(count * n, 1);
  for (std::size_t row = 0; row < count; ++row) {
    float* const x = a.data() + row * n;
    x[random.below(n)] += 1;
    x[random.below(n)] += std::ldexp(1.F, -bits);  // half of the last bit of a result of so many bits
    const float small =
        std::ldexp(random.below(2) == 0 ? 1.F : -1.F, -bits - 1 - static_cast<int>(random.below(90)));
    if (random.below(4) != 0) x[random.below(n)] += small;
    const std::size_t first = random.below(n), second = random.below(n);
    x[first] += 96, x[second] -= 96;  // what cancels may round
  }
  constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(float));
  const auto distance = static_cast<std::ptrdiff_t>(n) * size;
  return {type_of<float>, type_of<float>, count, n, bytes_of(a), bytes_of(b), distance, distance, size, size};
}

}  // namespace on_gpu
