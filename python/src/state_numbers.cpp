// Implementation of state_numbers.hpp, on Python's integers of any length.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <exactdot/core/quotient.hpp>
#include <exactdot/core/state.hpp>
#include <exactdot/core/wide.hpp>
#include <limits>
#include <python/src/arguments.hpp>
#include <python/src/element_formats.hpp>
#include <python/src/gil.hpp>
#include <python/src/state_numbers.hpp>

namespace exactdot::python {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

[[noreturn]] void throw_of(PyObject* type, const std::string& sentence) {
  PyErr_SetString(type, sentence.c_str());
  throw nb::python_error();
}

nb::object owned(PyObject* result) {
  if (result == nullptr) throw nb::python_error();
  return nb::steal(result);
}

bool is_true(const nb::object& value) {
  const int found = PyObject_IsTrue(value.ptr());
  if (found < 0) throw nb::python_error();
  return found == 1;
}

bool is_less(const nb::object& a, const nb::object& b) {
  return is_true(owned(PyObject_RichCompare(a.ptr(), b.ptr(), Py_LT)));
}

std::int64_t bit_length(const nb::object& integer) { return nb::cast<std::int64_t>(integer.attr("bit_length")()); }

nb::object shifted_left(const nb::object& integer, std::int64_t bits) { return integer << nb::int_(bits); }

/// A number: numerator over denominator, exact ints, or an infinity or NaN.
struct ratio {
  nb::object numerator, denominator;
  double special = 0;

  [[nodiscard]] bool is_finite() const { return numerator.is_valid(); }
  /// The infinity or NaN, or the sign: -1, 0 or 1.
  [[nodiscard]] double special_or_sign() const {
    if (!is_finite()) return special;
    return is_less(numerator, nb::int_(0)) ? -1.0 : is_true(numerator) ? 1.0 : 0.0;
  }
};

ratio ratio_of_special(double value) { return {{}, {}, value}; }

bool has_attribute(nb::handle given, const char* name) { return PyObject_HasAttrString(given.ptr(), name) == 1; }

/// Throws for a Decimal whose integers take minutes, as python/exactdot/_numbers.py does.
void require_near_exponent(nb::handle given, const char* caller) {
  constexpr std::int64_t max_exponent = 100'000;  // of ten
  if (!has_attribute(given, "adjusted")) return;
  std::int64_t exponent = 0;
  const bool is_known = nb::try_cast(nb::object(given.attr("adjusted")()), exponent);
  if ((is_known && std::abs(exponent) <= max_exponent) || !is_true(nb::borrow(given))) return;
  throw_python(false, std::string(caller) + ": the number is " + text_of(given) + "; use numbers between 10^-" +
                          std::to_string(max_exponent) + " and 10^" + std::to_string(max_exponent));
}

/// The ratio that as_integer_ratio returns, or the infinity or NaN of which it raises.
std::optional<ratio> call_ratio(nb::handle given, const char* caller) {
  require_near_exponent(given, caller);
  nb::object pair;
  try {
    pair = given.attr("as_integer_ratio")();
  } catch (const nb::python_error& raised) {
    if (raised.matches(PyExc_ValueError)) return ratio_of_special(std::numeric_limits<double>::quiet_NaN());
    if (!raised.matches(PyExc_OverflowError)) throw;
    return ratio_of_special(is_less(nb::borrow(given), nb::int_(0)) ? -infinity : infinity);
  }
  const bool is_pair = PyTuple_Check(pair.ptr()) != 0 && NB_TUPLE_GET_SIZE(pair.ptr()) == 2;
  if (!is_pair || !PyLong_Check(NB_TUPLE_GET_ITEM(pair.ptr(), 0)) ||
      !PyLong_Check(NB_TUPLE_GET_ITEM(pair.ptr(), 1))) {
    throw_python(true,
                 std::string(caller) + ": as_integer_ratio of " + describe(given.ptr()) + " returns no two ints");
  }
  ratio found{owned(PyNumber_Index(NB_TUPLE_GET_ITEM(pair.ptr(), 0))),
              owned(PyNumber_Index(NB_TUPLE_GET_ITEM(pair.ptr(), 1)))};
  if (!is_less(nb::int_(0), found.denominator)) {
    throw_python(false, std::string(caller) + ": as_integer_ratio of " + describe(given.ptr()) +
                            " returns a denominator that is not positive");
  }
  return found;
}

/// Whether it is a time or a difference of times of NumPy, whose items may be integers.
bool is_time(nb::handle given) {
  if (!has_attribute(given, "dtype")) return false;
  const nb::object dtype = given.attr("dtype");
  if (!has_attribute(dtype, "kind")) return false;
  const std::string kind = text_of(dtype.attr("kind"));
  return kind == "m" || kind == "M";
}

/// Whether it is an array or scalar of some framework without dimensions.
bool is_scalar_array(nb::handle given) {
  if (!has_attribute(given, "ndim") || !has_attribute(given, "item")) return false;
  std::int64_t dimensions = 1;
  return nb::try_cast(nb::object(given.attr("ndim")), dimensions) && dimensions == 0;
}

std::optional<ratio> ratio_of(nb::handle given, const char* caller, bool unwrap = true) {
  if (PyType_Check(given.ptr())) return std::nullopt;
  if (PyLong_Check(given.ptr())) return ratio{nb::steal(PyNumber_Index(given.ptr())), nb::int_(1)};
  if (PyFloat_Check(given.ptr())) {
    const double value = PyFloat_AsDouble(given.ptr());
    if (!std::isfinite(value)) return ratio_of_special(value);
    return call_ratio(nb::float_(value), caller);
  }
  if (has_attribute(given, "ndim")) {  // before __index__, which arrays have too
    if (!unwrap || !is_scalar_array(given) || is_time(given)) return std::nullopt;
    return ratio_of(nb::object(given.attr("item")()), caller, false);
  }
  if (has_attribute(given, "as_integer_ratio")) return call_ratio(given, caller);
  if (PyIndex_Check(given.ptr()) == 0) return std::nullopt;
  return ratio{owned(PyNumber_Index(given.ptr())), nb::int_(1)};
}

/// Whether a double is a value of a carrier, by its bits: no floating-point environment matters.
bool fits_carrier(double value, element_type type) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  if (type == element_type::float64) return exponent < 1024;
  return exponent >= -126 && exponent < 128 && (bits & 0x1fffffff) == 0;
}

/// A float whose bits a state has: the usual case, without Python's integers. False for others.
bool add_float(exact_state& sum, double value) {
  const element_type carrier =
      detail::state_holds(sum.type(), element_type::float64) ? element_type::float64 : element_type::float32;
  if (is_integer(sum.type()) || !fits_carrier(value, carrier)) return false;
  detail::state_view view = sum.view();
  view.type = carrier;
  const float narrow = carrier == element_type::float32 ? static_cast<float>(value) : 0, narrow_one = 1;
  const double one = 1;
  const bool wide = carrier == element_type::float64;
  detail::add_product(view, wide ? static_cast<const void*>(&value) : &narrow,
                      wide ? static_cast<const void*>(&one) : &narrow_one);
  return true;
}

exact_state state_of_special(double value, element_type type) {
  exact_state sum(type);
  std::vector<std::int64_t> words(sum.words().begin(), sum.words().end());
  const core::state_layout layout = core::layout_of(type);
  const int index = std::isnan(value) ? layout.nans()
                    : value > 0       ? layout.positive_infinities()
                                      : layout.negative_infinities();
  words[static_cast<std::size_t>(index)] = 1;
  return {type, words};
}

[[noreturn]] void refuse_number(PyObject* exception, const char* caller, nb::handle given, const std::string& why) {
  std::string text = text_of(given);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  throw_of(exception, std::string(caller) + ": " + text + " " + why);
}

/// numerator·2^-lowest over denominator, which is an integer for every number that the state holds.
nb::object units_of(const ratio& number, int lowest, element_type type, const char* caller, nb::handle given) {
  const auto parts = nb::borrow<nb::tuple>(
      owned(PyNumber_Divmod(shifted_left(number.numerator, -lowest).ptr(), number.denominator.ptr())));
  if (!is_true(parts[1])) return nb::object(parts[0]);
  refuse_number(PyExc_ValueError, caller, given,
                is_integer(type) ? "is not an integer, and the accumulator is of " + std::string(name_of(type))
                                 : "is not a multiple of 2^" + std::to_string(lowest) +
                                       ", the last bit of an accumulator of " + std::string(name_of(type)));
}

exact_state state_of(const ratio& number, element_type type, const char* caller, nb::handle given) {
  const core::state_layout layout = core::layout_of(type);
  if (!number.is_finite()) {
    if (is_integer(type)) refuse_number(PyExc_ValueError, caller, given, "is not an integer");
    return state_of_special(number.special, type);
  }
  const nb::object units = units_of(number, layout.lowest_exponent, type, caller, given);
  const std::size_t bytes = 4 * static_cast<std::size_t>(layout.limbs) + 4;
  if (bit_length(units) >= static_cast<std::int64_t>(8 * bytes)) {
    refuse_number(PyExc_OverflowError, caller, given, "exceeds the headroom of 2^63 largest products");
  }
  const nb::bytes packed(units.attr("to_bytes")(bytes, "little", nb::arg("signed") = true));
  std::vector<std::int64_t> words(static_cast<std::size_t>(layout.words()));
  for (int i = 0; i < layout.limbs; ++i) {
    const std::size_t size = i + 1 < layout.limbs ? 4 : 8;
    std::memcpy(&words[static_cast<std::size_t>(i)], packed.c_str() + 4 * i, size);
  }
  words.back() = 1;
  return {type, words};
}

/// All limbs of a finite sum as one int, in units of the last bit.
nb::object units_of(const exact_state& sum) {
  const core::state_layout layout = core::layout_of(sum.type());
  const auto words = sum.words();
  std::vector<char> packed(4 * static_cast<std::size_t>(layout.limbs) + 4);
  for (int i = 0; i < layout.limbs; ++i) {
    std::memcpy(&packed[4 * static_cast<std::size_t>(i)], &words[static_cast<std::size_t>(i)],
                i + 1 < layout.limbs ? 4 : 8);
  }
  return nb::handle(reinterpret_cast<PyObject*>(&PyLong_Type))
      .attr("from_bytes")(nb::bytes(packed.data(), packed.size()), "little", nb::arg("signed") = true);
}

/// What float says of converting this; returns for a finite sum.
void refuse_special(const exact_state& sum, const char* to) {
  const double special = special_or_sign(sum);
  if (std::isnan(special)) throw_of(PyExc_ValueError, std::string("cannot convert NaN to ") + to);
  if (std::isinf(special)) throw_of(PyExc_OverflowError, std::string("cannot convert infinity to ") + to);
}

ratio ratio_of_sum(const exact_state& sum) {
  nb::object units = units_of(sum), one = nb::int_(1);
  const std::int64_t lowest = core::layout_of(sum.type()).lowest_exponent;
  if (!is_true(units)) return {units, one};
  const std::int64_t zeros = bit_length(units & -units) - 1, reduced = std::min(zeros, -lowest);
  return {units >> nb::int_(reduced), shifted_left(one, -lowest - reduced)};
}

ratio value_of(const exact_state& sum) {
  const double special = special_or_sign(sum);
  return std::isfinite(special) ? ratio_of_sum(sum) : ratio_of_special(special);
}

/// |a/b| of two finite numbers, with 200 bits or one more, and whether anything lies below them.
core::wide magnitude_of_quotient(const ratio& a, const ratio& b) {
  nb::object above = owned(PyNumber_Absolute((a.numerator * b.denominator).ptr()));
  nb::object below = owned(PyNumber_Absolute((a.denominator * b.numerator).ptr()));
  const std::int64_t shift = 200 - (bit_length(above) - bit_length(below));
  nb::object& scaled = shift > 0 ? above : below;
  scaled = shifted_left(scaled, std::abs(shift));
  const auto parts = nb::borrow<nb::tuple>(owned(PyNumber_Divmod(above.ptr(), below.ptr())));
  core::wide magnitude;
  const nb::bytes packed(nb::object(parts[0]).attr("to_bytes")(sizeof magnitude.limb, "little"));
  std::memcpy(magnitude.limb, packed.c_str(), sizeof magnitude.limb);
  constexpr std::int64_t far = 1 << 20;  // beyond every result type
  magnitude.exponent = static_cast<int>(std::clamp(-shift, -far, far));
  magnitude.sticky = is_true(parts[1]);
  core::normalise(magnitude);
  return magnitude;
}

/// a/b, b not zero, by the rules of core::quotient_of: a zero and an infinity have the product of the signs.
std::uint64_t rounded_quotient(const ratio& a, const ratio& b, core::number_format to) {
  const double above = a.special_or_sign(), below = b.special_or_sign();
  const bool negative = std::signbit(above) != std::signbit(below);
  if (std::isnan(above) || std::isnan(below) || (std::isinf(above) && std::isinf(below))) return core::nan_word(to);
  if (std::isinf(above)) return core::infinity_word(to, negative);
  if (std::isinf(below) || above == 0) return core::sign_bit(to, negative);
  return core::round_wide(to, negative, magnitude_of_quotient(a, b));
}

[[noreturn]] void refuse_zero(const char* caller) {
  throw_of(PyExc_ZeroDivisionError, std::string(caller) + ": division by zero");
}

}  // namespace

double special_or_sign(const exact_state& sum) {
  const core::state_class found = core::class_of(core::layout_of(sum.type()), sum.words().data());
  if (found.nan) return std::numeric_limits<double>::quiet_NaN();
  if (found.zero) return 0;
  const double size = found.infinite ? infinity : 1;
  return found.negative ? -size : size;
}

element_type type_of_sum(element_type a, element_type b) {
  if (a == b || !detail::state_holds(b, a)) return a;
  if (!detail::state_holds(a, b)) return b;
  if (!is_integer(a)) return element_type::float32;
  const char kind = is_signed(a) || is_signed(b) ? 'i' : 'u';
  return type_of_kind(kind, std::max(size_of(a), size_of(b))).value_or(a);
}

const exact_state* accumulator_of(nb::handle given) {
  if (!nb::isinstance<exact_state>(given)) return nullptr;
  if (!nb::inst_ready(given)) throw_python(true, "Accumulator: this object was never initialised");
  return nb::inst_ptr<exact_state>(given);
}

std::optional<exact_state> read_operand(nb::handle given, element_type type, const char* caller) {
  if (const exact_state* const sum = accumulator_of(given)) return *sum;
  if (PyFloat_CheckExact(given.ptr())) {
    exact_state sum(type);
    if (add_float(sum, PyFloat_AsDouble(given.ptr()))) return sum;
  }
  const finalization_guard guard;
  const auto number = ratio_of(given, caller);
  if (!number) return std::nullopt;
  return state_of(*number, type, caller, given);
}

nb::tuple integer_ratio(const exact_state& sum) {
  refuse_special(sum, "integer ratio");
  const ratio found = ratio_of_sum(sum);
  return nb::make_tuple(found.numerator, found.denominator);
}

nb::object integer_part(const exact_state& sum) {
  refuse_special(sum, "integer");
  const ratio found = ratio_of_sum(sum);
  const auto floor_of = [&](const nb::object& numerator) {
    return owned(PyNumber_FloorDivide(numerator.ptr(), found.denominator.ptr()));
  };
  return is_less(found.numerator, nb::int_(0)) ? -floor_of(-found.numerator) : floor_of(found.numerator);
}

std::optional<std::partial_ordering> compare_with(const exact_state& sum, nb::handle given) {
  if (const exact_state* const other = accumulator_of(given)) return sum.compare(*other);
  const finalization_guard guard;
  const auto number = ratio_of(given, "Accumulator");
  if (!number) return std::nullopt;
  const double left = special_or_sign(sum), right = number->special_or_sign();
  if (!std::isfinite(left) || !std::isfinite(right) || left != right) return left <=> right;
  const ratio value = ratio_of_sum(sum);
  const nb::object a = value.numerator * number->denominator, b = number->numerator * value.denominator;
  if (is_less(a, b)) return std::partial_ordering::less;
  return is_less(b, a) ? std::partial_ordering::greater : std::partial_ordering::equivalent;
}

std::optional<any_scalar> quotient(const exact_state& sum, nb::handle given, bool reflected, element_type type,
                                   const char* caller) {
  if (const exact_state* const other = accumulator_of(given)) {
    const exact_state &a = reflected ? *other : sum, &b = reflected ? sum : *other;
    if (special_or_sign(b) == 0) refuse_zero(caller);
    return any_scalar{type, detail::round_quotient(a.view(), b.view(), type)};
  }
  const finalization_guard guard;
  const auto number = ratio_of(given, caller);
  if (!number) return std::nullopt;
  const ratio value = value_of(sum);
  const ratio &a = reflected ? *number : value, &b = reflected ? value : *number;
  if (b.special_or_sign() == 0) refuse_zero(caller);
  return any_scalar{type, rounded_quotient(a, b, core::format_of(type))};
}

}  // namespace exactdot::python
