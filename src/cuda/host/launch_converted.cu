// The kernels of the carrier EXACTDOT_ELEMENT for contiguous elements of other types (core/converted_load.cuh), and
// the choice among them.
#include <cuda/host/launch_configured.cuh>

namespace exactdot::inline v0_3::cuda {

template <class T>
void launch_converted(const workspace::storage& storage, const engine::plan& plan, const destination& to) {
  constexpr input_layout layout = input_layout::converted;
  const std::size_t bytes = plan.n * size_of(plan.a.type);
  with_term(plan, [&]<class Term>(Term) {
    if (plan.mode == mode::exact) {
      launch_exact_row<T, Term, layout, &converted_rows<Term>>(storage, bytes, plan, to);
    } else if constexpr (std::is_same_v<T, float>) {
      launch_fast_row<T, Term, layout, &fast_converted_rows>(storage, bytes, plan, to);
    }
  });
}

template void launch_converted<EXACTDOT_ELEMENT>(const workspace::storage&, const engine::plan&,
                                                 const destination&);

}  // namespace exactdot::inline v0_3::cuda
