// The exercise's term in every element type and shape, on the CPU and in the GPU's kernels on the simulator.
//
// The oracle sums the magnitudes of the elements, taken before: of signed integers as unsigned ones, since the
// least of them has no signed magnitude.
#include <gtest/gtest.h>

#include <cuda/group/sums.cuh>
#include <cuda/host/operands.hpp>
#include <cuda/shape/lines.cuh>
#include <exactdot/exactdot.hpp>

#include "cuda/row_launch.cuh"
#include "oracle/random.hpp"
#include "oracle/reference.hpp"

namespace {

using namespace exactdot;

/// Vectors of one element type, as bytes, and their magnitudes.
struct signed_vectors {
  element_type type;
  std::size_t n;
  std::vector<unsigned char> a, b;

  signed_vectors(element_type of, std::size_t elements, oracle::rng& random) : type(of), n(elements) {
    for (std::vector<unsigned char>* const x : {&a, &b}) {
      x->resize(n * size_of(type) + 1);
      for (std::size_t i = 0; i < n; ++i) store(*x, i, random);
    }
  }
  [[nodiscard]] any_vector first(std::size_t from, std::size_t count) const { return view(a, from, count); }
  [[nodiscard]] any_vector second(std::size_t from, std::size_t count) const { return view(b, from, count); }

  /// The bits of Σ|aᵢbᵢ| over elements from, from + step, …; none if the result type does not hold them.
  [[nodiscard]] std::optional<any_scalar> expected(std::size_t from, std::size_t count, std::size_t step,
                                                   element_type result) const {
    return expected_at(
        count, [&](std::size_t i) { return from + i * step; }, result);
  }
  template <class Place>
  [[nodiscard]] std::optional<any_scalar> expected_at(std::size_t count, Place place, element_type result) const {
    const element_type of = is_integer(type) ? element_type::uint64 : type;
    const std::vector<unsigned char> x = magnitudes(a, count, place), y = magnitudes(b, count, place);
    return oracle::reference(reduction::dot, {x.data(), count, of}, {y.data(), count, of}).exact(result);
  }

 private:
  /// Numbers of both signs whose sums cancel in part; of integers extreme ones, too.
  void store(std::vector<unsigned char>& to, std::size_t i, oracle::rng& random) const {
    with_element(type, [&]<class T>(T) {
      std::uint64_t bits = random.below(8) == 0 ? random.bits() : random.below(200) - 100;
      if constexpr (!integer_element<T>) {
        const element_info& info = info_of(type_of<T>);
        const int exponent = (1 << (info.exponent_bits - 1)) - 1 + random.between(-3, 3),
                  stored = info.precision - 1;
        bits = random.bits() >> (64 - stored);
        bits |= (static_cast<std::uint64_t>(exponent) | random.below(2) << info.exponent_bits) << stored;
      }
      std::memcpy(&to[i * sizeof(T)], &bits, sizeof(T));  // the low bytes come first
    });
  }
  [[nodiscard]] any_vector view(const std::vector<unsigned char>& of, std::size_t from, std::size_t count) const {
    return {of.data() + from * size_of(type), count, type};
  }
  template <class Place>
  [[nodiscard]] std::vector<unsigned char> magnitudes(const std::vector<unsigned char>& of, std::size_t count,
                                                      Place place) const {
    std::vector<unsigned char> made;
    const auto append = [&](auto x) {
      const auto* const bytes = reinterpret_cast<const unsigned char*>(&x);
      made.insert(made.end(), bytes, bytes + sizeof x);
    };
    for (std::size_t i = 0; i < count; ++i) {
      with_element(type, [&]<class T>(T x) {
        std::memcpy(&x, &of[place(i) * sizeof(T)], sizeof(T));
        if constexpr (integer_element<T>) {
          append(x < T{0} ? std::uint64_t{0} - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x));
        } else {
          unsigned char bytes[sizeof(T)];
          std::memcpy(bytes, &x, sizeof(T));
          bytes[sizeof(T) - 1] &= 0x7f;
          made.insert(made.end(), bytes, bytes + sizeof(T));
        }
      });
    }
    return made;
  }
};

/// A floating-point type, so that every sum has a result.
element_type result_type_of(element_type type) { return is_integer(type) ? element_type::float64 : type; }

/// One call's results, each against the oracle's.
class expectation {
 public:
  expectation(const signed_vectors& of, std::size_t count) : of_(of), words_(count) {}
  [[nodiscard]] any_results out() {
    results_ = {words_.size(), sizeof(std::uint64_t)};
    return {words_.data(), result_type_of(of_.type), {&results_, 1}, false};
  }
  template <class Expected>
  void check(const char* shape, Expected expected) const {
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * size_of(result_type_of(of_.type)));
    for (std::size_t i = 0; i < words_.size(); ++i) {
      ASSERT_EQ(words_[i] & mask, expected(i)->bits) << shape << " of " << name_of(of_.type) << ", result " << i;
    }
  }

 private:
  const signed_vectors& of_;
  std::vector<std::uint64_t> words_;
  axis results_;
};

class exercise_of_type : public testing::TestWithParam<element_type> {
 protected:
  [[nodiscard]] static element_type type() { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(types, exercise_of_type, testing::ValuesIn([] {
                           std::vector<element_type> all;
                           for (const element_info& known : elements) all.push_back(known.type);
                           return all;
                         }()),
                         [](const auto& each) { return std::string(name_of(each.param)); });

TEST_P(exercise_of_type, vectors_on_the_cpu) {
  oracle::rng random(1);
  for (const std::size_t n : {0U, 1U, 2U, 7U, 100U, 600U, 5000U, 70000U}) {
    const signed_vectors of(type(), n, random);
    for (const int threads : {1, 3}) {
      for (const element_type result : {result_type_of(type()), element_type::float64}) {
        const std::uint64_t found = detail::reduce_to_bits(reduction::absolute_dot, of.first(0, n), of.second(0, n),
                                                           result, {.threads = threads});
        ASSERT_EQ(found, of.expected(0, n, 1, result)->bits) << n << " elements, " << threads << " threads";
      }
    }
  }
}

TEST_P(exercise_of_type, rows_and_columns_on_the_cpu) {
  oracle::rng random(2);
  const auto size = static_cast<std::ptrdiff_t>(size_of(type()));
  for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{3, 2}, {40, 5}, {9, 300}, {2, 5000}}) {
    const signed_vectors of(type(), m * n, random);
    const auto row = static_cast<std::ptrdiff_t>(n) * size;
    const axis rows{m, row}, columns{n, size};
    const auto grid = [&](const std::vector<unsigned char>& x, const axis& results, const axis& of_elements) {
      return any_grid{x.data(), type(), {&results, 1}, {&of_elements, 1}, false};
    };
    expectation by_rows(of, m), by_columns(of, n);
    detail::reduce_grid(reduction::absolute_dot, grid(of.a, rows, columns), grid(of.b, rows, columns),
                        by_rows.out(), {});
    by_rows.check("rows", [&](std::size_t i) { return of.expected(i * n, n, 1, result_type_of(type())); });
    detail::reduce_grid(reduction::absolute_dot, grid(of.a, columns, rows), grid(of.b, columns, rows),
                        by_columns.out(), {});
    by_columns.check("columns", [&](std::size_t i) { return of.expected(i, m, n, result_type_of(type())); });
  }
}

/// Kernels for rows that share a vector serve products alone; with and without a batch.
TEST_P(exercise_of_type, rows_by_one_vector_on_the_cpu) {
  oracle::rng random(6);
  for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{3, 2}, {40, 5}, {64, 300}, {600, 300}}) {
    signed_vectors of(type(), m * n, random);
    const std::size_t row = n * size_of(type());
    for (std::size_t i = 1; i < m; ++i)
      std::copy_n(of.b.begin(), row, of.b.begin() + static_cast<std::ptrdiff_t>(i * row));
    const axis rows{m, static_cast<std::ptrdiff_t>(row)}, shared{m, 0},
        along{n, static_cast<std::ptrdiff_t>(size_of(type()))};
    expectation by_rows(of, m);
    detail::reduce_grid(reduction::absolute_dot, any_grid{of.a.data(), type(), {&rows, 1}, {&along, 1}, false},
                        any_grid{of.b.data(), type(), {&shared, 1}, {&along, 1}, false}, by_rows.out(), {});
    by_rows.check("rows by one vector",
                  [&](std::size_t i) { return of.expected(i * n, n, 1, result_type_of(type())); });
  }
}

TEST_P(exercise_of_type, segments_on_the_cpu) {
  oracle::rng random(3);
  const std::vector<std::int64_t> offsets = {0, 0, 3, 4, 90, 90, 1000, 3000};
  const signed_vectors of(type(), 3000, random);
  expectation segments(of, offsets.size() - 1);
  detail::reduce_segments(reduction::absolute_dot, of.first(0, of.n), of.second(0, of.n),
                          {offsets.data(), offsets.size() - 1}, segments.out(), {});
  segments.check("segments", [&](std::size_t i) {
    return of.expected(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(offsets[i + 1] - offsets[i]),
                       1, result_type_of(type()));
  });
}

/// Keys below `groups`; and the places of a group's elements.
struct random_keys {
  std::vector<std::int64_t> keys;
  std::vector<std::vector<std::size_t>> places;

  random_keys(std::size_t n, std::size_t groups, oracle::rng& random) : places(groups) {
    for (std::size_t i = 0; i < n; ++i) {
      keys.push_back(static_cast<std::int64_t>(random.below(groups)));
      places[static_cast<std::size_t>(keys.back())].push_back(i);
    }
  }
  [[nodiscard]] std::optional<any_scalar> expected(const signed_vectors& of, std::size_t group,
                                                   element_type result) const {
    return of.expected_at(
        places[group].size(), [&](std::size_t i) { return places[group][i]; }, result);
  }
};

TEST_P(exercise_of_type, groups_on_the_cpu) {
  oracle::rng random(4);
  for (const auto& [n, groups] : {std::pair<std::size_t, std::size_t>{50, 7}, {5000, 40}, {3000, 2000}}) {
    const signed_vectors of(type(), n, random);
    const random_keys by(n, groups, random);
    const detail::element_line a(of.first(0, n)), b(of.second(0, n));
    expectation found(of, groups);
    detail::reduce_groups(reduction::absolute_dot, a.view(), b.view(),
                          {by.keys.data(), n, element_type::int64, sizeof(std::int64_t), groups}, found.out(), {});
    found.check("groups", [&](std::size_t i) { return by.expected(of, i, result_type_of(type())); });
  }
}

TEST_P(exercise_of_type, rows_in_the_gpu_kernels) {
  oracle::rng random(5);
  constexpr std::size_t count = 5, n = 70;
  const signed_vectors of(type(), count * n, random);
  cuda_engine::launcher on(1);
  gpu::buffer<unsigned char> a(on.stream(), of.a.size()), b(on.stream(), of.b.size());
  a.copy_from(of.a.data(), of.a.size()), b.copy_from(of.b.data(), of.b.size());
  const element_type result = result_type_of(type());
  const engine::plan plan = engine::unplaced_plan(
      {"test", reduction::absolute_dot, {a.data(), n, type()}, {b.data(), n, type()}, result, 0}, mode::exact);
  with_carrier(core::carrier_of(type()), [&]<class T>(T) {
    using term = core::absolute_product;
    using namespace cuda_engine;
    line_operands<T, input_layout::any> in;
    in.first = any_operands_of<T>(plan, plan.term_info());
    in.next_a = in.next_b = static_cast<std::ptrdiff_t>(n * size_of(type())), in.count = count;
    using work = sum_of_terms<T, term>;
    const auto found = on.results(count, n, plan.result, [&](const line_results& to) {
      gpu::launch(short_line_kernel<work, input_layout::any, 64, 8, 4>, 2, 64, 0, on.stream(), in,
                  bounds_of_line<work>(in.first.n, 8, 4), to, line_request{});
    });
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(found[i], of.expected(i * n, n, 1, result)->bits) << "row " << i;
    }
  });
}

/// Results of groups by the launches of group/sums.cuh, in tables or in records.
std::vector<std::uint64_t> groups_of_kernels(const signed_vectors& of, const random_keys& by, bool in_shared) {
  using namespace cuda_engine;
  gpu::stream stream;
  const std::size_t groups = by.places.size();
  gpu::buffer<unsigned char> a(stream, of.a.size()), b(stream, of.b.size());
  gpu::buffer<std::int64_t> keys(stream, by.keys.size());
  gpu::buffer<std::uint64_t> results(stream, groups);
  gpu::buffer<wide_unsigned> notes(stream, 3);
  a.copy_from(of.a.data(), of.a.size()), b.copy_from(of.b.data(), of.b.size());
  keys.copy_from(by.keys.data(), by.keys.size()), results.fill_zero(), notes.fill_zero();
  const auto operand = [&](const gpu::buffer<unsigned char>& x) {
    return any_operand{reinterpret_cast<const char*>(x.data()), static_cast<std::ptrdiff_t>(size_of(of.type)),
                       of.type, false};
  };
  group_job job;
  job.in.a = operand(a), job.in.b = operand(b), job.in.n = of.n, job.in.groups = static_cast<unsigned>(groups);
  set_keys(job.in, keys.data(), sizeof(std::int64_t), element_type::int64);
  set_terms(job.in, reduction::absolute_dot), set_input_layout(job, true);
  job.to.first_bad_key = notes.data(), job.to.first_empty_group = notes.data() + 1;
  job.out.first = reinterpret_cast<char*>(results.data()), job.out.next = sizeof(std::uint64_t);
  job.out.rule = {core::info_of(reduction::absolute_dot).finish, core::format_of(result_type_of(of.type))};
  job.out.status = reinterpret_cast<unsigned*>(notes.data() + 2);
  choose_scheme(job, false, {}, in_shared);
  const core::state_layout layout = core::layout_of(core::carrier_of(of.type));
  gpu::buffer<wide_unsigned> memory(stream, first_look_bytes(job) / 8 + groups * words_of_open_group(layout, 1));
  const std::size_t cleared = place_memory(job, memory.data());
  const auto launch = [&](auto kernel, unsigned blocks, unsigned threads, std::size_t shared, auto&&... arguments) {
    gpu::launch(kernel, blocks, threads, shared, stream, arguments...);
  };
  enqueue_first_look(job, cleared, layout, launch);
  enqueue_second_look(job, layout, groups, groups, launch);
  std::vector<std::uint64_t> found(groups);
  results.copy_to(found.data(), groups);
  for (const std::string& finding : gpu::findings(stream)) ADD_FAILURE() << finding;
  return found;
}

TEST_P(exercise_of_type, groups_in_the_gpu_kernels) {
  oracle::rng random(6);
  constexpr std::size_t n = 300, groups = 20;
  const signed_vectors of(type(), n, random);
  const random_keys by(n, groups, random);
  for (const bool in_shared : {true, false}) {
    const std::vector<std::uint64_t> found = groups_of_kernels(of, by, in_shared);
    for (std::size_t i = 0; i < groups; ++i) {
      EXPECT_EQ(found[i], by.expected(of, i, result_type_of(type()))->bits) << "group " << i;
    }
  }
}

}  // namespace
