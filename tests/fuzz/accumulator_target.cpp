// Fuzz target: the input is a program on three accumulators (add a product, a number or a span; merge; copy or sum
// words; clear).
//
// The same program runs on the big-integer oracle; after each step all roundings must have the same bits. A merge, a
// span or a rounding may throw errc::headroom only beyond the headroom of the contract; a sum that has grown beyond it
// begins again at 0.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exactdot/exactdot.hpp>
#include <vector>

#include "byte_reader.hpp"
#include "oracle/exact.hpp"

namespace {

[[noreturn]] void fail(const char* what) {
  fmt::print(stderr, "accumulator and oracle differ: {}\n", what);
  std::abort();
}

template <class T>
class machine {
 public:
  explicit machine(std::span<const std::uint8_t> program) : program_(program) {}

  void run() {
    while (!program_.empty()) {
      const auto code = program_.take<std::uint8_t>();
      step(code % 7, states_[code / 7 % 3], states_[code / 21 % 3]);
    }
  }

 private:
  struct pair {
    exactdot::accumulator<T> tested;
    oracle::integer_sum expected;
  };

  void step(int operation, pair& one, pair& other) {
    switch (operation) {
      case 0:
        return add_product(one);
      case 1:
        return add_number(one);
      case 2:
        return add_span(one);
      case 3:
        return merge(one, other);
      case 4:
        one.tested = exactdot::accumulator<T>(one.tested.words());
        break;
      case 5:
        return sum_words(one, other);
      default:
        one = {};
    }
    compare(one);
  }

  void add_product(pair& one) {
    const T a = program_.take<T>();
    const T b = program_.take<T>();
    one.tested.add(a, b);
    one.expected.add(a, b);
    compare(one);
  }

  void add_number(pair& one) {
    const T x = program_.take<T>();
    one.tested.add(x);
    one.expected.add(x);
    compare(one);
  }

  /// Adds up to 255 products of a vector that repeats up to 8 numbers, and its reverse.
  void add_span(pair& one) {
    const std::size_t n = program_.take<std::uint8_t>();
    const std::size_t period = 1 + program_.take<std::uint8_t>() % 8;
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = i < period ? program_.take<T>() : x[i - period];
    const std::vector<T> y(x.rbegin(), x.rend());
    oracle::integer_sum expected = one.expected;
    for (std::size_t i = 0; i < n; ++i) expected.add(x[i], y[i]);
    try {
      one.tested.add(std::span<const T>(x), std::span<const T>(y));
      one.expected = expected;
    } catch (const exactdot::error& refusal) {
      check_refusal(refusal, expected);
    }
    compare(one);
  }

  void merge(pair& one, pair& other) {
    oracle::integer_sum expected = one.expected;
    expected.merge(other.expected);
    try {
      one.tested.merge(other.tested);
      one.expected = expected;
    } catch (const exactdot::error& refusal) {
      check_refusal(refusal, expected);
    }
    compare(one);
  }

  /// Sets `one` to the state of the elementwise sum of the words of both.
  void sum_words(pair& one, pair& other) {
    std::vector<std::int64_t> words(one.tested.words().begin(), one.tested.words().end());
    for (std::size_t i = 0; i < words.size(); ++i) words[i] += other.tested.words()[i];
    oracle::integer_sum expected = one.expected;
    expected.merge(other.expected);
    try {
      one.tested = exactdot::accumulator<T>(words);
      one.expected = expected;
    } catch (const exactdot::error& refusal) {
      check_refusal(refusal, expected);
    }
    compare(one);
  }

  static void check_refusal(const exactdot::error& refusal, const oracle::integer_sum& expected) {
    if (refusal.code() != exactdot::errc::headroom) fail(refusal.what());
    const T largest = std::numeric_limits<T>::max();
    oracle::integer_sum largest_product;
    largest_product.add(largest, largest);
    if (abs(expected.units()) <= largest_product.units() << 63) fail("refused within the headroom of the contract");
  }

  static void compare(pair& one) {
    try {
      compare_roundings(one);
    } catch (const exactdot::error& refusal) {
      check_refusal(refusal, one.expected);
      one = {};
    }
  }

  static void compare_roundings(const pair& one) {
    if (!oracle::same_bits(one.tested.template round<float>(), one.expected.template round<float>()))
      fail("to float");
    if (!oracle::same_bits(one.tested.template round<double>(), one.expected.template round<double>())) {
      fail("to double");
    }
  }

  fuzz::byte_reader program_;
  std::array<pair, 3> states_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::uint8_t> program(data + 1, size - 1);
  if (data[0] % 2 == 0) {
    machine<float>(program).run();
  } else {
    machine<double>(program).run();
  }
  return 0;
}
