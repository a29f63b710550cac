// Launches the finishes of finish_kernel.cuh.
#include <cuda/finish_kernel.cuh>
#include <cuda/kernel_variant.hpp>
#include <cuda/launch.hpp>
#include <cuda/launch_kernel.hpp>

namespace exactdot::inline v0_3::cuda {

using namespace cuda_engine;

bool kernels_have_capability_9() {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, finish_states_kernel), "asking for a kernel's properties");
  return attributes.ptxVersion >= 10 * variant_capability;  // of the source, also if the driver compiled it
}

void finish_states(const workspace::storage& storage, const core::state_layout& layout, const finish_request& asked,
                   const destination& to) {
  launch_kernel(storage, "launching the finish of an exact state", {1, 1}, finish_states_kernel, layout, asked,
                storage.words, storage.scratch, storage.status, to);
}

void add_to_layout(const workspace::storage& storage, const core::state_layout& layout,
                   const core::state_layout& target_layout, std::int64_t* target) {
  launch_kernel(storage, "launching the addition of a state", {1, 1}, add_state_kernel, layout, storage.words,
                target_layout, target, storage.scratch);
}

void finish_fast(const workspace::storage& storage, element_type carrier, std::uint64_t count,
                 const destination& to) {
  with_carrier(carrier, [&]<class T>(T) {
    launch_kernel(storage, "launching the finish of a sum", {1, 1}, finish_fast_kernel<T>,
                  reinterpret_cast<const T*>(storage.scratch), count, to);
  });
}

}  // namespace exactdot::inline v0_3::cuda
