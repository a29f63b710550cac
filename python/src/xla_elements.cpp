// Implementation of xla_elements.hpp: rows of operands in a buffer, as floats where these give the result, else as
// doubles.
//
// One operation of IEEE 754 rounds once. Where its type is wider than that of the result, it is rounded to odd,
// after which a second rounding is the only one (S. Boldo, G. Melquiond, IEEE TC 57, 2008); what it lacks of the
// real number is an error-free transform (Ogita, Rump, Oishi 2005). Cost: half a nanosecond an element, 3 to
// bfloat16, 10 to float16 and 8 bits; one thread.
#include <algorithm>
#include <array>
#include <cmath>
#include <cpu/environment.hpp>
#include <exactdot/core/convert.hpp>
#include <exactdot/core/exact_result.hpp>
#include <python/src/xla_arrays.hpp>
#include <python/src/xla_elements.hpp>
#include <utility>

namespace exactdot::python {
namespace {

constexpr std::size_t row_length = 256;
template <class Carrier>
using row = std::array<Carrier, row_length>;

struct operand {
  const void* data;
  element_type type;
};

struct strided_axes {
  std::vector<axis> a, b, to;  // of the same lengths
};

/// n elements from `from` on, or the one there n times. Integers, which are counts, are read as doubles.
template <class Carrier>
void load(element_type type, const void* from, bool is_one, std::size_t n, row<Carrier>& to) {
  with_element(type, [&]<class T>(T) {
    if constexpr (floating_element<T> && sizeof(T) <= sizeof(Carrier)) {
      const auto* const x = static_cast<const T*>(from);
      for (std::size_t i = 0; i < (is_one ? 1 : n); ++i) {
        if constexpr (std::floating_point<T>) {
          to[i] = static_cast<Carrier>(x[i]);
        } else {
          to[i] = static_cast<Carrier>(core::carrier_value<float, T>(x[i].bits, 0));
        }
      }
    } else if constexpr (std::integral<T> && std::same_as<Carrier, double>) {
      for (std::size_t i = 0; i < (is_one ? 1 : n); ++i)
        to[i] = static_cast<double>(static_cast<const T*>(from)[i]);
    } else {
      throw error(errc::bad_option, std::string(name_of(type)) + " is no type of such elements");
    }
  });
  if (is_one) std::fill_n(to.begin(), n, to[0]);
}

/// The float next to x whose last bit is 1, or x; without branches, which random data would mispredict.
float odd_float(double x) {
  const auto near = static_cast<float>(x);
  const auto rest = std::bit_cast<std::uint64_t>(x - static_cast<double>(near));  // -inf or inf beyond the floats
  const auto bits = std::bit_cast<std::uint32_t>(near);
  const std::uint64_t size = rest << 1, infinite = std::uint64_t{0x7ff} << 53;
  const bool is_inexact = (size != 0) & (size <= infinite);
  const auto inwards = static_cast<std::uint32_t>(rest >> 63) ^ bits >> 31;
  return std::bit_cast<float>(bits + (1 - 2 * inwards) * (is_inexact & ~bits & 1));
}

template <class T>
T rounded(double x) {
  if constexpr (std::floating_point<T>) {
    return static_cast<T>(x);
  } else if constexpr (type_of<T> ==
                       element_type::bfloat16) {  // its constructor does not become vector instructions
    const auto bits = std::bit_cast<std::uint32_t>(odd_float(x));
    const std::uint32_t nearest = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return detail::from_word<T>((bits & 0x7fffffff) > 0x7f800000 ? 0x7fc0 : nearest);
  } else {
    return T(odd_float(x));
  }
}

template <class Carrier>
void store(element_type type, const row<Carrier>& from, std::size_t n, void* to) {
  with_element(type, [&]<class T>(T) {
    if constexpr (floating_element<T>) {
      for (std::size_t i = 0; i < n; ++i) static_cast<T*>(to)[i] = rounded<T>(from[i]);
    } else {
      throw error(errc::bad_option,
                  "results of elements are floating-point numbers, not " + std::string(name_of(type)));
    }
  });
}

template <element_operation operation, class Carrier>
Carrier result_of(Carrier a, Carrier b) {
  if constexpr (operation == element_operation::product) return a * b;
  if constexpr (operation == element_operation::quotient) return b != 0 ? a / b : 0;
  return a - b;
}

/// What a result lacks: exactly, or for a quotient with its sign.
template <element_operation operation>
double error_of(double a, double b, double result) {
  if constexpr (operation == element_operation::product) return std::fma(a, b, -result);
  if constexpr (operation == element_operation::quotient) {
    // the remainder of tiny numbers may be no double; where only a is tiny, the result is 0 in every narrower type
    const double scale = std::abs(a) < 0x1p-900 && std::abs(b) < 0x1p-700 ? 0x1p200 : 1;
    const double rest = b != 0 ? std::fma(-result, b * scale, a * scale) : 0;
    return b < 0 ? -rest : rest;
  }
  return core::two_sum(a, -b).error;
}

/// a becomes the results.
template <element_operation operation, class Carrier>
void compute_row(row<Carrier>& a, const row<Carrier>& b, std::size_t n, bool to_odd) {
  if (!to_odd) {
    for (std::size_t i = 0; i < n; ++i) a[i] = result_of<operation>(a[i], b[i]);
    return;
  }
  if constexpr (std::is_same_v<Carrier, double>) {
    for (std::size_t i = 0; i < n; ++i) {
      const double result = result_of<operation>(a[i], b[i]), error = error_of<operation>(a[i], b[i], result);
      a[i] = std::isfinite(error) && std::isfinite(result) ? core::to_odd(result, error) : result;
    }
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
      axes->push_back({before * of.to[i].n, next.stride});
    }
  }
  return found;
}

template <element_operation operation, class Carrier>
void compute_arrays(const operand& a, const operand& b, const xla_array& to, const strided_axes& of, bool to_odd) {
  const std::size_t dimensions = of.to.size(), n = dimensions != 0 ? of.to.back().n : 1;
  std::vector<std::size_t> index(dimensions);
  const auto place = [&](const void* data, const std::vector<axis>& axes) {
    std::ptrdiff_t bytes = 0;
    for (std::size_t i = 0; i < dimensions; ++i) bytes += static_cast<std::ptrdiff_t>(index[i]) * axes[i].stride;
    return static_cast<const char*>(data) + bytes;
  };
  const auto is_one = [](const std::vector<axis>& axes) { return axes.empty() || axes.back().stride == 0; };
  row<Carrier> first, second;
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

template <element_operation operation>
void compute_arrays(const operand& a, const operand& b, const xla_array& to, const strided_axes& of) {
  const auto is_wide = [](element_type type) { return type == element_type::float64 || is_integer(type); };
  const bool has_doubles = is_wide(a.type) || is_wide(b.type);
  if (!has_doubles && to.type == element_type::float32)
    return compute_arrays<operation, float>(a, b, to, of, false);
  const bool is_exact = operation == element_operation::product && !has_doubles;
  compute_arrays<operation, double>(a, b, to, of, to.type != element_type::float64 && !is_exact);
}

}  // namespace

void compute_elements(element_operation operation, const xla::call_frame& call) {
  const cpu_engine::standard_arithmetic environment;  // XLA's threads flush subnormals
  check_call(call, 1, 2);
  const xla_array a(*call.arguments.items[0]), to(*call.results.items[0]);
  const auto number = static_cast<double>(number_of(call));
  const auto narrow = static_cast<float>(number);
  strided_axes axes{a.axes, std::vector<axis>(a.axes.size()), to.axes};
  for (std::size_t i = 0; i < a.axes.size(); ++i) axes.b[i].n = a.axes[i].n;
  operand other{&narrow, element_type::float32};
  if (static_cast<double>(narrow) != number) other = {&number, element_type::float64};
  if (call.arguments.count == 2) {
    const xla_array b(*call.arguments.items[1]);
    check_shapes(a, b, to, false);
    other = {b.data, b.type}, axes.b = b.axes;
  } else {
    check_shapes(a, a, to, false);
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
