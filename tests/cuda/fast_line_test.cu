// Mode fast of lines: the bits of the oracle's order v1 for every row, column and layout; every length up to 200
// and some around stripes and tiles, by every number of lanes. Sums in another order, with nodes of the tree
// exchanged, a lane left out or the lanes of no element forgotten, must be noticed.
#include <cuda/split_fast_column_kernel.cuh>

#include "oracle/order_v1.hpp"
#include "oracle/random.hpp"
#include "row_launch.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

class fast_lines : public rows {};

/// How a launch adds a row: `log2_tiles` of a warp's subtree, of a block.
template <int lanes_, int packs_, int stripes_ = 1, input_layout layout_ = input_layout::contiguous>
struct fast_way {
  static constexpr int lanes = lanes_, packs = packs_, stripes = stripes_;
  static constexpr input_layout layout = layout_;
};
template <int threads_, int columns_, int sums_>
struct fast_columns {
  static constexpr int threads = threads_, columns = columns_, lanes = threads / columns, sums = sums_;
};

template <class Way, class T, class Term, class Lines>
void launch_way(gpu::stream& stream, const Lines& in, const line_results& to, unsigned blocks, unsigned seed) {
  if constexpr (takes_columns<Way>) {
    constexpr auto layout = std::is_same_v<Lines, line_operands<T>> ? input_layout::strided : input_layout::any;
    constexpr auto kernel = fast_column_kernel<T, Term, layout, Way::threads, Way::columns, Way::sums, 1, Lines>;
    gpu::launch(kernel, blocks, Way::threads, 0, stream, in, to);
  } else if constexpr (Way::lanes > 32) {
    constexpr auto kernel = long_fast_line_kernel<T, Term, Way::layout, Way::lanes, Way::stripes, 1, Lines>;
    gpu::launch(kernel, blocks, Way::lanes, 0, stream, in, static_cast<int>(seed % 3), to);
  } else {
    using shape = tile_shape<Way::lanes, Way::packs, Way::stripes>;
    constexpr auto kernel = short_fast_line_kernel<T, Term, Way::layout, 64, shape, 1, Lines>;
    gpu::launch(kernel, blocks, 64, 0, stream, in, to);
  }
}

/// The sum of the terms in order v1, by dot products: with ones, of magnitudes, with itself.
template <class T>
T reference_sum(reduction what, const matrix<T>& of, std::size_t i) {
  std::vector<T> x(of.n), y(of.n, T(1));
  for (std::size_t k = 0; k < of.n; ++k) {
    const auto at = [&](const std::vector<T>& from, std::ptrdiff_t next) {
      return from[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) * next +
                                           static_cast<std::ptrdiff_t>(k) * of.stride)];
    };
    x[k] = at(of.a, of.next_a);
    if (what == reduction::asum) x[k] = std::fabs(x[k]);
    if (what == reduction::sum_of_squares || what == reduction::nrm2) y[k] = x[k];
    if (what == reduction::dot) y[k] = at(of.b, of.next_b);
  }
  return oracle::fast_dot<T>(std::span<const T>(x), std::span<const T>(y));
}

template <class T>
std::uint64_t reference_bits(reduction what, core::result_rule rule, const matrix<T>& of, std::size_t i) {
  T value = reference_sum(what, of, i);
  if (what == reduction::nrm2) value = std::sqrt(value);
  if (what == reduction::mean) value = value / static_cast<T>(of.n);
  return core::converted_word(rule, value);
}

template <class Way, class Term, class T>
std::vector<std::uint64_t> fast_results(launcher& on, const matrix<T>& of, core::result_rule rule, unsigned seed) {
  const std::size_t skew_a = seed % 4, skew_b = seed / 4 % 3 == 0 ? seed / 12 % 4 : skew_a;
  gpu::buffer<T> a(on.stream(), of.a.size() + skew_a + 4), b(on.stream(), of.b.size() + skew_b + 4);
  copy_input(a, of.a, skew_a), copy_input(b, of.b, skew_b);
  line_operands<T> in;
  in.first = {a.data() + skew_a, Term::inputs == 2 ? b.data() + skew_b : nullptr, of.stride, of.stride, of.n};
  in.next_a = of.next_a, in.next_b = of.next_b, in.count = of.count;
  return on.results(of.count, of.n, rule, [&](const line_results& to) {
    launch_way<Way, T, Term>(on.stream(), in, to, 1 + seed % 3, seed);
  });
}

template <class Way, class Term, class T>
void expect_fast(reduction what, const matrix<T>& of, element_type type, unsigned seed, const std::string& name) {
  launcher on(seed);
  const core::result_rule rule(core::info_of(what).finish, core::format_of(type));
  const auto found = fast_results<Way, Term>(on, of, rule, seed);
  for (std::size_t i = 0; i < of.count; ++i) {
    ASSERT_EQ(found[i], reference_bits(what, rule, of, i))
        << name << ": " << name_of(what) << " of " << name_of(type_of<T>) << " to " << name_of(type) << ", row "
        << i << " of " << of.count << " by " << of.n << ", " << Way::lanes << " lanes, seed " << seed;
  }
}

/// A reduction and a result type in turns.
template <class Way, class T>
void expect_any_fast(const matrix<T>& of, unsigned seed, const std::string& name) {
  constexpr element_type types[] = {type_of<T>, type_of<T>, element_type::float32, element_type::bfloat16,
                                    element_type::float64};
  const element_type type = types[seed % 5];
  switch (seed % 7) {
    case 0:
      return expect_fast<Way, core::value>(reduction::sum, of, type, seed, name);
    case 1:
      return expect_fast<Way, core::value>(reduction::mean, of, type, seed, name);
    case 2:
      return expect_fast<Way, core::magnitude>(reduction::asum, of, type, seed, name);
    case 3:
      return expect_fast<Way, core::square>(reduction::nrm2, of, type, seed, name);
    case 4:
      return expect_fast<Way, core::square>(reduction::sum_of_squares, of, type, seed, name);
    default:
      return expect_fast<Way, core::product>(reduction::dot, of, type, seed, name);
  }
}

/// Numbers of many magnitudes, so that every order of additions gives other bits. In every fourth matrix special
/// ones, in every other fourth products that underflow to −0.
template <class T>
matrix<T> random_rows(std::size_t count, std::size_t n, std::size_t gap, unsigned seed) {
  oracle::rng random(seed);
  matrix<T> made;
  made.count = count, made.n = n, made.next_a = made.next_b = static_cast<std::ptrdiff_t>(n + gap);
  const auto number = [&] {
    const double x = (static_cast<double>(random.below(1U << 30)) - 0x1p29) * 0x1p-29;
    return static_cast<T>(std::ldexp(x, static_cast<int>(random.below(12))));
  };
  const T tiny = std::numeric_limits<T>::denorm_min();
  const T special[] = {T(INFINITY), -T(INFINITY), T(NAN), -T(NAN), T(-0.0), std::numeric_limits<T>::max()};
  for (std::size_t i = 0; i < count * (n + gap) + 1; ++i) {
    const bool vanishes = seed % 4 == 1;
    made.a.push_back(vanishes ? -tiny : number());
    made.b.push_back(vanishes ? T(0.25) : number());
    if (seed % 4 == 3 && random.below(60) == 0) made.a.back() = special[random.below(6)];
  }
  return made;
}

template <class Way, class T>
void expect_lengths(std::size_t first, std::size_t last, std::size_t step, unsigned salt) {
  unsigned seed = salt;
  for (std::size_t n = first; n <= last; n += step, ++seed) {
    auto given = random_rows<T>(1 + seed % 5, n, seed % 3 == 0 ? 0 : 4 - n % 4, seed);
    if (seed % 5 == 0) given.next_b = 0;  // a matrix times a vector
    expect_any_fast<Way>(given, seed, "lengths");
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(fast_lines, of_parts_of_a_stripe_have_the_bits_of_order_v1) {
  expect_lengths<fast_way<1, 1>, float>(0, 4, 1, 1);
  expect_lengths<fast_way<1, 1>, double>(0, 2, 1, 2);
  for (unsigned salt = 10; salt < 40; salt += 7) {
    expect_lengths<fast_way<2, 2>, float>(0, 16, 1, salt);
    expect_lengths<fast_way<2, 4>, float>(0, 32, 1, salt);
    expect_lengths<fast_way<4, 4>, float>(0, 64, 1, salt);
    expect_lengths<fast_way<2, 2>, double>(0, 8, 1, salt);
    expect_lengths<fast_way<4, 4>, double>(0, 32, 1, salt);
  }
}

TEST_F(fast_lines, of_every_length_have_the_bits_of_order_v1) {
  expect_lengths<fast_way<8, 4>, float>(0, 200, 1, 3);
  expect_lengths<fast_way<8, 4>, double>(0, 200, 1, 4);
  expect_lengths<fast_way<32, 1, 4>, float>(0, 200, 1, 5);
  expect_lengths<fast_way<32, 1, 4>, double>(1, 200, 3, 6);
  expect_lengths<fast_way<64, 1, 4>, float>(1, 200, 3, 7);
}

/// Around stripes and tiles.
template <class Way, class T>
void expect_long_rows(std::size_t tiles, unsigned salt) {
  constexpr std::size_t tile = order_v1<T>::tile, lanes = order_v1<T>::lanes;
  unsigned seed = salt;
  for (std::size_t k = 1; k <= tiles; ++k) {
    for (const std::size_t n : {k * tile - 1, k * tile, k * tile + 1, k * tile - 5 * lanes + 3}) {
      expect_any_fast<Way>(random_rows<T>(1 + seed % 3, n, seed % 2 == 0 ? 0 : 3, seed), seed, "tiles");
      if (testing::Test::HasFatalFailure()) return;
      ++seed;
    }
  }
}

TEST_F(fast_lines, of_several_tiles_have_the_bits_of_order_v1) {
  expect_long_rows<fast_way<8, 4>, float>(3, 1);
  expect_long_rows<fast_way<32, 1, 4>, float>(7, 2);
  expect_long_rows<fast_way<32, 1, 2>, double>(5, 3);
  expect_long_rows<fast_way<64, 1, 4>, float>(17, 4);
  expect_long_rows<fast_way<128, 1, 4>, double>(19, 5);
}

/// Every other element, backwards, one again and again, rows that overlap.
template <class Way, class T>
void expect_strided(std::size_t longest, unsigned salt) {
  for (unsigned seed = salt; seed < salt + 30; ++seed) {
    const std::size_t n = 1 + seed * 37 % longest;
    auto given = random_rows<T>(6, 2 * n, 3, seed);
    given.count = 1 + seed % 6, given.n = n, given.stride = seed % 3;
    if (seed % 4 == 2) given.next_b = 0;
    if (seed % 4 == 3) given.next_a = 1;
    expect_any_fast<Way>(given, seed, "strided");
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(fast_lines, of_any_stride_have_the_bits_of_order_v1) {
  expect_strided<fast_way<8, 4, 1, input_layout::strided>, float>(300, 100);
  expect_strided<fast_way<8, 4, 1, input_layout::strided>, double>(300, 200);
  expect_strided<fast_way<64, 1, 2, input_layout::strided>, float>(9000, 300);
}

template <class Way, class T>
void expect_columns(std::size_t most, std::size_t longest, unsigned salt) {
  for (unsigned seed = salt; seed < salt + 25; ++seed) {
    const std::size_t n = seed % 5 == 0 ? longest : seed * 37 % (longest + 1);
    expect_any_fast<Way>(transposed(random_rows<T>(1 + seed * 31 % most, n, 0, seed)), seed, "columns");
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(fast_lines, of_a_transpose_have_the_bits_of_order_v1) {
  expect_columns<fast_columns<256, 32, 16>, float>(70, 300, 1);
  expect_columns<fast_columns<256, 32, 16>, float>(9, 5000, 31);
  expect_columns<fast_columns<256, 32, 8>, double>(70, 300, 61);
  expect_columns<fast_columns<256, 8, 4>, float>(20, 2500, 91);
  expect_columns<fast_columns<128, 8, 8>, float>(20, 2500, 211);
  expect_columns<fast_columns<256, 8, 2>, double>(20, 3000, 121);
  expect_columns<fast_columns<64, 64, 16>, float>(150, 16, 151);
  expect_columns<fast_columns<64, 64, 8>, double>(150, 8, 181);
}

/// Columns that blocks share, in parts of 2^log2_tiles tiles; `arrived`: sabotage, parts that are said to have
/// come.
template <class T, class Term, int threads, int columns>
std::vector<std::uint64_t> split_columns(const matrix<T>& of, core::result_rule rule, int log2_tiles,
                                         unsigned blocks, unsigned seed, unsigned arrived = 0) {
  launcher on(seed, arrived == 0);
  gpu::buffer<T> a(on.stream(), of.a.size()), b(on.stream(), of.b.size());
  copy_input(a, of.a, 0), copy_input(b, of.b, 0);
  constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(T));
  line_operands<T, input_layout::any> in;
  in.first.a = {reinterpret_cast<const char*>(a.data()), of.stride * size, type_of<T>, false};
  in.first.b = {reinterpret_cast<const char*>(b.data()), of.stride * size, type_of<T>, false};
  in.first.n = of.n, in.count = of.count, in.next_a = of.next_a * size, in.next_b = of.next_b * size;
  const std::size_t tiles = tiles_of<T>(of.n);
  const auto parts = static_cast<unsigned>(((tiles - 1) >> log2_tiles) + 1);
  std::vector<line_state> state(1);
  gpu::buffer<line_state> in_memory(on.stream(), 1);
  in_memory.fill_zero(), in_memory.copy_to(state.data(), 1);
  for (unsigned& each : state[0].arrived) each = arrived;
  in_memory.copy_from(state.data(), 1);
  constexpr int sums = static_cast<int>(order_v1<T>::lanes) / (threads / columns);
  constexpr auto kernel = split_fast_column_kernel<T, Term, threads, columns, sums, 1, decltype(in)>;
  auto found = on.results(of.count, of.n, rule, [&](const line_results& to) {
    gpu::launch(kernel, blocks, threads, 0, on.stream(), in, log2_tiles, parts, to, in_memory.data());
  });
  in_memory.copy_to(state.data(), 1);
  for (const unsigned each : state[0].arrived) EXPECT_EQ(each, arrived);
  return found;
}

template <class T, class Term, int threads, int columns>
void expect_split_columns(reduction what, unsigned salt) {
  constexpr std::size_t tile = order_v1<T>::tile;
  for (unsigned seed = salt; seed < salt + 12; ++seed) {
    oracle::rng random(seed);
    const std::size_t tiles = 1 + random.below(seed % 3 == 0 ? 40 : 9),
                      count = 1 + random.below(seed % 3 == 0 ? 3 : 20);
    const std::size_t n = tiles * tile - (seed % 4 == 0 ? 0 : random.below(tile));
    const auto of = transposed(random_rows<T>(count, n, 0, seed));
    constexpr element_type types[] = {type_of<T>, element_type::float32, element_type::bfloat16};
    const core::result_rule rule(core::info_of(what).finish, core::format_of(types[seed % 3]));
    const auto found = split_columns<T, Term, threads, columns>(of, rule, static_cast<int>(random.below(4)),
                                                                static_cast<unsigned>(1 + random.below(9)), seed);
    for (std::size_t i = 0; i < of.count; ++i) {
      ASSERT_EQ(found[i], reference_bits(what, rule, of, i))
          << name_of(what) << ", column " << i << " of " << count << " by " << n << ", seed " << seed;
    }
  }
}

TEST_F(fast_lines, of_columns_that_blocks_share_have_the_bits_of_order_v1) {
  expect_split_columns<float, core::value, 128, 8>(reduction::sum, 1);
  expect_split_columns<float, core::product, 128, 8>(reduction::dot, 20);
  expect_split_columns<double, core::square, 64, 8>(reduction::nrm2, 40);
  expect_split_columns<double, core::value, 64, 16>(reduction::mean, 60);
}

/// The last block is believed to have come before it has: its subtree is missing.
TEST_F(fast_lines, of_columns_without_the_last_part_are_noticed) {
  const auto of = transposed(random_rows<float>(5, 7 * order_v1<float>::tile, 0, 2));
  const core::result_rule rule(core::finish::round, core::format_of(element_type::float32));
  const auto right = split_columns<float, core::value, 128, 8>(of, rule, 0, 1, 1);
  const auto early = split_columns<float, core::value, 128, 8>(of, rule, 0, 1, 1, 1);
  for (std::size_t i = 0; i < of.count; ++i) EXPECT_NE(right[i], early[i]);
}

/// Elements of 16 bits, in rows that follow each other (converted in packs) and of any layout.
template <class Element, class Way>
void expect_converted(std::size_t longest, unsigned salt) {
  for (unsigned seed = salt; seed < salt + 30; ++seed) {
    const std::size_t n = 1 + seed * 37 % longest, gap = seed % 3 == 0 ? (4 - n % 4) % 4 : seed % 4;
    matrix<float> given = random_rows<float>(1 + seed % 6, n, gap, seed % 2 == 0 ? 4 * seed : seed);
    std::vector<std::uint16_t> a, b;
    for (auto [from, to] : {std::pair{&given.a, &a}, {&given.b, &b}}) {
      for (float& x : *from) {
        const auto bits = core::converted_word({core::finish::round, core::format_of(type_of<Element>)}, x);
        to->push_back(static_cast<std::uint16_t>(bits));
        x = core::carrier_value<float, Element>(to->back(), 0);
      }
    }
    launcher on(seed);
    const std::size_t skew = seed % 5;
    gpu::buffer<std::uint16_t> x(on.stream(), a.size() + 5), y(on.stream(), b.size() + 5);
    a.insert(a.begin(), skew, 0x7fff), b.insert(b.begin(), skew, 0x7fff);
    a.resize(x.size()), b.resize(y.size());
    x.copy_from(a.data(), a.size()), y.copy_from(b.data(), b.size());
    line_operands<float, input_layout::any> in;
    in.first.a = {reinterpret_cast<const char*>(x.data() + skew), 2, type_of<Element>, false};
    in.first.b = {reinterpret_cast<const char*>(y.data() + skew), 2, type_of<Element>, false};
    in.first.n = n, in.count = given.count, in.next_a = in.next_b = 2 * given.next_a;
    const core::result_rule rule(core::finish::round, core::format_of(type_of<Element>));
    const auto found = on.results(given.count, n, rule, [&](const line_results& to) {
      launch_way<Way, float, core::product>(on.stream(), in, to, 1 + seed % 3, seed);
    });
    for (std::size_t i = 0; i < given.count; ++i) {
      ASSERT_EQ(found[i], reference_bits(reduction::dot, rule, given, i))
          << name_of(type_of<Element>) << ", row " << i << " of " << given.count << " by " << n << ", "
          << Way::lanes << " lanes, seed " << seed;
    }
  }
}

TEST_F(fast_lines, of_16_bit_elements_have_the_bits_of_converted_ones) {
  expect_converted<float16, fast_way<8, 4, 1, input_layout::converted>>(300, 1);
  expect_converted<bfloat16, fast_way<32, 1, 4, input_layout::converted>>(5000, 40);
  expect_converted<bfloat16, fast_way<64, 1, 2, input_layout::converted>>(9000, 80);
  expect_converted<float16, fast_way<4, 4, 1, input_layout::converted>>(64, 120);
  expect_converted<float16, fast_way<8, 4, 1, input_layout::any>>(300, 160);
  expect_converted<bfloat16, fast_way<32, 1, 1, input_layout::any>>(3000, 200);
}

/// Sums of rows of three tiles that are wrong on purpose, made of the kernels' parts.
enum class mistake { none, exchanged_nodes, missing_lane, other_fold, no_zero_lanes };

template <mistake made>
__global__ void add_wrongly(line_operands<float> in, line_results out) {
  __shared__ float waiting[max_tree_levels];
  for (std::size_t i = 0; i < in.count; ++i) {
    const auto line = in.line(i);
    const contiguous_reader<core::product, false, float> reader{line.a, line.b};
    if constexpr (made == mistake::other_fold || made == mistake::no_zero_lanes) {
      float sum = 0;  // one value a lane, neighbours first, or without the lanes of no element
      if (threadIdx.x < line.n) sum = multiply_add(line.a[threadIdx.x], line.b[threadIdx.x], sum);
      if (made == mistake::other_fold) {
        sum = add_neighbours<32>(sum, threadIdx.x, 32);
      } else {
        for (unsigned step = 16; step > 0; step /= 2) {
          const float right = __shfl_down_sync(all_lanes, sum, step);
          if (threadIdx.x + step < line.n) sum = sum + right;
        }
      }
      store_fast_line(out, i, line.n, sum, threadIdx.x == 0);
      continue;
    }
    constexpr std::size_t tile = order_v1<float>::tile;
    const std::size_t tiles = tiles_of<float>(line.n);
    for (std::size_t k = 0; k < tiles; ++k) {
      const std::size_t at = made == mistake::exchanged_nodes && k < 3 ? (k + 1) % 3 : k;
      int n = static_cast<int>(line.n - at * tile < tile ? line.n - at * tile : tile);
      if (made == mistake::missing_lane && threadIdx.x == 17) n = 0;
      const float sum = tile_of_team<core::product, tile_shape<32, 1, 1>, float>(reader, at * tile, n);
      if (threadIdx.x == 0) push_node(waiting, k, sum);
    }
    store_fast_line(out, i, line.n, threadIdx.x == 0 ? root_of_nodes(waiting, tiles) : 0.0F, threadIdx.x == 0);
  }
}

template <mistake made>
std::size_t wrong_with(const matrix<float>& of) {
  launcher on;
  gpu::buffer<float> a(on.stream(), of.a.size()), b(on.stream(), of.b.size());
  copy_input(a, of.a, 0), copy_input(b, of.b, 0);
  line_operands<float> in;
  in.first = {a.data(), b.data(), 1, 1, of.n}, in.next_a = of.next_a, in.next_b = of.next_b, in.count = of.count;
  const core::result_rule rule(core::finish::round, core::format_of(element_type::float32));
  constexpr auto kernel = add_wrongly<made>;
  const auto found = on.results(
      of.count, of.n, rule, [&](const line_results& to) { gpu::launch(kernel, 1, 32, 0, on.stream(), in, to); });
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < of.count; ++i) {
    wrong += found[i] != reference_bits(reduction::dot, rule, of, i) ? 1 : 0;
  }
  return wrong;
}

TEST_F(fast_lines, that_are_wrong_are_noticed) {
  const matrix<float> tiles = random_rows<float>(8, 5000, 0, 2), few = random_rows<float>(8, 20, 0, 2),
                      vanishing = random_rows<float>(8, 20, 0, 1);
  EXPECT_EQ(wrong_with<mistake::none>(tiles), 0U);
  EXPECT_EQ(wrong_with<mistake::none>(vanishing), 0U);
  EXPECT_GT(wrong_with<mistake::exchanged_nodes>(tiles), 2U);
  EXPECT_EQ(wrong_with<mistake::missing_lane>(tiles), 8U);
  EXPECT_GT(wrong_with<mistake::other_fold>(few), 2U);
  EXPECT_EQ(wrong_with<mistake::no_zero_lanes>(few), 0U);
  EXPECT_EQ(wrong_with<mistake::no_zero_lanes>(vanishing), 8U);  // −0 where +0 is right
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
