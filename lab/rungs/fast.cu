// fast: exactdot in mode fast, fused multiply-adds in order v1; the kernel of the library
// (src/cuda/fast_kernel.cuh).
//
// Before: every rung's bits depend on its grid.
// Idea: an order of summation that is part of the contract, and that vector registers and warps can follow alike: a
// warp a tile of 16 rows, a row a 16-byte load of each lane, tiles added by a binary tree over their indices.
// Cost: none; the order is one that memory keeps up with.
#include <algorithm>
#include <cuda/fast_kernel.cuh>
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class T>
struct fast {
  explicit fast(const input<T>& given) : in(given) { box.fill_zero(); }

  const input<T>& in;
  gpu::buffer<cuda_engine::mailbox> box{in.stream, 1};
  gpu::buffer<T> out{in.stream, 1};

  void launch() {
    constexpr unsigned threads = 256, warps = threads / 32;
    const int log2_tiles = cuda_engine::least_log2_tiles<T>(in.n, warps);
    const std::size_t nodes = cuda_engine::divide<T>(in.n, log2_tiles, warps).nodes;
    const auto grid = static_cast<unsigned>(std::clamp<std::size_t>(nodes, 1, in.grid));
    gpu::launch(cuda_engine::fast_kernel<T, T, threads, 8>, grid, threads, 0, in.stream, in.a, in.b, in.n,
                log2_tiles, box.data(), cuda_engine::rounded_result<T>{out.data()});
  }
  T result() { return only_value(out); }
};

const enlist_sum<fast> here{{.number = 19,
                             .name = "fast",
                             .file = "fast.cu",
                             .notice = "the same bits on every machine",
                             .blocks = block_rule::whole_warps,
                             .grid = grid_rule::resident,
                             .same_bits = determinism::always,
                             .roundings = [](const shape& s) -> std::uint64_t { return s.n + 1; }}};

}  // namespace
}  // namespace exactdot::lab
