// Segments in searches for extreme elements (extremum_work.cuh): empty, short and long ones in any order, by
// warps and shared by blocks, compared with a loop over keys; wrong offsets and empty segments are noted; the list
// of long segments is left empty.
//
// Sabotage: a segment that is taken from the list, and a piece that comes too late, must give wrong results.
#include <cuda/shape/segments.cuh>
#include <cuda/shape/split_lines.cuh>
#include <cuda/work/extremum_work.cuh>

#include "line_extremum_launch.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

class segment_works : public line_extrema {};

/// Offsets of segments, and how they are launched.
struct cuts {
  std::vector<std::uint64_t> offsets = {0};
  std::uint64_t long_from = 300, unit = 16;
  std::uint64_t most_of_warp = ~std::uint64_t{0};
  unsigned of_warp = 32, blocks = 2, split_blocks = 3;
  wide_unsigned lost = 0;  ///< sabotage: long segments that are taken from the list
  unsigned arrived = 0;    ///< sabotage: pieces that are said to have come

  [[nodiscard]] std::size_t count() const { return offsets.size() - 1; }
  [[nodiscard]] std::uint64_t length() const { return offsets.back(); }
};

cuts random_cuts(unsigned seed, std::uint64_t longest) {
  std::mt19937 random(seed);
  cuts made;
  made.offsets[0] = seed % 5;
  const std::size_t count = 1 + random() % 90;
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned kind = random() % 8;
    const std::uint64_t n = kind == 0  ? 0
                            : kind < 4 ? random() % 20
                            : kind < 7 ? random() % 300
                                       : random() % longest;
    made.offsets.push_back(made.offsets.back() + n);
  }
  made.of_warp = seed % 3 == 0 ? 32 : 1U << seed % 6;
  made.blocks = 1 + seed % 3;
  if (seed % 2 == 0) made.long_from = 1500, made.most_of_warp = 900;
  made.split_blocks = 1 + seed % 7, made.unit = 1 + seed % 50;
  return made;
}

struct notes_found {
  wide_unsigned bad = 0, empty = 0;
  unsigned left = 0;  ///< what is not zero of the counters
};

constexpr std::uint64_t of_nothing = 0x11;

/// Launches both kernels. `length`: of the vector.
template <int bytes, bool with_index, input_layout layout>
notes_found run(gpu::stream& stream, const element_lines& x, const rank_rule& rule, const extremum_results& to,
                const cuts& of, std::uint64_t length) {
  using work = extremum_of_line<bytes, with_index>;
  gpu::buffer<std::uint64_t> offsets(stream, of.offsets.size());
  offsets.copy_from(of.offsets.data(), of.offsets.size());
  gpu::buffer<line_state> state(stream, 1);
  gpu::buffer<wide_unsigned> notes(stream, 2);
  state.fill_zero(), notes.fill_zero();
  element_source in;
  in.lines = {x.first, x.stride, of.count(), x.swapped};
  in.offsets = {reinterpret_cast<const char*>(offsets.data()), 8, true, true}, in.length = length;
  const extremum_request asked{rule, of_nothing, notes.data() + 1};
  split_plan plan;
  plan.is_listed = true, plan.unit = of.unit, plan.long_from = of.long_from, plan.of_warp = of.of_warp;
  plan.most_of_warp = of.most_of_warp;
  constexpr auto kernel = segment_kernel<work, layout, 64, 1>;
  gpu::launch(kernel, of.blocks, 64, 0, stream, in, plan, segment_bounds{}, to, asked, state.data(), notes.data());
  std::vector<line_state> copy(1);
  if (of.lost != 0 || of.arrived != 0) {
    state.copy_to(copy.data(), 1);
    copy[0].listed -= of.lost;
    for (unsigned& each : copy[0].arrived) each = of.arrived;
    state.copy_from(copy.data(), 1);
  }
  constexpr auto long_kernel = split_line_kernel<work, layout, 64, 4, 1>;
  gpu::launch(long_kernel, of.split_blocks, 64, 0, stream, in, plan, to, asked, state.data());
  gpu::synchronise(stream);
  state.copy_to(copy.data(), 1);
  wide_unsigned noted[2];
  notes.copy_to(noted, 2);
  notes_found found{noted[0], noted[1]};
  const line_state& left = copy[0];
  found.left = static_cast<unsigned>(left.listed + left.listed_for_balance) + left.open_count + left.finished;
  if (of.arrived == 0) {
    for (const unsigned each : left.arrived) found.left += each;
  }
  return found;
}

/// Extrema of segments of x, each compared with a loop. How many are wrong.
template <int bytes, bool with_index, input_layout layout>
std::size_t wrong_extrema(const data& x, const cuts& of, reduction what, unsigned seed, bool swapped = false) {
  line_launcher on(seed, of.arrived == 0);
  element_matrix all{x, of.count(), 0};
  all.swapped = swapped;
  notes_found noted;
  std::vector<std::uint64_t> found =
      on.results_of(all, what, seed % 17, [&](const element_lines& in, const rank_rule& rule, auto to) {
        noted = run<bytes, with_index, layout>(on.stream(), in, rule, to, of, x.bits.size());
      });
  std::size_t wrong = 0;
  wide_unsigned first_empty = 0;
  for (std::size_t i = of.count(); i-- != 0;) {
    const std::uint64_t n = of.offsets[i + 1] - of.offsets[i];
    data segment{x.type, {}};
    for (std::uint64_t k = 0; k < n; ++k) segment.bits.push_back(x.bits[of.offsets[i] + k]);
    if (n == 0) first_empty = ~wide_unsigned{i};
    const std::uint64_t right = n != 0 ? expected(segment, what) : gives_index(what) ? 0 : of_nothing;
    if (found[i] != right) ++wrong;
  }
  EXPECT_EQ(noted.bad, 0U);
  EXPECT_EQ(noted.empty, first_empty);
  EXPECT_EQ(noted.left, 0U);
  return wrong;
}

template <int bytes, input_layout layout>
void expect_extrema_of_segments(element_type type, unsigned salt) {
  for (unsigned seed = salt; seed < salt + 4; ++seed) {
    const cuts of = random_cuts(seed, 2500);
    data x = random_data(info_of(type), of.length() + 3, seed, seed % 2 == 0 ? 0 : 4);
    const std::vector<std::uint64_t> special = special_elements(info_of(type));
    for (std::size_t i = seed % 3; seed % 3 != 0 && i < x.bits.size(); i += 50)
      x.bits[i] = special[i % special.size()];
    const bool swapped = layout == input_layout::any && seed % 2 == 0;
    for (const reduction what : {reduction::min, reduction::max}) {
      EXPECT_EQ((wrong_extrema<bytes, false, layout>(x, of, what, seed, swapped)), 0U)
          << name_of(type) << ' ' << seed;
    }
    for (const reduction what : {reduction::argmin, reduction::argmax}) {
      EXPECT_EQ((wrong_extrema<bytes, true, layout>(x, of, what, seed, swapped)), 0U)
          << name_of(type) << ' ' << seed;
    }
  }
}

TEST_F(segment_works, extrema_are_those_of_vectors) {
  expect_extrema_of_segments<4, input_layout::contiguous>(element_type::float32, 1);
  expect_extrema_of_segments<8, input_layout::contiguous>(element_type::float64, 10);
  expect_extrema_of_segments<2, input_layout::contiguous>(element_type::bfloat16, 20);
  expect_extrema_of_segments<1, input_layout::contiguous>(element_type::int8, 30);
  expect_extrema_of_segments<8, input_layout::any>(element_type::uint64, 40);
  expect_extrema_of_segments<2, input_layout::any>(element_type::float16, 50);
}

TEST_F(segment_works, that_are_lost_or_miss_a_piece_are_noticed) {
  cuts of;
  of.offsets = {0, 20, 1000, 1001, 2000};
  data x = random_data(info_of(element_type::float32), 2000, 1);
  for (const std::size_t i : {900, 1100}) x.bits[i] = 0x7f000000;  // the greatest, both of the second block
  constexpr auto contiguous = input_layout::contiguous;
  EXPECT_EQ((wrong_extrema<4, true, contiguous>(x, of, reduction::argmax, 1)), 0U);
  of.lost = 1;
  EXPECT_EQ((wrong_extrema<4, true, contiguous>(x, of, reduction::argmax, 1)), 1U);
  of.lost = 0, of.arrived = 1;  // the first of two blocks takes itself for the last
  EXPECT_NE((wrong_extrema<4, true, contiguous>(x, of, reduction::argmax, 1)), 0U);
}

TEST_F(segment_works, that_all_of_many_blocks_share_are_those_of_vectors) {
  cuts of;
  of.offsets = {1, 90001, 90010, 91500, 160001, 160002};
  of.split_blocks = 43;
  const data x = random_data(info_of(element_type::float32), 160005, 3, 20000);
  for (const reduction what : {reduction::argmin, reduction::argmax}) {
    EXPECT_EQ((wrong_extrema<4, true, input_layout::contiguous>(x, of, what, 4)), 0U);
  }
}

/// All elements have rank 0: the first one is the best, also where that is a later piece's.
TEST_F(segment_works, of_equal_lowest_elements_have_the_first) {
  cuts of;
  of.offsets = {0, 7, 2000, 2000, 3000};
  of.split_blocks = 5;
  const data x{element_type::int32, std::vector<std::uint64_t>(3000, 0x80000000)};
  EXPECT_EQ((wrong_extrema<4, true, input_layout::contiguous>(x, of, reduction::argmax, 1)), 0U);
  EXPECT_EQ((wrong_extrema<4, true, input_layout::any>(x, of, reduction::argmax, 2)), 0U);
}

TEST_F(segment_works, with_wrong_offsets_are_noted_and_read_nothing) {
  cuts of;
  of.offsets = {0, 10, 5, 30, 31, 30, 40};  // segments 1 and 4 decrease; 5 passes the end
  const data x = random_data(info_of(element_type::float32), 38, 1);
  line_launcher on(1);
  element_matrix all{x, of.count(), 0};
  notes_found noted;
  const std::vector<std::uint64_t> found =
      on.results_of(all, reduction::max, 0, [&](const element_lines& in, const rank_rule& rule, auto to) {
        noted = run<4, false, input_layout::contiguous>(on.stream(), in, rule, to, of, x.bits.size());
      });
  for (const std::size_t wrong : {1, 4, 5}) EXPECT_EQ(found[wrong], of_nothing) << wrong;
  EXPECT_EQ(noted.bad, ~wide_unsigned{1});
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
