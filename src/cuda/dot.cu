// exactdot::cuda::dot: checks, a shape for the launch, the launch.
#include <algorithm>
#include <cuda/exact_kernel.cuh>
#include <cuda/fast_kernel.cuh>
#include <cuda/tuning.hpp>
#include <cuda/workspace.hpp>

namespace exactdot::cuda {
namespace {

using cuda_engine::rounded_result;
using cuda_engine::shape;
using cuda_engine::state_words;

template <class T, class Result, int threads, int packs>
void launch_exact(const workspace::memory& own, const shape& how, const T* a, const T* b, std::size_t n,
                  Result result) {
  constexpr std::size_t a_block = std::size_t{threads} * packs * cuda_engine::pack<T>::count;
  const auto most =
      static_cast<std::size_t>(own.multiprocessors) * static_cast<std::size_t>(how.blocks_per_multiprocessor);
  const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>((n + a_block - 1) / a_block, 1, most));
  cuda_engine::exact_kernel<T, Result, threads, packs>
      <<<blocks, threads, 0, own.stream>>>(a, b, n, own.state->sum(T{}), result);
}

template <class T, class Result>
void exact(const workspace::memory& own, const T* a, const T* b, std::size_t n, Result result) {
  const shape how = cuda_engine::exact_shape<T>(own.capability, n);
  if (how.threads == 128 && how.packs_at_once == 1) {
    launch_exact<T, Result, 128, 1>(own, how, a, b, n, result);
  } else if (how.threads == 128) {
    launch_exact<T, Result, 128, 4>(own, how, a, b, n, result);
  } else {
    launch_exact<T, Result, 256, 4>(own, how, a, b, n, result);
  }
  check(cudaGetLastError(), "launching the exact kernel");
}

template <class T, class R, int threads>
void launch_fast(const workspace::memory& own, const shape& how, const T* a, const T* b, std::size_t n, R* result) {
  constexpr std::size_t warps = threads / 32, tile = core::order_v1<T>::tile;
  constexpr std::size_t most_nodes = std::min<std::size_t>(cuda_engine::grid_nodes<T>::most, 32 * threads);
  const std::size_t tiles = (n + tile - 1) / tile;
  int log2_tiles = 0;
  const auto nodes = [&] {
    const std::size_t subtrees = (tiles + (std::size_t{1} << log2_tiles) - 1) >> log2_tiles;
    return (subtrees + warps - 1) / warps;
  };
  while (nodes() > most_nodes) ++log2_tiles;
  const auto most =
      static_cast<std::size_t>(own.multiprocessors) * static_cast<std::size_t>(how.blocks_per_multiprocessor);
  const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>(nodes(), 1, most));
  cuda_engine::fast_kernel<T, R, threads>
      <<<blocks, threads, 0, own.stream>>>(a, b, n, log2_tiles, own.state->nodes(T{}), result);
}

template <class T, class R>
void fast(const workspace::memory& own, const T* a, const T* b, std::size_t n, R* result) {
  const shape how = cuda_engine::fast_shape<T>(own.capability, n);
  switch (how.threads) {
    case 64:
      launch_fast<T, R, 64>(own, how, a, b, n, result);
      break;
    case 128:
      launch_fast<T, R, 128>(own, how, a, b, n, result);
      break;
    case 256:
      launch_fast<T, R, 256>(own, how, a, b, n, result);
      break;
    default:
      launch_fast<T, R, 512>(own, how, a, b, n, result);
      break;
  }
  check(cudaGetLastError(), "launching the fast kernel");
}

template <class R, class T>
void enqueue(const workspace::memory& own, const T* a, const T* b, std::size_t n, R* result,
             const options& options) {
  require_device(own);
  require_reachable(own, a, n, sizeof(T), "a");
  require_reachable(own, b, n, sizeof(T), "b");
  if (options.mode == mode::exact) {
    exact(own, a, b, n, rounded_result<R>{result});
  } else if (options.mode == mode::fast) {
    fast(own, a, b, n, result);
  } else {
    throw error(errc::bad_option, "cuda: unknown mode; use mode::exact or mode::fast");
  }
}

}  // namespace

template <element R, element T>
void dot(workspace& on, const T* a, const T* b, std::size_t n, R* result, const options& options) {
  const hold held(on.own());
  require_reachable(on.own(), result, 1, sizeof(R), "result");
  enqueue(on.own(), a, b, n, result, options);
}

template <element R, element T>
R dot(workspace& on, const T* a, const T* b, std::size_t n, const options& options) {
  const hold held(on.own());
  const workspace::memory& own = on.own();
  enqueue(own, a, b, n, reinterpret_cast<R*>(own.host_result_there), options);
  check(cudaStreamSynchronize(own.stream), "waiting for the result");
  return *reinterpret_cast<const volatile R*>(own.host_result);
}

template <element T>
void dot_into(workspace& on, const T* a, const T* b, std::size_t n, std::int64_t* words) {
  const hold held(on.own());
  const workspace::memory& own = on.own();
  require_device(own);
  require_reachable(own, words, 1, sizeof(std::int64_t), "words");
  require_reachable(own, a, n, sizeof(T), "a");
  require_reachable(own, b, n, sizeof(T), "b");
  exact(own, a, b, n, state_words{words});
}

template void dot(workspace&, const float*, const float*, std::size_t, float*, const options&);
template void dot(workspace&, const float*, const float*, std::size_t, double*, const options&);
template void dot(workspace&, const double*, const double*, std::size_t, float*, const options&);
template void dot(workspace&, const double*, const double*, std::size_t, double*, const options&);
template float dot<float, float>(workspace&, const float*, const float*, std::size_t, const options&);
template double dot<double, float>(workspace&, const float*, const float*, std::size_t, const options&);
template float dot<float, double>(workspace&, const double*, const double*, std::size_t, const options&);
template double dot<double, double>(workspace&, const double*, const double*, std::size_t, const options&);
template void dot_into(workspace&, const float*, const float*, std::size_t, std::int64_t*);
template void dot_into(workspace&, const double*, const double*, std::size_t, std::int64_t*);

}  // namespace exactdot::cuda
