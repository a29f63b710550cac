// fast: exactdot in mode fast, fused multiply-adds in order v1; the kernel of the library
// (src/cuda/shape/fast_vector.cuh).
//
// Before: every rung's bits depend on its grid.
// Idea: an order of summation that is part of the contract and suits vector registers and warps alike: one tile of
// 16 stripes per warp, one 16-byte load per lane and stripe, tiles added by a binary tree over their indices.
// Cost: none; the additions take less time than the loads.
#include <algorithm>
#include <cuda/shape/fast_vector.cuh>
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class T>
struct fast {
  explicit fast(const input<T>& given) : in(given) { exchange.fill_zero(); }

  const input<T>& in;
  gpu::buffer<cuda_engine::exchange> exchange{in.stream, 1};
  gpu::buffer<T> out{in.stream, 1};

  void launch() {
    constexpr unsigned threads = 256, warps = threads / 32;
    const cuda_engine::tile_counts counts = cuda_engine::count_tiles<T>(in.n, warps);
    const unsigned grid = std::clamp(counts.nodes, 1U, in.grid);
    constexpr auto layout = cuda_engine::input_layout::contiguous;
    const cuda_engine::operands<T, layout> operands{in.a, in.b, in.n};
    constexpr auto kernel = cuda_engine::fast_kernel<T, core::product, layout, threads, 8>;
    gpu::launch(kernel, grid, threads, 0, in.stream, operands, counts, exchange.data(),
                cuda_engine::value_at(out.data()));
  }
  T result() { return only_value(out); }
};

const register_sum_rung<fast> registration{
    {.number = 19,
     .name = "fast",
     .file = "fast.cu",
     .summary = "the same bits on every machine",
     .blocks = block_rule::whole_warps,
     .grid = grid_rule::resident,
     .same_bits = determinism::always,
     .roundings = [](const launch_config& config) -> std::uint64_t { return config.n + 1; }}};

}  // namespace
}  // namespace exactdot::lab
