// Mode exact of converted elements (element_variants.hpp), for the carrier EXACTDOT_ELEMENT, the term EXACTDOT_TERM
// and blocks of EXACTDOT_THREADS threads. One object each, because they take long to compile.
#include <cuda/exact_kernel.cuh>

// after the kernels, which call CUDA's min and max: declares exactdot's
#include <bench/experiments/element_variants.hpp>
#include <cuda/launch_kernel.hpp>
#include <cuda/second_level_code.cuh>
#include <cuda/tuning.hpp>
#include <exactdot/core/reduction.hpp>

namespace experiment {
namespace {

using namespace exactdot::cuda_engine;
using exactdot::any_vector;

using carrier = EXACTDOT_ELEMENT;
using term = exactdot::core::EXACTDOT_TERM;
constexpr int threads = EXACTDOT_THREADS;
using inputs = operands<carrier, input_layout::converted>;

any_operand operand_of(const any_vector& x) {
  return {static_cast<const char*>(x.data), static_cast<std::ptrdiff_t>(size_of(x.type)), x.type, false};
}

template <int in_flight, bool in_cluster>
void enqueue(const environment& on, const launch_config& config, const any_vector& a, const any_vector& b,
             void* result) {
  operands<carrier, input_layout::any> single;
  single.a = operand_of(a), single.b = operand_of(b);
  single.log2_parts_a = exactdot::core::parts_of(a.type) - 1;
  single.n = a.n << single.log2_parts_a;
  const inputs in(single);
  const unsigned blocks =
      in_cluster ? static_cast<unsigned>(config.cluster_blocks)
                 : block_count(config, on.multiprocessors, in.packs, config.loads_of_block(), max_blocks);
  constexpr int accumulators = bounded_thread_sum<carrier, term, compensated>::accumulators;
  const sum_shape shape{in.n, blocks, threads, in_flight_of_converted(in_flight), accumulators, {in_cluster}};
  destination to;
  to.value = result;
  to.rule = {exactdot::core::finish::round,
             exactdot::core::format_of(exactdot::default_result_type(
                 term::inputs == 2 ? exactdot::reduction::dot : exactdot::reduction::sum, a.type))};
  to.status = on.status;
  exactdot::cuda::launch_kernel(
      on, "launching the exact kernel", {blocks, threads, 0, in_cluster},
      exact_kernel<carrier, term, input_layout::converted, threads, in_flight, compensated, in_cluster>, in,
      bound_of(shape, compensated, exactdot::core::streams_of<term, carrier> == 2), on.state, to);
}

std::string describe(const launch_config& config) {
  std::string text = std::to_string(config.threads) + ", " + std::to_string(config.in_flight) + ", " +
                     std::to_string(config.blocks_per_multiprocessor);
  if (config.cluster_blocks > 0) text += ", cluster of " + std::to_string(config.cluster_blocks);
  return text;
}

template <int in_flight, bool in_cluster>
void add(candidates& to, const environment& on, launch_config config) {
  to.push_back({describe(config), [&on, config](const any_vector& a, const any_vector& b, void* result) {
                  enqueue<in_flight, in_cluster>(on, config, a, b, result);
                }});
}

template <int in_flight>
void add_all(candidates& to, const environment& on) {
  for (int per_multiprocessor = 1; per_multiprocessor * threads <= 1024 && per_multiprocessor <= 2;
       ++per_multiprocessor) {
    add<in_flight, false>(to, on, {threads, in_flight, per_multiprocessor, compensated});
  }
  if constexpr (threads <= 256 && in_flight <= 4) {
    for (int blocks = 2; blocks <= 8; blocks *= 2) {
      add<in_flight, true>(to, on, {threads, in_flight, 1, compensated, blocks});
    }
  }
}

}  // namespace

template <>
candidates converted_candidates<carrier, term, threads>(const environment& on) {
  candidates all;
  add_all<1>(all, on);
  add_all<2>(all, on);
  add_all<4>(all, on);
  if constexpr (threads < 1024) add_all<8>(all, on);
  return all;
}

}  // namespace experiment
