// What reductions over axes, segments and groups have in common: the axes of two inputs, and arrays of integers
// that say which elements belong to which result.
#pragma once

#include <python/src/array_axes.hpp>
#include <python/src/gpu_batches.hpp>
#include <python/src/grid_reduce.hpp>

namespace exactdot::python {

/// Axes of both inputs that the results have, and those of the elements.
struct paired_axes {
  divided_axes a;
  std::vector<axis> results_of_b, elements_of_b;
  divided_axes mask = {};  ///< of the filter's mask, as those of the first input
};

/// The axes of results that two inputs share, broadcast, and one axis of elements of each. Throws ValueError.
[[nodiscard]] paired_axes paired(const grid_call& call, std::vector<axis> a, const axis& elements_of_a,
                                 std::vector<axis> b, const axis& elements_of_b, std::vector<axis> mask = {},
                                 const axis& elements_of_mask = {});

/// Both inputs as the library takes them. Refers to the axes.
struct grid_pair {
  any_grid first, second;  ///< of one input the same
};
[[nodiscard]] grid_pair grids_of(const grid_call& call, const paired_axes& axes);

/// Where results go, along these axes.
[[nodiscard]] any_results results_at(const grid_call& call, std::span<const axis> places);

/// The call for a GPU. `integers`: offsets or keys beside the inputs, or null.
[[nodiscard]] gpu_batch gpu_batch_of(const grid_call& call, const grid_pair& of, const any_results& to,
                                     const imported_array* integers);

/// The argument dtype, otherwise the default of the reduction.
[[nodiscard]] element_type result_type(const grid_call& call);

/// How much work a call is, in elements: all that are read, and some for each result. At most the greatest size.
[[nodiscard]] std::size_t work_of(std::size_t results, std::size_t elements_of_result);

/// What an array of integers is. Both have any width and byte order in host memory; keys may be booleans.
enum class integer_role { offsets, keys };

/// Throws TypeError or ValueError unless the array holds such integers, or nothing, beside the inputs. The name of
/// the argument is that of the role.
void check_integers(const grid_call& call, integer_role role, nb::handle given, const imported_array& array);
/// The same for an array that has not been located.
void locate_integers(const grid_call& call, integer_role role, nb::handle given, imported_array& array);

}  // namespace exactdot::python
