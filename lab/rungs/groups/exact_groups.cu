// exact_groups: private tables of exact sums; exactdot's accumulators for kernels of one's own (docs/block.md).
//
// Before: float sums depend on the order, and integers with one step for all lose the digits of small groups.
// Idea: a block_sum<T> is a long integer that holds every element of its type exactly. Each block has a table of
// these in shared memory, publishes it by integer atomics, and a last kernel rounds each group once: any order, any
// launch, the same bits, and the right ones. Cost: two or three 32-bit atomics in shared memory for each element,
// and more passes than private_tables, because an exact sum takes 192 bytes (float) or 1104 (double).
#include <exactdot/block.cuh>
#include <lab/groups.cuh>

namespace exactdot::lab {
namespace {

using exactdot::cuda::block_sum;

template <class T>
constexpr unsigned exact_places = 40 * 1024 / sizeof(block_sum<T>);

/// Adds the elements of the groups from `first` on that have a place in the table.
template <class T>
__global__ void add_exactly(keyed<T> in, unsigned first, std::int64_t* words) {
  __shared__ block_sum<T> table[exact_places<T>];
  const unsigned count = in.groups - first < exact_places<T> ? in.groups - first : exact_places<T>;
  for (unsigned k = threadIdx.x; k < count; k += blockDim.x) table[k].clear(0, 1);
  __syncthreads();
  for (std::size_t i = thread_in_grid(); i < in.n; i += threads_in_grid()) {
    const unsigned k = in.keys[i] - first;
    if (k < count) table[k].add(in.a[i]);
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < count; k += blockDim.x)
    table[k].publish(words + std::size_t{first + k} * block_sum<T>::word_count);
}

template <class T>
__global__ void round_groups(const std::int64_t* words, unsigned groups, T* sums) {
  __shared__ block_sum<T> scratch[32];
  const std::size_t group = thread_in_grid();
  if (group < groups)
    sums[group] = exactdot::cuda::round_words<T>(words + group * block_sum<T>::word_count, scratch[threadIdx.x]);
}

template <class T>
struct exact_groups {
  const input<T>& in;
  gpu::buffer<std::int64_t> words{in.stream, std::size_t{block_sum<T>::word_count} * in.results};
  gpu::buffer<T> sums{in.stream, in.results};

  void launch() {
    const auto groups = static_cast<unsigned>(in.results);
    words.fill_zero();
    for (unsigned first = 0; first < groups; first += exact_places<T>)
      gpu::launch(add_exactly<T>, in.grid, in.block, 0, in.stream, keyed_of(in), first, words.data());
    gpu::launch(round_groups<T>, (groups + 31) / 32, 32, 0, in.stream, words.data(), groups, sums.data());
  }
  std::vector<T> results() { return all_values(sums); }
};

const register_sum_rung<exact_groups> registration{{.number = 7,
                                                    .name = "exact_groups",
                                                    .file = "exact_groups.cu",
                                                    .summary = "correctly rounded, in any order",
                                                    .blocks = block_rule::any,
                                                    .grid = grid_rule::resident,
                                                    .same_bits = determinism::always,
                                                    .error = error_rule::correctly_rounded,
                                                    .atomics_depend_on_data = true,
                                                    .workload = "groups"}};

}  // namespace
}  // namespace exactdot::lab
