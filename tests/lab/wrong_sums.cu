// Wrong kernels of the workloads rows and groups, each with one common fault, and correct ones beside them. CUDA
// C++, compiled for the simulator like the rungs.
#include <lab/groups.cuh>
#include <lab/rows.cuh>
#include <stdexcept>
#include <string_view>

#include "lab/wrong_kernels.hpp"

namespace exactdot::lab {
namespace {

constexpr unsigned threads = 64, places = 64;

enum class flaw { none, short_row, next_row, no_barrier, never_cleared, one_table, other_bits };

/// As rung block_a_row, with the selected flaw.
template <flaw wrong, class T>
__global__ void add_rows(matrix<T> in, T* sums) {
  const std::size_t rows = wrong == flaw::short_row ? in.n / in.row_length : in.rows;
  for (std::size_t row = blockIdx.x; row < rows; row += gridDim.x) {
    std::size_t end = in.end(row);
    if (wrong == flaw::next_row && end < in.n) ++end;
    T value = 0;
    for (std::size_t i = in.first(row) + threadIdx.x; i < end; i += blockDim.x) value += in.a[i];
    value = combine_block<sum>(value);
    if (threadIdx.x == 0) sums[row] = value;
    if (wrong != flaw::no_barrier) __syncthreads();
  }
}

/// As rung private_tables, with the selected flaw.
template <flaw wrong, class T>
__global__ void add_groups(keyed<T> in, unsigned first, T* sums) {
  __shared__ T table[places];
  const unsigned count = in.groups - first < places ? in.groups - first : places;
  if (wrong != flaw::never_cleared) {
    for (unsigned k = threadIdx.x; k < count; k += blockDim.x) table[k] = 0;
  }
  if (wrong != flaw::no_barrier) __syncthreads();
  for (std::size_t i = thread_in_grid(); i < in.n; i += threads_in_grid()) {
    const unsigned k = in.keys[i] - first;
    if (k < count) atomicAdd(&table[k], in.a[i]);
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < count; k += blockDim.x) atomicAdd(&sums[first + k], table[k]);
}

template <flaw wrong>
struct rows_with {
  template <class T>
  struct rung_of {
    const input<T>& in;
    gpu::buffer<T> sums{in.stream, in.results};

    void launch() {
      reset<sum>(sums, in.stream);
      gpu::launch(add_rows<wrong, T>, in.grid, in.block, 0, in.stream, matrix_of(in), sums.data());
    }
    std::vector<T> results() { return all_values(sums); }
  };
};

template <flaw wrong>
struct groups_with {
  template <class T>
  struct rung_of {
    const input<T>& in;
    gpu::buffer<T> sums{in.stream, in.results};

    void launch() {
      reset<sum>(sums, in.stream);
      for (unsigned first = 0; first < (wrong == flaw::one_table ? 1 : in.results); first += places)
        gpu::launch(add_groups<wrong, T>, in.grid, threads, 0, in.stream, keyed_of(in), first, sums.data());
    }
    std::vector<T> results() { return all_values(sums); }
  };
};

template <class Kernels>
rung made(rung_info info, const char* name) {
  info.name = name, info.block = threads, info.blocks = block_rule::whole_warps;
  info.roundings = [](const launch_config& config) -> std::uint64_t { return config.n + 1; };
  return {info, this_backend, &prepare<float, typename Kernels::template rung_of<float>>,
          &prepare<double, typename Kernels::template rung_of<double>>};
}

template <flaw wrong>
rung of_rows(const char* name) {
  return made<rows_with<wrong>>({.grid = grid_rule::block_a_row, .workload = "rows"}, name);
}
template <flaw wrong>
rung of_groups(const char* name) {
  const determinism bits = wrong == flaw::other_bits ? determinism::fixed_grid : determinism::none;
  return made<groups_with<wrong>>({.grid = grid_rule::many, .same_bits = bits, .workload = "groups"}, name);
}

}  // namespace
}  // namespace exactdot::lab

exactdot::lab::rung lab_test::wrong_sums(std::string_view name) {
  using namespace exactdot::lab;
  for (const rung& candidate :
       {of_rows<flaw::none>("rows"), of_rows<flaw::short_row>("short_row"), of_rows<flaw::next_row>("next_row"),
        of_rows<flaw::no_barrier>("no_barrier_of_rows"), of_groups<flaw::none>("groups"),
        of_groups<flaw::no_barrier>("no_barrier"), of_groups<flaw::never_cleared>("never_cleared"),
        of_groups<flaw::one_table>("one_table"), of_groups<flaw::other_bits>("other_bits")}) {
    if (candidate.info.name == name) return candidate;
  }
  throw std::out_of_range("no such kernel");
}
