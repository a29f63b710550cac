// Lines whose elements lie along several axes that no one stride describes, by the kernels of every kind: sums,
// variances, lines that blocks share, extrema, states. Arrays of up to six random axes, backwards,
// overlapping and repeated, too: the oracle's bits for a copy of the elements in their order.
#include <cuda/work/extremum_work.cuh>
#include <cuda/work/integer_moments.cuh>
#include <cuda/work/line_states.cuh>
#include <cuda/work/sum.cuh>
#include <exactdot/states.hpp>
#include <plan/state_words.hpp>

#include "extremum_data.hpp"
#include "oracle/cases.hpp"
#include "oracle/random.hpp"
#include "oracle/reference.hpp"
#include "segment_launch.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

class element_axes_of_lines : public rows {};

TEST_F(element_axes_of_lines, are_found_by_exact_quotients) {
  oracle::rng random(1);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t d = std::max<std::uint64_t>(2, i < 300 ? i : random.bits() >> (2 + random.below(62)));
    const fixed_divisor by(std::min(d, std::uint64_t{1} << 62));
    ASSERT_EQ(by.value(), std::min(d, std::uint64_t{1} << 62));
    const std::uint64_t some = random.bits() >> (1 + random.below(63));
    const std::uint64_t multiple = some / by.value() * by.value();
    for (const std::uint64_t n : {std::uint64_t{0}, some, multiple, multiple - (multiple != 0), by.value() - 1,
                                  (std::uint64_t{1} << 63) - 1}) {
      ASSERT_EQ(by.quotient(n), n / by.value()) << n << " by " << by.value();
    }
  }
}

/// An input of lines: bytes, and distances in elements.
struct placed_elements {
  element_type type = element_type::float32;
  bool swapped = false;
  std::ptrdiff_t first = 0, next = 0;
  std::vector<std::ptrdiff_t> strides;  ///< of the axes, the outermost first
  std::vector<unsigned char> bytes;

  [[nodiscard]] std::ptrdiff_t size() const { return static_cast<std::ptrdiff_t>(size_of(type)); }
};

struct lines_along_axes {
  std::size_t count = 0, n = 0;
  std::vector<std::size_t> lengths;  ///< of the axes, the outermost first
  placed_elements a, b;

  /// The elements of line i in their order.
  [[nodiscard]] std::vector<unsigned char> gathered(const placed_elements& x, std::size_t i) const {
    std::vector<unsigned char> made;
    for (std::size_t k = 0; k < n; ++k) {
      std::ptrdiff_t at = x.first + static_cast<std::ptrdiff_t>(i) * x.next;
      std::size_t rest = k;
      for (std::size_t axis = lengths.size(); axis-- != 0; rest /= lengths[axis]) {
        at += static_cast<std::ptrdiff_t>(rest % lengths[axis]) * x.strides[axis];
      }
      const auto* const from = &x.bytes[static_cast<std::size_t>(at * x.size())];
      made.insert(made.end(), from, from + x.size());
    }
    made.resize(made.size() + 1);
    return made;
  }
  [[nodiscard]] any_vector vector_of(const placed_elements& x, const std::vector<unsigned char>& elements) const {
    return {elements.data(), n, x.type, x.size(), x.swapped};
  }
  [[nodiscard]] element_axes axes() const {
    element_axes made;
    for (std::size_t k = lengths.size(); k-- != 0;) {
      made.axis[made.count++] = {fixed_divisor(lengths[k]), a.strides[k] * a.size(), b.strides[k] * b.size()};
    }
    return made;
  }
};

/// Random strides, some 0, some negative; random bits, or numbers of one size.
void place(oracle::rng& random, const lines_along_axes& of, element_type type, placed_elements& x) {
  x.type = type, x.swapped = size_of(type) > 1 && random.below(4) == 0;
  const auto stride = [&] { return random.between(-40, 40) * (random.below(6) == 0 ? 0 : 1); };
  std::ptrdiff_t low = 0, high = 0;
  const auto extend = [&](std::ptrdiff_t step, std::size_t n) {
    (step < 0 ? low : high) += step * static_cast<std::ptrdiff_t>(n - 1);
    return step;
  };
  x.next = extend(stride(), of.count);
  for (const std::size_t n : of.lengths) x.strides.push_back(extend(stride(), n));
  x.first = -low;
  x.bytes.resize(static_cast<std::size_t>((high - low + 1) * x.size()));
  const unsigned kind = static_cast<unsigned>(random.below(3));
  for (std::size_t at = 0; at < x.bytes.size(); at += size_of(type)) {
    with_element(type, [&]<class T>(T) {
      T value = exactdot::detail::from_word<T>(random.bits());
      if constexpr (floating_element<T>) {
        if (kind != 0 || !std::isfinite(static_cast<double>(value))) {
          value = static_cast<T>(static_cast<float>(kind == 1 ? 2 * random.unit() - 1 : random.between(-3, 3)));
        }
      } else if (kind == 1) {
        value = static_cast<T>(random.below(100));
      }
      std::memcpy(&x.bytes[at], &value, sizeof value);
      if (x.swapped) std::reverse(&x.bytes[at], &x.bytes[at] + sizeof value);
    });
  }
}

lines_along_axes random_lines(oracle::rng& random, element_type a, element_type b, std::size_t longest) {
  lines_along_axes made;
  made.count = 1 + random.below(9), made.n = 1;
  const std::size_t axes = 2 + random.below(max_element_axes - 1);
  for (std::size_t k = 0; k < axes; ++k) {
    const std::size_t most = std::max<std::size_t>(2, longest / made.n);
    made.lengths.push_back(2 + random.below(std::min<std::size_t>(most - 1, k == 0 ? 60 : 12)));
    made.n *= made.lengths.back();
  }
  random.shuffle(made.lengths);
  place(random, made, a, made.a), place(random, made, b, made.b);
  return made;
}

/// The lines in device memory, as kernels read them.
template <class T>
struct placed_lines {
  gpu::buffer<unsigned char> a, b;
  line_operands<T, input_layout::any> in;

  placed_lines(gpu::stream& stream, const lines_along_axes& of, bool two, bool parts_of_b)
      : a(stream, of.a.bytes.size()), b(stream, of.b.bytes.size()) {
    a.copy_from(of.a.bytes.data(), of.a.bytes.size()), b.copy_from(of.b.bytes.data(), of.b.bytes.size());
    const auto operand = [](const placed_elements& x, const unsigned char* data) {
      const auto* const first = reinterpret_cast<const char*>(data) + x.first * x.size();
      return any_operand{first, 0x1234567, x.type, x.swapped};  // a stride that does not count
    };
    in.first.a = operand(of.a, a.data()), in.first.b = two ? operand(of.b, b.data()) : in.first.a;
    in.first.log2_parts_a = core::parts_of(of.a.type) - 1;
    in.first.log2_parts_b = parts_of_b ? core::parts_of(in.first.b.type) - 1 : 0;
    in.first.n = of.n << (in.first.log2_parts_a + in.first.log2_parts_b);
    in.count = of.count, in.next_a = of.a.next * of.a.size(), in.next_b = two ? of.b.next * of.b.size() : in.next_a;
    in.axes = of.axes();
    for (int k = 0; !two && k < in.axes.count; ++k) in.axes.axis[k].b = in.axes.axis[k].a;
  }
};

/// The results of enqueue(lines, results) are the oracle's of the gathered elements.
template <class T, class Enqueue>
void expect_results(const lines_along_axes& of, reduction what, element_type type, mode mode, unsigned seed,
                    const std::string& name, Enqueue enqueue, std::int64_t ddof = 0) {
  launcher on(seed);
  const bool two = what == reduction::dot;
  const bool multiplies = core::info_of(what).term != core::term_index<core::value> && what != reduction::asum;
  const placed_lines<T> placed(on.stream(), of, two, multiplies);
  const core::result_rule rule(core::info_of(what).finish, core::format_of(type));
  const auto found =
      on.results(of.count, of.n, rule, [&](const line_results& to) { enqueue(on.stream(), placed.in, to); });
  for (std::size_t i = 0; i < of.count; ++i) {
    const auto x = of.gathered(of.a, i), y = of.gathered(of.b, i);
    const oracle::reference right(what, of.vector_of(of.a, x), of.vector_of(two ? of.b : of.a, two ? y : x), ddof);
    const auto expected = mode == mode::exact ? right.exact(type) : right.fast(type);
    ASSERT_EQ(found[i], expected.value().bits)
        << name << ": " << name_of(what) << " of " << name_of(of.a.type) << " to " << name_of(type) << ", line "
        << i << " of " << of.count << " by " << of.n << ", " << of.lengths.size() << " axes, seed " << seed;
  }
}

element_type result_of(oracle::rng& random) {
  constexpr element_type types[] = {element_type::float64, element_type::float32, element_type::float16};
  return types[random.below(3)];
}

template <class T, class Term, int lanes>
void expect_sums(element_type a, element_type b, reduction what, unsigned seed) {
  oracle::rng random(seed);
  const auto of = random_lines(random, a, b, lanes == 32 ? 300 : 1500);
  expect_results<T>(of, what, result_of(random), mode::exact, seed, "sums",
                    [&](gpu::stream& stream, const auto& in, const line_results& to) {
                      using work = sum_of_terms<T, Term>;
                      const line_bounds bounds = bounds_of_line<work>(in.first.n, lanes, 4);
                      if constexpr (lanes > 32) {
                        constexpr auto kernel = long_line_kernel<work, input_layout::any, lanes, 4>;
                        gpu::launch(kernel, 2, lanes, 0, stream, in, bounds, to, line_request{});
                      } else {
                        constexpr auto kernel = short_line_kernel<work, input_layout::any, 64, lanes, 4>;
                        gpu::launch(kernel, 2, 64, 0, stream, in, bounds, to, line_request{});
                      }
                    });
}

TEST_F(element_axes_of_lines, have_the_sums_of_gathered_ones) {
  using enum element_type;
  for (unsigned seed = 0; seed < 12 && !HasFatalFailure(); ++seed) {
    expect_sums<float, core::product, 32>(float32, float16, reduction::dot, 100 + seed);
    expect_sums<float, core::value, 128>(seed % 2 == 0 ? float32 : bfloat16, float32, reduction::mean, 200 + seed);
    expect_sums<double, core::value, 32>(seed % 2 == 0 ? float64 : int64, int8, reduction::sum, 300 + seed);
    expect_sums<double, core::product, 128>(uint64, seed % 2 == 0 ? int64 : int32, reduction::dot, 400 + seed);
    expect_sums<double, core::square, 128>(float64, int8, reduction::nrm2, 500 + seed);
  }
}

/// Lines that all blocks share, and the kernel of segments, which takes lines of one length too.
template <class Kind, class T = typename Kind::carrier>
void expect_shared(element_type a, reduction what, unsigned seed) {
  oracle::rng random(seed);
  const auto of = random_lines(random, a, a, 1500);
  const auto ddof = static_cast<std::int64_t>(random.below(2));
  const bool is_integer_kind = std::is_same_v<Kind, moments_of_integers>;
  for (const bool is_split : {true, false}) {
    expect_results<T>(
        of, what, result_of(random), mode::exact, seed, is_split ? "split lines" : "lines of a warp",
        [&](gpu::stream& stream, const auto& in, const line_results& to) {
          gpu::buffer<line_state> state(stream, 1);
          gpu::buffer<wide_unsigned> bad(stream, 1);
          state.fill_zero(), bad.fill_zero();
          line_source<T, input_layout::any> source;
          source.lines = in, source.length = of.n;
          if (is_integer_kind) source.lines.first.log2_parts_a = source.lines.first.log2_parts_b = 0;
          const line_request asked{static_cast<std::uint64_t>(ddof), 0, 0};
          split_plan plan;
          plan.unit = 1 + random.below(90), plan.long_from = of.n;
          if (is_split) {
            enqueue_split<Kind, input_layout::any>(stream, source, plan, to, asked, state.data(), 5, 3);
          } else {
            const auto bounds = bounds_of_segments<Kind, input_layout::any>(of.n, source.log2_parts());
            constexpr auto kernel = segment_kernel<Kind, input_layout::any, 64, 1>;
            gpu::launch(kernel, 2, 64, 0, stream, source, plan, bounds, to, asked, state.data(), bad.data());
          }
          gpu::synchronise(stream);
        },
        ddof);
  }
}

TEST_F(element_axes_of_lines, have_the_variances_of_gathered_ones_and_are_shared_among_blocks) {
  using enum element_type;
  for (unsigned seed = 0; seed < 8 && !HasFatalFailure(); ++seed) {
    expect_shared<moments_of_line<float>>(seed % 2 == 0 ? float32 : float16, reduction::variance, 600 + seed);
    expect_shared<moments_of_integers>(seed % 2 == 0 ? int64 : uint64, reduction::stddev, 700 + seed);
    expect_shared<sum_of_terms<double, core::magnitude>>(float64, reduction::asum, 800 + seed);
  }
}

template <int bytes, bool with_index, int way>
void expect_extreme(element_type type, reduction what, unsigned seed) {
  oracle::rng random(seed);
  const auto of = random_lines(random, type, type, 1500);
  launcher on(seed);
  gpu::buffer<unsigned char> memory(on.stream(), of.a.bytes.size());
  memory.copy_from(of.a.bytes.data(), of.a.bytes.size());
  gpu::buffer<std::uint64_t> out(on.stream(), of.count);
  out.fill_zero();
  gpu::buffer<line_state> state(on.stream(), 1);
  state.fill_zero();
  element_lines in;
  in.first = reinterpret_cast<const char*>(memory.data()) + of.a.first * of.a.size();
  in.stride = 0x1234567, in.next = of.a.next * of.a.size(), in.n = of.n, in.count = of.count;
  in.swapped = of.a.swapped, in.axes = of.axes();
  const extremum_results to{reinterpret_cast<char*>(out.data()), sizeof(std::uint64_t), with_index};
  const rank_rule rule = rank_rule_of(type, is_greatest(what));
  constexpr auto any = input_layout::any;
  if constexpr (way == 0) {
    constexpr auto kernel = short_line_extremum_kernel<bytes, with_index, any, 64, 8, 2, 1, element_lines>;
    gpu::launch(kernel, 2, 64, 0, on.stream(), in, rule, to);
  } else if constexpr (way == 1) {
    constexpr auto kernel = long_line_extremum_kernel<bytes, with_index, any, 128, 4, 1, element_lines>;
    gpu::launch(kernel, 2, 128, 0, on.stream(), in, rule, to);
  } else {
    constexpr auto kernel = split_column_kernel<extremum_of_line<bytes, with_index>, any, 64, 8, 1, 2, 1>;
    gpu::launch(kernel, 6, 64, 0, on.stream(), in, 3, line_bounds{}, to, extremum_request{rule}, state.data());
  }
  gpu::synchronise(on.stream());
  std::vector<std::uint64_t> found(of.count);
  out.copy_to(found.data(), found.size());
  for (std::size_t i = 0; i < of.count; ++i) {
    const auto elements = of.gathered(of.a, i);
    data line{type, std::vector<std::uint64_t>(of.n)};
    for (std::size_t k = 0; k < of.n; ++k) {
      std::memcpy(&line.bits[k], &elements[k * bytes], bytes);
      if (of.a.swapped) line.bits[k] = __builtin_bswap64(line.bits[k]) >> (64 - 8 * bytes);
    }
    ASSERT_EQ(found[i], expected(line, what)) << name_of(what) << " of " << name_of(type) << ", line " << i
                                              << " of " << of.count << " by " << of.n << ", seed " << seed;
  }
}

TEST_F(element_axes_of_lines, have_the_extrema_of_gathered_ones) {
  using enum element_type;
  for (unsigned seed = 0; seed < 8 && !HasFatalFailure(); ++seed) {
    expect_extreme<4, true, 0>(float32, reduction::argmin, 1200 + seed);
    expect_extreme<1, false, 1>(int8, reduction::max, 1300 + seed);
    expect_extreme<8, true, 1>(uint64, reduction::argmax, 1400 + seed);
    expect_extreme<2, true, 2>(float16, reduction::argmax, 1500 + seed);
    expect_extreme<8, false, 2>(float64, reduction::min, 1600 + seed);
  }
}

TEST_F(element_axes_of_lines, have_the_states_of_gathered_ones) {
  for (unsigned seed = 1700; seed < 1710 && !HasFatalFailure(); ++seed) {
    oracle::rng random(seed);
    const element_type type = seed % 2 == 0 ? element_type::float64 : element_type::int32;
    const auto of = random_lines(random, type, type, 400);
    const state_format format{reduction::sum, type, state_form::full};
    const engine::stored_state stored(format);
    launcher on(seed);
    const placed_lines<double> placed(on.stream(), of, false, false);
    gpu::buffer<std::int64_t> words(on.stream(), of.count * format.words());
    words.fill_zero();
    line_states to;
    to.first = words.data(), to.next = stored.words, to.layout = stored.of[0].layout, to.counts = stored.counts;
    constexpr auto kernel = line_state_kernel<double, input_layout::any, 64>;
    gpu::launch(kernel, 2, 64, 0, on.stream(), core::describe_term<core::value>(), placed.in, to);
    gpu::synchronise(on.stream());
    std::vector<std::int64_t> found(words.size());
    words.copy_to(found.data(), found.size());
    for (std::size_t i = 0; i < of.count; ++i) {
      const auto x = of.gathered(of.a, i);
      const oracle::reference right(reduction::sum, of.vector_of(of.a, x), of.vector_of(of.a, x));
      std::vector<double> rounded(of.count);
      round_states(format, found, rounded);
      ASSERT_EQ(std::bit_cast<std::uint64_t>(rounded[i]), right.exact(element_type::float64).value().bits)
          << name_of(type) << ", line " << i << " of " << of.count << " by " << of.n << ", seed " << seed;
    }
  }
}

/// Sabotage: a stride that is off by one element, or axes in another order, give other results.
TEST_F(element_axes_of_lines, that_are_wrong_are_noticed) {
  oracle::rng random(2);
  lines_along_axes of;
  of.count = 5, of.n = 60, of.lengths = {5, 12};
  place(random, of, element_type::float64, of.a), place(random, of, element_type::float64, of.b);
  of.a.swapped = false, of.a.next = 60, of.a.strides = {13, 1}, of.a.first = 0;
  of.a.bytes.resize(8 * 500);
  for (std::size_t i = 0; i < 500; ++i) {
    const double x = random.unit();
    std::memcpy(&of.a.bytes[8 * i], &x, 8);
  }
  const auto sums = [&](auto change) {
    launcher on;
    placed_lines<double> placed(on.stream(), of, false, false);
    change(placed.in.axes);
    const core::result_rule rule(core::finish::round, core::format_of(element_type::float64));
    return on.results(of.count, of.n, rule, [&](const line_results& to) {
      using work = sum_of_terms<double, core::value>;
      constexpr auto kernel = short_line_kernel<work, input_layout::any, 64, 32, 4>;
      gpu::launch(kernel, 1, 64, 0, on.stream(), placed.in, bounds_of_line<work>(of.n, 32, 4), to, line_request{});
    });
  };
  const auto right = sums([](element_axes&) {});
  EXPECT_NE(right, sums([](element_axes& axes) { axes.axis[1].a += 8; }));
  EXPECT_NE(right, sums([](element_axes& axes) { axes.axis[0].n = fixed_divisor(11); }));
  EXPECT_NE(right, sums([](element_axes& axes) { std::swap(axes.axis[0].a, axes.axis[1].a); }));
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
