// The operators of the class Accumulator: with another accumulator or a number, exactly.
//
// A sum of sums has the type that holds both (exact_state.hpp); in place, the left one's. Anything that is neither
// accumulator nor number is left to its own operators, and arrays to `add`.
#include <python/src/accumulator.hpp>
#include <python/src/accumulator_docstrings.hpp>
#include <python/src/arguments.hpp>
#include <python/src/number.hpp>
#include <python/src/state_numbers.hpp>

namespace exactdot::python {
namespace {

nb::object not_implemented() { return nb::borrow(Py_NotImplemented); }

/// left + right, both negated as asked; NotImplemented for an operand that is no number.
nb::object sum_of(const exact_state& left, nb::handle right, bool negates_left, bool negates_right) {
  auto other = read_operand(right, left.type(), "Accumulator");
  if (!other) return not_implemented();
  exact_state sum = left;
  if (const element_type type = type_of_sum(left.type(), other->type()); type != left.type()) {
    sum = exact_state(type);
    sum.merge(left);
  }
  if (negates_left) sum.negate();
  if (negates_right) other->negate();
  sum.merge(*other);
  return nb::cast(std::move(sum));
}

nb::object add_in_place(const nb::object& self, nb::handle right, bool negates_right) {
  accumulator_of(self);  // throws for an object that was never initialised
  auto& sum = nb::cast<exact_state&>(self);
  if (const exact_state* const other = accumulator_of(right); other != nullptr && !negates_right) {
    require_state(sum, other->type());
    sum.merge(*other);
    return self;
  }
  auto other = read_operand(right, sum.type(), "Accumulator");
  if (!other) return not_implemented();
  require_state(sum, other->type());
  if (negates_right) other->negate();
  sum.merge(*other);
  return self;
}

nb::object negated(const exact_state& self) {
  exact_state made = self;
  made.negate();
  return nb::cast(std::move(made));
}

nb::object magnitude(const exact_state& self) { return special_or_sign(self) < 0 ? negated(self) : nb::cast(self); }

bool is_nonzero(const exact_state& self) { return special_or_sign(self) != 0; }

element_type type_of_quotient(const exact_state& self, nb::handle other) {
  const exact_state* const sum = accumulator_of(other);
  return default_result_type(reduction::mean, sum != nullptr ? type_of_sum(self.type(), sum->type()) : self.type());
}

template <bool reflected>
nb::object divide(const exact_state& self, nb::handle other) {
  const auto found = quotient(self, other, reflected, type_of_quotient(self, other), "Accumulator");
  return found ? to_python(*found) : not_implemented();
}

nb::object quotient_call(const exact_state& self, nb::handle other, nb::handle dtype) {
  const char* const caller = "Accumulator.quotient";
  const element_type type = read_floating_dtype(dtype, type_of_quotient(self, other), caller);
  const auto found = quotient(self, other, false, type, caller);
  if (!found)
    throw_python(true,
                 std::string(caller) + ": other is " + describe(other.ptr()) + "; use an Accumulator or a number");
  return to_python(*found);
}

/// A comparison, which holds for the orders that `holds` accepts.
template <class Holds>
auto comparison(Holds holds) {
  return [holds](const exact_state& self, nb::handle other) -> nb::object {
    const auto order = compare_with(self, other);
    return order ? nb::object(nb::bool_(holds(*order))) : not_implemented();
  };
}

void bind_comparisons(accumulator_class& bound) {
  const auto any = nb::arg("other").none();
  const auto operate = nb::is_operator();
  using order = std::partial_ordering;
  bound
      .def("__eq__", comparison([](order found) { return found == 0; }), any, operate,
           nb::sig("def __eq__(self, other: object) -> bool"), docstrings::equal)
      .def("__lt__", comparison([](order found) { return found < 0; }), any, operate,
           nb::sig("def __lt__(self, other: Operand) -> bool"))
      .def("__le__", comparison([](order found) { return found <= 0; }), any, operate,
           nb::sig("def __le__(self, other: Operand) -> bool"))
      .def("__gt__", comparison([](order found) { return found > 0; }), any, operate,
           nb::sig("def __gt__(self, other: Operand) -> bool"))
      .def("__ge__", comparison([](order found) { return found >= 0; }), any, operate,
           nb::sig("def __ge__(self, other: Operand) -> bool"));
}

void bind_sums(accumulator_class& bound) {
  const auto any = nb::arg("other").none();
  const auto operate = nb::is_operator();
  bound
      .def(
          "__add__", [](const exact_state& self, nb::handle other) { return sum_of(self, other, false, false); },
          any, operate, nb::sig("def __add__(self, other: Operand) -> Accumulator"), docstrings::plus)
      .def(
          "__radd__", [](const exact_state& self, nb::handle other) { return sum_of(self, other, false, false); },
          any, operate, nb::sig("def __radd__(self, other: Operand) -> Accumulator"))
      .def(
          "__sub__", [](const exact_state& self, nb::handle other) { return sum_of(self, other, false, true); },
          any, operate, nb::sig("def __sub__(self, other: Operand) -> Accumulator"))
      .def(
          "__rsub__", [](const exact_state& self, nb::handle other) { return sum_of(self, other, true, false); },
          any, operate, nb::sig("def __rsub__(self, other: Operand) -> Accumulator"))
      .def(
          "__iadd__", [](const nb::object& self, nb::handle other) { return add_in_place(self, other, false); },
          any, operate, nb::sig("def __iadd__(self, other: Operand) -> Accumulator"), docstrings::iadd)
      .def(
          "__isub__", [](const nb::object& self, nb::handle other) { return add_in_place(self, other, true); }, any,
          operate, nb::sig("def __isub__(self, other: Operand) -> Accumulator"), docstrings::isub)
      .def("__neg__", negated, nb::sig("def __neg__(self) -> Accumulator"))
      .def(
          "__pos__", [](const exact_state& self) { return self; }, nb::sig("def __pos__(self) -> Accumulator"))
      .def("__abs__", magnitude, nb::sig("def __abs__(self) -> Accumulator"));
}

}  // namespace

void bind_operators(accumulator_class& bound) {
  bind_sums(bound);
  bind_comparisons(bound);
  bound
      .def("__truediv__", divide<false>, nb::arg("other").none(), nb::is_operator(),
           nb::sig("def __truediv__(self, other: Operand) -> float"), docstrings::divide)
      .def("__rtruediv__", divide<true>, nb::arg("other").none(), nb::is_operator(),
           nb::sig("def __rtruediv__(self, other: Operand) -> float"))
      .def("quotient", quotient_call, nb::arg("other").none(), nb::arg("dtype").none() = nb::none(),
           nb::sig("def quotient(self, other: Operand, dtype: DType | None = None) -> float"), docstrings::quotient)
      .def("as_integer_ratio", integer_ratio, nb::sig("def as_integer_ratio(self) -> tuple[int, int]"),
           docstrings::as_integer_ratio)
      .def("__int__", integer_part, nb::sig("def __int__(self) -> int"), docstrings::to_int)
      .def("__bool__", is_nonzero, nb::sig("def __bool__(self) -> bool"), docstrings::to_bool);
  bound.attr("__array_ufunc__") = nb::none();  // NumPy's operators leave the operation to these
}

}  // namespace exactdot::python
