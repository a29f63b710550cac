// Packing is a grid-stride loop, a load and a store for each element: it is bound by the strided loads. One thread
// rounds a state or walks a tree: both are short beside the pieces that they end, and the same code as on a CPU
// gives the same bits.
#include <algorithm>
#include <core/order_v1.hpp>
#include <core/state.hpp>
#include <cuda/workspace.hpp>
#include <python/src/gpu_pieces.hpp>

namespace exactdot::python {
namespace {

template <class T>
__global__ void pack_kernel(const char* from, std::ptrdiff_t stride, std::size_t n, T* to) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    to[i] = *reinterpret_cast<const T*>(from + static_cast<std::ptrdiff_t>(i) * stride);
  }
}

template <class R, class T>
__global__ void round_kernel(std::int64_t* words, R* result) {
  core::normalise(core::limbs_of<T>(words));
  *result = core::round_state<R, T>(words);
}

template <class R, class T>
__global__ void tree_kernel(const T* nodes, std::size_t count, R* result) {
  core::tile_tree<T> tree;
  for (std::size_t i = 0; i < count; ++i) tree.push(nodes[i]);
  const T sum = tree.root();
  *result = sum != sum ? core::canonical_nan<R>() : static_cast<R>(sum);
}

}  // namespace

template <class T>
void pack(const void* from, std::ptrdiff_t stride, std::size_t n, T* to, cudaStream_t stream) {
  constexpr std::size_t block = 256;
  const auto grid = static_cast<unsigned>(std::min<std::size_t>((n + block - 1) / block, 2048));
  pack_kernel<<<grid, block, 0, stream>>>(static_cast<const char*>(from), stride, n, to);
  cuda::check(cudaGetLastError(), "packing a view");
}

template <class R, class T>
void round_words(std::int64_t* words, R* result, cudaStream_t stream) {
  round_kernel<R, T><<<1, 1, 0, stream>>>(words, result);
  cuda::check(cudaGetLastError(), "rounding a state");
}

template <class R, class T>
void root_of_tree(const T* nodes, std::size_t count, R* result, cudaStream_t stream) {
  tree_kernel<<<1, 1, 0, stream>>>(nodes, count, result);
  cuda::check(cudaGetLastError(), "adding the pieces of a view");
}

template void pack(const void*, std::ptrdiff_t, std::size_t, float*, cudaStream_t);
template void pack(const void*, std::ptrdiff_t, std::size_t, double*, cudaStream_t);
template void round_words<float, float>(std::int64_t*, float*, cudaStream_t);
template void round_words<double, float>(std::int64_t*, double*, cudaStream_t);
template void round_words<float, double>(std::int64_t*, float*, cudaStream_t);
template void round_words<double, double>(std::int64_t*, double*, cudaStream_t);
template void root_of_tree(const float*, std::size_t, float*, cudaStream_t);
template void root_of_tree(const float*, std::size_t, double*, cudaStream_t);
template void root_of_tree(const double*, std::size_t, float*, cudaStream_t);
template void root_of_tree(const double*, std::size_t, double*, cudaStream_t);

}  // namespace exactdot::python
