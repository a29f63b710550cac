// Implementation of complex_call.hpp.
#include <algorithm>
#include <exactdot/complex.hpp>
#include <plan/batch_checks.hpp>
#include <run/complex_call.hpp>

namespace exactdot::inline v0_3::engine {
namespace {

std::string name_of_number(element_type type) {
  return is_complex(type) || is_known(type) ? std::string(name_of(type)) : "of an unknown type";
}

bool is_empty(const axis& each) { return each.n == 0; }

}  // namespace

void check_complex_types(const complex_call& call, const any_grid& a, const any_grid& b) {
  const auto refuse = [&](const std::string& sentence) { throw_error(errc::bad_option, call.caller, sentence); };
  require_complex_reduction(call.what, call.caller);
  const std::string name(name_of(call.what));
  if (!is_complex(a.type) && !is_complex(b.type)) {
    refuse("the results are " + name_of_number(call.out.type) + ", the elements real; use a real result type");
  }
  const bool is_wanted_complex = detail::gives_complex(call.what);
  if (is_wanted_complex != is_complex(call.out.type)) {
    refuse("the result of " + name + " of complex numbers is " +
           (is_wanted_complex ? "complex, not " + name_of_number(call.out.type) + "; use complex64 or complex128"
                              : "real; use a floating-point type"));
  }
  if (!call.is_product() && a.conjugated) refuse(name + " takes no conjugates, which products have");
  if (call.is_product() && b.conjugated)
    refuse("of a product the first factors are conjugated, not the second ones");
  const auto is_long = [](const axis& each) { return each.n > static_cast<std::size_t>(PTRDIFF_MAX) / 2; };
  if (std::ranges::any_of(a.elements, is_long) || std::ranges::any_of(b.elements, is_long)) {
    refuse("so many complex numbers exceed the address space");
  }
}

void require_apart(const complex_call& call, const any_grid& a, const any_grid& b) {
  if (std::ranges::any_of(call.out.axes, is_empty)) return;
  check_results({call.caller, call.what, call.out}, 1);
  const auto check = [&](const char* name, const any_grid& x) {
    if (std::ranges::any_of(x.results, is_empty) || std::ranges::any_of(x.elements, is_empty)) return;
    for (std::size_t k = 0; k < 2; ++k) {
      if (!is_complex(x.type)) {
        check_input(call.of_part(k), name, x, 1, 1);
      } else {
        check_input(call.of_part(k), name, grid_in_pairs(x).view, 1, 1);
      }
    }
  };
  check(call.is_product() ? "a" : "x", a);
  if (call.is_product()) check("b", b);
}

}  // namespace exactdot::inline v0_3::engine
