// Launches the search for an extreme element.
#include <cuda/extremum_kernel.cuh>
#include <cuda/launch.hpp>

namespace exactdot::cuda {

using namespace cuda_engine;

void launch_extremum(const workspace::storage& storage, const engine::plan& plan, const destination& to) {
  const any_operand x{static_cast<const char*>(plan.a.data), plan.a.stride, plan.a.type, plan.a.swapped};
  const std::size_t wanted = (plan.n + extremum_threads - 1) / extremum_threads;
  const auto limit =
      static_cast<std::size_t>(std::min(static_cast<int>(max_extremum_blocks), 4 * storage.multiprocessors));
  const auto blocks = static_cast<unsigned>(std::min(wanted, limit));
  const bool greatest = plan.what == reduction::max || plan.what == reduction::argmax;
  const bool index = gives_index(plan.what);
  if (greatest) {
    extremum_kernel<true><<<blocks, extremum_threads, 0, storage.stream>>>(x, plan.n, storage.extremum, index, to);
  } else {
    extremum_kernel<false><<<blocks, extremum_threads, 0, storage.stream>>>(x, plan.n, storage.extremum, index, to);
  }
  check(cudaGetLastError(), "launching the search for an extreme element");
}

}  // namespace exactdot::cuda
