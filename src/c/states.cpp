// States of many vectors: rows, segments, groups, and what is done with their words.
//
// __func__ is the name of the function that the user called.
#include <c/convert.hpp>
#include <c/shapes.hpp>
#include <c/status.hpp>
#include <exactdot/states.hpp>
#include <string>

using namespace exactdot;
using namespace exactdot::c;

size_t xd_state_words(xd_state_format format) {
  if (xd_type_size(format.type) == 0 || format.reduction < 0 || format.reduction > XD_ARGMAX) return 0;
  if (format.form != XD_FULL && format.form != XD_COMPACT) return 0;
  return state_format{static_cast<reduction>(format.reduction), static_cast<element_type>(format.type),
                      static_cast<state_form>(format.form)}
      .words();
}

xd_status xd_rows_into(xd_state_format format, const xd_rows* a, const xd_rows* b, int64_t* words, size_t count,
                       const xd_options* options) {
  return guarded([&, caller = __func__] {
    const state_format of = to_format(format, caller);
    const row_grid first(a, caller, "a");
    require_second(of.what, b != nullptr, caller);
    const row_grid second(inputs_of(of.what) == 2 ? b : a, caller, "b");
    require_type(of, first.view.type, caller);
    detail::add_grid_states(of, first.view, second.view, {words, count}, to_options(options, caller), caller);
  });
}

xd_status xd_segments_into(xd_state_format format, const xd_vector* a, const xd_vector* b, const void* offsets,
                           size_t segments, int offset_type, int64_t* words, size_t count,
                           const xd_options* options) {
  return guarded([&, caller = __func__] {
    const state_format of = to_format(format, caller);
    const element_type of_offsets = to_type(offset_type, caller);
    const any_vector first = to_vector(a, caller, "a"), second = second_vector(of.what, first, b, caller);
    require_type(of, first.type, caller);
    const any_offsets given = {offsets, segments, of_offsets, static_cast<std::ptrdiff_t>(size_of(of_offsets))};
    detail::add_segment_states(of, first, second, given, {words, count}, to_options(options, caller), caller);
  });
}

xd_status xd_groups_into(xd_state_format format, const xd_vector* a, const xd_vector* b, const xd_vector* keys,
                         size_t groups, int skip_out_of_range, int64_t* words, size_t count,
                         const xd_options* options) {
  return guarded([&, caller = __func__] {
    const state_format of = to_format(format, caller);
    const any_vector of_a = to_vector(a, caller, "a");
    const detail::element_line first(of_a), second(second_vector(of.what, of_a, b, caller));
    require_type(of, of_a.type, caller);
    const any_keys given = to_keys(keys, groups, skip_out_of_range, caller);
    detail::add_group_states(of, first.view(), second.view(), given, {words, count}, to_options(options, caller),
                             caller);
  });
}

xd_status xd_merge_states(xd_state_format format, const int64_t* from, int64_t* into, size_t count) {
  return guarded([&, caller = __func__] {
    detail::merge_states(to_format(format, caller), {from, count}, {into, count}, caller);
  });
}

xd_status xd_normalise_states(xd_state_format format, int64_t* words, size_t count) {
  return guarded([&, caller = __func__] {
    detail::normalise_states(to_format(format, caller), {words, count}, caller);
  });
}

xd_status xd_convert_states(xd_state_format format, const int64_t* from, size_t count, int form, int64_t* to,
                            size_t to_count) {
  return guarded([&, caller = __func__] {
    detail::convert_states(to_format(format, caller), {from, count}, to_form(form, caller), {to, to_count}, caller);
  });
}

xd_status xd_round_states(xd_state_format format, int reduction, const int64_t* words, size_t count,
                          int result_type, void* results, int64_t ddof) {
  return guarded([&, caller = __func__] {
    const state_format of = to_format(format, caller);
    const element_type type = to_type(result_type, caller);
    const std::size_t each = of.words();
    const axis places = {each == 0 ? 0 : count / each, static_cast<std::ptrdiff_t>(size_of(type))};
    detail::round_states(of, to_reduction(reduction, caller), {words, count}, {results, type, {&places, 1}, false},
                         ddof, caller);
  });
}
