// States of groups in a GPU's memory: memory, and the launches of group/states.cuh.
//
// Memory of a call: the accumulators of as many groups as fit into 1/8 of the input (or 32 MiB), and of 1/64 of all
// at least; further groups are further passes over the input. A call that waits looks at the keys first.
#include <algorithm>
#include <cuda/host/engines.hpp>
#include <cuda/host/launch.hpp>
#include <cuda/host/operands.hpp>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

using storage_type = cuda::workspace::storage;

group_input input_of(const engine::batch& of, const engine::line& data) {
  const engine::plan& each = of.each;
  group_input in;
  in.a = to_any_operand(each.a), in.b = to_any_operand(each.b);
  in.a.data = static_cast<const char*>(data.a), in.b.data = static_cast<const char*>(data.b);
  set_keys(in, of.keys.data, of.keys.stride, of.keys.type);
  in.n = of.keys.n, in.groups = static_cast<unsigned>(of.keys.groups);
  set_terms(in, each.what);
  in.skips_out_of_range = of.keys.skips_out_of_range;
  return in;
}

/// Groups of a pass.
std::size_t room_of(const engine::batch& of, const group_state_pass& pass) {
  constexpr std::size_t small = std::size_t{32} << 20, max_passes = 64;
  const std::size_t fitting = std::max(bytes_of_input(of) / 8, small) / (8 * std::size_t{pass.words});
  const std::size_t least = (of.keys.groups + max_passes - 1) / max_passes;
  return std::min(std::max(fitting, least), of.keys.groups);
}

/// Throws for a key out of range.
void require_valid_keys(const storage_type& storage, const engine::batch& of) {
  if (of.keys.skips_out_of_range || of.keys.n == 0) return;
  if (of.keys.groups == 0) refuse_key(storage, of, 0);
  wide_unsigned* const note = storage.group_errors;
  cuda::launch_key_check(storage, input_of(of, of.column_at(0)), note);
  wide_unsigned found = 0;
  cuda::check(cudaMemcpyAsync(&found, note, sizeof found, cudaMemcpyDeviceToHost, storage.stream),
              "fetching the check of keys");
  cuda::check(cudaStreamSynchronize(storage.stream), "waiting for the check of keys");
  if (found == 0) return;
  cuda::check(cudaMemsetAsync(note, 0, sizeof found, storage.stream), "clearing the check of keys");
  refuse_key(storage, of, ~found);
}

}  // namespace

void add_group_states(storage_type& storage, const engine::batch& of, bool waits) {
  if (waits) require_valid_keys(storage, of);
  if (of.count == 0) return;
  const group_limits limits = limits_of(storage);
  group_state_pass pass = pass_of(of.each.what, of.each.a.type, *of.states, of.keys.groups);
  pass.next = of.out_stride / static_cast<std::ptrdiff_t>(sizeof(std::int64_t));
  const std::size_t room = room_of(of, pass), bytes = room * pass.words * sizeof(wide_unsigned);
  cuda::growing_memory& memory = storage.group_states;
  pass.accumulators = static_cast<wide_unsigned*>(memory.at_least(bytes, storage.stream));
  for (std::size_t column = 0; column < of.column_count; ++column) {
    const engine::line data = of.column_at(column);
    pass.to = reinterpret_cast<std::int64_t*>(data.out);
    cuda::launch_group_states(storage, input_of(of, data), pass, room, limits, storage.group_errors);
  }
  if (!waits) return;
  cuda::check(cudaStreamSynchronize(storage.stream), "waiting for the states of groups");
  constexpr std::size_t kept = std::size_t{64} << 20;  // of an idle workspace
  if (memory.bytes() > kept) memory.release();
}

}  // namespace exactdot::inline v0_3::cuda_engine
