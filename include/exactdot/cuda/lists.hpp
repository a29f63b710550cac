// SPDX-License-Identifier: Apache-2.0
// Reductions of lists of vectors in a GPU's memory in one call, ordered by a stream: the norms of the gradients of
// a model, or the one norm of all. Addresses, lengths and element types differ from vector to vector.
//
//   cuda::reduce(workspace, reduction::nrm2, vector_list{vectors, ends}, out);  // of each, or of several together
//
// Every result is the real number of all its elements, rounded once: the bits of one vector that has them, in any
// order. The table of the vectors travels in the parameters of launches, so a call allocates nothing, does not wait
// and can be captured in a graph, whose replays read the same addresses. Cost: reading the elements once; a launch
// for each 870 vectors (up to 100: a quicker one), and two more; for each vector a block's time for 16 KiB.
#pragma once

#include <exactdot/cuda.hpp>
#include <exactdot/shapes.hpp>
#include <span>

namespace exactdot::inline v0_3::cuda {

/// A result has at most so many vectors.
inline constexpr std::size_t max_vectors_of_result = 31'800;

/// Vectors i from ends[r - 1] (of the first result 0) to before ends[r] are those of result r.
struct vector_list {
  std::span<const any_vector> vectors;
  std::span<const std::size_t> ends;
};

/// Sums, sums of magnitudes and of squares, and norms. Elements of types that one exact state holds: floats of
/// 8 to 32 bits; float64; integers of up to 32 bits; of 64. Others, squares of 64-bit integers, other
/// reductions, a result of more than max_vectors_of_result, results that lie within a vector, and vectors that are not aligned to their elements
/// are errc::bad_option. Elements that do not follow each other, or have swapped bytes, are read one by one. An integer
/// result that does not fit is 0, and workspace::check() throws.
void reduce(workspace& on, reduction what, const vector_list& x, const any_results& out);

}  // namespace exactdot::inline v0_3::cuda
