// What tests of states share: random elements of any type and layout, and the words of their sums as the integer
// oracle gives them.
#pragma once

#include <cstring>
#include <exactdot/exactdot.hpp>
#include <vector>

#include "oracle/integer_sum.hpp"
#include "oracle/number.hpp"
#include "oracle/random.hpp"

namespace states_test {

using namespace exactdot;
using oracle::rng;

/// The reductions that have states.
inline constexpr std::array summing = {
    reduction::dot,  reduction::sum,  reduction::asum,     reduction::sum_of_squares,
    reduction::nrm2, reduction::mean, reduction::variance, reduction::stddev};

/// The limbs of a compact sum: the exponent of the first, and how many. Typed from the formats, not computed.
struct expected_limbs {
  element_type type;
  int lowest, of_values, lowest_of_products, of_products;
};
inline constexpr std::array compact_limbs = {
    expected_limbs{element_type::float32, -170, 12, -298, 20},     // 2^-149 … 2^191, 2^-298 … 2^319
    expected_limbs{element_type::float64, -1092, 69, -2148, 134},  // 2^-1074 … 2^1087, 2^-2148 … 2^2111
    expected_limbs{element_type::float16, -42, 4, -74, 6},         // 2^-24 … 2^79, 2^-48 … 2^95
    expected_limbs{element_type::bfloat16, -138, 11, -266, 19},    // 2^-133 … 2^191, 2^-266 … 2^319
    expected_limbs{element_type::int8, 0, 3, 0, 3},                // 2^71, 2^79
    expected_limbs{element_type::int16, 0, 3, 0, 3},               // 2^79, 2^95
    expected_limbs{element_type::int32, 0, 3, 0, 4},               // 2^95, 2^127
    expected_limbs{element_type::int64, 0, 4, 0, 6},               // 2^127, 2^191
    expected_limbs{element_type::uint8, 0, 3, 0, 3},
    expected_limbs{element_type::uint16, 0, 3, 0, 3},
    expected_limbs{element_type::uint32, 0, 3, 0, 4},
    expected_limbs{element_type::uint64, 0, 4, 0, 6},
    expected_limbs{element_type::float8_e4m3fn, -10, 3, -42, 4},  // 2^-9 … 2^72, 2^-18 … 2^81
    expected_limbs{element_type::float8_e5m2, -42, 4, -42, 5},    // 2^-16 … 2^79, 2^-32 … 2^95
};

/// The canonical words of a sum: limbs from 2^lowest on, then four counts or one.
inline std::vector<std::int64_t> words_of_sum(const oracle::integer_sum& sum, int lowest, int limbs, int counts) {
  mpz_class rest = sum.units();
  const auto shift = static_cast<mp_bitcnt_t>(lowest - oracle::integer_sum::unit_exponent);
  if (rest != 0 && mpz_scan1(rest.get_mpz_t(), 0) < shift) return {};  // a bit below the first limb
  mpz_fdiv_q_2exp(rest.get_mpz_t(), rest.get_mpz_t(), shift);
  std::vector<std::int64_t> words;
  for (int i = 0; i + 1 < limbs; ++i) {
    mpz_class limb;
    mpz_fdiv_r_2exp(limb.get_mpz_t(), rest.get_mpz_t(), 32);
    words.push_back(limb.get_si());
    mpz_fdiv_q_2exp(rest.get_mpz_t(), rest.get_mpz_t(), 32);
  }
  words.push_back(rest.get_si());
  const auto& [nans, positive, negative] = sum.specials();
  if (counts == 4) words.insert(words.end(), {nans, positive, negative});
  words.push_back(1);
  return words;
}

/// Sums of the terms of some elements, as the oracle adds them.
class expected_state {
 public:
  expected_state(reduction what, element_type type) : what_(what), type_(type) {}

  void add(oracle::number a, oracle::number b) {
    ++n_;
    const oracle::number one{oracle::kind::finite, {false, 1, 0}};
    if (what_ == reduction::asum) a.value.negative = false;
    const bool squares = what_ == reduction::sum_of_squares || what_ == reduction::nrm2;
    sum_.add(a, what_ == reduction::dot ? b : squares ? a : one);
    if (what_ == reduction::variance || what_ == reduction::stddev) squares_.add(a, a);
  }
  void merge(const expected_state& other) {
    n_ += other.n_;
    sum_.merge(other.sum_), squares_.merge(other.squares_);
  }

  [[nodiscard]] std::vector<std::int64_t> words(state_form form) const {
    std::vector<std::int64_t> all;
    const bool counts = what_ == reduction::mean || what_ == reduction::variance || what_ == reduction::stddev;
    if (counts) all.push_back(static_cast<std::int64_t>(n_));
    append(all, sum_, form,
           what_ == reduction::dot || what_ == reduction::sum_of_squares || what_ == reduction::nrm2);
    if (what_ == reduction::variance || what_ == reduction::stddev) append(all, squares_, form, true);
    return all;
  }

 private:
  void append(std::vector<std::int64_t>& all, const oracle::integer_sum& sum, state_form form,
              bool products) const {
    const bool integers = is_integer(type_);
    int lowest = integers ? 0 : type_ == element_type::float64 ? -2148 : -298;
    int limbs = integers ? (size_of(type_) == 8 ? 6 : 4) : type_ == element_type::float64 ? 134 : 20;
    if (form == state_form::compact) {
      const expected_limbs& compact = compact_limbs[static_cast<std::size_t>(type_)];
      lowest = products ? compact.lowest_of_products : compact.lowest;
      limbs = products ? compact.of_products : compact.of_values;
    }
    const auto words = words_of_sum(sum, lowest, limbs, integers && form == state_form::compact ? 1 : 4);
    all.insert(all.end(), words.begin(), words.end());
  }

  reduction what_;
  element_type type_;
  std::uint64_t n_ = 0;  // of sums may wrap
  oracle::integer_sum sum_, squares_;
};

/// Bits of a random element: of any exponent, or of about the same magnitude as others; now and then special.
inline std::uint64_t random_bits(rng& random, element_type type, bool plain, bool specials) {
  const element_info& info = info_of(type);
  if (specials && random.below(40) == 0 && !is_integer(type)) {
    return with_element(type, [&]<class T>(T) -> std::uint64_t {
      const float values[] = {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                              std::numeric_limits<float>::quiet_NaN()};
      return std::bit_cast<typename detail::unsigned_of<sizeof(T)>::type>(static_cast<T>(values[random.below(3)]));
    });
  }
  if (is_integer(type)) return random.bits() >> random.below(8 * info.bytes);
  if (plain) {
    return with_element(type, [&]<class T>(T) -> std::uint64_t {
      const auto value = static_cast<T>(static_cast<float>(2 * random.unit() - 1));
      return std::bit_cast<typename detail::unsigned_of<sizeof(T)>::type>(value);
    });
  }
  for (;;) {
    const std::uint64_t bits = random.bits() >> (64 - 8 * info.bytes);
    const auto decoded = oracle::decode(type, bits);
    if (decoded.kind == oracle::kind::finite) return bits;
  }
}

/// `count` elements, in native byte order or swapped.
struct random_elements {
  element_type type;
  bool swapped;
  std::vector<std::byte> bytes;

  random_elements(rng& random, element_type of_type, std::size_t count)
      : type(of_type), swapped(random.below(4) == 0), bytes(count * size_of(of_type) + 1) {
    const bool plain = random.coin(), specials = random.below(4) == 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t value = random_bits(random, type, plain, specials);
      std::memcpy(&bytes[i * size_of(type)], &value, size_of(type));
      if (swapped) std::reverse(&bytes[i * size_of(type)], &bytes[i * size_of(type)] + size_of(type));
    }
  }
  [[nodiscard]] oracle::number number(std::size_t i) const {
    return oracle::element_at({bytes.data(), i + 1, type, static_cast<std::ptrdiff_t>(size_of(type)), swapped}, i);
  }
  [[nodiscard]] any_vector vector(std::size_t first, std::size_t n) const {
    const auto size = size_of(type);
    return {bytes.data() + first * size, n, type, static_cast<std::ptrdiff_t>(size), swapped};
  }
};

}  // namespace states_test
