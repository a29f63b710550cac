// Launches the kernel of peer_kernel.cuh.
#include <algorithm>
#include <cuda/host/launch.hpp>
#include <cuda/host/launch_kernel.hpp>
#include <cuda/words/peer_kernel.cuh>

namespace exactdot::inline v0_3::cuda {

using namespace cuda_engine;

namespace {

/// work(the kernel for states of so many limbs).
template <class Work>
void with_kernel(int limbs, Work work) {
  constexpr int wide = chunks_of(core::layout_of<double>().limbs);
  switch (chunks_of(limbs)) {
    case 1:
      return work(round_among_peers_kernel<1>);
    case compact_double_chunks:
      return work(round_among_peers_kernel<compact_double_chunks>);
    default:
      return work(round_among_peers_kernel<wide>);
  }
}

}  // namespace

void load_peer_kernels() {
  for (const int chunks : {1, compact_double_chunks, chunks_of(core::layout_of<double>().limbs)}) {
    with_kernel(32 * (chunks - 1), [](auto kernel) {
      cudaFuncAttributes found{};
      check(cudaFuncGetAttributes(&found, kernel), "loading a kernel");
    });
  }
}

void round_peer_rows(const workspace::storage& storage, const peer_call& call, const destination& to) {
  const std::size_t blocks = (call.groups() + rows_per_block - 1) / rows_per_block;
  // all blocks should run at once, because they wait for other devices: registers suffice for five
  const auto most = static_cast<std::size_t>(storage.multiprocessors) * 4;
  with_kernel(call.rows.layout.limbs, [&](auto kernel) {
    launch_kernel(storage, "launching a sum among devices",
                  {static_cast<unsigned>(std::min(blocks, most)), 32 * rows_per_block}, kernel, call, to);
  });
}

}  // namespace exactdot::inline v0_3::cuda
