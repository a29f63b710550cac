// Groups in a GPU's memory whose results are added to what is there, and rows with weights: the bits of the CPU's
// groups, whose tests compare them with sums of big integers, of every element and result type, by rows and column
// by column.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <exactdot/cuda/batches.hpp>
#include <exactdot/exactdot.hpp>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "cuda/on_gpu/support.hpp"

namespace {

using namespace exactdot;
using namespace on_gpu;
using cuda_added_groups = needs_gpu;

enum class keys_by { uniform, zipf, equal, sorted, outside };
enum class second { none, weights, elements };

struct added_call {
  reduction what = reduction::sum;
  element_type type = element_type::float32, other = element_type::float32, result = element_type::float32;
  std::size_t n = 1, columns = 1, groups = 1, apart = 1;
  keys_by by = keys_by::uniform;
  second b = second::none;
  bool adds = true, cancels = false, weights_first = false;
  int spread = 0;

  [[nodiscard]] std::string text() const {
    return std::string(name_of(what)) + " of " + std::string(name_of(type)) + " and " +
           std::string(name_of(other)) + " to " + std::string(name_of(result)) + ", " + std::to_string(n) +
           " rows of " + std::to_string(columns) + ", " + std::to_string(groups) + " groups, keys " +
           std::to_string(static_cast<int>(by)) + ", second " + std::to_string(static_cast<int>(b)) +
           (adds ? ", added" : "") + (cancels ? ", cancelling" : "");
  }
};

/// `count` elements or results: of any size, some special.
std::vector<std::byte> random_elements(std::mt19937& random, element_type type, std::size_t count, int spread) {
  std::vector<std::byte> bytes(count * size_of(type) + 16);
  with_element(type, [&]<class T>(T x) {
    for (std::size_t i = 0; i < count; ++i) {
      const double unit = std::ldexp(static_cast<double>(static_cast<int>(random())), -31);
      const int exponent = spread == 0 || random() % 2 == 0
                               ? 0
                               : static_cast<int>(random() % (2 * static_cast<unsigned>(spread))) - spread;
      if constexpr (integer_element<T>) {
        x = static_cast<T>(static_cast<std::int64_t>(random()) << 31 >> random() % 60);
      } else {
        const double value = random() % 500 == 0 && spread != 0 ? HUGE_VAL : std::ldexp(unit, exponent);
        x = static_cast<T>(static_cast<float>(value));
        if constexpr (sizeof(T) == 8) x = value;
      }
      std::memcpy(&bytes[i * sizeof x], &x, sizeof x);
    }
  });
  return bytes;
}

std::vector<std::int32_t> random_keys(std::mt19937& random, const added_call& call) {
  std::vector<std::int32_t> keys(call.n);
  for (std::size_t i = 0; i < call.n; ++i) {
    const auto any = static_cast<std::int32_t>(random() % call.groups);
    const auto outside = random() % 2 == 0 ? -1 : static_cast<std::int32_t>(call.groups);
    keys[i] = call.by == keys_by::zipf     ? any / static_cast<std::int32_t>(1 + random() % 40)
              : call.by == keys_by::equal  ? static_cast<std::int32_t>(call.groups / 2)
              : call.by == keys_by::sorted ? static_cast<std::int32_t>(i * call.groups / call.n)
              : call.by == keys_by::outside && random() % 5 == 0 ? outside
                                                                 : any;
  }
  return keys;
}

/// The arrays of a call, in one memory.
struct arrays {
  const std::byte *a, *b;
  const std::int32_t* keys;
  std::byte* out;
};

/// What a call refuses, or nothing.
std::optional<errc> run(const added_call& call, const arrays& in, cuda::workspace* on) {
  const auto size = static_cast<std::ptrdiff_t>(size_of(call.type)),
             size_b = static_cast<std::ptrdiff_t>(size_of(call.other));
  const auto size_out = static_cast<std::ptrdiff_t>(size_of(call.result));
  const auto columns = static_cast<std::ptrdiff_t>(call.columns), apart = static_cast<std::ptrdiff_t>(call.apart);
  const bool are_weights = call.b == second::weights;
  const axis row{call.columns, size}, rows{call.n, apart * size}, row_b{call.columns, are_weights ? 0 : size_b},
      rows_b{call.n, are_weights ? size_b : columns * size_b};
  const axis places[] = {{call.groups, columns * size_out}, {call.columns, size_out}};
  const any_grid x{in.a, call.type, {&row, 1}, {&rows, 1}}, y{in.b, call.other, {&row_b, 1}, {&rows_b, 1}};
  const any_keys by{in.keys, call.n, element_type::int32, 4, call.groups, true};
  const any_results to{in.out, call.result, places, false, false, call.adds};
  const bool two = call.what == reduction::dot, swapped = two && call.weights_first;
  try {
    if (on != nullptr) {
      cuda::detail::enqueue_groups(*on, call.what, swapped ? y : x, swapped ? x : two ? y : x, by, to, {});
      on->check();
    } else if (two) {
      dot(swapped ? y : x, swapped ? x : y, by, to);
    } else {
      reduce(call.what, x, by, to);
    }
  } catch (const error& failure) {
    return failure.code();
  }
  return {};
}

/// Whether a GPU has it: the exact states of the elements hold every result.
bool is_on_gpu(const added_call& call) {
  const bool is_wide =
      info_of(call.type).precision > 24 || (call.what == reduction::dot && info_of(call.other).precision > 24);
  return !call.adds || is_wide || call.result != element_type::float64;
}

void check(std::mt19937& random, const added_call& call) {
  const auto a = random_elements(random, call.type, call.n * call.apart, call.spread);
  const auto b =
      random_elements(random, call.other, call.n * (call.b == second::elements ? call.columns : 1), call.spread);
  const auto keys = random_keys(random, call);
  const std::size_t bytes = call.groups * call.columns * size_of(call.result);
  auto before = random_elements(random, call.result, call.groups * call.columns, 20);
  before.resize(bytes);
  if (call.cancels) {  // what is there is nearly the sum, with the other sign
    added_call alone = call;
    alone.adds = false;
    static_cast<void>(run(alone, {a.data(), b.data(), keys.data(), before.data()}, nullptr));
    const std::size_t size = size_of(call.result);
    for (std::size_t i = size - 1; i < bytes && !is_integer(call.result); i += size) before[i] ^= std::byte{0x80};
  }
  std::vector<std::byte> expected = before;
  const device_vector<std::byte> on_gpu_a(a), on_gpu_b(b);
  const device_vector<std::int32_t> on_gpu_keys(keys);
  const auto failure = run(call, {a.data(), b.data(), keys.data(), expected.data()}, nullptr);
  cuda::workspace workspace;
  for (cuda::workspace* const on : {static_cast<cuda::workspace*>(nullptr), &workspace}) {
    const device_vector<std::byte> out(before);
    const auto found = run(call, {on_gpu_a.data(), on_gpu_b.data(), on_gpu_keys.data(), out.data()}, on);
    if (!is_on_gpu(call)) {
      ASSERT_EQ(found, errc::bad_option) << call.text();
      ASSERT_EQ(out.read(bytes), before) << call.text();
      continue;
    }
    ASSERT_EQ(found, failure) << call.text();
    if (failure) continue;
    const std::vector<std::byte> copy = out.read(bytes);
    const std::size_t size = size_of(call.result);
    for (std::size_t i = 0; i < bytes; i += size) {
      ASSERT_EQ(std::memcmp(&copy[i], &expected[i], size), 0)
          << call.text() << (on == nullptr ? "" : ", stream-ordered") << ", group " << i / size / call.columns
          << ", column " << i / size % call.columns;
    }
  }
}

/// A type of results that such sums have.
element_type result_of(std::mt19937& random, const added_call& call) {
  const bool are_integers = is_integer(call.type) && (call.what != reduction::dot || is_integer(call.other));
  if (are_integers && random() % 4 != 0) return element_type::int64;
  if (random() % 2 == 0) return info_of(call.type).precision > 24 ? element_type::float64 : element_type::float32;
  constexpr element_type floats[] = {element_type::float32,       element_type::float64,
                                     element_type::float16,       element_type::bfloat16,
                                     element_type::float8_e4m3fn, element_type::float8_e5m2};
  return floats[random() % std::size(floats)];
}

added_call random_call(std::mt19937& random) {
  constexpr reduction sums[] = {reduction::dot, reduction::sum, reduction::dot, reduction::asum,
                                reduction::sum_of_squares};
  constexpr element_type floats[] = {element_type::float32, element_type::bfloat16, element_type::float64,
                                     element_type::float16};
  added_call call;
  call.what = sums[random() % std::size(sums)];
  call.type = random() % 3 == 0 ? elements[random() % elements.size()].type : floats[random() % std::size(floats)];
  call.other = random() % 2 == 0 ? element_type::float32 : call.type;
  if (is_integer(call.type)) call.other = call.type;
  call.result = result_of(random, call);
  if (call.what == reduction::dot) call.b = random() % 3 == 0 ? second::elements : second::weights;
  call.by = static_cast<keys_by>(random() % 5);
  call.adds = random() % 4 != 0;
  call.cancels = call.adds && random() % 3 == 0;
  call.weights_first = random() % 4 == 0;
  call.spread = random() % 2 == 0 ? 0 : 12;
  return call;
}

TEST_F(cuda_added_groups, of_rows_have_the_bits_of_the_cpu) {
  std::mt19937 random(41);
  for (std::size_t i = 0; i < at_most(3000, 150); ++i) {
    added_call call = random_call(random);
    call.columns = 1 + random() % (random() % 4 == 0 ? 70 : 12);
    call.n = random() % at_most(3000, call.columns > 12 ? 60 : 300);
    if (call.n == 0) call.n = 1;
    call.groups = 1 + random() % (random() % 2 == 0 ? 5 : 2 * call.n);
    call.apart = call.columns + random() % 3;
    check(random, call);
    if (HasFatalFailure()) return;
  }
}

/// Groups of several pieces, which blocks share.
TEST_F(cuda_added_groups, of_long_groups_of_rows_have_the_bits_of_the_cpu) {
  std::mt19937 random(42);
  for (std::size_t i = 0; i < at_most(60, 16); ++i) {
    added_call call = random_call(random);
    call.columns = call.apart = 2 + random() % 6;
    call.n = at_most(40000, 2500);
    call.groups = 1 + random() % 3;
    check(random, call);
    if (HasFatalFailure()) return;
  }
}

TEST_F(cuda_added_groups, of_vectors_have_the_bits_of_the_cpu) {
  std::mt19937 random(43);
  for (std::size_t i = 0; i < at_most(2000, 120); ++i) {
    added_call call = random_call(random);
    call.n = 1 + random() % at_most(20000, random() % 8 == 0 ? 3000 : 300);
    call.groups = 1 + random() % (random() % 3 == 0 ? 6 : at_most(30000, 500));
    check(random, call);
    if (HasFatalFailure()) return;
  }
}

/// A key out of range: nothing is written, stream-ordered neither.
TEST_F(cuda_added_groups, with_a_bad_key_change_nothing) {
  for (const std::size_t columns : {1, 3}) {
    const std::vector<float> a(20 * columns, 1.0F), old(4 * columns, 7.0F);
    std::vector<std::int32_t> keys(20, 1);
    keys[7] = 4;
    const device_vector<float> x(a), out(old);
    const device_vector<std::int32_t> k(keys);
    const auto step = static_cast<std::ptrdiff_t>(4 * columns);
    const axis row{columns, 4}, rows{20, step}, places[] = {{4, step}, {columns, 4}};
    const any_grid grid{x.data(), element_type::float32, {&row, 1}, {&rows, 1}};
    const any_keys by{k.data(), 20, element_type::int32, 4, 4};
    const any_results to{out.data(), element_type::float32, places, false, false, true};
    expect_error(errc::bad_option, "key 7 is 4", [&] { reduce(reduction::sum, grid, by, to); });
    expect_same(out, old, "refused");
    cuda::workspace workspace;
    cuda::detail::enqueue_groups(workspace, reduction::sum, grid, grid, by, to, {});
    expect_error(errc::bad_option, "key 7", [&] { workspace.check(); });
    expect_same(out, old, "stream-ordered, a bad key");
  }
}

TEST_F(cuda_added_groups, of_wide_results_are_refused) {
  const device_vector<float> x(std::vector<float>(8, 1.0F));
  const device_vector<std::int32_t> k(std::vector<std::int32_t>(8, 0));
  const device_vector<double> out(std::vector<double>{7.0});
  const groups view{std::span<const float>(x.data(), 8), std::span<const std::int32_t>(k.data(), 8), 1};
  expect_error(errc::bad_option, "results of float64 are not added to by sums of float32 in a GPU's memory",
               [&] { sum(view, added_to{std::span<double>(out.data(), 1)}); });
  expect_error(errc::bad_option, "mean is no sum", [&] { mean(view, added_to{std::span<double>(out.data(), 1)}); });
  expect_same(out, {7.0}, "refused");
}

}  // namespace
