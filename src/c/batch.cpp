// Many vectors in one call: the rows of matrices, segments, and groups by keys.
#include <c/convert.hpp>
#include <c/filter.hpp>
#include <c/shapes.hpp>
#include <c/status.hpp>
#include <exactdot/batches.hpp>
#include <string>

namespace {

using namespace exactdot;
using namespace exactdot::c;

xd_rows rows_of(const void* data, std::size_t rows, std::size_t columns, int type) {
  const std::size_t size = xd_type_size(type);
  const auto bytes = [&](std::size_t elements) {
    std::size_t product = 0;  // one that overflows becomes one that is refused
    const bool fits = !__builtin_mul_overflow(elements, size, &product) && product <= PTRDIFF_MAX;
    return fits ? static_cast<std::ptrdiff_t>(product) : PTRDIFF_MAX;
  };
  return {data, rows, columns, bytes(columns), bytes(1), type, 0};
}

bool conjugates_first(element_type type, const xd_options* options) { return is_complex(type) && conjugates(options); }

// The calls with options->filter: apart, so that those without one have small frames.
[[gnu::noinline]] void kept_rows(reduction what, const any_grid& a, const any_grid& b, const any_results& to,
                                 const options& chosen, const xd_options& given, const char* caller) {
  const given_filter filter(*given.filter, given_filter::mask_of::rows, a.type, caller);
  detail::reduce_kept_grid(what, a, b, filter.view(), to, chosen, given.ddof, caller);
}
[[gnu::noinline]] void kept_segments(reduction what, const any_vector& a, const any_vector& b,
                                     const any_offsets& offsets, const any_results& to, const options& chosen,
                                     const xd_options& given, const char* caller) {
  const given_filter filter(*given.filter, given_filter::mask_of::vector, a.type, caller);
  detail::reduce_kept_segments(what, a, b, offsets, filter.view(), to, chosen, given.ddof, caller);
}
[[gnu::noinline]] void kept_groups(reduction what, const any_grid& a, const any_grid& b, const any_keys& keys,
                                   given_filter::mask_of mask, const any_results& to, const options& chosen,
                                   const xd_options& given, const char* caller) {
  const given_filter filter(*given.filter, mask, a.type, caller);
  detail::reduce_kept_groups(what, a, b, keys, filter.view(), to, chosen, given.ddof, caller);
}

}  // namespace

xd_rows xd_matrix_rows(const void* data, size_t rows, size_t columns, int type) {
  return rows_of(data, rows, columns, type);
}

xd_rows xd_matrix_columns(const void* data, size_t rows, size_t columns, int type) {
  const xd_rows by_rows = rows_of(data, rows, columns, type);
  return {data, columns, rows, by_rows.stride, by_rows.row_stride, type, 0};
}

xd_status xd_reduce_rows(int reduction, const xd_rows* a, const xd_rows* b, int result_type, void* results,
                         ptrdiff_t result_stride, const xd_options* options) {
  return guarded([&] {
    const char* const caller = "xd_reduce_rows";
    const auto what = to_reduction(reduction, caller);
    const element_type type = to_number_type(result_type, caller);
    row_grid first(a, to_number_type, caller, "a");
    require_second(what, b != nullptr, caller);
    const row_grid second(inputs_of(what) == 2 ? b : a, to_number_type, caller, "b");
    first.view.conjugated = conjugates_first(first.view.type, options);
    const axis places = {a->rows, result_stride != 0 ? result_stride : static_cast<std::ptrdiff_t>(size_of(type))};
    const any_results to{results, type, {&places, 1}};
    const auto chosen = to_options_beside_filter(options, caller);
    if (filter_of(options) != nullptr) {
      return kept_rows(what, first.view, second.view, to, chosen, *options, caller);
    }
    detail::reduce_grid(what, first.view, second.view, to, chosen, ddof_of(options), caller);
  });
}

xd_status xd_multiply_rows(const xd_rows* a, const xd_rows* vectors, int result_type, void* results,
                           ptrdiff_t result_stride, const xd_options* options) {
  return guarded([&] {
    const char* const caller = "xd_multiply_rows";
    const element_type type = to_number_type(result_type, caller);
    row_grid first(a, to_number_type, caller, "a");
    const row_grid second(vectors, to_number_type, caller, "vectors");
    first.view.conjugated = conjugates_first(first.view.type, options);
    const auto size = static_cast<std::ptrdiff_t>(size_of(type));
    std::ptrdiff_t row = 0;  // one that overflows is refused: no memory is so large
    if (__builtin_mul_overflow(a->rows, size, &row)) row = PTRDIFF_MAX;
    const axis of_a[] = {{vectors->rows, 0}, first.results}, of_b[] = {second.results, {a->rows, 0}};
    const axis places[] = {{vectors->rows, result_stride != 0 ? result_stride : row}, {a->rows, size}};
    const auto grid_of = [](const row_grid& x, std::span<const axis> kept) {
      return any_grid{x.view.data, x.view.type, kept, {&x.elements, 1}, x.view.swapped, x.view.conjugated};
    };
    detail::reduce_grid(reduction::dot, grid_of(first, of_a), grid_of(second, of_b), {results, type, places, false},
                        to_options(options, caller), 0, caller);
  });
}

xd_status xd_reduce_segments(int reduction, const xd_vector* a, const xd_vector* b, const void* offsets,
                             size_t segments, int offset_type, int result_type, void* results,
                             const xd_options* options) {
  return guarded([&] {
    const char* const caller = "xd_reduce_segments";
    const auto what = to_reduction(reduction, caller);
    const element_type type = to_number_type(result_type, caller), of_offsets = to_type(offset_type, caller);
    any_vector first = to_numbers(a, caller, "a");
    const any_vector second = second_numbers(what, first, b, caller);
    first.conjugated = conjugates_first(first.type, options);
    const axis places = {segments, static_cast<std::ptrdiff_t>(size_of(type))};
    const any_offsets given = {offsets, segments, of_offsets, static_cast<std::ptrdiff_t>(size_of(of_offsets))};
    const any_results to{results, type, {&places, 1}};
    const auto chosen = to_options_beside_filter(options, caller);
    if (filter_of(options) != nullptr)
      return kept_segments(what, first, second, given, to, chosen, *options, caller);
    detail::reduce_segments(what, first, second, given, to, chosen, ddof_of(options), caller);
  });
}

xd_status xd_reduce_groups(int reduction, const xd_vector* a, const xd_vector* b, const xd_vector* keys,
                           size_t groups, int skip_out_of_range, int result_type, void* results,
                           const xd_options* options) {
  return guarded([&] {
    const char* const caller = "xd_reduce_groups";
    const auto what = to_reduction(reduction, caller);
    const element_type type = to_number_type(result_type, caller);
    any_vector of_a = to_numbers(a, caller, "a");
    of_a.conjugated = conjugates_first(of_a.type, options);
    const detail::element_line first(of_a), second(second_numbers(what, of_a, b, caller));
    const any_keys given = to_keys(keys, groups, skip_out_of_range, caller);
    const axis places = {groups, static_cast<std::ptrdiff_t>(size_of(type))};
    const any_results to{results, type, {&places, 1}};
    const auto chosen = to_options_beside_filter(options, caller);
    if (filter_of(options) != nullptr) {
      return kept_groups(what, first.view(), second.view(), given, given_filter::mask_of::vector, to, chosen,
                         *options, caller);
    }
    detail::reduce_groups(what, first.view(), second.view(), given, to, chosen, ddof_of(options), caller);
  });
}

xd_status xd_reduce_rows_by_key(int reduction, const xd_rows* a, const xd_rows* b, const xd_vector* keys,
                                size_t groups, int skip_out_of_range, int result_type, void* results,
                                ptrdiff_t result_stride, int add_to_results, const xd_options* options) {
  return guarded([&] {
    const char* const caller = "xd_reduce_rows_by_key";
    const auto what = to_reduction(reduction, caller);
    const element_type type = to_number_type(result_type, caller);
    require_second(what, b != nullptr, caller);
    row_grid first(a, to_number_type, caller, "a");
    const row_grid second(inputs_of(what) == 2 ? b : a, to_number_type, caller, "b");
    first.view.conjugated = conjugates_first(first.view.type, options);
    const any_keys given = to_keys(keys, groups, skip_out_of_range, caller);
    const auto columns_of = [](const row_grid& x) {  // whose elements lie along the rows
      return any_grid{x.view.data,       x.view.type,      {&x.elements, 1}, {&x.results, 1},
                      x.view.swapped, x.view.conjugated};
    };
    const auto size = static_cast<std::ptrdiff_t>(size_of(type));
    std::ptrdiff_t row = 0;  // one that overflows is refused: no memory is so large
    if (__builtin_mul_overflow(a->n, size, &row)) row = PTRDIFF_MAX;
    const axis places[] = {{groups, result_stride != 0 ? result_stride : row}, {a->n, size}};
    const any_results to{results, type, places, false, false, add_to_results != 0};
    const auto chosen = to_options_beside_filter(options, caller);
    if (filter_of(options) != nullptr) {
      return kept_groups(what, columns_of(first), columns_of(second), given, given_filter::mask_of::columns, to,
                         chosen, *options, caller);
    }
    detail::reduce_groups(what, columns_of(first), columns_of(second), given, to, chosen, ddof_of(options), caller);
  });
}

xd_status xd_group_sizes(const xd_vector* keys, size_t groups, int skip_out_of_range, int result_type,
                         void* results, const xd_options* options) {
  return guarded([&] {
    const char* const caller = "xd_group_sizes";
    const element_type type = to_type(result_type, caller);
    const any_keys given = to_keys(keys, groups, skip_out_of_range, caller);
    const axis places = {groups, static_cast<std::ptrdiff_t>(size_of(type))};
    detail::group_sizes(given, {results, type, {&places, 1}, false}, to_options(options, caller), caller);
  });
}
