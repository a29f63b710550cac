// fixed_point: rounds each element to an integer, and adds integers.
//
// Before: the bits of a float sum depend on the order of the atomics.
// Idea: integer addition is associative, so any order gives the same bits. One pass finds the largest magnitude;
// the step of the integers is then so small that 63 bits hold n of these, and no smaller. Cost: a second pass, and
// 64-bit atomics. Each element is rounded to a step that depends on the largest one of all groups and on n: a group
// of small elements keeps few digits, or none.
#include <cmath>
#include <lab/fixed_point.hpp>
#include <lab/groups.cuh>

namespace exactdot::lab {
namespace {

using wide_unsigned = unsigned long long;

/// Bits of non-negative doubles are ordered as their values.
template <class T>
__global__ void find_largest(keyed<T> in, wide_unsigned* largest) {
  double value = 0;
  for (std::size_t i = thread_in_grid(); i < in.n; i += threads_in_grid())
    value = lab::largest::combine(value, std::fabs(static_cast<double>(in.a[i])));
  value = combine_block<lab::largest_magnitude>(value);
  if (threadIdx.x == 0) atomicMax(largest, static_cast<wide_unsigned>(__double_as_longlong(value)));
}

/// Steps in 1 are 2 to this power.
__device__ int fraction_bits(wide_unsigned largest, int bits) {
  int exponent;
  std::frexp(__longlong_as_double(static_cast<long long>(largest)), &exponent);
  return bits - exponent;
}

template <class T>
__global__ void add_integers(keyed<T> in, int bits, const wide_unsigned* largest, wide_unsigned* words) {
  const int shift = fraction_bits(*largest, bits);
  for (std::size_t i = thread_in_grid(); i < in.n; i += threads_in_grid()) {
    const long long steps = std::llrint(std::ldexp(static_cast<double>(in.a[i]), shift));
    atomicAdd(&words[in.keys[i]], static_cast<wide_unsigned>(steps));
  }
}

template <class T>
__global__ void convert(const wide_unsigned* words, unsigned groups, int bits, const wide_unsigned* largest,
                        T* sums) {
  for (std::size_t group = thread_in_grid(); group < groups; group += threads_in_grid())
    sums[group] = std::ldexp(static_cast<T>(static_cast<long long>(words[group])), -fraction_bits(*largest, bits));
}

template <class T>
struct fixed_point {
  const input<T>& in;
  gpu::buffer<wide_unsigned> largest{in.stream, 1};
  gpu::buffer<wide_unsigned> words{in.stream, in.results};
  gpu::buffer<T> sums{in.stream, in.results};

  void launch() {
    const int bits = fixed_point_bits(in.n);
    largest.fill_zero(), words.fill_zero();
    gpu::launch(find_largest<T>, in.grid, in.block, 0, in.stream, keyed_of(in), largest.data());
    gpu::launch(add_integers<T>, in.grid, in.block, 0, in.stream, keyed_of(in), bits, largest.data(), words.data());
    gpu::launch(convert<T>, in.grid, in.block, 0, in.stream, words.data(), static_cast<unsigned>(in.results), bits,
                largest.data(), sums.data());
  }
  std::vector<T> results() { return all_values(sums); }
};

const register_sum_rung<fixed_point> registration{
    {.number = 5,
     .name = "fixed_point",
     .file = "fixed_point.cu",
     .summary = "integers: the same bits in any order, but one step for all groups",
     .blocks = block_rule::whole_warps,
     .grid = grid_rule::many,
     .same_bits = determinism::always,
     .error = error_rule::fixed_point,
     .atomics = [](const launch_config& config) -> std::uint64_t { return config.n + config.grid; },
     .workload = "groups"}};

}  // namespace
}  // namespace exactdot::lab
