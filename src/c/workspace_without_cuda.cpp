// Stream-ordered calls of the C interface, in a build without CUDA: the symbols exist, the calls refuse.
#include <c/convert.hpp>
#include <c/status.hpp>

namespace exactdot::c {

const bool has_cuda_engine = false;

namespace {

xd_status refuse_without_cuda(const char* caller) noexcept {
  return guarded([&] {
    refuse(errc::no_device, caller,
           "this libexactdot_c was built without CUDA; use xd_reduce, or a build with a CUDA compiler");
  });
}

}  // namespace
}  // namespace exactdot::c

using exactdot::c::refuse_without_cuda;

xd_status xd_workspace_create(void*, xd_workspace**) { return refuse_without_cuda("xd_workspace_create"); }
void xd_workspace_destroy(xd_workspace*) {}
xd_status xd_workspace_check(xd_workspace*) { return refuse_without_cuda("xd_workspace_check"); }
xd_status xd_enqueue(xd_workspace*, int, const xd_vector*, const xd_vector*, int, void*, const xd_options*) {
  return refuse_without_cuda("xd_enqueue");
}
xd_status xd_enqueue_add(xd_workspace*, int, const xd_vector*, const xd_vector*, int64_t*) {
  return refuse_without_cuda("xd_enqueue_add");
}
xd_status xd_enqueue_add_moments(xd_workspace*, const xd_vector*, int64_t*) {
  return refuse_without_cuda("xd_enqueue_add_moments");
}
xd_status xd_enqueue_rows_into(xd_workspace*, xd_state_format, const xd_rows*, const xd_rows*, int64_t*) {
  return refuse_without_cuda("xd_enqueue_rows_into");
}
xd_status xd_enqueue_segments_into(xd_workspace*, xd_state_format, const xd_vector*, const xd_vector*, const void*,
                                   size_t, int, int64_t*) {
  return refuse_without_cuda("xd_enqueue_segments_into");
}
xd_status xd_enqueue_groups_into(xd_workspace*, xd_state_format, const xd_vector*, const xd_vector*,
                                 const xd_vector*, size_t, int, int64_t*) {
  return refuse_without_cuda("xd_enqueue_groups_into");
}
xd_status xd_enqueue_round(xd_workspace*, int, const xd_states*, int, void*, uint64_t, const xd_options*) {
  return refuse_without_cuda("xd_enqueue_round");
}
xd_status xd_enqueue_merge(xd_workspace*, const xd_states*, const xd_states*) {
  return refuse_without_cuda("xd_enqueue_merge");
}
