// The kernels of one element type, EXACTDOT_ELEMENT, for every term and every configuration that the tuning table
// names, and the choice among them. One object per type, because they take long to compile.
#include <algorithm>
#include <cuda/exact_kernel.cuh>
#include <cuda/fast_kernel.cuh>
#include <cuda/launch.hpp>
#include <cuda/tuning.hpp>
#include <utility>

namespace exactdot::cuda {
namespace {

using namespace cuda_engine;
using storage_type = workspace::storage;

/// As many blocks as have work, at most as many as the configuration and `limit` allow.
unsigned blocks_for(const storage_type& storage, const launch_config& config, std::size_t wanted,
                    std::size_t limit) {
  const auto resident = static_cast<std::size_t>(storage.multiprocessors) *
                        static_cast<std::size_t>(config.blocks_per_multiprocessor);
  return static_cast<unsigned>(std::clamp<std::size_t>(wanted, 1, std::min(resident, limit)));
}

template <class T, input_layout layout>
operands<T, layout> operands_of(const engine::plan& plan) {
  operands<T, layout> in;
  in.a = static_cast<const T*>(plan.a.data), in.b = static_cast<const T*>(plan.b.data), in.n = plan.n;
  if constexpr (layout == input_layout::strided) {
    in.stride_a = plan.a.stride, in.stride_b = plan.b.stride;
    in.swapped_a = plan.a.swapped, in.swapped_b = plan.b.swapped;
  }
  return in;
}

template <class T, class Term, input_layout layout, int threads, int in_flight>
void launch_exact(const storage_type& storage, const launch_config& config, const engine::plan& plan,
                  const destination& to) {
  constexpr std::size_t per_block =
      std::size_t{threads} * in_flight * (layout == input_layout::contiguous ? pack<T>::count : 1);
  const unsigned blocks = blocks_for(storage, config, (plan.n + per_block - 1) / per_block, max_messages);
  exact_kernel<T, Term, layout, threads, in_flight>
      <<<blocks, threads, 0, storage.stream>>>(operands_of<T, layout>(plan), storage.state, to);
}

template <class T, class Term, input_layout layout, int threads, int in_flight>
void launch_fast(const storage_type& storage, const launch_config& config, const engine::plan& plan,
                 const destination& to) {
  constexpr unsigned warps = threads / 32;
  const tile_counts counts = count_tiles<T>(plan.n, warps);
  const unsigned blocks = blocks_for(storage, config, counts.nodes, max_nodes);
  fast_kernel<T, Term, layout, threads, in_flight>
      <<<blocks, threads, 0, storage.stream>>>(operands_of<T, layout>(plan), counts, &storage.state->exchange, to);
}

using launcher = void (*)(const storage_type&, const launch_config&, const engine::plan&, const destination&);

/// The launchers of a term: by row of the tuning table, and for strided inputs.
template <class T, class Term>
struct launchers {
  template <std::size_t... row>
  static constexpr std::array<launcher, sizeof...(row)> exact_rows(std::index_sequence<row...>) {
    return {&launch_exact<T, Term, input_layout::contiguous, tuning<T>::exact[row].config.threads,
                          tuning<T>::exact[row].config.in_flight>...};
  }
  template <std::size_t... row>
  static constexpr std::array<launcher, sizeof...(row)> fast_rows(std::index_sequence<row...>) {
    return {&launch_fast<T, Term, input_layout::contiguous, tuning<T>::fast[row].config.threads,
                         tuning<T>::fast[row].config.in_flight>...};
  }
  static constexpr auto exact = exact_rows(std::make_index_sequence<tuning<T>::exact.size()>());
  static constexpr auto fast = fast_rows(std::make_index_sequence<tuning<T>::fast.size()>());
  static constexpr launcher exact_strided =
      &launch_exact<T, Term, input_layout::strided, exact_strided_config.threads, exact_strided_config.in_flight>;
  static constexpr launcher fast_strided =
      &launch_fast<T, Term, input_layout::strided, fast_strided_config.threads, fast_strided_config.in_flight>;
};

template <class T, class Term>
void launch_term(const storage_type& storage, const engine::plan& plan, const destination& to) {
  using all = launchers<T, Term>;
  const bool exact = plan.mode == mode::exact;
  if (!plan.contiguous) {
    if (exact) return all::exact_strided(storage, exact_strided_config, plan, to);
    return all::fast_strided(storage, fast_strided_config, plan, to);
  }
  const std::size_t bytes = plan.n * sizeof(T);
  if (exact) {
    const std::size_t row = row_for(tuning<T>::exact, storage.capability, bytes);
    return all::exact[row](storage, tuning<T>::exact[row].config, plan, to);
  }
  const std::size_t row = row_for(tuning<T>::fast, storage.capability, bytes);
  all::fast[row](storage, tuning<T>::fast[row].config, plan, to);
}

}  // namespace

template <class T>
void launch(const workspace::storage& storage, const engine::plan& plan, const destination& to) {
  const auto launch_if = [&]<class Term>(Term) {
    if (plan.term == core::term_index<Term>) launch_term<T, Term>(storage, plan, to);
  };
  std::apply([&](auto... term) { (launch_if(term), ...); }, core::term_types());
  check(cudaGetLastError(), plan.mode == mode::exact ? "launching the exact kernel" : "launching the fast kernel");
}

template void launch<EXACTDOT_ELEMENT>(const workspace::storage&, const engine::plan&, const destination&);

}  // namespace exactdot::cuda
