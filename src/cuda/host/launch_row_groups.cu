// The kernels of rows by keys of one carrier, EXACTDOT_ELEMENT: sums of all terms and variances of floats, sums of
// integers; of products of rows with weights. One object per carrier.
#include <cuda/host/launch_configured_lines.cuh>
#include <cuda/shape/row_groups.cuh>

namespace exactdot::inline v0_3::cuda {
namespace {

/// Rows in flight, and blocks of a multiprocessor, by the registers that sums take: traced sums of products half as
/// many again as plain ones.
template <class Work, class Element>
using config_of = row_config<Work, Element, columns_of_row_thread(sizeof(Element)), Work::sums == 1 ? 4 : 2,
                             Work::sums == 1 && Work::Term::inputs == 1 ? 3 : 2>;

/// Sums of a term: of two inputs of the products by a row's weight.
template <class T, class Term, input_layout layout>
using row_sum_work = std::conditional_t<Term::inputs == 2, sum_of_terms<T, Term>, sum_work<T, Term, layout>>;

template <class Work, class Element>
void launch_rows(const workspace::storage& storage, const row_groups& in, std::size_t n, const row_results& out,
                 const line_request& asked) {
  using config = config_of<Work, Element>;
  constexpr std::size_t threads = row_group_threads, most = std::size_t{1} << 30;
  const std::size_t lanes = in.lanes_of_tile, teams = threads / lanes, owners = lanes * config::width;
  row_groups rows = in;
  const unsigned resident = static_cast<unsigned>(storage.multiprocessors * config::resident);
  rows.max_pieces = std::max(resident / rows.tiles, 1U);
  rows.min_rows_of_piece = std::max(min_rows_of_piece, min_rows_of_piece_thread * static_cast<unsigned>(teams));
  const std::size_t of_piece = std::max<std::size_t>(rows.min_rows_of_piece, n / rows.max_pieces + 1),
                    pieces = std::min<std::size_t>(rows.max_pieces, n / rows.min_rows_of_piece + 1);
  const std::size_t units = std::size_t{in.groups} * in.lanes;
  const launch_shape shape{static_cast<unsigned>(std::min((units - 1) / config::threads + 1, most)),
                           config::threads};
  const line_bounds of_short = bounds_of_rows<Work>(max_short_rows, max_short_rows, 1);
  const char* const what = "launching the kernel of rows by keys";
  if (Work::sums == 1 && out.adds) {
    launch_kernel(storage, what, shape, row_group_kernel<config, Work::sums == 1>, rows, of_short, out, asked);
  } else {
    launch_kernel(storage, what, shape, row_group_kernel<config, false>, rows, of_short, out, asked);
  }
  if (n <= max_short_rows) return;
  const line_bounds bounds = bounds_of_rows<Work>(n, of_piece / teams + 1, joins_of_pieces(pieces, owners));
  launch_kernel(storage, "launching the kernel of pieces of groups", {resident, row_group_threads},
                row_piece_kernel<config>, rows, bounds, out, asked);
  launch_kernel(storage, "launching the kernel of open rows by keys",
                {2 * static_cast<unsigned>(storage.multiprocessors), row_group_threads},
                open_row_kernel<typename Work::work_of_open_lines>, rows, bounds, out, asked, storage.lines);
}

}  // namespace

template <class T>
void launch_row_groups(const workspace::storage& storage, const core::term_info& term, bool are_moments,
                       const row_groups& in, std::size_t n, const row_results& out, const line_request& asked) {
  with_element(in.type, [&]<class Element>(Element) {
    if constexpr (std::is_same_v<core::carrier_for<Element>, T>) {
      constexpr auto layout = std::is_same_v<Element, double> ? input_layout::strided : input_layout::converted;
      if constexpr (has_kernel_of_row_moments(type_of<Element>)) {
        if (are_moments) return launch_rows<moments_work<T, layout>, Element>(storage, in, n, out, asked);
      }
      const auto launch_if = [&]<class Term>(Term) {
        constexpr auto of_term = core::describe_term<Term>();
        if constexpr (has_kernel_of_rows(type_of<Element>, of_term)) {
          if (term == of_term) launch_rows<row_sum_work<T, Term, layout>, Element>(storage, in, n, out, asked);
        }
      };
      std::apply([&](auto... each) { (launch_if(each), ...); }, core::term_types());
    }
  });
}

template void launch_row_groups<EXACTDOT_ELEMENT>(const workspace::storage&, const core::term_info&, bool,
                                                  const row_groups&, std::size_t, const row_results&,
                                                  const line_request&);

}  // namespace exactdot::inline v0_3::cuda
