// Launches the kernel of peer_kernel.cuh.
#include <algorithm>
#include <cuda/launch_kernel.hpp>
#include <cuda/peer_kernel.cuh>
#include <cuda/state_launch.hpp>

namespace exactdot::cuda {

using namespace cuda_engine;

void round_peer_rows(const workspace::storage& storage, const peer_call& call, const destination& to) {
  const std::size_t blocks = (call.groups() + rows_per_block - 1) / rows_per_block;
  // all blocks should run at once, because they wait for other devices: registers suffice for five
  const auto most = static_cast<std::size_t>(storage.multiprocessors) * 4;
  const auto launch = [&](auto kernel) {
    launch_kernel(storage, "launching a sum among devices",
                  {static_cast<unsigned>(std::min(blocks, most)), 32 * rows_per_block}, kernel, call, to);
  };
  constexpr int wide = chunks_of(core::layout_of<double>().limbs);
  switch (chunks_of(call.rows.layout.limbs)) {
    case 1:
      return launch(round_among_peers_kernel<1>);
    case half_wide:
      return launch(round_among_peers_kernel<half_wide>);
    default:
      return launch(round_among_peers_kernel<wide>);
  }
}

}  // namespace exactdot::cuda
