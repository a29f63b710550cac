// The functions behind exactdot/states.hpp that add states of many vectors to words.
//
// The engine of batches, on a CPU or a GPU, computes the canonical words of each result and adds them to the
// caller's. Every check is made before the first word is written.
#include <cpu/batch.hpp>
#include <cpu/environment.hpp>
#include <exactdot/states.hpp>
#include <plan/gpu_engine.hpp>
#include <plan/state_request.hpp>
#include <run/for_states.hpp>
#include <utility>

namespace exactdot::inline v0_3::detail {
namespace {

using engine::stored_state;
using engine::throw_error;

/// Adds the batch, which has been checked but for the states that its sums are added to.
void add(engine::batch&& batch, state_span words, std::size_t max_elements, const char* caller) {
  if (max_elements > ~std::size_t{0} >> 1) throw_error(errc::headroom, caller, "more than 2^63 - 1 elements");
  // a GPU's kernels add without a check of the words
  if (batch.each.on_gpu) return engine::registered_gpu_engine.load(std::memory_order_acquire)->reduce_batch(batch);
  const stored_state& of = *batch.states;
  engine::for_states(batch.count, caller, [&](std::size_t i) {
    engine::check_state(caller, of, &words[i * static_cast<std::size_t>(of.words)], 1, max_elements);
  });
  const cpu_engine::standard_arithmetic environment;
  cpu_engine::reduce(std::move(batch));
}

std::vector<axis> axes_of(std::span<const axis> axes) { return {axes.begin(), axes.end()}; }

}  // namespace

void add_grid_states(const state_format& of, const any_grid& a, const any_grid& b, state_span words,
                     const options& options, const char* caller) {
  engine::require_one_type(of, b.type, caller);
  const engine::states_request request(of, axes_of(a.results), words, options, caller);
  engine::batch batch = engine::make_grid_batch(request.asked, a, b, request.options);
  const std::size_t n = batch.each.n;
  add(std::move(batch), words, n, caller);
}

void add_segment_states(const state_format& of, const any_vector& a, const any_vector& b,
                        const any_offsets& offsets, state_span words, const options& options, const char* caller) {
  engine::require_one_type(of, b.type, caller);
  const engine::states_request request(of, {{offsets.count, 0}}, words, options, caller);
  engine::batch batch = engine::make_segment_batch(request.asked, a, b, offsets, request.options);
  add(std::move(batch), words, a.n, caller);
}

void add_group_states(const state_format& of, const any_grid& a, const any_grid& b, const any_keys& keys,
                      state_span words, const options& options, const char* caller) {
  engine::require_one_type(of, b.type, caller);
  std::vector<axis> axes = axes_of(a.results);
  axes.insert(axes.begin(), {keys.groups, 0});
  const engine::states_request request(of, std::move(axes), words, options, caller);
  engine::batch batch = engine::make_group_batch(request.asked, a, b, keys, request.options);
  add(std::move(batch), words, keys.n, caller);
}

}  // namespace exactdot::inline v0_3::detail
