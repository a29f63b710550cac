// The kernels of gpu_variants.hpp for elements of type EXACTDOT_ELEMENT.
#include <bench/experiments/gpu_variants.hpp>
#include <core/term.hpp>
#include <cuda/exact_kernel.cuh>

namespace experiment {
namespace {

using namespace exactdot::cuda_engine;
using exactdot::core::product;
using exactdot::on_gpu::check;
using exactdot::on_gpu::stream;

template <class T>
using candidates = std::vector<candidate<T>>;

/// A kernel and the launch configuration that is compiled into it.
template <class T, int threads, int in_flight, bool compensated, kernel_variant variant>
struct variant_launch {
  static constexpr auto kernel = exact_kernel<T, product, input_layout::contiguous, threads, in_flight, compensated,
                                              variant.in_cluster, variant.stages>;
  static constexpr std::size_t ring = ring_bytes<T, 2, in_flight, variant.stages>(threads);

  static void enqueue(stream& on, device_state* state, unsigned blocks, const T* a, const T* b, std::size_t n,
                      T* result) {
    const sum_shape shape{
        n, blocks, threads, in_flight, bounded_thread_sum<T, product, compensated>::accumulators, variant};
    const error_bound bound = bound_of(shape, compensated, exactdot::core::streams_of<product, T> == 2);
    exactdot::on_gpu::launch(kernel, blocks, threads, ring,
                             exactdot::on_gpu::cluster_dimensions{variant.in_cluster ? blocks : 1}, on,
                             operands<T, input_layout::contiguous>(a, b, n), bound, state, value_at(result));
  }
  /// Blocks that fit on a multiprocessor.
  static int resident_blocks() {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(ring)),
          "raising the limit of dynamic shared memory");
    int blocks = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, ring), "querying the occupancy");
    return blocks;
  }
  static std::string describe(unsigned blocks) {
    std::string text =
        std::to_string(blocks) + " x " + std::to_string(threads) + ", " + std::to_string(in_flight) + " in flight";
    if (variant.stages > 0) text += ", " + std::to_string(variant.stages) + " stages";
    return text;
  }
  static void add(candidates<T>& to, const char* way, unsigned blocks, stream& on, device_state* state) {
    to.push_back({way, describe(blocks), [&on, state, blocks](const T* a, const T* b, std::size_t n, T* result) {
                    enqueue(on, state, blocks, a, b, n, result);
                  }});
  }
};

template <class T, bool compensated, int threads, int... in_flight>
void add_clusters(candidates<T>& to, stream& on, device_state* state) {
  for (const unsigned blocks : {2U, 4U, 8U}) {
    (variant_launch<T, threads, in_flight, compensated, kernel_variant{true, 0}>::add(to, "cluster", blocks, on,
                                                                                      state),
     ...);
  }
}

template <class T, bool compensated, int threads, int in_flight, int... stages>
void add_streamed(candidates<T>& to, stream& on, device_state* state) {
  const auto add_each = [&]<int count>() {
    using launch = variant_launch<T, threads, in_flight, compensated, kernel_variant{false, count}>;
    const int resident = launch::resident_blocks();
    for (int blocks = 1; blocks <= resident && blocks <= 4; ++blocks) {
      const auto grid = static_cast<unsigned>(blocks * on.multiprocessors());
      if (grid <= max_blocks) launch::add(to, "streamed", grid, on, state);
    }
  };
  (add_each.template operator()<stages>(), ...);
}

template <class T, bool compensated>
candidates<T> all_clusters(stream& on, device_state* state) {
  candidates<T> all;
  add_clusters<T, compensated, 128, 1, 2, 4>(all, on, state);
  add_clusters<T, compensated, 256, 1, 2, 4>(all, on, state);
  add_clusters<T, compensated, 512, 1, 2>(all, on, state);
  add_clusters<T, compensated, 1024, 1>(all, on, state);
  return all;
}

template <class T, bool compensated>
candidates<T> all_streamed(stream& on, device_state* state) {
  candidates<T> all;
  add_streamed<T, compensated, 128, 4, 4, 8>(all, on, state);
  add_streamed<T, compensated, 256, 2, 4, 8>(all, on, state);
  add_streamed<T, compensated, 256, 4, 2, 4>(all, on, state);
  add_streamed<T, compensated, 256, 8, 2>(all, on, state);
  add_streamed<T, compensated, 512, 2, 3, 6>(all, on, state);
  add_streamed<T, compensated, 512, 4, 2>(all, on, state);
  return all;
}

using element = EXACTDOT_ELEMENT;
constexpr bool has_plain_sums = sizeof(element) == sizeof(float);

}  // namespace

template <>
candidates<element> cluster_candidates(stream& on, device_state* state) {
  return all_clusters<element, !has_plain_sums>(on, state);
}
template <>
candidates<element> streamed_candidates(stream& on, device_state* state, bool compensated) {
  if constexpr (has_plain_sums) {
    if (!compensated) return all_streamed<element, false>(on, state);
  }
  return all_streamed<element, true>(on, state);
}

}  // namespace experiment
