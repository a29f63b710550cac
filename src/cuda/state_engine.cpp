// States of arrays in a GPU's memory: which lines and segments a launch takes, and where their sums go; groups:
// group_state_engine.cpp.
//
// One result axis, the last of the batch, is the lines of a launch; further ones, which nearly no array has after
// its axes have been simplified, are a launch each. Of variances there are two launches, of values and of squares.
#include <cuda/batch_axes.hpp>
#include <cuda/input_choice.hpp>
#include <cuda/launch.hpp>
#include <cuda/launch_line_states.hpp>
#include <cuda/line_engine.hpp>
#include <cuda/operands_of.hpp>
#include <cuda/state_engine.hpp>
#include <exactdot/cuda/batch_states.hpp>
#include <plan/state_request.hpp>
#include <utility>
#include <vector>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

using cuda::launch_any_line_states;
using cuda::launch_line_states;
using cuda::launch_segment_states;
using cuda::workspace;
using engine::batch;

/// The elements between two positions.
template <class T>
std::ptrdiff_t elements_of_stride(std::ptrdiff_t bytes) {
  return bytes / static_cast<std::ptrdiff_t>(sizeof(T));
}

/// Whether kernels read the elements as they are.
bool has_native_elements(const engine::plan& each) {
  return each.a.type == each.carrier && each.b.type == each.carrier && !each.a.swapped && !each.b.swapped;
}

/// One launch of the lines from `first` on along the axis `lines`.
template <class T>
void launch_state_sums(const workspace::storage& storage, const batch& of, std::size_t term,
                       const engine::line& first, const engine::shared_axis& lines, const line_states& to) {
  const engine::plan& each = of.each;
  if (has_native_elements(each) && !has_element_axes(of)) {
    line_operands<T> in;
    in.first = {static_cast<const T*>(first.a), static_cast<const T*>(first.b),
                elements_of_stride<T>(each.a.stride), elements_of_stride<T>(each.b.stride), each.n};
    in.count = lines.n, in.next_a = elements_of_stride<T>(lines.a), in.next_b = elements_of_stride<T>(lines.b);
    return launch_line_states<T>(storage, term, in, to);
  }
  line_operands<T, input_layout::any> in;
  in.first = any_operands_of<T>(each, core::term_at(term));
  in.first.a.data = static_cast<const char*>(first.a), in.first.b.data = static_cast<const char*>(first.b);
  in.count = lines.n, in.next_a = lines.a, in.next_b = lines.b, in.axes = element_axes_of(of);
  launch_any_line_states<T>(storage, term, in, to);
}

/// One launch of all segments.
template <class T>
void launch_segment_sums(const workspace::storage& storage, const batch& of, std::size_t term,
                         const line_states& to) {
  const engine::plan& each = of.each;
  const auto fill = [&](auto& source) {
    source.lines.count = of.count, source.length = each.n;
    source.offsets = offsets_of(of.offsets);
  };
  if (has_native_elements(each)) {
    line_source<T, input_layout::strided> in;
    in.lines.first = {static_cast<const T*>(each.a.data), static_cast<const T*>(each.b.data),
                      elements_of_stride<T>(each.a.stride), elements_of_stride<T>(each.b.stride), each.n};
    fill(in);
    return launch_segment_states<T>(storage, term, in, to);
  }
  line_source<T, input_layout::any> in;
  in.lines.first = any_operands_of<T>(each, core::term_at(term));
  fill(in);
  launch_segment_states<T>(storage, term, in, to);
}

/// Calls launch(term, to) for each sum of the states that begin at `first` and are `next` words apart.
template <class Launch>
void for_each_sum(const batch& of, char* first, std::ptrdiff_t next, const Launch& launch) {
  const engine::stored_state& states = *of.states;
  for (int sum = 0; sum < of.each.info().sums; ++sum) {
    const auto& [layout, first_word] = states.of[static_cast<std::size_t>(sum)];
    line_states to;
    to.first = reinterpret_cast<std::int64_t*>(first) + first_word;
    to.next = next;
    to.layout = layout, to.counts = states.counts;
    if (sum == 0) to.to_count = -states.counts_elements;
    to.elements = static_cast<std::int64_t>(of.each.n);
    launch(of.each.term_of(sum), to);
  }
}

void enqueue_line_states(const workspace::storage& storage, const batch& of) {
  const engine::shared_axis lines = of.results.empty() ? engine::shared_axis{1, 0, 0, 0, 0} : of.results.back();
  for (std::size_t i = 0; i < of.count; i += lines.n) {
    const engine::line first = of.line_at(i);
    const std::ptrdiff_t next = elements_of_stride<std::int64_t>(lines.out);
    for_each_sum(of, first.out, next, [&](std::size_t term, const line_states& to) {
      with_carrier(of.each.carrier, [&]<class T>(T) { launch_state_sums<T>(storage, of, term, first, lines, to); });
    });
  }
}

void enqueue_segment_states(const workspace::storage& storage, const batch& of) {
  const std::ptrdiff_t next = elements_of_stride<std::int64_t>(of.out_stride);
  for_each_sum(of, of.out, next, [&](std::size_t term, const line_states& to) {
    with_carrier(of.each.carrier, [&]<class T>(T) { launch_segment_sums<T>(storage, of, term, to); });
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
