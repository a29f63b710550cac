// Launches the finishes of finish_kernel.cuh.
#include <cuda/finish_kernel.cuh>
#include <cuda/launch.hpp>

namespace exactdot::cuda {

using namespace cuda_engine;

void finish_states(const workspace::storage& storage, const core::state_layout& layout,
                   const finish_request& asked, const destination& to) {
  finish_states_kernel<<<1, 1, 0, storage.stream>>>(layout, asked, storage.words, storage.scratch, storage.status, to);
  check(cudaGetLastError(), "launching the finish of an exact state");
}

void add_to_layout(const workspace::storage& storage, const core::state_layout& layout,
                   const core::state_layout& target_layout, std::int64_t* target) {
  add_state_kernel<<<1, 1, 0, storage.stream>>>(layout, storage.words, target_layout, target,
                                                  storage.scratch);
  check(cudaGetLastError(), "launching the addition of a state");
}

void finish_fast(const workspace::storage& storage, element_type carrier, std::uint64_t count,
                 const destination& to) {
  if (carrier == element_type::float32) {
    finish_fast_kernel<<<1, 1, 0, storage.stream>>>(reinterpret_cast<const float*>(storage.scratch), count, to);
  } else {
    finish_fast_kernel<<<1, 1, 0, storage.stream>>>(reinterpret_cast<const double*>(storage.scratch), count, to);
  }
  check(cudaGetLastError(), "launching the finish of a sum");
}

}  // namespace exactdot::cuda
