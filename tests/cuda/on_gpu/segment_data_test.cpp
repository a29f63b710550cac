// Segments, and long rows and columns that blocks share, in a GPU's memory: data of all generators in stretches of
// every length, empty, short and long ones mixed, whose long ones are shared by blocks; variances, also of 64-bit
// integers; a full list; offsets that are wrong. Each against the CPU's vector call. On the simulator few elements
// are a long line (CMakeLists.txt). Extreme elements: line_extrema_test.cpp.
#include "cuda/on_gpu/row_matrices.hpp"
#include "oracle/random.hpp"
#include "oracle/reference.hpp"

namespace {

using namespace on_gpu;

class cuda_segment_data : public needs_gpu {};

/// Segments of two vectors. `step`: of elements.
struct stretches {
  element_type type = element_type::float32;
  std::vector<unsigned char> a, b;
  std::vector<std::uint64_t> offsets = {0};
  std::size_t step = 1;
  bool swapped = false;

  [[nodiscard]] std::size_t count() const { return offsets.size() - 1; }
  [[nodiscard]] std::size_t n() const { return a.size() / (step * size_of(type)); }
  [[nodiscard]] std::uint64_t length_of(std::size_t i) const { return offsets[i + 1] - offsets[i]; }
  [[nodiscard]] any_vector vector(const unsigned char* data, std::uint64_t first, std::uint64_t n) const {
    const std::size_t distance = step * size_of(type);
    return {data + first * distance, n, type, static_cast<std::ptrdiff_t>(distance), swapped};
  }
  [[nodiscard]] any_vector segment(const std::vector<unsigned char>& of, std::size_t i) const {
    return vector(of.data(), offsets[i], length_of(i));
  }
};

struct segment_call {
  reduction what = reduction::sum;
  element_type result = element_type::float64, offset_type = element_type::int64;
  std::int64_t ddof = 0;
  std::size_t skew_a = 0, skew_b = 0;  ///< elements before the first
  int multiprocessors = 2;
  unsigned schedule = 1;
};

constexpr std::uint64_t unwritten_word = 0x5a5a5a5a5a5a5a5a;

/// The bits of all results; the segment whose offsets the workspace reports, as text.
std::vector<std::uint64_t> run(const stretches& of, const segment_call& asked, std::string* problem = nullptr) {
  choose_schedule(asked.schedule);
  const std::size_t size = size_of(of.type), offset_size = size_of(asked.offset_type);
  const auto placed = [&](const std::vector<unsigned char>& x, std::size_t skew) {
    std::vector<unsigned char> all(x.size() + (skew + 4) * size, 0xff);
    std::copy(x.begin(), x.end(), all.begin() + static_cast<std::ptrdiff_t>(skew * size));
    return all;
  };
  std::vector<unsigned char> offsets(offset_size * of.offsets.size());
  for (std::size_t i = 0; i < of.offsets.size(); ++i)
    std::memcpy(&offsets[i * offset_size], &of.offsets[i], offset_size);
  const device_vector<unsigned char> a(placed(of.a, asked.skew_a)), b(placed(of.b, asked.skew_b)), at(offsets);
  const device_vector<std::uint64_t> out(std::vector<std::uint64_t>(2 * of.count() + 1, unwritten_word));
  const axis places{of.count(), 16};
  const any_offsets by{at.data(), of.count(), asked.offset_type, static_cast<std::ptrdiff_t>(offset_size)};
  const any_results to{out.data(), asked.result, {&places, 1}};
  const any_vector x = of.vector(a.data() + asked.skew_a * size, 0, of.n()),
                   y = of.vector(b.data() + asked.skew_b * size, 0, of.n());
  cuda::workspace workspace;
  workspace.library_storage().multiprocessors = asked.multiprocessors;
  asked.what == reduction::dot ? cuda::dot(workspace, x, y, by, to)
                               : cuda::reduce(workspace, asked.what, x, by, to, {}, asked.ddof);
  expect_finished(workspace, problem);
  const std::vector<std::uint64_t> all = out.read(2 * of.count() + 1);
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * size_of(asked.result));
  std::vector<std::uint64_t> found;
  for (std::size_t i = 0; i < of.count(); ++i) {
    found.push_back(all[2 * i] & mask);
    EXPECT_EQ(all[2 * i] & ~mask, unwritten_word & ~mask) << "bytes behind result " << i;
    EXPECT_EQ(all[2 * i + 1], unwritten_word) << "memory behind result " << i;
  }
  return found;
}

std::uint64_t expected(const stretches& of, const segment_call& asked, std::size_t i) {
  const options on_cpu{.device = device::cpu};
  const any_vector a = of.segment(of.a, i), b = of.segment(of.b, i);
  if (asked.what == reduction::dot) return dot(a, b, asked.result, on_cpu).bits;
  return reduce(asked.what, a, asked.result, on_cpu, asked.ddof).bits;
}

void expect_segments(const stretches& of, const segment_call& asked, const std::string& name) {
  if (!is_tried()) return;
  const std::vector<std::uint64_t> found = run(of, asked);
  for (std::size_t i = 0; i < of.count(); ++i) {
    ASSERT_EQ(found[i], expected(of, asked, i))
        << name << ": " << name_of(asked.what) << " of " << name_of(of.type) << " to " << name_of(asked.result)
        << " of segment " << i << " of " << of.count() << ", " << of.length_of(i) << " elements, schedule "
        << asked.schedule << ", ddof " << asked.ddof;
  }
}

/// Segments of these lengths, at least, each of the next kind of data.
template <class T>
stretches stretches_of(oracle::rng& random, const std::vector<std::size_t>& lengths, std::size_t first_kind,
                       std::size_t gap = 0, std::size_t step = 1) {
  const auto all = oracle::generators<T>();
  std::vector<T> a(gap * step, T(NAN)), b = a;
  stretches made;
  made.type = type_of<T>, made.step = step, made.offsets = {gap};
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto data =
        lengths[i] == 0 ? oracle::vectors<T>{} : all[(first_kind + i) % all.size()].make(random, lengths[i]);
    for (std::size_t k = 0; k < data.a.size(); ++k) {
      a.push_back(data.a[k]), b.push_back(data.b[k]);
      a.insert(a.end(), step - 1, T(NAN)), b.insert(b.end(), step - 1, T(NAN));
    }
    made.offsets.push_back(a.size() / step);
  }
  made.a = bytes_of(a), made.b = bytes_of(b);
  return made;
}

/// Reductions and result types in turn, on few multiprocessors or more.
segment_call any_call(oracle::rng& random, unsigned seed, element_type type) {
  constexpr reduction all[] = {reduction::sum, reduction::mean, reduction::asum,     reduction::nrm2,
                               reduction::dot, reduction::dot,  reduction::variance, reduction::stddev};
  constexpr element_type offsets[] = {element_type::int64, element_type::int32, element_type::uint32,
                                      element_type::uint64};
  const element_type results[] = {type, element_type::float32, element_type::float64, type, element_type::bfloat16};
  segment_call asked;
  asked.what = all[seed % 8], asked.result = results[seed / 8 % 5], asked.offset_type = offsets[random.below(4)];
  asked.ddof = static_cast<std::int64_t>(random.below(2));
  asked.skew_a = seed % 4, asked.skew_b = random.below(3) == 0 ? random.below(4) : asked.skew_a;
  asked.multiprocessors = static_cast<int>(1 + random.below(4)), asked.schedule = seed;
  return asked;
}

template <class T>
void expect_every_length(unsigned salt) {
  oracle::rng random(salt);
  std::vector<std::size_t> lengths(201);
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = i;
  for (const std::size_t n : {256, 300, 511, 777, 1000, 1025, 2050, 3000}) lengths.push_back(n);
  for (unsigned i = 0; i < 2; ++i) {
    random.shuffle(lengths);
    const auto given = stretches_of<T>(random, lengths, random.below(50), random.below(4));
    expect_segments(given, any_call(random, 3 * i + salt, type_of<T>), "every length");
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(cuda_segment_data, of_every_length_equal_vectors) {
  expect_every_length<float>(100);
  expect_every_length<double>(205);
}

template <class T>
void expect_mixed(int repeats, unsigned salt, bool strided) {
  for (int i = 0; i < oracle::scaled(repeats); ++i) {
    const auto seed = static_cast<unsigned>(7 * i) + salt;
    oracle::rng random(seed);
    std::vector<std::size_t> lengths(1 + random.below(80));
    for (std::size_t& n : lengths) {
      const std::size_t most[] = {1, 4, 40, 400, 3000};
      n = random.below(most[random.below(random.below(5) + 1)]);
    }
    const auto given =
        stretches_of<T>(random, lengths, random.below(50), random.below(4), strided ? 2 + random.below(2) : 1);
    expect_segments(given, any_call(random, seed, type_of<T>), "mixed");
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(cuda_segment_data, of_mixed_lengths_equal_vectors) {
  expect_mixed<float>(32, 1000, false);
  expect_mixed<double>(32, 2000, false);
}

TEST_F(cuda_segment_data, of_any_stride_equal_vectors) {
  expect_mixed<float>(16, 3000, true);
  expect_mixed<double>(16, 4000, true);
}

/// One that all blocks have, between short ones; and many that begin and end in every block.
TEST_F(cuda_segment_data, of_which_some_are_huge_equal_vectors) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    oracle::rng random(seed);
    std::vector<std::size_t> lengths(60, seed % 2);
    lengths[seed] = 20000;
    if (seed > 3) lengths.assign(20, 700 + 100 * seed);
    expect_segments(stretches_of<float>(random, lengths, 9 * seed),
                    any_call(random, 3 * seed, element_type::float32), "huge");
    if (seed % 3 == 0) {
      expect_segments(stretches_of<double>(random, lengths, 9 * seed),
                      any_call(random, 5 * seed, element_type::float64), "huge");
    }
    if (HasFatalFailure()) return;
  }
}

/// So many long segments, which overlap by offsets that decrease, that the list has no place for all.
TEST_F(cuda_segment_data, that_find_the_list_full_are_summed_all_the_same) {
  const std::size_t n = at_most(20000, 21), count = 2 * at_most(4500, 100);
  oracle::rng random(5);
  std::vector<float> x;
  for (std::size_t i = 0; i < n; ++i) x.push_back(oracle::random_uniform<float>(random));
  stretches given;
  given.a = given.b = bytes_of(x), given.offsets.clear();
  for (std::size_t i = 0; i <= count; ++i) given.offsets.push_back(i % 2 == 0 ? 0 : n);
  std::string problem;
  segment_call asked;
  const std::vector<std::uint64_t> found = run(given, asked, &problem);
  EXPECT_NE(problem.find("segment 1"), std::string::npos) << problem;
  const std::uint64_t right = expected(given, asked, 0);
  for (std::size_t i = 0; i < count; i += 2) ASSERT_EQ(found[i], right) << i;
}

TEST_F(cuda_segment_data, with_wrong_offsets_are_named_and_the_others_are_right) {
  oracle::rng random(6);
  for (const element_type type : {element_type::int32, element_type::int64}) {
    auto given = stretches_of<float>(random, {3, 40, 5, 600, 7, 1500, 20}, 0);
    given.offsets[3] = 2;              // segment 2 decreases; 3 is long, and not the one it was
    given.offsets[5] = given.n() + 1;  // 4 passes the end, and 5 decreases
    given.offsets[6] = ~std::uint64_t{0};
    segment_call asked;
    asked.offset_type = type;
    std::string problem;
    const auto found = run(given, asked, &problem);
    EXPECT_NE(problem.find("segment 2"), std::string::npos) << problem;
    for (const std::size_t i : {2, 4, 5, 6}) EXPECT_EQ(found[i] << 1, 0x7ff8000000000000 << 1) << i;
    for (const std::size_t i : {0, 1, 3}) EXPECT_EQ(found[i], expected(given, asked, i)) << i;
  }
}

/// Equal elements have a variance of 0, which no bound decides.
TEST_F(cuda_segment_data, of_equal_elements_have_no_variance) {
  stretches given;
  std::vector<float> x;
  for (std::size_t i = 0; i < 6; ++i) {
    x.insert(x.end(), 50 + 100 * i, i == 0 ? 0.0F : 0.1F * static_cast<float>(i));
    given.offsets.push_back(x.size());
  }
  given.a = given.b = bytes_of(x);
  segment_call asked;
  asked.what = reduction::variance;
  expect_segments(given, asked, "equal");
  stretches ones;  // of one element there is none, and of a sample of one NaN
  ones.type = element_type::float64, ones.offsets = {0, 1, 2, 3, 4, 5, 7};
  ones.a = ones.b = bytes_of(std::vector<double>{3, 1e-300, -5, HUGE_VAL, NAN, 7, 7});
  expect_segments(ones, asked, "ones");
  asked.what = reduction::stddev, asked.ddof = 1, asked.result = element_type::float32;
  expect_segments(ones, asked, "ones");
  stretches zeros;
  zeros.type = element_type::float64, zeros.offsets = {0, 40, 100};
  zeros.a = zeros.b = bytes_of(std::vector<double>(100));
  expect_segments(zeros, asked, "zeros");
}

/// Integers of a kind: random ones of up to `bits` bits, equal ones, neighbours of a large one, extremes.
std::vector<std::uint64_t> random_integers(oracle::rng& random, std::size_t n) {
  const std::size_t kind = random.below(7);
  const auto bits = static_cast<int>(1 + random.below(64));
  const std::uint64_t base = random.bits() >> random.below(64);
  std::vector<std::uint64_t> made(n);
  for (std::uint64_t& x : made) {
    constexpr std::uint64_t extremes[] = {std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 1, ~std::uint64_t{0},
                                          0};
    x = kind == 0   ? base
        : kind == 1 ? base + random.below(3)
        : kind == 2 ? extremes[random.below(4)]
        : kind == 3 ? std::uint64_t{1} << random.below(64)
        : kind == 4 ? (random.coin() ? base : std::uint64_t{0} - base)
                    : random.bits() >> (64 - bits);
  }
  if (kind == 1 && n > 2) made[n / 2] = base + 1;
  return made;
}

void append(stretches& to, const std::vector<std::uint64_t>& line) {
  for (const std::uint64_t x : line) {
    const std::uint64_t stored = to.swapped ? __builtin_bswap64(x) : x;
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&stored);
    to.a.insert(to.a.end(), bytes, bytes + 8), to.a.insert(to.a.end(), 8 * (to.step - 1), 0x5a);
  }
  to.b = to.a;
  to.offsets.push_back(to.n());
}

/// Against the oracle, too.
void expect_integers(const stretches& of, const segment_call& asked, bool as_rows) {
  for (std::size_t i = 0; i < of.count(); ++i) {
    const any_vector x = of.segment(of.a, i);
    ASSERT_EQ(oracle::reference(asked.what, x, x, asked.ddof).exact(asked.result).value().bits,
              expected(of, asked, i));
  }
  if (!as_rows) return expect_segments(of, asked, "integers");
  const auto stride = static_cast<std::ptrdiff_t>(8 * of.step), n = static_cast<std::ptrdiff_t>(of.length_of(0));
  const matrix rows{of.type,    of.type,    of.count(), of.length_of(0), of.a,      of.a,
                    n * stride, n * stride, stride,     stride,          of.swapped};
  expect_rows(rows, asked.what, asked.result, 0, "rows of integers", asked.ddof, asked.multiprocessors);
}

void expect_random_integers(unsigned seed, bool as_rows) {
  oracle::rng random(seed);
  segment_call asked = any_call(random, seed, element_type::float64);
  asked.what = random.coin() ? reduction::variance : reduction::stddev;
  const std::size_t longest = seed % 3 == 0 ? 12 : seed % 3 == 1 ? 300 : 1500;
  stretches of;
  of.type = random.coin() ? element_type::int64 : element_type::uint64;
  of.swapped = random.below(4) == 0, of.step = 1 + random.below(3);
  const std::size_t length = 1 + random.below(longest), count = 1 + random.below(as_rows ? 6 : 40);
  for (std::size_t i = 0; i < count; ++i)
    append(of, random_integers(random, as_rows ? length : random.below(longest)));
  expect_integers(of, asked, as_rows);
}

TEST_F(cuda_segment_data, of_integers_equal_vectors) {
  for (unsigned seed = 100; seed < 124 && !HasFatalFailure(); ++seed) expect_random_integers(seed, seed % 2 == 0);
}

/// The largest sums: of the most negative integers, and of the greatest unsigned ones; and sums that no bound
/// decides.
TEST_F(cuda_segment_data, of_extreme_integers_equal_vectors) {
  for (const element_type type : {element_type::int64, element_type::uint64}) {
    stretches of;
    of.type = type;
    for (const std::size_t n : {1, 2, 9, 300, 2000}) {
      std::vector<std::uint64_t> line(n, type == element_type::int64 ? std::uint64_t{1} << 63 : ~std::uint64_t{0});
      append(of, line);  // equal
      line[n / 2] = 1;
      append(of, line);
      line.assign(n, 0x7123456789abcdef), line[n / 2] -= 1;
      append(of, line);
    }
    expect_integers(of, {.what = reduction::variance}, false);
    expect_integers(of, {.what = reduction::stddev, .result = element_type::float32, .ddof = 1}, false);
  }
}

template <class T>
void expect_shared_lines(unsigned salt, unsigned cases) {
  for (unsigned i = 0; i < cases; ++i) {
    const unsigned seed = salt + 5 * i;
    oracle::rng random(seed);
    choose_schedule(seed);
    const bool are_columns = i % 2 == 1;
    const std::size_t count = 1 + random.below(are_columns ? 40 : 6),
                      n = 1 + random.below(are_columns ? 900 : 3000);
    matrix given = generated<T>(random, count, n, are_columns ? 0 : random.below(4));
    if (are_columns) given = transposed(given, sizeof(T));
    const segment_call asked = any_call(random, i / 2, type_of<T>);
    expect_rows(given, asked.what, asked.result, seed % 4, are_columns ? "columns" : "rows", asked.ddof,
                asked.multiprocessors);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(cuda_segment_data, of_rows_and_columns_that_blocks_share_equal_vectors) {
  expect_shared_lines<float>(1000, static_cast<unsigned>(oracle::scaled(32)));
  expect_shared_lines<double>(2000, static_cast<unsigned>(oracle::scaled(32)));
}

/// Lines whose result no bound decides are left to the kernel of open lines.
TEST_F(cuda_segment_data, of_columns_that_cancel_equal_vectors) {
  std::vector<double> x;
  for (std::size_t i = 0; i < 3; ++i) {
    for (int k = 0; k < 300; ++k) {
      x.push_back(std::ldexp(1.0 + k, k - 100)), x.push_back(k == 7 ? 1 - x.back() : -x.back());
    }
  }
  const matrix rows{
      element_type::float64, element_type::float64, 3, 600, bytes_of(x), bytes_of(x), 4800, 4800, 8, 8};
  for (const reduction what : {reduction::sum, reduction::variance}) {
    expect_rows(rows, what, element_type::float64, 0, "cancel", 0, 2);
    expect_rows(transposed(rows, 8), what, element_type::float64, 0, "cancel", 0, 2);
  }
}

}  // namespace
