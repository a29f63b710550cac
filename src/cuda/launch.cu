// The kernels of one carrier, EXACTDOT_ELEMENT, for every term and every configuration that the tuning table names, and
// the choice among them. One object per carrier, because they take long to compile.
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

any_operand to_any_operand(const engine::operand& x) {
  return {static_cast<const char*>(x.data), x.stride, x.type, x.swapped};
}

template <class T, class Term, input_layout layout>
operands<T, layout> operands_of(const engine::plan& plan) {
  operands<T, layout> in;
  if constexpr (layout == input_layout::any) {
    in.a = to_any_operand(plan.a), in.b = to_any_operand(plan.b);
    in.log2_parts_a = core::parts_of(plan.a.type) - 1;
    in.log2_parts_b = Term::inputs == 2 ? core::parts_of(plan.b.type) - 1 : 0;
    in.n = plan.n << (in.log2_parts_a + in.log2_parts_b);
  } else {
    in.a = static_cast<const T*>(plan.a.data), in.b = static_cast<const T*>(plan.b.data), in.n = plan.n;
  }
  return in;
}

template <class T, class Term, input_layout layout, int threads, int in_flight>
void launch_exact(const storage_type& storage, const launch_config& config, const engine::plan& plan,
                  const destination& to) {
  constexpr std::size_t per_block =
      std::size_t{threads} * in_flight * (layout == input_layout::contiguous ? pack<T>::count : 1);
  const auto in = operands_of<T, Term, layout>(plan);
  const unsigned blocks = blocks_for(storage, config, (in.n + per_block - 1) / per_block, max_messages);
  exact_kernel<T, Term, layout, threads, in_flight><<<blocks, threads, 0, storage.stream>>>(in, storage.state, to);
}

template <class T, class Term, input_layout layout, int threads, int in_flight>
void launch_fast(const storage_type& storage, const launch_config& config, const engine::plan& plan,
                 const destination& to) {
  constexpr unsigned warps = threads / 32;
  const tile_counts counts = count_tiles<T>(plan.n, warps);
  const unsigned blocks = blocks_for(storage, config, counts.nodes, max_nodes);
  fast_kernel<T, Term, layout, threads, in_flight>
      <<<blocks, threads, 0, storage.stream>>>(operands_of<T, Term, layout>(plan), counts, &storage.state->exchange, to);
}

using launcher = void (*)(const storage_type&, const launch_config&, const engine::plan&, const destination&);

/// The launchers of a term: by row of its tuning table, and for inputs of any layout.
template <class T, class Term>
struct launchers {
  static constexpr const auto& exact_table = exact_rows<T, Term>();
  static constexpr const auto& fast_table = fast_rows<T, Term>();

  template <std::size_t... row>
  static constexpr std::array<launcher, sizeof...(row)> exact_launchers(std::index_sequence<row...>) {
    return {&launch_exact<T, Term, input_layout::contiguous, exact_table[row].config.threads,
                          exact_table[row].config.in_flight>...};
  }
  template <std::size_t... row>
  static constexpr std::array<launcher, sizeof...(row)> fast_launchers(std::index_sequence<row...>) {
    return {&launch_fast<T, Term, input_layout::contiguous, fast_table[row].config.threads,
                         fast_table[row].config.in_flight>...};
  }
  static constexpr auto exact = exact_launchers(std::make_index_sequence<exact_table.size()>());
  static constexpr auto fast = fast_launchers(std::make_index_sequence<fast_table.size()>());
  static constexpr launcher exact_any =
      &launch_exact<T, Term, input_layout::any, exact_any_config.threads, exact_any_config.in_flight>;
  static constexpr launcher fast_any =
      &launch_fast<T, Term, input_layout::any, fast_any_config.threads, fast_any_config.in_flight>;
};

template <class T, class Term>
void launch_term(const storage_type& storage, const engine::plan& plan, const destination& to) {
  using all = launchers<T, Term>;
  const bool exact = plan.mode == mode::exact;
  if (!plan.contiguous) {
    if (exact) return all::exact_any(storage, exact_any_config, plan, to);
    return all::fast_any(storage, fast_any_config, plan, to);
  }
  const std::size_t bytes = plan.n * sizeof(T);
  if (exact) {
    const std::size_t row = row_for(all::exact_table, storage.capability, bytes);
    return all::exact[row](storage, all::exact_table[row].config, plan, to);
  }
  const std::size_t row = row_for(all::fast_table, storage.capability, bytes);
  all::fast[row](storage, all::fast_table[row].config, plan, to);
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
