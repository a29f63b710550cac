// Stream-ordered calls of the C interface, in a build with CUDA.
#include <c/convert.hpp>
#include <c/shapes.hpp>
#include <c/status.hpp>
#include <exactdot/cuda/batch_states.hpp>
#include <exactdot/cuda/states.hpp>

struct xd_workspace {
  exactdot::cuda::workspace workspace;
};

namespace exactdot::c {

const bool has_cuda_engine = true;

namespace {

cuda::state_rows to_states(const xd_states* states, const char* caller, const char* argument) {
  require(states, caller, argument);
  if (states->rows != 0) require(states->words, caller, argument);
  return {to_format(states->format, caller), states->words, states->rows, states->stride};
}

}  // namespace

}  // namespace exactdot::c

using namespace exactdot;
using namespace exactdot::c;

xd_status xd_workspace_create(void* cuda_stream, xd_workspace** workspace) {
  return guarded([&] {
    require(workspace, "xd_workspace_create", "workspace");
    *workspace = new xd_workspace{cuda::workspace(static_cast<cuda::stream_handle>(cuda_stream))};
  });
}

void xd_workspace_destroy(xd_workspace* workspace) { delete workspace; }

xd_status xd_workspace_check(xd_workspace* workspace) {
  return guarded([&] {
    require(workspace, "xd_workspace_check", "workspace");
    workspace->workspace.check();
  });
}

xd_status xd_enqueue(xd_workspace* workspace, int reduction, const xd_vector* a, const xd_vector* b,
                     int result_type, void* device_result, const xd_options* options) {
  return guarded([&] {
    const char* const caller = "xd_enqueue";
    require(workspace, caller, "workspace");
    const auto what = to_reduction(reduction, caller);
    const element_type type = to_type(result_type, caller);
    require(device_result, caller, "device_result");
    const any_vector first = to_vector(a, caller, "a"), second = second_vector(what, first, b, caller);
    cuda::detail::enqueue(workspace->workspace, what, first, second, type, device_result,
                          to_options(options, caller), ddof_of(options));
  });
}

xd_status xd_enqueue_add(xd_workspace* workspace, int reduction, const xd_vector* a, const xd_vector* b,
                         int64_t* device_words) {
  return guarded([&] {
    const char* const caller = "xd_enqueue_add";
    require(workspace, caller, "workspace");
    const auto what = to_reduction(reduction, caller);
    if (!core::info_of(what).is_sum()) {
      refuse(errc::bad_option, caller,
             std::string(name_of(what)) +
                 " adds no terms to words; use XD_DOT, XD_SUM, XD_ASUM or XD_SUM_OF_SQUARES");
    }
    require(device_words, caller, "device_words");
    const any_vector first = to_vector(a, caller, "a"), second = second_vector(what, first, b, caller);
    cuda::detail::add_into(workspace->workspace, what, first, second, device_words);
  });
}

xd_status xd_enqueue_add_moments(xd_workspace* workspace, const xd_vector* x, int64_t* device_words) {
  return guarded([&] {
    const char* const caller = "xd_enqueue_add_moments";
    require(workspace, caller, "workspace");
    require(device_words, caller, "device_words");
    cuda::moments_into(workspace->workspace, to_vector(x, caller, "x"), device_words);
  });
}

xd_status xd_enqueue_rows_into(xd_workspace* workspace, xd_state_format format, const xd_rows* a, const xd_rows* b,
                               int64_t* device_words) {
  return guarded([&, caller = __func__] {
    require(workspace, caller, "workspace");
    const state_format of = to_format(format, caller);
    const row_grid first(a, caller, "a");
    require_second(of.what, b != nullptr, caller);
    const row_grid second(inputs_of(of.what) == 2 ? b : a, caller, "b");
    require_type(of, first.view.type, caller);
    cuda::detail::add_grid_states(workspace->workspace, of, first.view, second.view, device_words);
  });
}

xd_status xd_enqueue_segments_into(xd_workspace* workspace, xd_state_format format, const xd_vector* a,
                                   const xd_vector* b, const void* offsets, size_t segments, int offset_type,
                                   int64_t* device_words) {
  return guarded([&, caller = __func__] {
    require(workspace, caller, "workspace");
    const state_format of = to_format(format, caller);
    const element_type of_offsets = to_type(offset_type, caller);
    const any_vector first = to_vector(a, caller, "a"), second = second_vector(of.what, first, b, caller);
    require_type(of, first.type, caller);
    const any_offsets given = {offsets, segments, of_offsets, static_cast<std::ptrdiff_t>(size_of(of_offsets))};
    cuda::detail::add_segment_states(workspace->workspace, of, first, second, given, device_words);
  });
}

xd_status xd_enqueue_groups_into(xd_workspace* workspace, xd_state_format format, const xd_vector* a,
                                 const xd_vector* b, const xd_vector* keys, size_t groups, int skip_out_of_range,
                                 int64_t* device_words) {
  return guarded([&, caller = __func__] {
    require(workspace, caller, "workspace");
    const state_format of = to_format(format, caller);
    const any_vector of_a = to_vector(a, caller, "a");
    const exactdot::detail::element_line first(of_a), second(second_vector(of.what, of_a, b, caller));
    require_type(of, of_a.type, caller);
    const any_keys given = to_keys(keys, groups, skip_out_of_range, caller);
    cuda::detail::add_group_states(workspace->workspace, of, first.view(), second.view(), given, device_words);
  });
}

xd_status xd_enqueue_round(xd_workspace* workspace, int reduction, const xd_states* states, int result_type,
                           void* device_results, uint64_t count, const xd_options* options) {
  return guarded([&] {
    const char* const caller = "xd_enqueue_round";
    require(workspace, caller, "workspace");
    const auto what = to_reduction(reduction, caller);
    const element_type type = to_type(result_type, caller);
    const cuda::state_rows rows = to_states(states, caller, "states");
    if (rows.rows != 0) require(device_results, caller, "device_results");
    cuda::round(workspace->workspace, rows, what, type, device_results, {count, ddof_of(options)});
  });
}

xd_status xd_enqueue_merge(xd_workspace* workspace, const xd_states* states, const xd_states* others) {
  return guarded([&] {
    const char* const caller = "xd_enqueue_merge";
    require(workspace, caller, "workspace");
    const cuda::state_rows rows = to_states(states, caller, "states");
    if (others == nullptr) return cuda::normalise(workspace->workspace, rows);
    cuda::merge(workspace->workspace, rows, to_states(others, caller, "others"));
  });
}
