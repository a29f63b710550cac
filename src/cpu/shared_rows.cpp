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

/// The term that the kernels compute: of elements that are only added, their products with 1.
std::size_t term_of_rows(const engine::plan& each) {
  static constexpr std::size_t of_products = [] {
    std::size_t term = 0;
    while (core::term_at(term).inputs != 2 || core::term_at(term).absolute) ++term;
    return term;
  }();
  return adds_elements(each) ? of_products : each.term;
}

/// From how many bytes of rows on these are prefetched; below it costs more than it saves (docs/experiments.md).
constexpr std::size_t far_bytes = std::size_t{1} << 24;

/// One of so many rows may be open before the next ones are not taken: a short one has its neighbours computed
/// again with it, in panels.
constexpr std::size_t max_open_short = 8, max_open_long = 4;

/// The longest rows whose converted elements a few fit a cache.
constexpr std::size_t max_converted = std::size_t{1} << 16;

bool are_many(std::size_t open, std::size_t count, std::size_t n) {
  return open > count / (n <= panel_sums::short_row ? max_open_short : max_open_long);
}

bool a_is_rows(const batch& of) { return of.each.info().inputs == 1 || of.results.back().b == 0; }
const engine::operand& rows_of(const batch& of) { return a_is_rows(of) ? of.each.a : of.each.b; }
const engine::operand& vectors_in(const batch& of) { return a_is_rows(of) ? of.each.b : of.each.a; }

/// A copy of the elements of an operand as the carrier, to memory that has room for it.
engine::element_copy copy_of(const batch& of, const engine::operand& x) {
  return {x, of.each.carrier, current_widening(x.type)};
}

}  // namespace

shared_rows::shared_rows(const batch& of)
    : of_(of),
      kernels_(current_kernels(of.each.carrier, term_of_rows(of.each))),
      a_is_rows_(a_is_rows(of)),
      copy_(copy_of(of, rows_of(of))),
      room_(std::min(max_rows, (of.results.back().n + row_bounds::max_group - 1) / row_bounds::max_group *
                                   row_bounds::max_group)),
      is_far_(rows_of(of).contiguous && of.elements / vectors_of(of) > far_bytes / size_of(of.each.carrier)),
      memory_(std::make_unique<double[]>(4 * room_)) {
  if (rows_of(of).contiguous) return;
  const std::size_t bytes =
      std::min(rows_at_a_time(of), of.results.back().n) * of.each.n * size_of(of.each.carrier);
  rows_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
}

bool shared_rows::suits(const batch& of) {
  const engine::plan& each = of.each;
  if (of.states != nullptr || !of.is_grid() || of.results.empty()) return false;
  if (each.n == 0 || each.info().is_extremum || each.mode != mode::exact || !each.bounded_sum_can_decide)
    return false;
  const bool adds = adds_elements(each);
  if (!adds && each.info().inputs != 2) return false;
  if (current_kernels(each.carrier, term_of_rows(each)).bounded_rows == nullptr) return false;
  const bool is_mean = adds && each.result.finish() == core::finish::quotient;
  if ((each.result.finish() != core::finish::round && !is_mean) || each.result.is_integer()) return false;
  const engine::shared_axis& axis = of.results.back();
  if (adds ? axis.a == 0 || axis.n < row_bounds::max_group : (axis.a == 0) == (axis.b == 0)) return false;
  if (each.contiguous) return each.result.gives<double>() || each.result.gives<float>();
  // what is converted is one row after the other, in place of a conversion for every product
  return vectors_of(of) > 1 && of.results.size() == 2 && of.outer_a.empty() && each.n <= max_converted;
}

std::size_t shared_rows::vectors_of(const batch& of) {
  if (of.results.size() < 2 || of.each.info().inputs == 1) return 1;
  const engine::shared_axis &rows = of.results.back(), &vectors = of.results[of.results.size() - 2];
  const bool are_shared = rows.b == 0 ? vectors.a == 0 && vectors.b != 0 : vectors.b == 0 && vectors.a != 0;
  return are_shared ? vectors.n : 1;
}

void shared_rows::order_axes(batch& of) {
  if (!of.is_grid() || of.results.size() < 2 || vectors_of(of) <= of.results.back().n) return;
  engine::shared_axis& before = of.results[of.results.size() - 2];
  std::swap(of.results.back(), before);
  if (!suits(of)) std::swap(of.results.back(), before);
}

std::size_t shared_rows::rows_at_a_time(const batch& of) {
  // a row that is open, or is multiplied with several vectors, is read again from the cache
  const std::size_t bytes = vectors_of(of) > 1 ? std::size_t{1} << 18 : std::size_t{1} << 20;
  const std::size_t rows = bytes / size_of(of.each.carrier) / of.each.n;
  return std::clamp<std::size_t>(rows, row_bounds::max_group, max_rows) / row_bounds::max_group *
         row_bounds::max_group;
}

void shared_rows::begin(const line& first, std::size_t count) noexcept {
  if (rows_ == nullptr) return;
  const auto* from = static_cast<const char*>(a_is_rows_ ? first.a : first.b);
  const std::ptrdiff_t step = a_is_rows_ ? of_.results.back().a : of_.results.back().b;
  const std::size_t bytes = first.n * size_of(of_.each.carrier);
  for (std::size_t r = 0; r < count; ++r, from += step) copy_(from, 0, first.n, rows_.get() + r * bytes);
}

bool shared_rows::reduce(std::size_t index, const line& first, std::size_t count, const void* vector,
                         result_sink& sink) noexcept {
  const engine::shared_axis& axis = of_.results.back();
  const void* rows = a_is_rows_ ? first.a : first.b;
  std::ptrdiff_t step = a_is_rows_ ? axis.a : axis.b;
  if (rows_ != nullptr) {
    rows = rows_.get(), step = static_cast<std::ptrdiff_t>(first.n * size_of(of_.each.carrier));
  }
  if (adds_elements(of_.each)) {
    const bool is_float = of_.each.carrier == element_type::float32;
    vector = is_float ? static_cast<const void*>(ones<float>.data()) : ones<double>.data();
  } else if (vector == nullptr) {
    vector = a_is_rows_ ? first.b : first.a;
  }
  kernels_.bounded_rows(rows, step, count, vector, first.n, is_far_, bounds());
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

converted_vectors::converted_vectors(const batch& of, std::size_t first, std::size_t count)
    : bytes_(of.each.n * size_of(of.each.carrier)) {
  const engine::operand& x = vectors_in(of);
  if (x.contiguous) return;
  copies_ = std::make_unique_for_overwrite<std::byte[]>(count * bytes_);
  const engine::shared_axis& axis = of.results[of.results.size() - 2];
  const std::ptrdiff_t step = a_is_rows(of) ? axis.b : axis.a;
  engine::element_copy copy = copy_of(of, x);
  for (std::size_t v = 0; v < count; ++v) {
    const auto* const from = static_cast<const char*>(x.data) + static_cast<std::ptrdiff_t>(first + v) * step;
    copy(from, 0, of.each.n, copies_.get() + v * bytes_);
  }
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
