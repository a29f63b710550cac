// exact: exactdot in its default mode, the real-number sum of products, rounded once; the kernel of the library
// (src/cuda/exact_kernel.cuh).
//
// Before: every rung rounds on its way, and so depends on the order.
// Idea: a sum of integers does not. A thread keeps its sum as a few doubles without an error, a warp turns those
// into digits, blocks mail their digits to the last one in words that carry their own proof of arrival.
// Cost: arithmetic that has room while memory is waited for.
#include <algorithm>
#include <cuda/exact_kernel.cuh>
#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

constexpr bool in_hardware = this_world == world::cuda;

/// One block a multiprocessor of a GPU, of the eight that the harness would have: their mail is read in one round.
unsigned blocks_of(unsigned grid) {
  return std::min(in_hardware ? (grid + 7) / 8 : grid, cuda_engine::most_letters);
}

template <class T>
struct exact {
  explicit exact(const input<T>& given) : in(given) { sum.fill_zero(), box.fill_zero(); }

  const input<T>& in;
  gpu::buffer<cuda_engine::grid_sum<T>> sum{in.stream, 1};
  gpu::buffer<cuda_engine::mailbox> box{in.stream, 1};
  gpu::buffer<T> out{in.stream, 1};

  void launch() {
    constexpr unsigned threads = in_hardware ? 512 : 128;
    const unsigned grid = blocks_of(in.grid);
    gpu::launch(cuda_engine::exact_kernel<T, cuda_engine::rounded_result<T>, threads, 4>, grid, threads, 0,
                in.stream, in.a, in.b, in.n, sum.data(), box.data(), cuda_engine::rounded_result<T>{out.data()});
  }
  T result() { return only_value(out); }
};

const enlist_sum<exact> here{{.number = 20,
                              .name = "exact",
                              .file = "exact.cu",
                              .notice = "correctly rounded, in any order",
                              .blocks = block_rule::whole_warps,
                              .grid = grid_rule::resident,
                              .same_bits = determinism::always,
                              .error = error_rule::correctly_rounded,
                              .atomics = [](const shape& s) -> std::uint64_t {
                                const unsigned blocks = blocks_of(s.grid);
                                return blocks > 1 ? blocks : 0;
                              }}};

}  // namespace
}  // namespace exactdot::lab
