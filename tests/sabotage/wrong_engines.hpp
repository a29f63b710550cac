// Engines with deliberate errors, each a correct engine but for one property that the table of tests must notice.
#pragma once

#include <cmath>

#include "oracle/reference.hpp"
#include "table/complex_parts.hpp"
#include "table/engines.hpp"

namespace sabotage {

using exactdot::any_scalar;
using exactdot::any_vector;
using exactdot::element_type;
using exactdot::mode;
using table::call;
using table::engine;

inline std::optional<any_scalar> correct_result(const call& asked) {
  const oracle::reference expected = table::references(asked)[static_cast<std::size_t>(asked.part)];
  return asked.mode == mode::exact ? expected.exact(asked.result) : expected.fast(asked.result);
}

/// Limbs of radix 2^32 of twice the sum, and the counts of its special terms.
inline std::vector<std::int64_t> correct_words(const call& asked) {
  const oracle::reference expected(asked.what, asked.a, asked.b);
  const exactdot::element_info& info = exactdot::info_of(asked.a.type);
  const bool integers = exactdot::is_integer(asked.a.type), narrow = info.precision <= 24;
  const int lowest = integers ? 0
                     : narrow ? oracle::format<float>::lowest_product_exponent
                              : oracle::format<double>::lowest_product_exponent;
  std::vector<std::int64_t> words(integers ? (info.bytes == 8 ? 10 : 8) : narrow ? 24 : 138);
  mpz_class rest = 2 * expected.sum().units() >> (lowest - oracle::integer_sum::unit_exponent);
  for (std::size_t i = 0; i + 5 < words.size(); ++i) {
    words[i] = static_cast<std::int64_t>(mpz_class(rest & 0xffffffffUL).get_ui());
    rest >>= 32;
  }
  words[words.size() - 5] = rest.get_si();
  const oracle::special_counts& counts = expected.sum().specials();
  words[words.size() - 4] = 2 * counts.nans;
  words[words.size() - 3] = 2 * counts.positive_infinities;
  words[words.size() - 2] = 2 * counts.negative_infinities;
  words.back() = 1;
  return words;
}

template <class Run, class Words>
engine made_of(const char* name, Run run, Words words) {
  engine made;
  made.name = name;
  made.reads_misaligned = true;
  made.run = run;
  made.words_of_two_additions = words;
  return made;
}

inline engine correct_engine() { return made_of("correct", correct_result, correct_words); }

/// Computes the results of a call that `modify` has altered.
template <class Modify>
engine with_call(const char* name, Modify modify) {
  return made_of(
      name,
      [modify](call asked) {
        modify(asked);
        return correct_result(asked);
      },
      correct_words);
}

/// Alters the results of calls.
template <class Modify>
engine with_result(const char* name, Modify modify) {
  return made_of(
      name,
      [modify](const call& asked) {
        std::optional<any_scalar> result = correct_result(asked);
        if (result) modify(asked, *result);
        return result;
      },
      correct_words);
}

/// Alters the words.
template <class Modify>
engine with_words(const char* name, Modify modify) {
  return made_of(name, correct_result, [modify](const call& asked) {
    std::vector<std::int64_t> words = correct_words(asked);
    modify(words);
    return words;
  });
}

inline void make_contiguous(any_vector& x) { x.stride = static_cast<std::ptrdiff_t>(exactdot::size_of(x.type)); }

/// Wrong for dots of float and double.
inline std::vector<engine> wrong_engines() {
  const auto sign_bit = [](const any_scalar& x) { return 1ULL << (8 * exactdot::size_of(x.type) - 1); };
  return {
      with_call("ignores the stride of a", [](call& asked) { make_contiguous(asked.a); }),
      with_call("ignores the stride of b", [](call& asked) { make_contiguous(asked.b); }),
      with_call("takes the absolute value of a stride",
                [](call& asked) { asked.b.stride = std::abs(asked.b.stride); }),
      with_call("ignores the byte order of a", [](call& asked) { asked.a.swapped = false; }),
      with_call("ignores the byte order of b", [](call& asked) { asked.b.swapped = false; }),
      with_call("rounds an address down to the element's alignment",
                [](call& asked) {
                  const auto address = reinterpret_cast<std::uintptr_t>(asked.a.data);
                  asked.a.data = reinterpret_cast<const void*>(address / 4 * 4);
                }),
      with_call("leaves out the last term",
                [](call& asked) { asked.a.n = asked.b.n = asked.a.n == 0 ? 0 : asked.a.n - 1; }),
      with_call("computes exactly in mode fast", [](call& asked) { asked.mode = mode::exact; }),
      with_call("computes fast in mode exact", [](call& asked) { asked.mode = mode::fast; }),
      with_result("rounds to double first",
                  [](const call& asked, any_scalar& x) {
                    call wide = asked;
                    wide.result = element_type::float64;
                    const auto as_float = static_cast<float>(correct_result(wide)->to_double());
                    if (x.type == element_type::float32 && as_float == as_float) x.bits = oracle::to_bits(as_float);
                  }),
      with_result("returns -0", [=](const call&, any_scalar& x) { x.bits |= x.bits == 0 ? sign_bit(x) : 0; }),
      with_result("is one ulp too high in variant 11",
                  [](const call& asked, any_scalar& x) { x.bits += asked.variant == 11 ? 1 : 0; }),
      with_result("returns a negative NaN",
                  [=](const call&, any_scalar& x) { x.bits |= std::isnan(x.to_double()) ? sign_bit(x) : 0; }),
      with_words("loses the last bit of a state", [](auto& words) { words[0] &= ~std::int64_t{0x3ff}; }),
      with_words("counts no NaN", [](auto& words) { words[words.size() - 4] = 0; }),
      with_words("merges +inf and -inf", [](auto& words) {
        words[words.size() - 3] += words[words.size() - 2], words[words.size() - 2] = 0;
      }),
      with_words("forgets the number of states", [](auto& words) { words.back() = 0; }),
      [] {
        engine made = made_of("reports a fault that no result shows", correct_result, correct_words);
        made.take_faults = [] { return std::string("a race"); };
        return made;
      }(),
      made_of(
          "throws",
          [](const call&) -> std::optional<any_scalar> { throw std::runtime_error("deliberate exception"); },
          correct_words),
      made_of(
          "refuses", [](const call&) { return std::optional<any_scalar>(); }, correct_words),
  };
}

}  // namespace sabotage
