// The kernels of extrema and variances of element_variants.hpp.
#include <cuda/extremum_kernel.cuh>
#include <cuda/moments_kernel.cuh>

// after the kernels, which call CUDA's min and max: declares exactdot's
#include <bench/experiments/element_variants.hpp>
#include <cuda/launch_kernel.hpp>
#include <cuda/tuning.hpp>

namespace experiment {
namespace {

using namespace exactdot::cuda_engine;
using exactdot::any_vector;

std::string describe(int threads, int in_flight, int per_multiprocessor) {
  return std::to_string(threads) + ", " + std::to_string(in_flight) + ", " + std::to_string(per_multiprocessor);
}

template <int bytes, bool with_index, int in_flight>
void add_extremum(candidates& to, const environment& on) {
  for (const int threads : {64, 128, 256, 512, 1024}) {
    for (const int per_multiprocessor : {1, 2, 3, 4, 6, 8}) {
      if (threads * per_multiprocessor > 1024) continue;
      const launch_config config{threads, in_flight, per_multiprocessor};
      to.push_back({describe(threads, in_flight, per_multiprocessor),
                    [&on, config](const any_vector& a, const any_vector&, void* result) {
                      using element = typename exactdot::detail::unsigned_of<bytes>::type;
                      const packed_input<bytes> in(static_cast<const element*>(a.data), a.n);
                      const unsigned blocks = block_count(config, on.multiprocessors, in.packs,
                                                          config.loads_of_block(), max_extremum_blocks);
                      destination to;
                      to.value = result;
                      to.rule = {exactdot::core::finish::round,
                                 exactdot::core::format_of(with_index ? exactdot::element_type::int64 : a.type)};
                      exactdot::cuda::launch_kernel(
                          on, "launching the search", {blocks, config.threads},
                          config.threads <= small_extremum_threads
                              ? packed_extremum_kernel<bytes, with_index, in_flight, small_extremum_threads>
                              : packed_extremum_kernel<bytes, with_index, in_flight, max_extremum_threads>,
                          in, rank_rule_of(a.type, true), on.extremum, to);
                    }});
    }
  }
}

template <int bytes, bool with_index>
candidates all_extremum(const environment& on) {
  candidates all;
  add_extremum<bytes, with_index, 1>(all, on);
  add_extremum<bytes, with_index, 2>(all, on);
  add_extremum<bytes, with_index, 4>(all, on);
  add_extremum<bytes, with_index, 8>(all, on);
  return all;
}

template <int bytes>
candidates extremum_of(const environment& on, bool with_index) {
  return with_index ? all_extremum<bytes, true>(on) : all_extremum<bytes, false>(on);
}

template <class T, summation sums, int threads, int in_flight>
void add_moments(candidates& to, const environment& on) {
  for (const int per_multiprocessor : {1, 2}) {
    if (threads * per_multiprocessor > 1024) continue;
    const launch_config config{threads, in_flight, per_multiprocessor, sums};
    to.push_back({describe(threads, in_flight, per_multiprocessor),
                  [&on, config](const any_vector& a, const any_vector&, void* result) {
                    const operands<T, input_layout::contiguous> in(static_cast<const T*>(a.data), nullptr, a.n);
                    const unsigned blocks =
                        block_count(config, on.multiprocessors, in.n, config.loads_of_block() * pack<T>::count,
                                    max_moments_blocks);
                    const sum_shape shape{in.n, blocks, threads, in_flight,
                                          bounded_thread_sum<T, exactdot::core::value, sums>::accumulators};
                    constexpr bool two_streams = exactdot::core::streams_of<exactdot::core::square, T> == 2;
                    destination to = value_at(static_cast<T*>(result));
                    to.rule = {exactdot::core::finish::variance, exactdot::core::format<T>::number};
                    to.count = a.n;
                    exactdot::cuda::launch_kernel(
                        on, "launching the kernel of variances", {blocks, threads},
                        moments_kernel<T, input_layout::contiguous, threads, in_flight, sums>, in,
                        bound_of(shape, sums, false), bound_of(shape, sums, two_streams), 0.0, on.moments, to);
                  }});
  }
}

template <class T, summation sums>
candidates all_moments(const environment& on) {
  candidates all;
  add_moments<T, sums, 128, 2>(all, on);
  add_moments<T, sums, 128, 4>(all, on);
  add_moments<T, sums, 256, 2>(all, on);
  add_moments<T, sums, 256, 4>(all, on);
  add_moments<T, sums, 512, 2>(all, on);
  add_moments<T, sums, 512, 4>(all, on);
  add_moments<T, sums, 512, 8>(all, on);
  add_moments<T, sums, 1024, 2>(all, on);
  add_moments<T, sums, 1024, 4>(all, on);
  return all;
}

}  // namespace

candidates extremum_candidates(const environment& on, exactdot::element_type type, bool with_index) {
  switch (exactdot::size_of(type)) {
    case 1:
      return extremum_of<1>(on, with_index);
    case 2:
      return extremum_of<2>(on, with_index);
    case 4:
      return extremum_of<4>(on, with_index);
    default:
      return extremum_of<8>(on, with_index);
  }
}

template <>
candidates moments_candidates<float>(const environment& on, summation sums) {
  if (sums == plain) return all_moments<float, plain>(on);
  if (sums == grouped) return all_moments<float, grouped>(on);
  return all_moments<float, compensated>(on);
}
template <>
candidates moments_candidates<double>(const environment& on, summation) {
  return all_moments<double, compensated>(on);
}

}  // namespace experiment
