// shuffle_per_warp: no shared memory and no barrier; each warp adds to the result by itself.
//
// Before: blocks wait at barriers for their slowest warp.
// Idea: a warp reduces its 32 sums by shuffles, and its lane 0 adds the result.
// Cost: one atomic per warp, eight times as many as shared_atomic with blocks of 256, all on one address.
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void add_warp_atomically(const T* a, const T* b, std::size_t n, T* out) {
  T value = 0;
  for (std::size_t i = thread_in_grid(); i < n; i += threads_in_grid()) value += a[i] * b[i];
  for (unsigned distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffffu, value, distance);
  if (threadIdx.x % 32 == 0) atomicAdd(out, value);
}

template <class T>
struct shuffle_per_warp {
  const input<T>& in;
  gpu::buffer<T> out{in.stream, 1};

  void launch() {
    reset<sum>(out, in.stream);
    gpu::launch(add_warp_atomically<T>, in.grid, in.block, 0, in.stream, in.a, in.b, in.n, out.data());
  }
  T result() { return only_value(out); }
};

const register_sum_rung<shuffle_per_warp> registration{
    {.number = 10,
     .name = "shuffle_per_warp",
     .file = "shuffle_per_warp.cu",
     .summary = "no barrier, but the atomics of the warps serialise",
     .claim = "8e-7 from a float CPU loop",
     .blocks = block_rule::whole_warps,
     .grid = grid_rule::many,
     .roundings =
         [](const launch_config& config) { return chain_length(config) + 5 + threads_of(config) / 32 + 1; },
     .atomics = [](const launch_config& config) { return threads_of(config) / 32; }}};

}  // namespace
}  // namespace exactdot::lab
