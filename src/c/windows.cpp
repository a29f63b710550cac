// Prefix sums and moving windows of the rows of a matrix.
#include <c/convert.hpp>
#include <c/filter.hpp>
#include <c/shapes.hpp>
#include <c/status.hpp>
#include <exactdot/windows.hpp>
#include <optional>

namespace {

using namespace exactdot;
using namespace exactdot::c;

void roll(detail::rolling how, const xd_rows* x, int result_type, void* results, std::ptrdiff_t result_stride,
          const xd_options* options) {
  const row_grid rows(x, how.caller, "x");
  const element_type type = to_type(result_type, how.caller);
  const auto size = static_cast<std::ptrdiff_t>(size_of(type));
  std::ptrdiff_t row = 0;  // one that overflows is refused: no memory is so large
  if (__builtin_mul_overflow(x->n, size, &row)) row = PTRDIFF_MAX;
  const axis places[] = {{x->rows, result_stride != 0 ? result_stride : row}, {x->n, size}};
  const auto chosen = to_options_beside_filter(options, how.caller);
  how.ddof = ddof_of(options);
  std::optional<given_filter> filter;  // to whose mask `how` refers
  if (filter_of(options) != nullptr) {
    filter.emplace(*options->filter, given_filter::mask_of::rows, rows.view.type, how.caller);
    how.filter = filter->view();
  }
  detail::roll(how, rows.view, {results, type, places}, chosen);
}

}  // namespace

xd_status xd_cumsum(const xd_rows* x, int result_type, void* results, ptrdiff_t result_stride,
                    const xd_options* options) {
  return guarded([&] {
    roll({"xd_cumsum", reduction::sum, 0, true}, x, result_type, results, result_stride, options);
  });
}

xd_status xd_rolling(int reduction, const xd_rows* x, size_t window, size_t min_periods, int result_type,
                     void* results, ptrdiff_t result_stride, const xd_options* options) {
  return guarded([&] {
    const char* const caller = "xd_rolling";
    const moving_window asked(window, min_periods);
    roll({caller, to_reduction(reduction, caller), asked}, x, result_type, results, result_stride, options);
  });
}
