// The grid's barrier, as kernels would write it: a block's barrier, a counter and a generation with fences by one
// thread of each block, a block's barrier. So its order is the memory model's. A block whose first thread has ended
// arrives no more: that is a finding, and the barrier opens for the others.
#include <exactdot/simt/kernel.hpp>
#include <exactdot/simt/runtime/grid_barrier.hpp>

#include "running.hpp"

namespace exactdot::simt::detail {
namespace {

unsigned arrived_blocks = 0, barrier_generation = 0;

template <class Next>
unsigned update_atomically(unsigned* address, const void* caller, Next next) {
  begin_atomic(address, sizeof *address, true, scope::device, caller);
  const unsigned before = *address;
  *address = next(before);
  end_atomic(address, *address != before);
  return before;
}
unsigned load(unsigned* address, const void* caller) {
  return update_atomically(address, caller, [](unsigned x) { return x; });
}
void open_barrier(const void* caller) {
  arrived_blocks = 0;  // before the next step, in which another waiting block could open it too
  load(&arrived_blocks, caller);
  fence(scope::device, caller);
  update_atomically(&barrier_generation, caller, [](unsigned x) { return x + 1; });
}
/// The number of blocks that arrive no more; they are reported.
unsigned missing_blocks(const void* caller) {
  return as_simulator([=] { return running->report_missing_blocks("grid_group::sync", caller); });
}

}  // namespace

void reset_grid_barrier() { arrived_blocks = 0; }

bool launch_is_cooperative() { return running != nullptr && running->is_cooperative(); }

void grid_barrier(const void* caller) {
  if (!launch_is_cooperative()) {
    as_simulator(
        [=] { running->trap("grid_group::sync", "expected a launch by cudaLaunchCooperativeKernel", caller); });
  }
  barrier("grid_group::sync", 0, 0, caller);
  if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
    const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
    fence(scope::device, caller);
    const unsigned generation = load(&barrier_generation, caller);
    update_atomically(&arrived_blocks, caller, [](unsigned x) { return x + 1; });
    while (load(&barrier_generation, caller) == generation) {
      // no step between these: a block that has ended after the barrier opened is none that is missing
      if (barrier_generation == generation && arrived_blocks + missing_blocks(caller) == blocks)
        open_barrier(caller);
    }
    fence(scope::device, caller);
  }
  barrier("grid_group::sync", 0, 0, caller);
}

}  // namespace exactdot::simt::detail
