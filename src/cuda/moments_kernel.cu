// Launches the kernel of variances.
#include <cuda/launch.hpp>
#include <cuda/launch_kernel.hpp>
#include <cuda/moments_kernel.cuh>
#include <cuda/operands_of.hpp>
#include <cuda/tuning.hpp>

namespace exactdot::cuda {
namespace {

using namespace cuda_engine;

template <class T, input_layout layout, bool compensated>
void launch_kernel_of_moments(const workspace::storage& storage, const engine::plan& plan, const destination& to) {
  constexpr std::size_t width = layout == input_layout::contiguous ? pack<T>::count : 1;
  const auto in = operands_of<T, core::value, layout>(plan);
  constexpr launch_config config{moments_threads, moments_in_flight, 1};
  const unsigned blocks =
      block_count(config, storage.multiprocessors, in.n, config.loads_of_block() * width, max_moments_blocks);
  constexpr summation sums = compensated ? summation::compensated : summation::plain;
  const sum_shape shape{in.n, blocks, moments_threads, moments_in_flight, pack<T>::count};
  launch_kernel(storage, "launching the kernel of variances", {blocks, moments_threads},
                moments_kernel<T, layout, compensated>, in, bound_of(shape, sums, false),
                bound_of(shape, sums, core::streams_of<core::square, T> == 2), static_cast<double>(plan.ddof),
                storage.moments, to);
}

}  // namespace

void launch_moments(const workspace::storage& storage, const engine::plan& plan, const destination& to) {
  with_carrier(plan.carrier, [&]<class T>(T) {
    if (!plan.contiguous) return launch_kernel_of_moments<T, input_layout::any, true>(storage, plan, to);
    if constexpr (sizeof(T) == sizeof(float)) {
      const bool wide = to.rule.precision() > 24;
      if (!wide) return launch_kernel_of_moments<T, input_layout::contiguous, false>(storage, plan, to);
    }
    launch_kernel_of_moments<T, input_layout::contiguous, true>(storage, plan, to);
  });
}

}  // namespace exactdot::cuda
