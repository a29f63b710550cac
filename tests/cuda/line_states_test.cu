// Kernels of states of lines: the words are those of the CPU's states, which tests compare with the oracle; for
// every element type, term, form and layout, added to what is there.
#include <cstring>
#include <cuda/batch_kernel.cuh>
#include <cuda/line_state_kernel.cuh>
#include <exactdot/states.hpp>
#include <plan/state_words.hpp>

#include "oracle/cases.hpp"
#include "oracle/random.hpp"
#include "row_launch.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

/// Matrices of rows with a gap, of one element type.
struct state_rows {
  element_type type;
  bool swapped;
  std::size_t count, n, gap;
  std::vector<unsigned char> a, b;

  [[nodiscard]] std::ptrdiff_t size() const { return static_cast<std::ptrdiff_t>(size_of(type)); }
  [[nodiscard]] std::ptrdiff_t next() const { return static_cast<std::ptrdiff_t>(n + gap) * size(); }
};

/// Random bits: every exponent, also those of infinities and NaN unless `finite`.
state_rows random_rows(oracle::rng& random, element_type type, std::size_t longest, bool finite) {
  state_rows made{type, false, 1 + random.below(7), random.below(longest), random.below(3), {}, {}};
  made.swapped = size_of(type) > 1 && random.below(4) == 0;
  const std::size_t bytes = made.count * (made.n + made.gap) * size_of(type) + 8;
  const bool narrow = random.coin();
  for (auto* to : {&made.a, &made.b}) {
    to->resize(bytes);
    for (std::size_t i = 0; i + size_of(type) <= bytes; i += size_of(type)) {
      with_element(type, [&]<class T>(T) {
        T value = exactdot::detail::from_word<T>(random.bits());
        if constexpr (floating_element<T>) {
          const auto x = static_cast<double>(value);
          const bool replaced = narrow || (finite && !std::isfinite(x));
          if (replaced) value = static_cast<T>(static_cast<float>(2 * random.unit() - 1));
        }
        std::memcpy(to->data() + i, &value, sizeof value);
        if (made.swapped) std::reverse(to->data() + i, to->data() + i + sizeof value);
      });
    }
  }
  return made;
}

/// Adds the states of the rows by one launch of a term, as the engine does.
template <class T, class Term, int lanes>
void add_states(launcher& on, const state_rows& of, const unsigned char* a, const unsigned char* b,
                const line_states& to) {
  constexpr int threads = lanes == 32 ? 64 : lanes;
  if (of.type == type_of<T> && !of.swapped) {
    line_operands<T> in;
    in.first = {reinterpret_cast<const T*>(a), reinterpret_cast<const T*>(b), 1, 1, of.n};
    in.count = of.count, in.next_a = in.next_b = of.next() / of.size();
    gpu::launch(line_state_kernel<T, input_layout::strided, threads, lanes>, 2, threads, 0, on.stream(),
                core::describe_term<Term>(), in, to);
    return;
  }
  line_operands<T, input_layout::any> in;
  in.first.a = {reinterpret_cast<const char*>(a), of.size(), of.type, of.swapped};
  in.first.b = {reinterpret_cast<const char*>(b), of.size(), of.type, of.swapped};
  in.first.log2_parts_a = core::parts_of(of.type) - 1;
  in.first.log2_parts_b = Term::inputs == 2 ? core::parts_of(of.type) - 1 : 0;
  in.first.n = of.n << (in.first.log2_parts_a + in.first.log2_parts_b);
  in.count = of.count, in.next_a = in.next_b = of.next();
  gpu::launch(line_state_kernel<T, input_layout::any, threads, lanes>, 2, threads, 0, on.stream(),
              core::describe_term<Term>(), in, to);
}

/// Both launches of moments, or one.
template <class T, int lanes>
std::vector<std::int64_t> states_on_gpu(const state_rows& of, const state_format& format,
                                        const std::vector<std::int64_t>& before, unsigned seed) {
  launcher on(seed);
  gpu::buffer<unsigned char> a(on.stream(), of.a.size()), b(on.stream(), of.b.size());
  a.copy_from(of.a.data(), of.a.size()), b.copy_from(of.b.data(), of.b.size());
  gpu::buffer<std::int64_t> words(on.stream(), before.size());
  words.copy_from(before.data(), before.size());
  const engine::stored_state stored(format);
  const bool parts = core::parts_of(of.type) > 1;
  for (int sum = 0; sum < stored.sums; ++sum) {
    line_states to;
    to.first = words.data() + stored.of[sum].first_word, to.next = stored.words;
    to.layout = stored.of[sum].layout, to.counts = stored.counts;
    to.to_count = sum == 0 ? -stored.counts_elements : 0, to.elements = static_cast<std::int64_t>(of.n);
    const bool squares = sum == 1 || core::info_of(format.what).term == core::term_index<core::square>;
    const unsigned char* const second = format.what == reduction::dot ? b.data() : a.data();
    if (format.what == reduction::dot || (squares && parts)) {
      add_states<T, core::product, lanes>(on, of, a.data(), second, to);
    } else if (squares) {
      add_states<T, core::square, lanes>(on, of, a.data(), second, to);
    } else if (format.what == reduction::asum) {
      add_states<T, core::magnitude, lanes>(on, of, a.data(), second, to);
    } else {
      add_states<T, core::value, lanes>(on, of, a.data(), second, to);
    }
    gpu::synchronise(on.stream());
  }
  std::vector<std::int64_t> after(before.size());
  words.copy_to(after.data(), after.size());
  return after;
}

template <int lanes>
void expect_states(unsigned seed, std::size_t longest, bool finite) {
  constexpr reduction summing[] = {reduction::dot,  reduction::sum,      reduction::asum,          reduction::nrm2,
                                   reduction::mean, reduction::variance, reduction::sum_of_squares};
  oracle::rng random(seed);
  const element_type type = elements[random.below(elements.size())].type;
  const state_format format{summing[random.below(7)], type, random.coin() ? state_form::full : state_form::compact};
  const state_rows of = random_rows(random, type, longest, finite);
  const axis results{of.count, of.next()}, in_row{of.n, of.size()};
  const any_grid x{of.a.data(), type, {&results, 1}, {&in_row, 1}, of.swapped},
      y{of.b.data(), type, {&results, 1}, {&in_row, 1}, of.swapped};
  std::vector<std::int64_t> expected(of.count * format.words());
  const auto add = [&] {
    return format.what == reduction::dot ? dot_into(x, y, expected, format.form)
                                         : reduce_into(format.what, x, expected, format.form);
  };
  add();
  const std::vector<std::int64_t> before = random.coin() ? expected : std::vector<std::int64_t>(expected.size());
  const bool adds = before == expected;
  const auto found = core::carrier_of(type) == element_type::float32
                         ? states_on_gpu<float, lanes>(of, format, before, seed)
                         : states_on_gpu<double, lanes>(of, format, before, seed);
  if (adds) add();
  const std::string name = std::string(name_of(format.what)) + " of " + std::string(name_of(type)) + ", " +
                           std::to_string(of.count) + " x " + std::to_string(of.n) + ", seed " +
                           std::to_string(seed);
  if (finite) {
    ASSERT_EQ(found, expected) << name;
    return;
  }
  // the limbs of a sum with special terms mean nothing: its results do
  std::vector<double> here(of.count), there(of.count);
  round_states(format, expected, here), round_states(format, found, there);
  for (std::size_t i = 0; i < of.count; ++i) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(here[i]), std::bit_cast<std::uint64_t>(there[i]))
        << name << ", row " << i;
  }
}

TEST_F(rows, of_warps_have_the_states_of_the_cpu) {
  for (int i = 0; i < oracle::scaled(240); ++i) {
    expect_states<32>(static_cast<unsigned>(i), 90, i % 4 != 0);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(rows, of_blocks_have_the_states_of_the_cpu) {
  for (int i = 0; i < oracle::scaled(80); ++i) {
    expect_states<128>(static_cast<unsigned>(1000 + i), 400, i % 4 != 0);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
