// vectorized: 16 bytes a load.
//
// Before: a load instruction for every 4 bytes.
// Idea: a float4 or a double2 is one instruction for 16 bytes; lab/wide_loads.cuh cares for starts and ends that no
// 16 divides. The warp folds by shuffles and adds once.
// Cost: fewer instructions a byte, and an atomic a warp.
#include <lab/wide_loads.cuh>

namespace exactdot::lab {
namespace {

template <class T>
__global__ void add_packs(const T* a, const T* b, std::size_t n, T* out) {
  const cut parts = cut_into_packs(a, b, n);
  const pack<T>* const a_packs = packs_at(a + parts.head);
  const pack<T>* const b_packs = packs_at(b + parts.head);
  T mine = 0;
  for (std::size_t i = thread_in_grid(); i < parts.packs; i += threads_in_grid()) {
    mine = add_pack<sum>(mine, a_packs[i], b_packs[i]);
  }
  mine = add_ends<sum>(mine, a, b, n, parts);
  for (unsigned distance = 16; distance > 0; distance /= 2) mine += __shfl_down_sync(0xffffffffu, mine, distance);
  if (threadIdx.x % 32 == 0) atomicAdd(out, mine);
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

const enlist_sum<vectorized> here{
    {.number = 13,
     .name = "vectorized",
     .file = "vectorized.cu",
     .notice = "a quarter of the load instructions; the atomics of the warps are what is left",
     .blocks = block_rule::whole_warps,
     .grid = grid_rule::many,
     .roundings = [](const shape& s) { return wide_chain(s) + 5 + threads_of(s) / 32 + 1; },
     .atomics = [](const shape& s) { return threads_of(s) / 32; }}};

}  // namespace
}  // namespace exactdot::lab
