// vectorized: 16 bytes per load.
//
// Before: one load instruction for every 4 bytes.
// Idea: a float4 or a double2 is one instruction for 16 bytes; lab/wide_loads.cuh handles unaligned starts and
// ends. The warp reduces by shuffles and adds once.
// Cost: fewer instructions per byte, and one atomic per warp.
#include <lab/wide_loads.cuh>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void add_packs(const T* a, const T* b, std::size_t n, T* out) {
  const pack_range range = find_packs(a, b, n);
  const pack<T>* const a_packs = packs_at(a + range.head);
  const pack<T>* const b_packs = packs_at(b + range.head);
  T value = 0;
  for (std::size_t i = thread_in_grid(); i < range.packs; i += threads_in_grid()) {
    value = add_pack<sum>(value, a_packs[i], b_packs[i]);
  }
  value = add_ends<sum>(value, a, b, n, range);
  for (unsigned distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffffu, value, distance);
  if (threadIdx.x % 32 == 0) atomicAdd(out, value);
}

template <class T>
struct vectorized {
  const input<T>& in;
  gpu::buffer<T> out{in.stream, 1};

  void launch() {
    reset<sum>(out, in.stream);
    gpu::launch(add_packs<T>, in.grid, in.block, 0, in.stream, in.a, in.b, in.n, out.data());
  }
  T result() { return only_value(out); }
};

const register_sum_rung<vectorized> registration{
    {.number = 13,
     .name = "vectorized",
     .file = "vectorized.cu",
     .summary = "a quarter of the load instructions; the atomics of the warps remain the limit",
     .blocks = block_rule::whole_warps,
     .grid = grid_rule::many,
     .roundings =
         [](const launch_config& config) { return wide_chain_length(config) + 5 + threads_of(config) / 32 + 1; },
     .atomics = [](const launch_config& config) { return threads_of(config) / 32; }}};

}  // namespace
}  // namespace exactdot::lab
