// exactdot::cuda's calls with states of rows and columns: the lines of a launch and where their sums go.
//
// One result axis, the last of the batch, is the lines of a launch; further ones, which nearly no array has after
// its axes have been simplified, are a launch each. Of variances there are two launches, of values and of squares.
#include <cuda/batch_axes.hpp>
#include <cuda/input_choice.hpp>
#include <cuda/launch.hpp>
#include <cuda/launch_line_states.hpp>
#include <exactdot/cuda/batch_states.hpp>
#include <plan/state_request.hpp>
#include <vector>

namespace exactdot::cuda {
namespace {

using engine::batch;
using namespace cuda_engine;

/// The elements between two positions.
template <class T>
std::ptrdiff_t elements_of_stride(std::ptrdiff_t bytes) {
  return bytes / static_cast<std::ptrdiff_t>(sizeof(T));
}

/// One launch of the lines from `first` on along the axis `lines`.
template <class T>
void launch_state_sums(const workspace::storage& storage, const batch& of, std::size_t term,
                       const engine::line& first, const engine::shared_axis& lines, const line_states& to) {
  const engine::plan& each = of.each;
  const bool is_native = each.a.type == each.carrier && each.b.type == each.carrier && !each.a.swapped &&
                         !each.b.swapped && !has_element_axes(of);
  if (is_native) {
    line_operands<T> in;
    in.first = {static_cast<const T*>(first.a), static_cast<const T*>(first.b),
                elements_of_stride<T>(each.a.stride), elements_of_stride<T>(each.b.stride), each.n};
    in.count = lines.n, in.next_a = elements_of_stride<T>(lines.a), in.next_b = elements_of_stride<T>(lines.b);
    return launch_line_states<T>(storage, term, in, to);
  }
  line_operands<T, input_layout::any> in;
  in.first.a = to_any_operand(each.a), in.first.b = to_any_operand(each.b);
  in.first.a.data = static_cast<const char*>(first.a), in.first.b.data = static_cast<const char*>(first.b);
  in.first.log2_parts_a = core::parts_of(each.a.type) - 1;
  in.first.log2_parts_b = term == core::term_index<core::product> ? core::parts_of(each.b.type) - 1 : 0;
  in.first.n = each.n << (in.first.log2_parts_a + in.first.log2_parts_b);
  in.count = lines.n, in.next_a = lines.a, in.next_b = lines.b, in.axes = element_axes_of(of);
  launch_any_line_states<T>(storage, term, in, to);
}

/// The terms of a state's sums.
std::vector<std::size_t> terms_of_state(reduction what, const batch& of) {
  const bool has_parts = core::parts_of(of.each.a.type) > 1;
  const auto term_of = [&](reduction sum) {
    const std::size_t term = core::info_of(sum).term;
    // products of the halves of integers have two factors that differ
    return has_parts && term == core::term_index<core::square> ? core::term_index<core::product> : term;
  };
  if (core::info_of(what).needs_squares()) return {term_of(reduction::sum), term_of(reduction::sum_of_squares)};
  return {term_of(what)};
}

void enqueue_states(const workspace::storage& storage, const batch& of, reduction what) {
  if (of.count == 0) return;
  const engine::stored_state& states = *of.states;
  const engine::shared_axis lines = of.results.empty() ? engine::shared_axis{1, 0, 0, 0, 0} : of.results.back();
  const std::vector<std::size_t> terms = terms_of_state(what, of);
  for (std::size_t i = 0; i < of.count; i += lines.n) {
    const engine::line first = of.line_at(i);
    for (std::size_t sum = 0; sum < terms.size(); ++sum) {
      const auto& [layout, first_word] = states.of[sum];
      line_states to;
      to.first = reinterpret_cast<std::int64_t*>(first.out) + first_word;
      to.next = elements_of_stride<std::int64_t>(lines.out);
      to.layout = layout, to.counts = states.counts;
      if (sum == 0) to.to_count = -states.counts_elements;
      to.elements = static_cast<std::int64_t>(of.each.n);
      with_carrier(of.each.carrier,
                   [&]<class T>(T) { launch_state_sums<T>(storage, of, terms[sum], first, lines, to); });
    }
  }
}

}  // namespace

void detail::add_grid_states(workspace& on, const state_format& of, const any_grid& a, const any_grid& b,
                             std::int64_t* words) {
  constexpr const char* caller = "cuda";
  workspace::storage& storage = on.library_storage();
  const workspace_lock lock(storage);
  require_device(storage);
  engine::require_one_type(of, b.type, caller);
  exactdot::options placed;
  placed.device = device::cuda, placed.device_index = storage.device;
  std::vector<axis> axes(a.results.begin(), a.results.end());
  std::size_t count = of.words();
  for (const axis& each : axes) {
    if (__builtin_mul_overflow(count, each.n, &count)) count = ~std::size_t{0};  // refused by the request
  }
  engine::states_request request(of, std::move(axes), {words, count}, placed, caller);
  // the kernels of sums compute the two of a variance
  if (core::info_of(of.what).needs_squares()) request.asked.what = reduction::sum;
  const batch made = engine::make_grid_batch(request.asked, a, b, request.options);
  if (made.each.n > ~std::size_t{0} >> 1) {
    engine::throw_error(errc::headroom, caller, "more than 2^63 - 1 elements");
  }
  enqueue_states(storage, made, of.what);
}

}  // namespace exactdot::cuda
