// Rows by keys on a GPU, of engines.hpp: memory, and the launches of group/sort_rows.cu and shape/row_groups.cuh.
//
// A call that waits writes nothing if a key is out of range, which the kernels see; all counts stay on the device,
// so a stream-ordered call has the same launches.
#include <bit>
#include <cuda/host/engines.hpp>
#include <cuda/host/launch.hpp>
#include <cuda/host/operands.hpp>
#include <plan/batch_checks.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

using storage_type = cuda::workspace::storage;

group_input keys_of(const engine::batch& of) {
  group_job job;
  set_keys(job.in, of.keys.data, of.keys.stride, of.keys.type);
  job.in.n = of.keys.n, job.in.groups = static_cast<unsigned>(of.keys.groups);
  job.in.skips_out_of_range = of.keys.skips_out_of_range;
  set_input_layout(job, false);
  return job.in;
}

row_groups rows_of(const engine::batch& of) {
  const engine::plan& each = of.each;
  row_groups in;
  in.data = static_cast<const char*>(of.column_at(0).a), in.row_stride = each.a.stride, in.type = each.a.type;
  in.log2_parts = core::parts_of(each.a.type) - 1;
  in.groups = static_cast<unsigned>(of.keys.groups), in.columns = static_cast<unsigned>(of.column_count);
  const auto width = static_cast<unsigned>(columns_of_row_thread(size_of(each.a.type)));
  in.lanes = (in.columns + width - 1) / width;
  if (in.lanes > 1) in.by_lanes = fixed_divisor(in.lanes);
  in.lanes_of_tile = std::min(std::bit_ceil(in.lanes), 32U);
  in.tiles = (in.lanes + in.lanes_of_tile - 1) / in.lanes_of_tile;
  in.axes.count = 1, in.axes.axis[0].a = each.a.stride, in.axes.axis[0].b = each.b.stride;
  if (each.info().inputs == 2) in.weights = to_any_operand(each.b);
  return in;
}

row_results results_of(const storage_type& storage, const engine::batch& of, bool waits) {
  row_results out;
  const auto bytes = static_cast<std::ptrdiff_t>(size_of(of.each.result_type));
  out.first = of.column_at(0).out, out.next_group = of.out_stride, out.next_column = of.columns[0].out;
  out.rule = of.each.result, out.status = storage.status;
  out.adds = of.adds_to_results, out.only_if_all_right = waits || out.adds;
  if (out.next_column == bytes) out.packed_bytes = static_cast<int>(bytes);
  return out;
}

}  // namespace

void run_row_groups(storage_type& storage, const engine::batch& of, bool waits) {
  const engine::plan& each = of.each;
  const group_input keys = keys_of(of);
  row_groups in = rows_of(of);
  row_sizes sizes;
  sizes.n = of.keys.n, sizes.groups = of.keys.groups, sizes.columns = of.column_count, sizes.tiles = in.tiles;
  sizes.sums = each.info().needs_squares() ? 2 : 1;
  sizes.bytes_of_sort = sizes.n == 0 ? 0 : cuda::bytes_to_sort_rows(keys);
  std::size_t cleared = 0;
  const std::size_t bytes = place_rows(sizes, nullptr, in.to, cleared);
  void* const memory = storage.group_memory.at_least(bytes, storage.stream);
  static_cast<void>(place_rows(sizes, memory, in.to, cleared));
  cuda::check(cudaMemsetAsync(memory, 0, cleared, storage.stream), "clearing the memory of rows by keys");
  cuda::launch_row_sort(storage, keys, in.to, sizes.bytes_of_sort);
  in.axes.list = in.to.rows[0];
  const row_results out = results_of(storage, of, waits);
  const auto launch =
      each.carrier == element_type::float32 ? &cuda::launch_row_groups<float> : &cuda::launch_row_groups<double>;
  launch(storage, each.term_info(), each.info().needs_squares(), in, sizes.n, out, request_of(each));
  if (waits) require_all_right(storage, of, &in.to.status->of_keys);
}

}  // namespace exactdot::inline v0_3::cuda_engine
