// Launches of mode fast: as many tiles a warp as leave room for every node's mail, which changes no bit.
#include <algorithm>
#include <cuda/fast_kernel.cuh>
#include <cuda/launch.hpp>
#include <cuda/tuning.hpp>

namespace exactdot::cuda {
namespace {

using cuda_engine::rounded_result;
using cuda_engine::shape;

template <int threads, int rows_at_once, class T, class R>
void launch(const workspace::memory& own, const shape& how, const T* a, const T* b, std::size_t n,
            rounded_result<R> result) {
  constexpr unsigned warps = threads / 32;
  const int log2_tiles = cuda_engine::least_log2_tiles<T>(n, warps);
  const std::size_t nodes = cuda_engine::divide<T>(n, log2_tiles, warps).nodes;
  const auto most =
      static_cast<std::size_t>(own.multiprocessors) * static_cast<std::size_t>(how.blocks_per_multiprocessor);
  const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>(nodes, 1, most));
  cuda_engine::fast_kernel<T, R, threads, rows_at_once>
      <<<blocks, threads, 0, own.stream>>>(a, b, n, log2_tiles, &own.state->box, result);
}

}  // namespace

template <class T, class R>
void launch_fast(const workspace::memory& own, const T* a, const T* b, std::size_t n, rounded_result<R> result) {
  const shape how = cuda_engine::fast_shape<T>(own.capability, n);
  switch (how.threads) {
    case 32:
      launch<32, 16>(own, how, a, b, n, result);
      break;
    case 128:
      launch<128, 16>(own, how, a, b, n, result);
      break;
    case 256:
      launch<256, 8>(own, how, a, b, n, result);
      break;
    case 512:
      launch<512, 8>(own, how, a, b, n, result);
      break;
    default:
      throw error(errc::device_failure, "cuda: the tuning table asks for a shape that was not compiled");
  }
  check(cudaGetLastError(), "launching the fast kernel");
}

using memory = workspace::memory;
template void launch_fast(const memory&, const float*, const float*, std::size_t, rounded_result<float>);
template void launch_fast(const memory&, const float*, const float*, std::size_t, rounded_result<double>);
template void launch_fast(const memory&, const double*, const double*, std::size_t, rounded_result<float>);
template void launch_fast(const memory&, const double*, const double*, std::size_t, rounded_result<double>);

}  // namespace exactdot::cuda
