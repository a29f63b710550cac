// Reductions over axes and segments of arrays: sum(x, axis=0), vecdot(a, b), matvec(A, x), segment_sum(x, offsets).
#pragma once

#include <exactdot/options.hpp>
#include <exactdot/reduction.hpp>
#include <python/src/vectors.hpp>

namespace exactdot::python {

/// Where results go: a new array, or `out`.
struct result_array {
  nb::object object;
  imported_array imported;
};

struct call_filter;

/// What a call asks for; handles of arguments as they were passed, None if they were not.
struct grid_call {
  const char* caller;
  reduction what;
  vectors& inputs;
  options chosen;
  std::int64_t ddof;
  nb::handle axis, dtype, out;
  bool keepdims;
  element_type type;                      ///< of the results, unless dtype or out names another
  result_array& results;                  ///< `out`, if it was passed
  const stream_choice* stream = nullptr;  ///< of inputs in GPU memory, which are imported on it
  bool as_array = false;                  ///< one result is an array, too
  const char* choices = nullptr;          ///< the types of results, for messages
  bool adds = false;                      ///< `out` is the argument add_to: results are added to what is there
  const call_filter* filter = nullptr;  ///< of some of the elements, in host memory (call_filter.hpp)

  [[nodiscard]] const char* name_of_out() const { return adds ? "add_to" : "out"; }
};

/// The results of an array, or of two of one shape; or of two along one axis whose other axes are broadcast: a number if there is one and
/// no array was asked for, otherwise an array.
nb::object reduce_axes(const grid_call& call);
nb::object reduce_pairs(const grid_call& call);
/// The matrix of the results of all pairs of rows, or of columns, of one array of two axes; of one axis the result of the
/// vector and itself.
nb::object reduce_matrix(const grid_call& call, bool of_rows);
/// A matrix, or several, times a vector, or several.
nb::object reduce_matrix_vector(const grid_call& call);

/// The results of the segments of a vector, or of two.
nb::object reduce_segments(const grid_call& call, nb::handle offsets);

}  // namespace exactdot::python
