// Launches of mode exact; each element type has its instances in a file of its own, for they take their time to
// compile.
#pragma once

#include <algorithm>
#include <cuda/exact_kernel.cuh>
#include <cuda/launch.hpp>
#include <cuda/tuning.hpp>
#include <type_traits>

namespace exactdot::cuda {
namespace {

using cuda_engine::shape;

template <int threads, int packs, class T, class Result>
void launch(const workspace::memory& own, const shape& how, const T* a, const T* b, std::size_t n, Result result) {
  constexpr std::size_t a_block = std::size_t{threads} * packs * cuda_engine::pack<T>::count;
  const auto most = std::min<std::size_t>(
      static_cast<std::size_t>(own.multiprocessors) * static_cast<std::size_t>(how.blocks_per_multiprocessor),
      cuda_engine::most_letters);
  const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>((n + a_block - 1) / a_block, 1, most));
  cuda_engine::exact_kernel<T, Result, threads, packs>
      <<<blocks, threads, 0, own.stream>>>(a, b, n, own.state->sum(T{}), &own.state->box, result);
}

}  // namespace

/// Shapes as in exact_shape; for state_words only the two with the most loads on their way, to compile fewer.
template <class T, class Result>
void launch_exact(const workspace::memory& own, const T* a, const T* b, std::size_t n, Result result) {
  constexpr bool is_float = sizeof(T) == 4;
  const shape how = cuda_engine::exact_shape<T>(own.capability, n);
  constexpr int most_packs = is_float ? 6 : 4, few_packs = is_float ? 2 : 1;
  const auto is = [&](int threads, int packs) { return how.threads == threads && how.packs_at_once == packs; };
  if constexpr (std::is_same_v<Result, cuda_engine::state_words>) {
    if (how.threads < 512) {
      launch<256, 4>(own, how, a, b, n, result);
    } else {
      launch<512, most_packs>(own, how, a, b, n, result);
    }
  } else if (is(128, 4)) {
    launch<128, 4>(own, how, a, b, n, result);
  } else if (is(256, few_packs)) {
    launch<256, few_packs>(own, how, a, b, n, result);
  } else if (is(256, 4)) {
    launch<256, 4>(own, how, a, b, n, result);
  } else if (is(512, 2)) {
    launch<512, 2>(own, how, a, b, n, result);
  } else if (is(512, most_packs)) {
    launch<512, most_packs>(own, how, a, b, n, result);
  } else {
    throw error(errc::device_failure, "cuda: the tuning table asks for a shape that was not compiled");
  }
  check(cudaGetLastError(), "launching the exact kernel");
}

}  // namespace exactdot::cuda
