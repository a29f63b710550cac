// The kernels of one carrier, EXACTDOT_ELEMENT, for every term and every configuration that the tuning table names,
// and the choice among them. One object per carrier, because they take long to compile.
#include <cuda/host/launch_configured.cuh>

namespace exactdot::inline v0_3::cuda {
namespace {

template <class T, class Term>
void launch_any(const storage_type& storage, const engine::plan& plan, const destination& to) {
  constexpr launch_config exact = exact_any_config, fast = fast_any_config;
  if (plan.mode == mode::exact) {
    launch_exact<T, Term, input_layout::any, exact.threads, exact.in_flight, exact.sums>(storage, exact, plan, to);
  } else {
    launch_fast<T, Term, input_layout::any, fast.threads, fast.in_flight>(storage, fast, plan, to);
  }
}

template <class T, class Term>
void launch_contiguous(const storage_type& storage, const engine::plan& plan, const destination& to) {
  constexpr input_layout layout = input_layout::contiguous;
  const std::size_t bytes = plan.n * sizeof(T);
  if (plan.mode != mode::exact) {
    return launch_fast_row<T, Term, layout, &fast_rows<T, Term>>(storage, bytes, plan, to);
  }
  const bool wide = to.rule.is_integer() || to.rule.precision() > 24;
  if (wide) return launch_exact_row<T, Term, layout, &exact_rows<T, Term, true>>(storage, bytes, plan, to);
  launch_exact_row<T, Term, layout, &exact_rows<T, Term, false>>(storage, bytes, plan, to);
}

}  // namespace

template <class T>
void launch(const workspace::storage& storage, const engine::plan& plan, const destination& to) {
  with_term(plan, [&]<class Term>(Term) {
    switch (layout_of<T, Term>(plan, to)) {
      case input_layout::contiguous:
        return launch_contiguous<T, Term>(storage, plan, to);
      case input_layout::converted:
        return launch_converted<T>(storage, plan, to);
      case input_layout::strided:  // of lines only, as the next
      case input_layout::axes:
      case input_layout::any:
        return launch_any<T, Term>(storage, plan, to);
    }
  });
}

template void launch<EXACTDOT_ELEMENT>(const workspace::storage&, const engine::plan&, const destination&);

}  // namespace exactdot::inline v0_3::cuda
