// Implementation of xla_elements.hpp: rows of doubles in a buffer, to which every element type converts exactly.
//
// A result and what it lacks of the real number are error-free transforms (Ogita, Rump, Oishi 2005); rounded to odd
// it can be rounded again to a shorter type (S. Boldo, G. Melquiond, 2008). Cost: some nanoseconds an element;
// longer for 16-bit results.
#include <algorithm>
#include <array>
#include <cmath>
#include <cpu/environment.hpp>
#include <exactdot/core/convert.hpp>
#include <exactdot/core/exact_result.hpp>
#include <python/src/xla_arrays.hpp>
#include <python/src/xla_elements.hpp>

namespace exactdot::python {
namespace {

constexpr std::size_t row_length = 256;
using row = std::array<double, row_length>;

struct strided_axes {
  std::vector<axis> a, b, to;  // of the same lengths
};

template <class T>
void load_as(const void* from, std::size_t n, double* to) {
  if constexpr (floating_element<T>) {
    const auto* const x = static_cast<const T*>(from);
    for (std::size_t i = 0; i < n; ++i) {
      if constexpr (std::floating_point<T>) {
        to[i] = static_cast<double>(x[i]);
      } else {
        to[i] = core::carrier_value<double, T>(x[i].bits, 0);
      }
    }
  }
}

/// n elements from `from` on, or the one there n times.
void load(element_type type, const void* from, bool is_one, std::size_t n, row& to) {
  with_element(type, [&]<class T>(T) { load_as<T>(from, is_one ? 1 : n, to.data()); });
  if (is_one) std::fill_n(to.begin(), n, to[0]);
}

template <class T>
T rounded(double x) {
  if constexpr (std::floating_point<T>) {
    return static_cast<T>(x);
  } else {
    constexpr core::number_format format = core::format<T>::number;
    std::uint64_t word = core::sign_bit(format, std::signbit(x));
    if (std::isnan(x))
      word = core::nan_word(format);
    else if (std::isinf(x))
      word = core::infinity_word(format, x < 0);
    else if (x != 0)
      word = core::rounding_in_integers::rounded(format, x);
    return detail::from_word<T>(word);
  }
}

void store(element_type type, const row& from, std::size_t n, void* to) {
  with_element(type, [&]<class T>(T) {
    if constexpr (floating_element<T>) {
      for (std::size_t i = 0; i < n; ++i) static_cast<T*>(to)[i] = rounded<T>(from[i]);
    }
  });
}

template <element_operation operation>
double result_of(double a, double b) {
  if constexpr (operation == element_operation::product) return a * b;
  if constexpr (operation == element_operation::quotient) return b != 0 ? a / b : 0.0;
  return a - b;
}

/// What the result lacks: exactly, or for a quotient with its sign.
template <element_operation operation>
double error_of(double a, double b, double result) {
  if constexpr (operation == element_operation::product) return std::fma(a, b, -result);
  if constexpr (operation == element_operation::quotient) {
    const double rest = std::fma(-result, b, a);
    return b < 0 ? -rest : rest;
  }
  return core::two_sum(a, -b).error;
}

/// a becomes the results; those that are rounded again, to odd.
template <element_operation operation>
void compute_row(row& a, const row& b, std::size_t n, bool to_odd) {
  if (!to_odd) {
    for (std::size_t i = 0; i < n; ++i) a[i] = result_of<operation>(a[i], b[i]);
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double result = result_of<operation>(a[i], b[i]);
    const double error = b[i] != 0 ? error_of<operation>(a[i], b[i], result) : 0;
    a[i] = std::isfinite(error) && std::isfinite(result) ? core::to_odd(result, error) : result;
  }
}

/// The axes without those of length 1, and with those joined that follow each other in all arrays.
strided_axes joined(const strided_axes& of) {
  strided_axes found;
  for (std::size_t i = 0; i < of.to.size(); ++i) {
    if (of.to[i].n == 1) continue;
    const auto n = static_cast<std::ptrdiff_t>(of.to[i].n);
    const auto follows = [&](const std::vector<axis>& before, const axis& next) {
      return !before.empty() && before.back().stride == n * next.stride;
    };
    const bool joins = follows(found.a, of.a[i]) && follows(found.b, of.b[i]) && follows(found.to, of.to[i]);
    const std::size_t before = joins ? found.to.back().n : 1;
    for (auto [axes, next] : {std::pair{&found.a, of.a[i]}, {&found.b, of.b[i]}, {&found.to, of.to[i]}}) {
      if (joins) axes->pop_back();
      axes->push_back({before * next.n, next.stride});
    }
  }
  return found;
}

struct operand {
  const void* data;
  element_type type;
};

template <element_operation operation>
void compute_arrays(const operand& a, const operand& b, const xla_array& to, const strided_axes& of) {
  const bool is_exact =
      operation == element_operation::product && a.type != element_type::float64 && b.type != element_type::float64;
  const bool to_odd = to.type != element_type::float64 && !is_exact;
  const std::size_t dimensions = of.to.size(), n = dimensions != 0 ? of.to.back().n : 1;
  std::vector<std::size_t> index(dimensions);
  const auto place = [&](const auto* data, const std::vector<axis>& axes) {
    std::ptrdiff_t bytes = 0;
    for (std::size_t i = 0; i < dimensions; ++i) bytes += static_cast<std::ptrdiff_t>(index[i]) * axes[i].stride;
    return static_cast<const char*>(data) + bytes;
  };
  const auto is_one = [&](const std::vector<axis>& axes) { return axes.empty() || axes.back().stride == 0; };
  row first, second;
  for (std::size_t done = 0; done < to.size; done += n) {
    for (std::size_t start = 0; start < n; start += row_length) {
      const std::size_t some = std::min(row_length, n - start);
      if (dimensions != 0) index.back() = start;
      load(a.type, place(a.data, of.a), is_one(of.a), some, first);
      load(b.type, place(b.data, of.b), is_one(of.b), some, second);
      compute_row<operation>(first, second, some, to_odd);
      store(to.type, first, some, const_cast<char*>(place(to.data, of.to)));
    }
    if (dimensions != 0) index.back() = 0;
    for (std::size_t i = dimensions; i-- > 1 && ++index[i - 1] == of.to[i - 1].n;) index[i - 1] = 0;
  }
}

}  // namespace

void compute_elements(element_operation operation, const xla::call_frame& call) {
  const cpu_engine::standard_arithmetic environment;  // XLA's threads flush subnormals
  const xla_array a(*call.arguments.items[0]), to(*call.results.items[0]);
  const auto number = static_cast<double>(number_of(call));
  strided_axes axes{a.axes, std::vector<axis>(a.axes.size()), to.axes};
  operand other{&number, element_type::float64};
  if (call.arguments.count == 2) {
    const xla_array b(*call.arguments.items[1]);
    other = {b.data, b.type}, axes.b = b.axes;
  }
  axes = joined(axes);
  const operand first{a.data, a.type};
  switch (operation) {
    case element_operation::product:
      return compute_arrays<element_operation::product>(first, other, to, axes);
    case element_operation::quotient:
      return compute_arrays<element_operation::quotient>(first, other, to, axes);
    case element_operation::difference:
      return compute_arrays<element_operation::difference>(first, other, to, axes);
  }
}

}  // namespace exactdot::python
