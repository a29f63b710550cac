// Kernels for the tests of the simulator, each launched on a stream: some right, some with one planted fault.
//
// A function returns what its kernel computed. Lines with a planted fault end in a comment that names it; the tests
// look those lines up in the source.
#pragma once

#include <exactdot/simt/simulator.hpp>
#include <vector>

namespace simt_test {

using exactdot::simt::stream;

int count_without_atomics(stream& on, unsigned blocks, unsigned threads);
int count_with_atomics(stream& on, unsigned blocks, unsigned threads);
int count_with_block_atomics(stream& on);
float tree_sum(stream& on, const std::vector<float>& x, bool with_barrier);
float barrier_in_branch(stream& on);
void shuffle_in_branch(stream& on);
float shuffle_sum(stream& on, unsigned width);
int locked_by_every_thread(stream& on);
int locked_without_fences(stream& on);
float last_block_adds(stream& on, const std::vector<float>& x, bool with_fences);
void write_past_the_end(stream& on);
void index_past_the_end(stream& on);
void past_dynamic_shared(stream& on);
void read_unwritten_shared(stream& on);
float read_unwritten_global(stream& on);
float warp_neighbours(stream& on, bool with_syncwarp);
std::vector<unsigned> indices(stream& on);  ///< of a launch in three dimensions: each thread's linear number
int votes(stream& on);                      ///< how many checks of votes, reductions and barriers with a value fail
int tour_of_atomics(stream& on);            ///< how many checks fail
float dynamic_sum(stream& on, unsigned threads, unsigned blocks);

}  // namespace simt_test
