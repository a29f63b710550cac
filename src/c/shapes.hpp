// The shapes of the C interface as the library's: rows, keys.
#pragma once

#include <c/convert.hpp>
#include <exactdot/shapes.hpp>
#include <exactdot/state_format.hpp>
#include <string>

namespace exactdot::c {

/// A matrix with its axes, to which the grid refers.
struct row_grid {
  axis results, elements;
  any_grid view;

  row_grid(const xd_rows* x, const char* caller, const char* argument)
      : row_grid(x, to_type, caller, argument) {}
  /// Of elements or complex numbers, as to_type says.
  row_grid(const xd_rows* x, element_type (*to_type)(int, const char*), const char* caller, const char* argument) {
    require(x, caller, argument);
    results = {x->rows, x->row_stride}, elements = {x->n, x->stride};
    view = {x->data, to_type(x->type, caller), {&results, 1}, {&elements, 1}, x->swapped != 0};
  }
  row_grid(const row_grid&) = delete;
  row_grid& operator=(const row_grid&) = delete;
};

inline void require_second(reduction what, bool given, const char* caller) {
  if (inputs_of(what) == 1 && given) {
    refuse(errc::bad_option, caller,
           "a second array for " + std::string(name_of(what)) + ", which reads one; pass a null pointer");
  }
}

/// Throws for a vector of another type than the format's.
inline void require_type(const state_format& of, element_type type, const char* caller) {
  if (type == of.type) return;
  refuse(errc::bad_option, caller,
         "the vectors hold " + std::string(name_of(type)) + ", the states " + std::string(name_of(of.type)));
}

inline any_keys to_keys(const xd_vector* given, std::size_t groups, int skip_out_of_range, const char* caller) {
  const any_vector keys = to_vector(given, caller, "keys");
  if (keys.swapped) refuse(errc::bad_option, caller, "keys are not in this machine's byte order; convert them");
  return {keys.data, keys.n, keys.type, keys.stride, groups, skip_out_of_range != 0};
}

}  // namespace exactdot::c
