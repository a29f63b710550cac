// Kernels for the tests of the simulator: correct ones, and ones with a planted fault.
//
// Each function launches a kernel on a stream and returns its result. A line with a planted fault ends in a comment
// with its name, by which the tests find the line.
#pragma once

#include <exactdot/simt/simulator.hpp>
#include <vector>

namespace simt_test {

namespace gpu = exactdot::simt;

int count_without_atomics(gpu::stream& stream, unsigned blocks, unsigned threads);
int count_with_atomics(gpu::stream& stream, unsigned blocks, unsigned threads);
int count_with_block_atomics(gpu::stream& stream);
float tree_sum(gpu::stream& stream, const std::vector<float>& x, bool with_barrier);
float barrier_in_branch(gpu::stream& stream);
void shuffle_in_branch(gpu::stream& stream);
float shuffle_sum(gpu::stream& stream, unsigned width);
int count_with_lock_per_thread(gpu::stream& stream);
int count_with_unfenced_lock(gpu::stream& stream);
float last_block_sum(gpu::stream& stream, const std::vector<float>& x, bool with_fences);
void write_past_the_end(gpu::stream& stream);
void index_past_the_end(gpu::stream& stream);
void past_dynamic_shared(gpu::stream& stream);
void read_unwritten_shared(gpu::stream& stream);
float read_unwritten_global(gpu::stream& stream);
float warp_neighbours(gpu::stream& stream, bool with_syncwarp);
/// Linear number of each thread of a three-dimensional launch.
std::vector<unsigned> indices(gpu::stream& stream);
int failed_votes(gpu::stream& stream);    ///< failed checks of votes, reductions and barriers with a predicate
int failed_atomics(gpu::stream& stream);  ///< failed checks of atomic functions
float dynamic_sum(gpu::stream& stream, unsigned threads, unsigned blocks);

}  // namespace simt_test
