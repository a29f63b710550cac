// Launches of the kernels of segments (shape/segments.cuh) and of the kernels of long lines that follow
// (shape/split_lines.cuh), for tests that compare their results with the vector call of the CPU.
#pragma once

#include <cuda/shape/columns.cuh>
#include <cuda/shape/segments.cuh>
#include <cuda/work/moments.cuh>
#include <cuda/work/sum.cuh>

#include "oracle/cases.hpp"
#include "oracle/generators.hpp"
#include "row_launch.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Segments of two vectors.
template <class T>
struct stretches {
  std::vector<T> a, b;
  std::vector<std::uint64_t> offsets = {0};

  [[nodiscard]] std::size_t count() const { return offsets.size() - 1; }
  [[nodiscard]] std::uint64_t length_of(std::size_t i) const { return offsets[i + 1] - offsets[i]; }
  [[nodiscard]] any_vector segment(const std::vector<T>& of, std::size_t i) const {
    return {of.data() + offsets[i], length_of(i), type_of<T>, sizeof(T)};
  }
};

/// How segments are launched: small limits, so that few elements are a long segment.
struct segment_launch {
  std::uint64_t long_from = 300, unit = 16, most_of_warp = ~std::uint64_t{0};
  unsigned of_warp = 32, blocks = 2, split_blocks = 3, open_blocks = 2;
  element_type offset_type = element_type::int64;
  std::ptrdiff_t stride = 1;  ///< of layout any, in elements
  bound_choice bound = {};
  unsigned arrived = 0;                 ///< sabotage: partial sums that are said to have come
  unsigned left_out = 0;                ///< sabotage: long segments that are taken from the list
  wide_unsigned listed = 0;             ///< segments that are said to be in the list already
  bool follows = true;                  ///< the kernels of long lines do
  std::uint64_t n = ~std::uint64_t{0};  ///< of the vector, if not its size
  std::int64_t ddof = 0;
};

inline void scale(line_bounds& bounds, const bound_choice& choice) {
  for (error_bound* const each : {&bounds.of_sum, &bounds.of_squares}) {
    each->factor *= choice.factor, each->floor *= choice.floor;
  }
}

template <class T>
line_state* cleared(gpu::buffer<line_state>& state) {
  state.fill_zero();
  return state.data();
}

/// What kernels of segments leave behind.
struct segment_results {
  std::vector<std::uint64_t> words;
  wide_unsigned bad_segment = 0;
  line_state state;
};

/// The vectors in device memory, and segments of them as kernels read them.
template <class T, input_layout layout>
class placed_segments {
 public:
  placed_segments(gpu::stream& stream, const stretches<T>& of, const segment_launch& how, bool two,
                  std::size_t skew_a, std::size_t skew_b)
      : a_(stream, of.a.size() * step(how) + skew_a + 4),
        b_(stream, of.b.size() * step(how) + skew_b + 4),
        offsets_(stream, 8 * of.offsets.size()) {
    copy_input(a_, spread(of.a, step(how)), skew_a), copy_input(b_, spread(of.b, step(how)), skew_b);
    std::vector<unsigned char> bytes(offsets_.size());
    const std::size_t size = size_of(how.offset_type);
    for (std::size_t i = 0; i < of.offsets.size(); ++i) std::memcpy(&bytes[i * size], &of.offsets[i], size);
    offsets_.copy_from(bytes.data(), bytes.size());
    source.offsets = {reinterpret_cast<const char*>(offsets_.data()), static_cast<std::ptrdiff_t>(size), size == 8,
                      is_signed(how.offset_type)};
    source.lines.count = of.count();
    source.length = how.n == ~std::uint64_t{0} ? of.a.size() : how.n;
    auto& first = source.lines.first;
    if constexpr (layout == input_layout::any) {
      const auto stride = how.stride * static_cast<std::ptrdiff_t>(sizeof(T));
      first.a = {reinterpret_cast<const char*>(a_.data() + skew_a), stride, type_of<T>, false};
      first.b = first.a;
      if (two) first.b = {reinterpret_cast<const char*>(b_.data() + skew_b), stride, type_of<T>, false};
    } else {
      first.a = a_.data() + skew_a;
      first.b = two ? b_.data() + skew_b : nullptr;
    }
  }
  line_source<T, layout> source;

 private:
  static std::size_t step(const segment_launch& how) {
    return layout == input_layout::any ? static_cast<std::size_t>(how.stride) : 1;
  }
  static std::vector<T> spread(const std::vector<T>& x, std::size_t step) {
    std::vector<T> made(x.size() * step, T(NAN));
    for (std::size_t i = 0; i < x.size(); ++i) made[i * step] = x[i];
    return made;
  }
  gpu::buffer<T> a_, b_;
  gpu::buffer<unsigned char> offsets_;
};

constexpr std::uint64_t word_of_nothing = 0x11, word_of_bad = 0x22;

template <class Kind, input_layout layout>
void enqueue_split(gpu::stream& stream, const line_source<typename Kind::carrier, layout>& in, split_plan plan,
                   const line_results& to, const line_request& asked, line_state* state, unsigned split_blocks,
                   unsigned open_blocks) {
  constexpr int threads = 64;
  constexpr auto split = split_line_kernel<Kind, layout, threads, 4, 1>;
  gpu::launch(split, split_blocks, threads, 0, stream, in, plan, to, asked, state);
  constexpr auto open = open_line_kernel<Kind, layout, threads>;
  gpu::launch(open, open_blocks, threads, 0, stream, in, to, asked, state);
}

/// All results. The bits of each, and what is left in device memory.
template <class Kind, input_layout layout, class T>
segment_results run_segments(const stretches<T>& of, core::result_rule rule, const segment_launch& how,
                             unsigned seed, bool two = false, std::size_t skew_a = 0, std::size_t skew_b = 0) {
  launcher on(seed, how.arrived == 0);
  const placed_segments<T, layout> placed(on.stream(), of, how, two, skew_a, skew_b);
  gpu::buffer<line_state> state(on.stream(), 1);
  gpu::buffer<wide_unsigned> bad(on.stream(), 1);
  bad.fill_zero();
  segment_results found;
  const line_request asked{static_cast<std::uint64_t>(how.ddof), word_of_nothing, word_of_bad};
  const line_source<T, layout>& in = placed.source;
  const auto read = [&] { state.copy_to(&found.state, 1); };
  const auto write = [&] { state.copy_from(&found.state, 1); };
  state.fill_zero(), read();
  found.state.listed = how.listed;
  write();
  found.words = on.results(of.count(), 0, rule, [&](const line_results& to) {
    split_plan plan;
    plan.is_listed = true, plan.unit = how.unit, plan.long_from = how.long_from;
    plan.most_of_warp = how.most_of_warp, plan.of_warp = how.of_warp;
    segment_bounds bounds = bounds_of_segments<Kind, layout>(how.long_from, 0);
    for (line_bounds* const each : {&bounds.of_lane, &bounds.of_group, &bounds.of_warp}) scale(*each, how.bound);
    constexpr int threads = 64;
    constexpr auto kernel = segment_kernel<Kind, layout, threads, 1>;
    gpu::launch(kernel, how.blocks, threads, 0, on.stream(), in, plan, bounds, to, asked, state.data(), bad.data());
    if (!how.follows) return;
    if (how.arrived != 0 || how.left_out != 0) {
      read();
      found.state.listed -= how.left_out;
      for (unsigned& each : found.state.arrived) each = how.arrived;
      write();
    }
    enqueue_split<Kind, layout>(on.stream(), in, plan, to, asked, state.data(), how.split_blocks, how.open_blocks);
  });
  bad.copy_to(&found.bad_segment, 1);
  read();
  return found;
}

template <class T>
std::uint64_t expected(const stretches<T>& of, reduction what, element_type type, std::size_t i,
                       std::int64_t ddof = 0) {
  const options options{.device = device::cpu};
  const any_vector a = of.segment(of.a, i), b = of.segment(of.b, i);
  if (what == reduction::dot) return exactdot::dot(a, b, type, options).bits;
  return exactdot::reduce(what, a, type, options, ddof).bits;
}

/// Compares all results with vector calls.
template <class Kind, input_layout layout = input_layout::contiguous, class T>
void expect_segments(const stretches<T>& of, reduction what, element_type type, const segment_launch& how,
                     unsigned seed, const std::string& name) {
  const core::result_rule rule(core::info_of(what).finish, core::format_of(type));
  const std::size_t skew_a = seed % 4, skew_b = seed / 4 % 3 == 0 ? seed / 12 % 4 : skew_a;
  const segment_results found =
      run_segments<Kind, layout>(of, rule, how, seed, what == reduction::dot, skew_a, skew_b);
  ASSERT_EQ(found.bad_segment, 0U);
  ASSERT_EQ(found.state.listed, 0U);
  ASSERT_EQ(found.state.listed_for_balance, 0U);
  ASSERT_EQ(found.state.open_count, 0U);
  ASSERT_EQ(found.state.finished, 0U);
  for (const unsigned each : found.state.arrived) ASSERT_EQ(each, 0U);
  for (const unsigned each : found.state.open_arrived) ASSERT_EQ(each, 0U);
  for (std::size_t i = 0; i < of.count(); ++i) {
    const bool is_empty = of.length_of(i) == 0;
    ASSERT_EQ(found.words[i], is_empty ? word_of_nothing : expected(of, what, type, i, how.ddof))
        << name << ": " << name_of(what) << " to " << name_of(type) << " of segment " << i << " of " << of.count()
        << ", " << of.length_of(i) << " elements, seed " << seed;
  }
}

/// Segments of these lengths, at least, each of the next kind of data.
template <class T>
stretches<T> stretches_of(oracle::rng& random, const std::vector<std::size_t>& lengths, std::size_t first_kind,
                          std::size_t gap = 0) {
  const auto all = oracle::generators<T>();
  stretches<T> made;
  made.a.assign(gap, T(NAN)), made.b = made.a;
  made.offsets = {gap};
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] != 0) {
      const auto data = all[(first_kind + i) % all.size()].make(random, lengths[i]);
      made.a.insert(made.a.end(), data.a.begin(), data.a.end());
      made.b.insert(made.b.end(), data.b.begin(), data.b.end());
    }
    made.offsets.push_back(made.a.size());
  }
  return made;
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
