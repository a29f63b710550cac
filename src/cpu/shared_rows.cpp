// Implementation of shared_rows.hpp.
#include <algorithm>
#include <cpu/levels.hpp>
#include <cpu/panel_sums.hpp>
#include <cpu/shared_rows.hpp>

namespace exactdot::inline v0_3::cpu_engine {
namespace {

/// The vector of rows that are only added, as long as a block of the kernels; of longer rows a call for each takes
/// little more than its elements.
constexpr std::size_t longest_sum = 2048;
template <class T>
constexpr auto ones = [] {
  std::array<T, longest_sum> all{};
  all.fill(1);
  return all;
}();

/// Whether the results are sums of elements as they are, or their means. Few elements often add up to ties, which
/// compensated sums decide.
bool adds_elements(const engine::plan& each) {
  const std::size_t shortest = each.carrier == element_type::float32 ? 32 : 16;  // shorter ones take longer so
  const core::term_info& term = core::term_at(each.term);
  return term.inputs == 1 && term.factors == 1 && !term.absolute && !each.info().needs_squares() &&
         each.n >= shortest && each.n <= longest_sum;
}

/// The term that the kernels compute.
std::size_t term_of_rows(const engine::plan& each) {
  return adds_elements(each) ? core::term_index<core::product> : each.term;
}

/// From how many bytes of rows on these are prefetched; below it costs more than it saves (docs/experiments.md).
constexpr std::size_t far_bytes = std::size_t{1} << 24;

/// One of so many rows may be open before the next ones are not taken: a short one has its neighbours computed
/// again with it, in panels.
constexpr std::size_t max_open_short = 8, max_open_long = 4;

bool are_many(std::size_t open, std::size_t count, std::size_t n) {
  return open > count / (n <= panel_sums::short_row ? max_open_short : max_open_long);
}

}  // namespace

shared_rows::shared_rows(const batch& of)
    : of_(of),
      kernels_(current_kernels(of.each.carrier, term_of_rows(of.each))),
      room_(std::min(max_rows, (of.results.back().n + row_bounds::max_group - 1) / row_bounds::max_group *
                                   row_bounds::max_group)),
      is_far_(of.elements > far_bytes / size_of(of.each.carrier)),
      memory_(std::make_unique<double[]>(4 * room_)) {}

bool shared_rows::suits(const batch& of) {
  const engine::plan& each = of.each;
  if (of.states != nullptr || !of.is_grid() || of.results.empty()) return false;
  if (each.n == 0 || each.info().is_extremum) return false;
  const bool adds = adds_elements(each);
  if (!adds && each.info().inputs != 2) return false;
  if (current_kernels(each.carrier, term_of_rows(each)).bounded_rows == nullptr) return false;
  const bool is_mean = adds && each.result.finish() == core::finish::quotient;
  const bool rounds = (each.result.finish() == core::finish::round || is_mean) &&
                      (each.result.gives<double>() || each.result.gives<float>());
  const engine::shared_axis& axis = of.results.back();
  const bool one_is_shared = adds ? axis.a != 0 : (axis.a == 0) != (axis.b == 0);
  return rounds && one_is_shared && each.mode == mode::exact && each.contiguous && each.bounded_sum_can_decide;
}

std::size_t shared_rows::rows_at_a_time(const batch& of) {
  constexpr std::size_t bytes = 1 << 20;  // a row that is open is read again from the cache
  const std::size_t rows = bytes / size_of(of.each.carrier) / of.each.n;
  return std::clamp<std::size_t>(rows, row_bounds::max_group, max_rows) / row_bounds::max_group *
         row_bounds::max_group;
}

bool shared_rows::reduce(std::size_t index, const line& first, std::size_t count, result_sink& sink) noexcept {
  const engine::shared_axis& axis = of_.results.back();
  if (adds_elements(of_.each)) {
    const bool is_float = of_.each.carrier == element_type::float32;
    const void* const vector = is_float ? static_cast<const void*>(ones<float>.data()) : ones<double>.data();
    kernels_.bounded_rows(first.a, axis.a, count, vector, first.n, is_far_, bounds());
  } else if (axis.b == 0) {
    kernels_.bounded_rows(first.a, axis.a, count, first.b, first.n, is_far_, bounds());
  } else {
    kernels_.bounded_rows(first.b, axis.b, count, first.a, first.n, is_far_, bounds());
  }
  std::fill_n(is_open_.begin(), count, false);
  const auto decide = [&](char* to) {
    return current_instruction_set().decide_sums({of_.each.result, first.n}, bounds(), count, to, is_open_.data());
  };
  const bool any_open = sink.take_decided(index, first.out, axis.out, count, is_open_.data(), decide);
  if (!any_open) return true;
  const auto open = static_cast<std::size_t>(std::count(is_open_.begin(), is_open_.begin() + count, true));
  if (are_many(open, count, of_.each.n)) skipped_ = 15;
  return false;
}

bool reduce_short_rows(const short_rows& of) noexcept {
  constexpr std::size_t at_once = 64, room = at_once + row_bounds::max_group;
  const kernels& kernels = current_kernels(of.carrier, of.term);
  if (kernels.bounded_rows == nullptr) return false;
  const instruction_set& set = current_instruction_set();
  const asked_results asked({core::finish::round, core::format_of(of.result)}, of.n);
  const std::size_t size = size_of(of.result);
  alignas(64) double memory[4 * room];
  const row_bounds bounds{{memory, memory + room, memory + 2 * room}, memory + 3 * room};
  for (std::size_t done = 0; done < of.count; done += at_once) {
    const std::size_t count = std::min(at_once, of.count - done);
    const char* const first = static_cast<const char*>(of.a) + static_cast<std::ptrdiff_t>(done) * of.step;
    char* const out = static_cast<char*>(of.out) + done * size;
    kernels.bounded_rows(first, of.step, count, of.b, of.n, false, bounds);
    bool is_open[at_once] = {};
    if (!set.decide_sums(asked, bounds, count, out, is_open)) continue;
    if (are_many(static_cast<std::size_t>(std::count(is_open, is_open + count, true)), count, of.n)) return false;
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_open[i]) continue;
      const std::uint64_t word = reduce_short(kernels, core::finish::round, of.carrier, of.result,
                                              first + static_cast<std::ptrdiff_t>(i) * of.step, of.b, of.n);
      std::memcpy(out + i * size, &word, size);  // the low bytes come first
    }
  }
  return true;
}

}  // namespace exactdot::inline v0_3::cpu_engine
