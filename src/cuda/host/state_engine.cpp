// States of arrays in a GPU's memory: which lines and segments a launch takes, and where their sums go; groups:
// group_state_engine.cpp.
//
// One result axis, the last of the batch, is the lines of a launch; further ones, which nearly no array has after
// its axes have been simplified, are a launch each. Of variances there are two launches, of values and of squares.
#include <cuda/host/engines.hpp>
#include <cuda/host/operands.hpp>
#include <exactdot/cuda/batch_states.hpp>
#include <plan/state_request.hpp>
#include <utility>
#include <vector>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

using cuda::workspace;
using engine::batch;

/// One launch of the lines from `first` on along the axis `lines`, or of all segments.
void launch_sums(const workspace::storage& storage, const batch& of, std::size_t term, const engine::line& first,
                 const engine::shared_axis& lines, const line_states& to) {
  const core::term_info& added = core::term_at(term);
  const route chosen = route_of(describe_states(of, lines, added, storage.multiprocessors));
  with_carrier(of.each.carrier, [&]<class T>(T) {
    with_layout(chosen.layout, [&]<input_layout layout>(std::integral_constant<input_layout, layout>) {
      if constexpr (layout == input_layout::strided || layout == input_layout::any) {
        cuda::launch_states<T, layout>(storage, chosen.by, term, source_of<T, layout>(of, first, lines, added), to);
      }
    });
  });
}

/// Calls launch(term, to) for each sum of the states that begin at `first` and are `next` bytes apart.
template <class Launch>
void for_each_sum(const batch& of, char* first, std::ptrdiff_t next, const Launch& launch) {
  const engine::stored_state& states = *of.states;
  for (int sum = 0; sum < of.each.info().sums; ++sum) {
    const auto& [layout, first_word] = states.of[static_cast<std::size_t>(sum)];
    line_states to;
    to.first = reinterpret_cast<std::int64_t*>(first) + first_word;
    to.next = next / static_cast<std::ptrdiff_t>(sizeof(std::int64_t));
    to.layout = layout, to.counts = states.counts;
    if (sum == 0) to.to_count = -states.counts_elements;
    to.elements = static_cast<std::int64_t>(of.each.n);
    launch(of.each.term_of(sum), to);
  }
}

void enqueue_line_states(const workspace::storage& storage, const batch& of) {
  const engine::shared_axis lines = of.results.empty() ? one_line : of.results.back();
  for (std::size_t i = 0; i < of.count; i += lines.n) {
    const engine::line first = of.line_at(i);
    for_each_sum(of, first.out, lines.out, [&](std::size_t term, const line_states& to) {
      launch_sums(storage, of, term, first, lines, to);
    });
  }
}

void enqueue_segment_states(const workspace::storage& storage, const batch& of) {
  const engine::plan& each = of.each;
  for_each_sum(of, of.out, of.out_stride, [&](std::size_t term, const line_states& to) {
    launch_sums(storage, of, term, {each.a.data, each.b.data, each.n, of.out}, {of.count, 0, 0, 0, 0}, to);
  });
}

}  // namespace

void enqueue_states(workspace::storage& storage, const batch& of) {
  if (of.count == 0) return;
  if (of.has_keys()) return add_group_states(storage, of, false);
  if (of.offsets.data != nullptr) return enqueue_segment_states(storage, of);
  enqueue_line_states(storage, of);
}

void add_states(workspace::storage& storage, const batch& of) {
  if (of.has_keys()) return add_group_states(storage, of, true);
  if (of.offsets.data != nullptr) require_valid_offsets(storage, of);
  enqueue_states(storage, of);
}

}  // namespace exactdot::inline v0_3::cuda_engine

namespace exactdot::inline v0_3::cuda {
namespace {

/// Enqueues the batch that make(request) returns, of so many elements at most. `axes`: of the results.
template <class Make>
void enqueue_batch_states(workspace& on, const state_format& of, element_type second, std::vector<axis> axes,
                          std::int64_t* words, std::size_t max_elements, const Make& make) {
  constexpr const char* caller = "cuda";
  workspace::storage& storage = on.library_storage();
  const workspace_lock lock(storage);
  require_device(storage);
  engine::require_one_type(of, second, caller);
  exactdot::options placed;
  placed.device = device::cuda, placed.device_index = storage.device;
  std::size_t count = of.words();
  for (const axis& each : axes) {
    if (__builtin_mul_overflow(count, each.n, &count)) count = ~std::size_t{0};  // refused by the request
  }
  const engine::states_request request(of, std::move(axes), {words, count}, placed, caller);
  const engine::batch made = make(request);
  if (max_elements > ~std::size_t{0} >> 1) {
    engine::throw_error(errc::headroom, caller, "more than 2^63 - 1 elements");
  }
  cuda_engine::enqueue_states(storage, made);
}

std::vector<axis> axes_of(std::span<const axis> axes) { return {axes.begin(), axes.end()}; }

}  // namespace

void detail::add_grid_states(workspace& on, const state_format& of, const any_grid& a, const any_grid& b,
                             std::int64_t* words) {
  std::size_t n = 1;
  for (const axis& each : a.elements) {
    if (__builtin_mul_overflow(n, each.n, &n)) n = ~std::size_t{0};
  }
  enqueue_batch_states(on, of, b.type, axes_of(a.results), words, n, [&](const engine::states_request& request) {
    return engine::make_grid_batch(request.asked, a, b, request.options);
  });
}

void detail::add_segment_states(workspace& on, const state_format& of, const any_vector& a, const any_vector& b,
                                const any_offsets& offsets, std::int64_t* words) {
  enqueue_batch_states(on, of, b.type, {{offsets.count, 0}}, words, a.n,
                       [&](const engine::states_request& request) {
                         return engine::make_segment_batch(request.asked, a, b, offsets, request.options);
                       });
}

void detail::add_group_states(workspace& on, const state_format& of, const any_grid& a, const any_grid& b,
                              const any_keys& keys, std::int64_t* words) {
  std::vector<axis> axes = axes_of(a.results);
  axes.insert(axes.begin(), {keys.groups, 0});
  enqueue_batch_states(on, of, b.type, std::move(axes), words, keys.n, [&](const engine::states_request& request) {
    return engine::make_group_batch(request.asked, a, b, keys, request.options);
  });
}

}  // namespace exactdot::inline v0_3::cuda
