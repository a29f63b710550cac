// The kernels of gpu_variants.hpp for elements of type EXACTDOT_ELEMENT and the term EXACTDOT_TERM.
#include <cuda/shape/exact_vector.cuh>
#include <cuda/shape/fast_vector.cuh>

// after the kernels, which call CUDA's min and max: declares exactdot's
#include <bench/experiments/gpu_variants.hpp>
#include <cuda/core/tuning.hpp>
#include <cuda/host/launch_kernel.hpp>
#include <cuda/sum/second_level_code.cuh>

namespace experiment {
namespace {

using namespace exactdot::cuda_engine;
using exactdot::cuda::check;

using element = EXACTDOT_ELEMENT;
using term = exactdot::core::EXACTDOT_TERM;
using candidates = std::vector<candidate<element>>;
using inputs = operands<element, input_layout::contiguous>;
constexpr bool is_float = sizeof(element) == sizeof(float);

std::string describe(const launch_config& config, unsigned blocks) {
  std::string text = std::to_string(blocks) + " x " + std::to_string(config.threads) + ", " +
                     std::to_string(config.in_flight) + " in flight";
  if (config.blocks_per_multiprocessor > 1) {
    text += ", " + std::to_string(config.blocks_per_multiprocessor) + " blocks per multiprocessor";
  }
  if (config.sums != plain) text += config.sums == grouped ? ", grouped sums" : ", compensated sums";
  return text;
}

/// A kernel of mode exact and the launch configuration that is compiled into it.
template <int threads, int in_flight, summation sums, kernel_variant variant = kernel_variant{}>
struct exact_launch {
  static constexpr auto kernel = exact_kernel<element, term, input_layout::contiguous, threads, in_flight, sums,
                                              variant.in_cluster, variant.claims>;

  static void enqueue(const environment& on, unsigned blocks, const element* a, const element* b, std::size_t n,
                      element* result) {
    const sum_shape shape{n,      blocks, threads, in_flight, bounded_thread_sum<element, term, sums>::accumulators,
                          variant};
    const error_bound bound = bound_of(shape, sums, exactdot::core::streams_of<term, element> == 2);
    exactdot::cuda::launch_kernel(on, "launching the exact kernel", {blocks, threads, 0, variant.in_cluster},
                                  kernel, inputs(a, term::inputs == 2 ? b : nullptr, n), bound, on.state,
                                  value_at(result));
  }
  /// Blocks that fit on a multiprocessor.
  static int resident_blocks() {
    int blocks = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0), "querying the occupancy");
    return blocks;
  }
  /// A candidate with so many blocks.
  static void add(candidates& to, const char* way, unsigned blocks, const environment& on) {
    to.push_back({way, describe({threads, in_flight, 1, sums}, blocks),
                  [&on, blocks](const element* a, const element* b, std::size_t n, element* result) {
                    enqueue(on, blocks, a, b, n, result);
                  }});
  }
  /// Candidates with as many blocks as the library would launch.
  static void add_direct(candidates& to, const environment& on) {
    for (const int per_multiprocessor : {1, 2, 4}) {
      if (per_multiprocessor * threads > 1024 || per_multiprocessor > resident_blocks()) continue;
      if (!variant.claims && per_multiprocessor > 2) continue;
      const launch_config config{threads, in_flight, per_multiprocessor, sums};
      to.push_back({variant.claims ? "claims" : "direct", describe(config, 0),
                    [&on, config](const element* a, const element* b, std::size_t n, element* result) {
                      const unsigned blocks =
                          block_count(config, on.multiprocessors, n, config.loads_of_block() * pack<element>::count,
                                      max_blocks);
                      enqueue(on, blocks, a, b, n, result);
                    }});
    }
  }
};

template <summation sums, int threads, int... in_flight>
void add_direct(candidates& to, const environment& on) {
  (exact_launch<threads, in_flight, sums>::add_direct(to, on), ...);
}

template <summation sums>
candidates all_claims(const environment& on) {
  constexpr kernel_variant claims{false, true};
  candidates all;
  exact_launch<256, 2, sums, claims>::add_direct(all, on);
  exact_launch<512, 2, sums, claims>::add_direct(all, on);
  exact_launch<512, 4, sums, claims>::add_direct(all, on);
  exact_launch<1024, 2, sums, claims>::add_direct(all, on);
  exact_launch<1024, 4, sums, claims>::add_direct(all, on);
  return all;
}

template <summation sums>
candidates all_direct(const environment& on) {
  candidates all;
  add_direct<sums, 128, 2, 4, 8>(all, on);
  add_direct<sums, 256, 1, 2, 4, 8>(all, on);
  add_direct<sums, 512, 1, 2, 4, 8>(all, on);
  add_direct<sums, 1024, 1, 2, 4>(all, on);
  return all;
}

template <summation sums, int threads, int... in_flight>
void add_clusters(candidates& to, const environment& on) {
  for (const unsigned blocks : {2U, 4U, 8U}) {
    (exact_launch<threads, in_flight, sums, kernel_variant{true}>::add(to, "cluster", blocks, on), ...);
  }
}

template <summation sums>
candidates all_clusters(const environment& on) {
  candidates all;
  add_clusters<sums, 128, 1, 2, 4>(all, on);
  add_clusters<sums, 256, 1, 2, 4>(all, on);
  add_clusters<sums, 512, 1, 2>(all, on);
  add_clusters<sums, 1024, 1>(all, on);
  return all;
}

/// Calls `make<sums>`; sums of doubles are compensated.
template <class Make>
candidates with_sums(summation sums, Make make) {
  if constexpr (is_float) {
    if (sums == plain) return make.template operator()<plain>();
    if (sums == grouped) return make.template operator()<grouped>();
  }
  return make.template operator()<compensated>();
}

template <int threads, int stripes_in_flight>
void add_fast_kernel(candidates& to, const environment& on) {
  for (const int per_multiprocessor : {1, 2, 4, 8}) {  // 8: more than fit, of large blocks
    const launch_config config{threads, stripes_in_flight, per_multiprocessor};
    to.push_back({"fast, direct", describe(config, 0),
                  [&on, config](const element* a, const element* b, std::size_t n, element* result) {
                    const tile_counts counts = count_tiles<element>(n, threads / 32);
                    const unsigned blocks = block_count(config, on.multiprocessors, counts.nodes, 1, max_nodes);
                    constexpr auto kernel =
                        fast_kernel<element, term, input_layout::contiguous, threads, stripes_in_flight>;
                    exactdot::cuda::launch_kernel(on, "launching the fast kernel", {blocks, threads}, kernel,
                                                  inputs(a, term::inputs == 2 ? b : nullptr, n), counts,
                                                  &on.state->exchange, value_at(result));
                  }});
  }
}

template <int threads, int... stripes_in_flight>
void add_fast(candidates& to, const environment& on) {
  (add_fast_kernel<threads, stripes_in_flight>(to, on), ...);
}

}  // namespace

template <>
candidates direct_candidates<element, term>(const environment& on, summation sums) {
  return with_sums(sums, [&]<summation sums>() { return all_direct<sums>(on); });
}
template <>
candidates claiming_candidates<element, term>(const environment& on) {
  return all_claims<(is_float ? grouped : compensated)>(on);
}
template <>
candidates cluster_candidates<element, term>(const environment& on) {
  return all_clusters<(is_float ? plain : compensated)>(on);
}
template <>
candidates fast_candidates<element, term>(const environment& on) {
  candidates all;
  add_fast<32, 4, 8, 16>(all, on);
  add_fast<64, 4, 8, 16>(all, on);
  add_fast<128, 4, 8, 16>(all, on);
  add_fast<256, 4, 8, 16>(all, on);
  add_fast<512, 4, 8>(all, on);
  return all;
}

}  // namespace experiment
