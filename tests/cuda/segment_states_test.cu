// Kernels of states of segments: the words are those of the CPU's states, and rounded have the bits of the oracle;
// for every element type, term, form and layout, added to what is there; long segments shared by blocks, empty and
// tiny ones between them; offsets that are wrong. The same of rows.
//
// Sabotage: a segment taken from the list, and a block's digits left out, must give wrong words.
#include <cuda/shape/segments.cuh>
#include <cuda/shape/split_lines.cuh>
#include <cuda/work/line_states.cuh>
#include <plan/state_words.hpp>

#include "row_launch.cuh"
#include "on_gpu/state_cases.hpp"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

using segment_states = rows;
using namespace on_gpu;

/// How segments are launched: small limits, so that few elements are a long segment.
struct state_launch_plan {
  split_plan plan;
  unsigned blocks = 2, split_blocks = 3;  ///< of the latter none: no launch
  element_type offset_type = element_type::int64;
  wide_unsigned listed = 0;  ///< segments that are said to be in the list already
  unsigned left_out = 0;     ///< sabotage: long segments that are taken from the list
  int without_block = -1;    ///< sabotage: a block that is said to have added its digits, but has not
  bool by_warps = false;     ///< lines of one length: a warp for each, none is long
};

struct state_outcome {
  std::vector<std::int64_t> words;
  wide_unsigned bad_segment = 0;
  line_state left;
};

/// Memory of a launch.
struct placed_states {
  gpu::buffer<std::int64_t> words;
  gpu::buffer<line_state> state;
  gpu::buffer<wide_unsigned> bad;

  placed_states(launcher& on, const std::vector<std::int64_t>& before)
      : words(on.stream(), before.size()), state(on.stream(), 1), bad(on.stream(), 1) {
    words.copy_from(before.data(), before.size());
    state.fill_zero(), bad.fill_zero();
  }
  void set_listed(wide_unsigned segments) {
    line_state changed;
    state.copy_to(&changed, 1);
    changed.listed = segments;
    state.copy_from(&changed, 1);
  }
};

/// split_line_kernel without the digits of a block, which is certain whatever order blocks run in.
template <class T, class Term, input_layout layout, int threads>
__global__ void __launch_bounds__(threads, 1)
    kernel_without_block(const __grid_constant__ line_source<T, layout> in, const __grid_constant__ split_plan plan,
                         const __grid_constant__ line_states to, line_state* state, unsigned left_out) {
  __shared__ line_digits<T> storage;
  __shared__ bool is_last;
  begin_kernel(in.length);
  const long_lines lines(in, plan, *state);
  if (blockIdx.x != left_out && blockIdx.x < lines.shares().blocks) {
    for_each_piece(lines, plan, [&](const line_piece& piece) {
      state_of_line<T>::template add_piece<threads>(in, piece, to, core::describe_term<Term>(), *state, storage,
                                                    is_last);
    });
  }
  end_of_input(in.length);
}

/// Both kernels on one sum. `source`: of a layout.
template <class T, class Term, input_layout layout>
void add_sum(launcher& on, const line_source<T, layout>& source, const state_launch_plan& how,
             const line_states& to, placed_states& memory) {
  constexpr int threads = 64, of_split = 96;
  line_state* const state = memory.state.data();
  if (source.offsets.data != nullptr || how.by_warps) {
    gpu::launch(segment_kernel<state_of_line<T>, layout, threads, 1>, how.blocks, threads, 0, on.stream(), source,
                how.plan, segment_bounds{}, to, core::describe_term<Term>(), state, memory.bad.data());
  }
  if (how.left_out != 0 || how.without_block >= 0) {
    line_state left;
    memory.state.copy_to(&left, 1);
    left.listed -= how.left_out;
    const bool leaves_out = how.without_block >= 0 && static_cast<unsigned>(how.without_block) < how.split_blocks;
    for (unsigned& each : left.arrived) each = leaves_out ? 1 : 0;
    memory.state.copy_from(&left, 1);
  }
  if (how.split_blocks == 0) return gpu::synchronise(on.stream());
  if constexpr (std::is_same_v<T, float> && std::is_same_v<Term, core::value> && layout == input_layout::strided) {
    if (how.without_block >= 0) {
      gpu::launch(kernel_without_block<T, Term, layout, of_split>, how.split_blocks, of_split, 0, on.stream(),
                  source, how.plan, to, state, static_cast<unsigned>(how.without_block));
      return gpu::synchronise(on.stream());
    }
  }
  gpu::launch(split_line_kernel<state_of_line<T>, layout, of_split, 4, 1>, how.split_blocks, of_split, 0,
              on.stream(), source, how.plan, to, core::describe_term<Term>(), state);
  gpu::synchronise(on.stream());
}

/// The operands of a vector, or of the first of some rows, as the engine passes them.
template <class T, class Work>
void with_source(const state_elements& of, const unsigned char* a, const unsigned char* b, bool multiplies,
                 Work work) {
  if (of.type == type_of<T> && !of.swapped) {
    line_source<T, input_layout::strided> in;
    in.lines.first = {reinterpret_cast<const T*>(a), reinterpret_cast<const T*>(b), of.stride, of.stride, of.n};
    return work(in);
  }
  line_source<T, input_layout::any> in;
  in.lines.first.a = {reinterpret_cast<const char*>(a), of.stride * of.size(), of.type, of.swapped};
  in.lines.first.b = {reinterpret_cast<const char*>(b), of.stride * of.size(), of.type, of.swapped};
  in.lines.first.log2_parts_a = core::parts_of(of.type) - 1;
  in.lines.first.log2_parts_b = multiplies ? core::parts_of(of.type) - 1 : 0;
  work(in);
}

/// The launches of all sums. `prepare(source)` sets the lines.
template <class T, class Prepare>
state_outcome run(launcher& on, const state_elements& of, const state_format& format,
                  const std::vector<std::int64_t>& before, const state_launch_plan& how, std::size_t n_of_line,
                  Prepare prepare) {
  gpu::buffer<unsigned char> a(on.stream(), of.a.size()), b(on.stream(), of.b.size());
  a.copy_from(of.a.data(), of.a.size()), b.copy_from(of.b.data(), of.b.size());
  placed_states memory(on, before);
  memory.set_listed(how.listed);
  const engine::stored_state stored(format);
  const bool parts = core::parts_of(of.type) > 1, is_dot = format.what == reduction::dot;
  for (int sum = 0; sum < stored.sums; ++sum) {
    line_states to;
    to.first = memory.words.data() + stored.of[sum].first_word, to.next = stored.words;
    to.layout = stored.of[sum].layout, to.counts = stored.counts;
    to.to_count = sum == 0 ? -stored.counts_elements : 0;
    to.elements = static_cast<std::int64_t>(n_of_line);
    const bool squares = sum == 1 || core::info_of(format.what).term == core::term_index<core::square>;
    const bool multiplies = is_dot || (squares && parts);
    with_source<T>(of, a.data(), is_dot ? b.data() : a.data(), multiplies,
                   [&]<input_layout layout>(line_source<T, layout>& in) {
                     prepare(in);
                     if (multiplies) return add_sum<T, core::product>(on, in, how, to, memory);
                     if (squares) return add_sum<T, core::square>(on, in, how, to, memory);
                     if (format.what == reduction::asum)
                       return add_sum<T, core::magnitude>(on, in, how, to, memory);
                     add_sum<T, core::value>(on, in, how, to, memory);
                   });
  }
  state_outcome found;
  found.words.resize(before.size());
  memory.words.copy_to(found.words.data(), before.size());
  memory.bad.copy_to(&found.bad_segment, 1), memory.state.copy_to(&found.left, 1);
  return found;
}

state_outcome run_segments(launcher& on, const state_elements& of, const std::vector<std::uint64_t>& offsets,
                           const state_format& format, const std::vector<std::int64_t>& before,
                           const state_launch_plan& how) {
  const std::size_t size = size_of(how.offset_type);
  std::vector<unsigned char> bytes(offsets.size() * size);
  for (std::size_t i = 0; i < offsets.size(); ++i) std::memcpy(&bytes[i * size], &offsets[i], size);
  gpu::buffer<unsigned char> placed(on.stream(), bytes.size());
  placed.copy_from(bytes.data(), bytes.size());
  const auto prepare = [&](auto& in) {
    in.offsets = {reinterpret_cast<const char*>(placed.data()), static_cast<std::ptrdiff_t>(size), size == 8,
                  is_signed(how.offset_type)};
    in.lines.count = offsets.size() - 1, in.length = of.n;
  };
  if (core::carrier_of(of.type) == element_type::float32) {
    return run<float>(on, of, format, before, how, 0, prepare);
  }
  return run<double>(on, of, format, before, how, 0, prepare);
}

void expect_nothing_left(const state_outcome& found) {
  ASSERT_EQ(found.left.listed, 0U);
  ASSERT_EQ(found.left.listed_for_balance, 0U);
  ASSERT_EQ(found.left.finished, 0U);
  for (const unsigned each : found.left.arrived) ASSERT_EQ(each, 0U);
  for (const grid_superaccumulator& each : found.left.open_sum) {
    for (const wide_int digit : each.digit) ASSERT_EQ(digit, 0);
    for (const wide_unsigned count : each.special) ASSERT_EQ(count, 0U);
  }
}

state_launch_plan random_launch(oracle::rng& random) {
  constexpr element_type types[] = {element_type::int64, element_type::int32, element_type::uint32,
                                    element_type::uint64};
  state_launch_plan how;
  how.offset_type = types[random.below(4)];
  how.plan.is_listed = true;
  how.plan.long_from = 10 + random.below(300);
  if (random.coin()) how.plan.most_of_warp = random.below(600);
  how.plan.unit = 1 + random.below(100);
  how.plan.of_warp = 1U << random.below(6);
  how.blocks = static_cast<unsigned>(1 + random.below(3));
  how.split_blocks = static_cast<unsigned>(1 + random.below(7));
  return how;
}

/// Empty, tiny and some long ones.
std::vector<std::uint64_t> random_offsets(oracle::rng& random, std::size_t count) {
  std::vector<std::uint64_t> offsets = {random.below(4)};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t kind = random.below(12);
    const std::size_t n = kind < 3 ? 0 : kind < 10 ? random.below(20) : random.below(900);
    offsets.push_back(offsets.back() + n);
  }
  return offsets;
}

any_vector stretch(const any_vector& of, std::uint64_t begin, std::uint64_t end) {
  return {static_cast<const char*>(of.data) + static_cast<std::ptrdiff_t>(begin) * of.stride, end - begin, of.type,
          of.stride, of.swapped};
}

void expect_segments(unsigned seed, bool finite) {
  oracle::rng random(seed);
  const element_type type = elements[random.below(elements.size())].type;
  const state_format format{summing[random.below(8)], type, random.coin() ? state_form::full : state_form::compact};
  const auto offsets = random_offsets(random, 1 + random.below(60));
  const state_elements of = random_elements(random, type, offsets.back() + random.below(3), finite);
  const state_launch_plan how = random_launch(random);
  const any_vector x = of.view(of.a), y = of.view(of.b);
  const any_offsets given{offsets.data(), offsets.size() - 1, element_type::uint64, 8};
  std::vector<std::int64_t> expected(given.count * format.words());
  const auto add = [&] {
    return format.what == reduction::dot ? dot_into(x, y, given, expected, format.form)
                                         : reduce_into(format.what, x, given, expected, format.form);
  };
  const bool adds = finite && random.coin();
  if (adds) add();
  launcher on(seed);
  const state_outcome found = run_segments(on, of, offsets, format, expected, how);
  add();
  const std::string name = name_of_case(format, std::to_string(given.count) + " segments", seed);
  ASSERT_EQ(found.bad_segment, 0U) << name;
  expect_nothing_left(found);
  expect_words(format, found.words, expected, finite, name);
  if (adds) return;
  for (std::size_t i = 0; i < given.count && !testing::Test::HasFatalFailure(); i += 5) {
    expect_oracle(format, std::span(found.words).subspan(i * format.words(), format.words()),
                  stretch(x, offsets[i], offsets[i + 1]), stretch(y, offsets[i], offsets[i + 1]), name);
  }
}

TEST_F(segment_states, have_the_words_of_the_cpu) {
  for (int i = 0; i < oracle::scaled(100) && !HasFatalFailure(); ++i) {
    expect_segments(static_cast<unsigned>(i), i % 4 != 0);
  }
}

/// Rows of one length, all of them shared by blocks, or a warp for each.
void expect_rows(unsigned seed, bool finite) {
  oracle::rng random(seed);
  const element_type type = elements[random.below(elements.size())].type;
  const state_format format{summing[random.below(8)], type, random.coin() ? state_form::full : state_form::compact};
  const std::size_t count = 1 + random.below(4), n = 1 + random.below(700);
  const state_elements of = random_elements(random, type, count * n, finite);
  state_launch_plan how = random_launch(random);
  how.plan.is_listed = how.by_warps = seed % 2 == 0;
  if (how.by_warps) how.plan.long_from = n, how.plan.most_of_warp = ~std::uint64_t{0}, how.split_blocks = 0;
  const axis results{count, static_cast<std::ptrdiff_t>(n) * of.stride * of.size()},
      in_row{n, of.stride * of.size()};
  const any_grid x{of.a.data(), type, {&results, 1}, {&in_row, 1}, of.swapped},
      y{of.b.data(), type, {&results, 1}, {&in_row, 1}, of.swapped};
  std::vector<std::int64_t> expected(count * format.words());
  const std::vector<std::int64_t> before = expected;
  const auto prepare = [&]<class Source>(Source& in) {
    constexpr bool is_any = std::is_same_v<Source, line_source<float, input_layout::any>> ||
                            std::is_same_v<Source, line_source<double, input_layout::any>>;
    in.lines.next_a = in.lines.next_b = static_cast<std::ptrdiff_t>(n) * of.stride * (is_any ? of.size() : 1);
    in.lines.count = count, in.length = n;
  };
  launcher on(seed);
  const state_outcome found = core::carrier_of(type) == element_type::float32
                                  ? run<float>(on, of, format, before, how, n, prepare)
                                  : run<double>(on, of, format, before, how, n, prepare);
  format.what == reduction::dot ? dot_into(x, y, expected, format.form)
                                : reduce_into(format.what, x, expected, format.form);
  expect_words(format, found.words, expected, finite,
               name_of_case(format, std::to_string(count) + " x " + std::to_string(n), seed));
}

TEST_F(segment_states, of_rows_have_the_words_of_the_cpu) {
  for (int i = 0; i < oracle::scaled(60) && !HasFatalFailure(); ++i) {
    expect_rows(static_cast<unsigned>(i), i % 4 != 0);
  }
}

/// Floats and the offsets of one long segment between others.
struct one_long {
  state_elements of;
  std::vector<std::uint64_t> offsets{0, 3, 3, 2003, 2010};
  state_format format{reduction::mean, element_type::float32, state_form::compact};
  state_launch_plan how;
  std::vector<std::int64_t> expected;

  one_long() : expected(4 * format.words()) {
    oracle::rng random(1);
    of = random_elements(random, element_type::float32, 2010, true);
    how.plan.is_listed = true, how.plan.long_from = 100, how.plan.unit = 50;
    reduce_into(format.what, of.view(of.a), {offsets.data(), 4, element_type::uint64, 8}, expected, format.form);
  }
  [[nodiscard]] state_outcome run(const state_launch_plan& launch) const {
    launcher on(1, false);
    return run_segments(on, of, offsets, format, std::vector<std::int64_t>(expected.size()), launch);
  }
};

TEST_F(segment_states, of_wrong_offsets_are_left_as_they_are) {
  one_long given;
  const std::size_t each = given.format.words();
  const auto part = [&](const std::vector<std::int64_t>& of, std::size_t i) {
    return std::vector<std::int64_t>(of.begin() + static_cast<std::ptrdiff_t>(i * each),
                                     of.begin() + static_cast<std::ptrdiff_t>((i + 1) * each));
  };
  for (const element_type type : {element_type::int64, element_type::int32}) {
    given.how.offset_type = type;
    for (const std::uint64_t wrong : {std::uint64_t{2}, std::uint64_t{2500}, ~std::uint64_t{0}}) {
      one_long bad = given;
      bad.offsets[2] = wrong;  // segments 1 and, past the end, 2
      const state_outcome found = bad.run(bad.how);
      const bool is_below = wrong == 2;
      EXPECT_EQ(found.bad_segment, ~wide_unsigned{1});
      EXPECT_EQ(part(found.words, 0), part(given.expected, 0));
      EXPECT_EQ(part(found.words, 1), std::vector<std::int64_t>(each));
      if (!is_below) {
        EXPECT_EQ(part(found.words, 2), std::vector<std::int64_t>(each));
      }
      EXPECT_EQ(part(found.words, 3), part(given.expected, 3));
    }
  }
}

TEST_F(segment_states, are_wrong_if_a_segment_or_a_block_is_left_out) {
  const one_long given;
  EXPECT_EQ(given.run(given.how).words, given.expected);
  state_launch_plan how = given.how;
  how.left_out = 1;
  EXPECT_NE(given.run(how).words, given.expected);
  how = given.how;
  for (how.without_block = 0; how.without_block < 3; ++how.without_block) {
    EXPECT_NE(given.run(how).words, given.expected) << how.without_block;
  }
  EXPECT_EQ(given.run(how).words, given.expected);  // there is no fourth block
}

TEST_F(segment_states, that_find_no_place_in_the_list_are_summed_by_warps) {
  one_long given;
  given.how.listed = max_long_lines, given.how.split_blocks = 0;
  EXPECT_EQ(given.run(given.how).words, given.expected);
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
