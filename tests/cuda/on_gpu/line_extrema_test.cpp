// Extreme elements of rows, columns and segments in a GPU's memory against a loop over core::ordered_key, for every
// element type: few values and many ties, special elements, the extreme element at every index, the first of equal
// elements; lines of any stride and byte order that overlap, run backwards or repeat. Lengths of the tuning table:
// batch_extrema_test.cpp. On the simulator few elements are a long line (CMakeLists.txt).
#include <cuda/work/extremum_rank.hpp>
#include <exactdot/cuda/batches.hpp>
#include <exactdot/exactdot.hpp>

#include "cuda/extremum_data.hpp"
#include "cuda/on_gpu/support.hpp"
#include "cuda/on_gpu/workspace_state.hpp"

namespace {

using namespace exactdot;
using namespace exactdot::cuda_engine;
using namespace on_gpu;

class cuda_line_extrema : public needs_gpu {};

constexpr reduction four[] = {reduction::min, reduction::max, reduction::argmin, reduction::argmax};

/// Lines of n elements; strides in elements. Line i begins at element `first` + i · next of `x`.
struct element_matrix {
  data x;
  std::size_t count = 0, n = 0, first = 0;
  std::ptrdiff_t next = 0, stride = 1;
  bool swapped = false;

  [[nodiscard]] data line(std::size_t i) const {
    data made{x.type, std::vector<std::uint64_t>(n)};
    for (std::size_t k = 0; k < n; ++k) {
      const auto at = static_cast<std::ptrdiff_t>(first) + static_cast<std::ptrdiff_t>(i) * next +
                      static_cast<std::ptrdiff_t>(k) * stride;
      made.bits[k] = x.bits[static_cast<std::size_t>(at)];
    }
    return made;
  }
};

/// Elements in device memory, some elements behind an aligned address, in either byte order.
class placed_elements {
 public:
  placed_elements(const data& x, std::size_t skew, bool swapped)
      : bytes_(size_of(x.type)), skew_(skew), memory_(to_bytes(x, skew, swapped)) {}
  [[nodiscard]] const unsigned char* at(std::size_t element) const {
    return memory_.data() + (element + skew_) * bytes_;
  }

 private:
  static std::vector<unsigned char> to_bytes(const data& x, std::size_t skew, bool swapped) {
    const std::size_t size = size_of(x.type);
    std::vector<unsigned char> made((x.bits.size() + skew) * size + 32, 0xff);
    for (std::size_t i = 0; i < x.bits.size(); ++i) {
      unsigned char* const at = &made[(i + skew) * size];
      std::memcpy(at, &x.bits[i], size);
      if (swapped) std::reverse(at, at + size);
    }
    return made;
  }
  std::size_t bytes_, skew_;
  device_vector<unsigned char> memory_;
};

/// The results of enqueue(workspace, results), 16 bytes apart.
template <class Enqueue>
std::vector<std::uint64_t> results_of(element_type type, std::size_t count, reduction what, unsigned seed,
                                      Enqueue enqueue) {
  constexpr std::uint64_t unwritten = 0x5a5a5a5a5a5a5a5a;
  choose_schedule(seed);
  const device_vector<std::uint64_t> out(std::vector<std::uint64_t>(2 * count + 1, unwritten));
  const axis places{count, 16};
  const element_type result = gives_index(what) ? element_type::int64 : type;
  cuda::workspace workspace;
  workspace.library_storage().multiprocessors = static_cast<int>(1 + seed % 9);
  enqueue(workspace, any_results{out.data(), result, {&places, 1}});
  const std::vector<std::uint64_t> all = out.read(2 * count + 1);
  EXPECT_EQ(unreset_lines(workspace), "");
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * size_of(result));
  std::vector<std::uint64_t> found;
  for (std::size_t i = 0; i < count; ++i) {
    found.push_back(all[2 * i] & mask);
    EXPECT_EQ(all[2 * i] & ~mask, unwritten & ~mask) << "bytes behind result " << i;
    EXPECT_EQ(all[2 * i + 1], unwritten) << "memory behind result " << i;
  }
  return found;
}

void expect_extremum(const element_matrix& of, reduction what, unsigned seed, const std::string& name) {
  if (!is_tried()) return;
  const auto size = static_cast<std::ptrdiff_t>(size_of(of.x.type));
  const placed_elements x(of.x, seed % 17, of.swapped);
  const axis lines{of.count, of.next * size}, in_line{of.n, of.stride * size};
  const auto found = results_of(of.x.type, of.count, what, seed, [&](cuda::workspace& on, const any_results& to) {
    cuda::reduce(on, what, any_grid{x.at(of.first), of.x.type, {&lines, 1}, {&in_line, 1}, of.swapped}, to);
  });
  for (std::size_t i = 0; i < of.count; ++i) {
    ASSERT_EQ(found[i], expected(of.line(i), what))
        << name << ": " << name_of(what) << " of " << name_of(of.x.type) << ", line " << i << " of " << of.count
        << " by " << of.n << ", seed " << seed;
  }
}
/// An element and an index, of either end.
void expect_extrema(const element_matrix& of, unsigned seed, const std::string& name) {
  expect_extremum(of, seed % 2 == 0 ? reduction::min : reduction::max, seed, name);
  expect_extremum(of, seed % 2 == 0 ? reduction::argmax : reduction::argmin, seed, name);
}

/// Lines that follow each other, `gap` elements between them.
element_matrix lines_of(data x, std::size_t count, std::size_t n, std::size_t gap = 0) {
  element_matrix made{std::move(x), count, n};
  made.next = static_cast<std::ptrdiff_t>(n + gap);
  return made;
}

/// Lines as columns of the transpose.
element_matrix transposed(const element_matrix& of) {
  element_matrix made{{of.x.type, std::vector<std::uint64_t>(of.count * of.n)}, of.count, of.n};
  made.stride = static_cast<std::ptrdiff_t>(of.count), made.next = 1;
  for (std::size_t i = 0; i < of.count; ++i) {
    const data line = of.line(i);
    for (std::size_t k = 0; k < of.n; ++k) made.x.bits[k * of.count + i] = line.bits[k];
  }
  return made;
}
/// Lines in memory that has two elements for each.
element_matrix strided(const element_matrix& of) {
  element_matrix made{{of.x.type, std::vector<std::uint64_t>(2 * of.count * of.n)}, of.count, of.n};
  made.stride = 2, made.next = static_cast<std::ptrdiff_t>(2 * of.n);
  for (std::size_t i = 0; i < of.count; ++i) {
    const data line = of.line(i);
    for (std::size_t k = 0; k < of.n; ++k) made.x.bits[2 * (i * of.n + k)] = line.bits[k];
  }
  return made;
}

void put_special_elements(data& x, unsigned seed) {
  const std::vector<std::uint64_t> special = special_elements(info_of(x.type));
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < 1 + x.bits.size() / 40; ++i) {
    x.bits[random() % x.bits.size()] = special[random() % special.size()];
  }
}

/// Random elements, half the time of few values; in every third matrix special ones among them.
element_matrix random_lines(const element_info& info, std::size_t count, std::size_t n, std::size_t gap,
                            unsigned seed) {
  element_matrix made =
      lines_of(cuda_engine::random_data(info, count * (n + gap) + 1, seed, seed % 2 == 0 ? 0 : 3), count, n, gap);
  if (seed % 3 == 0) put_special_elements(made.x, seed);
  return made;
}

TEST_F(cuda_line_extrema, of_every_length_are_found) {
  unsigned seed = 1;
  for (std::size_t n = 1; n <= 200; ++n, ++seed) {
    expect_extrema(random_lines(elements[seed % elements.size()], 1 + seed % 13, n, seed % 4, seed), seed,
                   "length");
    if (HasFatalFailure()) return;
  }
  for (std::size_t n = 210; n < 9000; n += n / 6, ++seed) {
    expect_extrema(random_lines(elements[seed % elements.size()], 1 + seed % 4, n, seed % 4, seed), seed, "length");
    if (HasFatalFailure()) return;
  }
}

TEST_F(cuda_line_extrema, of_every_type_are_found) {
  for_each_type([](const element_info& info) {
    for (const std::size_t n : {5, 40, 300, 900, 2500}) {
      const unsigned seed = static_cast<unsigned>(info.type) * 7 + static_cast<unsigned>(n);
      expect_extrema(random_lines(info, 5, n, seed % 3, seed), seed, "every type");
      expect_extrema(random_lines(info, 5, n + 13, seed % 3, seed + 1), seed + 1, "every type");
    }
  });
}

/// Backwards, every other element, one element again and again, lines that overlap or run backwards; swapped bytes.
TEST_F(cuda_line_extrema, of_any_layout_are_found) {
  unsigned seed = 10;
  for_each_type([&](const element_info& info) {
    for (unsigned i = 0; i < 12; ++i) {
      ++seed;
      const std::size_t n = i < 10 ? 1 + seed * 37 % 190 : 1 + seed * 37 % 1500, count = 1 + seed % 7;
      element_matrix given = random_lines(info, 3 * count, n, 2, seed);
      given.count = count, given.swapped = seed % 2 == 0;
      given.stride = i % 3 == 0 ? 2 : i % 3 == 1 ? -1 : 0;
      if (i % 3 == 0) given.next *= 2;
      if (i % 3 == 1) given.first = n - 1;
      if (i == 3) given.next = 1;
      if (i == 4) given.first += count * (n + 2), given.next = -given.next;
      if (i == 5) given.next = 0;
      if (i == 11) given.stride = 1, given.first = count * (n + 2), given.next = -given.next;  // rows, backwards
      expect_extrema(given, seed, "any layout");
    }
  });
}

TEST_F(cuda_line_extrema, of_columns_are_found) {
  unsigned seed = 1;
  for_each_type([&](const element_info& info) {
    for (const auto& [most, longest] : {std::pair<unsigned, unsigned>{70, 200}, {500, 20}, {150, 90}, {9, 1200}}) {
      ++seed;
      element_matrix given = random_lines(info, 1 + seed * 31 % most, 1 + seed * 17 % longest, 0, seed);
      given.swapped = seed % 4 == 0;
      expect_extrema(transposed(given), seed, "columns");
    }
  });
}

/// One best element at every index of a line; a second one behind it.
TEST_F(cuda_line_extrema, are_found_at_every_index) {
  for (const element_type type : {element_type::int8, element_type::bfloat16, element_type::float32,
                                  element_type::float64, element_type::float8_e5m2}) {
    for (const std::size_t n : {40, 150, 700}) {
      const std::size_t count = std::min<std::size_t>(n, 150), step = (n + count - 1) / count;
      const rank_rule rule = rank_rule_of(type, true);
      const std::uint64_t best = element_below_nan(rule, rule.first_nan - 1), common = element_below_nan(rule, 5);
      element_matrix given = lines_of({type, std::vector<std::uint64_t>(count * n, common)}, count, n);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = std::min(step * i + i % step, n - 1);
        given.x.bits[i * n + at] = given.x.bits[i * n + (at + n) / 2] = best;
      }
      expect_extremum(given, reduction::argmax, 3, "every index");
      expect_extremum(strided(given), reduction::argmax, 2, "every index");
      expect_extremum(transposed(given), reduction::argmax, 4, "every index");
    }
  }
}

/// Of equal elements the first counts, also of those of the lowest rank, which fill the lanes of no element, and of
/// NaNs of different signs and payloads.
TEST_F(cuda_line_extrema, are_the_first_of_equal_elements) {
  for_each_type([](const element_info& info) {
    for (const std::size_t n : {45, 600}) {
      const std::vector<std::uint64_t> values = special_elements(info);
      element_matrix given = lines_of({info.type, {}}, 0, n);
      const auto append = [&](auto bits_of) {
        for (std::size_t k = 0; k < n; ++k) given.x.bits.push_back(bits_of(k));
        ++given.count;
      };
      for (const std::uint64_t value : values) {
        append([&](std::size_t) { return value; });
        if (info.exponent_bits == 0) continue;
        const std::uint64_t nan = std::min(infinity_of(info) + 1, sign_of(info) - 1);
        append([&](std::size_t k) {
          return k < n / 3 ? value : std::min(nan + k % 3, sign_of(info) - 1) | (k % 2) * sign_of(info);
        });
      }
      if (info.exponent_bits != 0) append([&](std::size_t k) { return k % 5 == 3 ? 0 : sign_of(info); });
      for (const reduction what : four) {
        const auto seed = static_cast<unsigned>(what) + static_cast<unsigned>(info.type);
        expect_extremum(given, what, seed, "equal elements");
        expect_extremum(strided(given), what, seed, "equal elements");
        expect_extremum(transposed(given), what, seed, "equal elements");
      }
    }
  });
}

using cuts = std::vector<std::uint64_t>;

/// The results of segments; what the workspace reports.
std::vector<std::uint64_t> run_segments(const data& x, const cuts& offsets, reduction what, unsigned seed,
                                        bool swapped, std::string* problem = nullptr) {
  const placed_elements placed(x, seed % 17, swapped);
  const device_vector<std::uint64_t> at(offsets);
  const any_vector all{placed.at(0), x.bits.size(), x.type, static_cast<std::ptrdiff_t>(size_of(x.type)), swapped};
  return results_of(x.type, offsets.size() - 1, what, seed, [&](cuda::workspace& on, const any_results& to) {
    cuda::reduce(on, what, all, any_offsets{at.data(), offsets.size() - 1, element_type::uint64, 8}, to);
    try {
      on.check();
    } catch (const error& refusal) {
      if (problem != nullptr) *problem = refusal.what();
      EXPECT_NE(problem, nullptr) << refusal.what();
    }
  });
}

void expect_segments(const data& x, const cuts& offsets, reduction what, unsigned seed, bool swapped = false) {
  if (!is_tried()) return;
  const auto found = run_segments(x, offsets, what, seed, swapped);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const auto first = x.bits.begin() + static_cast<std::ptrdiff_t>(offsets[i]),
               end = x.bits.begin() + static_cast<std::ptrdiff_t>(offsets[i + 1]);
    ASSERT_EQ(found[i], expected(data{x.type, {first, end}}, what))
        << name_of(what) << " of " << name_of(x.type) << ", segment " << i << " of " << offsets[i + 1] - offsets[i]
        << " elements, seed " << seed;
  }
}

TEST_F(cuda_line_extrema, of_segments_are_those_of_vectors) {
  for_each_type([](const element_info& info) {
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned seed = 4 * static_cast<unsigned>(info.type) + i;
      std::mt19937 random(seed);
      cuts offsets = {seed % 5};
      const std::size_t count = 1 + random() % 60;
      for (std::size_t k = 0; k < count; ++k) {
        const unsigned kind = random() % 8;
        offsets.push_back(offsets.back() + 1 + random() % (kind < 4 ? 20 : kind < 7 ? 300 : 2500));
      }
      data x = cuda_engine::random_data(info, offsets.back() + 3, seed, seed % 2 == 0 ? 0 : 4);
      if (seed % 3 != 0) put_special_elements(x, seed);
      for (const reduction what : {four[i % 4], four[(i + 2) % 4]}) expect_segments(x, offsets, what, seed, i == 3);
    }
  });
}

TEST_F(cuda_line_extrema, of_segments_that_many_blocks_share_are_those_of_vectors) {
  const std::size_t unit = at_most(100, 10);
  const data x = cuda_engine::random_data(info_of(element_type::float32), 1600 * unit + 5, 3, 20000);
  for (const reduction what : {reduction::argmin, reduction::argmax}) {
    expect_segments(x, {1, 900 * unit + 1, 900 * unit + 10, 915 * unit, 1600 * unit + 1, 1600 * unit + 2}, what, 8);
  }
  // all elements have rank 0: the first one is the best, also where that is a later piece's
  const data equal{element_type::int32, std::vector<std::uint64_t>(30 * unit, 0x80000000)};
  expect_segments(equal, {0, 7, 20 * unit, 30 * unit}, reduction::argmax, 5);
  expect_segments(equal, {0, 7, 20 * unit, 30 * unit}, reduction::argmin, 5);
  // the greatest twice in a long segment
  data twice = cuda_engine::random_data(info_of(element_type::float32), 20 * unit, 1);
  for (const std::size_t i : {9 * unit, 11 * unit}) twice.bits[i] = 0x7f000000;
  expect_segments(twice, {0, 20, 10 * unit, 10 * unit + 1, 20 * unit}, reduction::argmax, 2);
}

TEST_F(cuda_line_extrema, of_wrong_offsets_are_noted_and_the_others_right) {
  const data x = cuda_engine::random_data(info_of(element_type::float32), 38, 1);
  std::string problem;  // segments 1 and 4 decrease; 5 passes the end
  const auto found = run_segments(x, {0, 10, 5, 30, 31, 30, 40}, reduction::max, 2, false, &problem);
  EXPECT_NE(problem.find("segment 1"), std::string::npos) << problem;
  for (const std::size_t wrong : {1, 4, 5}) EXPECT_EQ(found[wrong] & 0x7fffffff, 0x7fc00000U) << wrong;
  EXPECT_EQ(found[0], expected(data{x.type, {x.bits.begin(), x.bits.begin() + 10}}, reduction::max));
}

}  // namespace
