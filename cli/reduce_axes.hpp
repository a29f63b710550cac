// --axis: reductions over axes of arrays in .npy files, with one result for each index of the other axes.
#pragma once

#include <cli/reduce.hpp>
#include <exactdot/options.hpp>

namespace exactdot::cli {

/// Computes the results and prints them, one a line in C order, as JSON, or writes them to a .npy file. Throws
/// exactdot::error.
void run_over_axes(const reduction_arguments& arguments, const options& options);

}  // namespace exactdot::cli
