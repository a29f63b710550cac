// Elements that kernels convert in packs: the layout that a launch chooses for every type and alignment, and the
// bits of the CPU for every type and term, around all boundaries, of ordinary, extreme and special values.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <cuda/host/operands.hpp>
#include <cuda/shape/exact_vector.cuh>
#include <exactdot/reductions.hpp>
#include <limits>
#include <random>
#include <vector>

#include "exact_launch.cuh"
#include "missing_gpu.cuh"

namespace exactdot::inline v0_3::cuda_engine {
namespace {

template <class Element>
class conversions : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_gpu(); !reason.empty()) GTEST_SKIP() << reason;
  }
};
using converted_types = testing::Types<float16, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                                       std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float8_e4m3fn,
                                       float8_e5m2>;
TYPED_TEST_SUITE(conversions, converted_types);

template <class Element>
using carrier_type = core::carrier_for<Element>;
template <class Element>
constexpr std::size_t width = 16 / sizeof(Element);

template <class Element, class Term>
input_layout layout_for(const any_vector& a, const any_vector& b, mode mode = mode::exact, bool words = false) {
  const reduction what = Term::inputs == 2 ? reduction::dot : reduction::sum;
  const element_type result = is_integer(a.type) ? element_type::float64 : a.type;
  destination to;
  std::int64_t state = 0;
  if (words) to.words = &state;
  return layout_of<carrier_type<Element>, Term>(engine::unplaced_plan({"test", what, a, b, result}, mode), to);
}

TYPED_TEST(conversions, are_chosen_for_contiguous_inputs_of_one_type_that_are_alike_aligned) {
  using T = TypeParam;
  using enum input_layout;
  alignas(16) static const T memory[64] = {};  // only its address is used
  const any_vector x = to_any(memory + 1, 20), alike = to_any(memory + 1 + width<T>, 20);
  const bool has_products = sizeof(T) < 8;
  EXPECT_EQ((layout_for<T, core::product>(x, alike)), has_products ? converted : any);
  EXPECT_EQ((layout_for<T, core::product>(x, to_any(memory, 20))), any);
  EXPECT_EQ((layout_for<T, core::value>(x, x)), converted);
  EXPECT_EQ((layout_for<T, core::magnitude>(x, x)), converted);
  EXPECT_EQ((layout_for<T, core::square>(x, x)), has_products ? converted : any);
  EXPECT_EQ((layout_for<T, core::value>(x, x, mode::exact, true)), any) << "words";
  if (!is_integer(type_of<T>) && sizeof(T) == 2) {  // mode fast needs no common alignment
    EXPECT_EQ((layout_for<T, core::value>(x, x, mode::fast)), converted);
    EXPECT_EQ((layout_for<T, core::product>(x, to_any(memory, 20), mode::fast)), converted);
    EXPECT_EQ((layout_for<T, core::value>(x, x, mode::fast, true)), any) << "words";
  }
  any_vector other = x;
  other.swapped = true;
  EXPECT_EQ((layout_for<T, core::value>(other, other)), any);
  other = x, other.stride *= 2;
  EXPECT_EQ((layout_for<T, core::value>(other, other)), any);
  EXPECT_EQ((layout_for<T, core::product>(x, other)), any);
}

TEST(conversions_of_two_types, are_not_chosen) {
  alignas(16) static const std::uint16_t memory[64] = {};
  const any_vector a{memory, 20, element_type::float16}, b{memory, 20, element_type::bfloat16};
  EXPECT_EQ((layout_for<float16, core::product>(a, b)), input_layout::any);
}

TEST(conversions_of_carriers, are_not_chosen) {
  alignas(16) static const float memory[64] = {};
  const any_vector x = to_any(memory, 20);
  EXPECT_EQ((layout_for<float, core::value>(x, x)), input_layout::contiguous);
  any_vector other = x;
  other.stride = 8;
  EXPECT_EQ((layout_for<float, core::value>(other, other)), input_layout::any);
}

/// All bits random: finite numbers of any exponent, or any integers. `special`: infinities and NaNs too.
template <class Element>
Element any_element(std::mt19937_64& random, bool special) {
  using word = typename detail::unsigned_of<sizeof(Element)>::type;
  for (;;) {
    const auto x = std::bit_cast<Element>(static_cast<word>(random()));
    if constexpr (is_integer(type_of<Element>))
      return x;
    else if (special || std::isfinite(static_cast<float>(x)))
      return x;
  }
}

/// Positive numbers of few bits: their sums are exact, no ties and not zero, so the first level decides them.
template <class Element>
Element small_element(std::mt19937_64& random) {
  const auto x = 1 + static_cast<int>(random() % 100);
  if constexpr (is_integer(type_of<Element>))
    return static_cast<Element>(x);
  else
    return Element(static_cast<float>(x) / 8);
}

template <class Element>
struct inputs {
  std::vector<Element> a, b;
};
enum class data { small, any_bits, special, extreme };

/// extreme: the least and the greatest element, of which as many terms as possible have the largest magnitude.
template <class Element>
inputs<Element> make_inputs(data kind, std::size_t n) {
  inputs<Element> made{std::vector<Element>(n), std::vector<Element>(n)};
  std::mt19937_64 random(n + 1);
  const auto make = [&](bool greatest) {
    if (kind == data::small) return small_element<Element>(random);
    if (kind != data::extreme) return any_element<Element>(random, kind == data::special);
    if constexpr (is_integer(type_of<Element>)) {
      return greatest ? std::numeric_limits<Element>::max() : std::numeric_limits<Element>::min();
    } else {
      constexpr core::number_format format = core::format<Element>::number;
      const std::uint64_t word = (core::infinity_word(format, false) - 1) | core::sign_bit(format, !greatest);
      return exactdot::detail::from_word<Element>(word);
    }
  };
  for (Element& x : made.a) x = make(n % 2 == 0);
  for (Element& x : made.b) x = make(n % 3 == 0);
  return made;
}

template <class Term, class R, class Element>
R on_cpu(const inputs<Element>& given) {
  const options on = {.device = device::cpu};
  if constexpr (std::is_same_v<Term, core::product>) return dot<R>(given.a, given.b, on);
  if constexpr (std::is_same_v<Term, core::value>) return sum<R>(given.a, on);
  if constexpr (std::is_same_v<Term, core::magnitude>) return asum<R>(given.a, on);
  return sum_of_squares<R>(given.a, on);
}

struct placed {
  unsigned blocks;
  std::size_t skew;  // elements after a multiple of 16 bytes, of both inputs
};

/// The result in double, and whether the second level was needed.
template <class Term, class Element>
std::pair<double, bool> on_kernel(const inputs<Element>& given, placed at, double bound_factor = 1) {
  using T = carrier_type<Element>;
  constexpr int threads = 64, packs = 2;
  gpu::stream stream;
  choose_schedule(stream, at.blocks);
  const std::size_t n = given.a.size();
  const auto bytes = (n + at.skew) * sizeof(Element) + 1;  // ends where the vector does, but for one byte
  gpu::buffer<unsigned char> a(stream, bytes), b(stream, bytes);
  const auto copy = [&](gpu::buffer<unsigned char>& to, const std::vector<Element>& from) {
    std::vector<unsigned char> all(bytes, 0xff);
    if (n != 0) std::memcpy(all.data() + at.skew * sizeof(Element), from.data(), n * sizeof(Element));
    to.copy_from(all.data(), bytes);
  };
  copy(a, given.a), copy(b, given.b);
  gpu::buffer<device_state> state(stream, 1);
  state.fill_zero();
  gpu::buffer<double> value(stream, 1);
  operands<T, input_layout::any> in;
  const auto operand = [&](gpu::buffer<unsigned char>& from) {
    const char* const data = reinterpret_cast<const char*>(from.data()) + at.skew * sizeof(Element);
    return any_operand{data, sizeof(Element), type_of<Element>, false};
  };
  in.a = operand(a), in.b = operand(b);
  in.log2_parts_a = core::parts_of(type_of<Element>) - 1;
  in.n = n << in.log2_parts_a;
  EXPECT_TRUE((can_convert_packs<T, Term>(in.a, in.b)));
  const int accumulators = bounded_thread_sum<T, Term, compensated>::accumulators;
  error_bound bound = bound_of({in.n, at.blocks, threads, in_flight_of_converted(packs), accumulators}, compensated,
                               core::streams_of<Term, T> == 2);
  bound.factor *= bound_factor, bound.of_refined *= bound_factor;
  constexpr auto kernel = exact_kernel<T, Term, input_layout::converted, threads, packs, compensated>;
  gpu::launch(kernel, at.blocks, threads, 0, stream, operands<T, input_layout::converted>(in), bound, state.data(),
              value_at(value.data()));
  double found = 0;
  value.copy_to(&found, 1);
  static device_state after{};
  state.copy_to(&after, 1);
  for (const std::string& finding : gpu::findings(stream)) ADD_FAILURE() << finding;
  return {found, after.exchange.undecided != 0};
}

template <class Term, class Element>
void expect_bits_of_the_cpu(data kind, std::size_t n, placed at) {
  const inputs<Element> given = make_inputs<Element>(kind, n);
  const double right = on_cpu<Term, double>(given);
  const auto [found, undecided] = on_kernel<Term>(given, at);
  EXPECT_EQ(core::to_word(found), core::to_word(right))
      << n << " elements, skew " << at.skew << ": " << found << ", not " << right;
  if (kind == data::small && n != 0) EXPECT_FALSE(undecided) << n << " elements, skew " << at.skew;
}

template <class Element>
void expect_all_terms(data kind, std::size_t n, placed at) {
  expect_bits_of_the_cpu<core::value, Element>(kind, n, at);
  expect_bits_of_the_cpu<core::magnitude, Element>(kind, n, at);
  if constexpr (sizeof(Element) < 8) {
    expect_bits_of_the_cpu<core::product, Element>(kind, n, at);
    expect_bits_of_the_cpu<core::square, Element>(kind, n, at);
  }
}

TYPED_TEST(conversions, have_the_bits_of_the_cpu_around_packs_for_every_alignment) {
  using T = TypeParam;
  for (std::size_t skew = 0; skew < width<T>; ++skew) {
    const std::size_t head = (width<T> - skew) % width<T>;
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, head, head + width<T> - 1, head + width<T>,
                                head + 65 * width<T> + skew}) {
      expect_all_terms<T>(data::small, n, {1, skew});
      expect_all_terms<T>(data::any_bits, n, {1, skew});
    }
  }
}

TYPED_TEST(conversions, have_the_bits_of_the_cpu_for_extreme_and_special_values_and_many_blocks) {
  using T = TypeParam;
  for (const std::size_t n : {50 * width<T>, 129 * width<T>, 51 * width<T> + 5, 700 * width<T> + 3}) {
    for (const data kind : {data::small, data::any_bits, data::special, data::extreme}) {
      expect_all_terms<T>(kind, n, {1 + static_cast<unsigned>(n % 3), n % width<T>});
    }
  }
}

/// Without a bound the second level decides, by single elements.
TYPED_TEST(conversions, leave_open_roundings_to_the_second_level) {
  const auto given = make_inputs<TypeParam>(data::any_bits, 500);
  const auto [found, undecided] = on_kernel<core::value>(given, {2, 1}, HUGE_VAL);
  EXPECT_TRUE(undecided);
  EXPECT_EQ(found, (on_cpu<core::value, double>(given)));
}

/// The terms of the fullest accumulator, counted by the loop that the kernel runs.
template <class Term, class Element>
std::size_t counted_terms(std::size_t n, std::size_t threads, int packs_in_flight) {
  using T = carrier_type<Element>;
  constexpr auto accumulators = static_cast<std::size_t>(bounded_thread_sum<T, Term, compensated>::accumulators);
  constexpr auto count = static_cast<std::size_t>(pack_addends<Term, Element>::count);
  const auto in_flight = static_cast<std::size_t>(packs_in_flight);
  std::vector<std::size_t> terms(accumulators);
  for (std::size_t i = 0; i < n / width<Element>; i += in_flight * threads) {  // of thread 0
    for (std::size_t k = 0; k < in_flight * count; ++k) ++terms[k % accumulators];
  }
  return *std::max_element(terms.begin(), terms.end()) + 1;
}

template <class Term, class Element>
void expect_enough_terms() {
  using T = carrier_type<Element>;
  const int accumulators = bounded_thread_sum<T, Term, compensated>::accumulators;
  for (const std::size_t n : {1, 100, 511, 512, 513, 5000, 100000}) {
    for (const int packs : {2, 4, 8}) {
      const std::size_t addends = n * static_cast<std::size_t>(core::parts_of(type_of<Element>));
      EXPECT_GE(terms_of_accumulator({addends, 2, 32, in_flight_of_converted(packs), accumulators}),
                (counted_terms<Term, Element>(n, 64, packs)))
          << n << ' ' << packs;
    }
  }
}

TYPED_TEST(conversions, are_no_more_terms_than_the_bound_counts) {
  expect_enough_terms<core::value, TypeParam>();
  if constexpr (sizeof(TypeParam) < 8) expect_enough_terms<core::product, TypeParam>();
}

}  // namespace
}  // namespace exactdot::inline v0_3::cuda_engine
