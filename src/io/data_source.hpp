// data_source: the data sets of examples, tests and measurements.
//
// The same request gives the same pairs with every standard library and machine: of <random> only the raw outputs
// of std::mt19937 are used, of libm only exact functions. Pairs are drawn in chunks, so vectors larger than memory
// can be written; only `ill` needs its vectors in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exactdot/dot.hpp>
#include <optional>
#include <random>
#include <span>
#include <string_view>
#include <vector>

namespace exactdot::io {

enum class data_set {
  uniform,  ///< independent uniform(-1, 1)
  ones,     ///< 1 and 1: the dot is n
  halves,   ///< 0.5 and 2: the dot is n
  ramp,     ///< i and 2i, each rounded to the type
  ill,      ///< a given condition number: ill_conditioned.hpp
  wide,     ///< random signs; exponents uniform over the whole range of the type, with subnormals
};

inline constexpr std::string_view data_set_names[] = {"uniform", "ones", "halves", "ramp", "ill", "wide"};

/// Returns the length of a data set for which no length is given.
[[nodiscard]] std::size_t default_length(data_set data);

struct data_request {
  data_set data = data_set::uniform;
  std::size_t n = 0;
  std::uint32_t seed = 42;
  double condition = 1e16;               ///< for ill only
  exactdot::monitor* monitor = nullptr;  ///< optional; counts the drawn pairs; must outlive the data_source
};

/// Draws a number from (-1, 1), from raw 32-bit outputs of the generator:
/// float: u = output >> 8; the value is (2u + 1 - 2^24) / 2^24.
/// double: u = first output · 2^21 + (second output >> 11); the value is (2u + 1 - 2^53) / 2^53.
/// Exact, symmetric, never 0 or ±1.
template <element T>
[[nodiscard]] T draw_uniform(std::mt19937& generator);

/// Draws an integer from [0, bound), bound ≤ 2^32: (output · bound) / 2^32, with a bias below bound / 2^32.
[[nodiscard]] std::uint32_t draw_below(std::mt19937& generator, std::uint64_t bound);

template <element T>
class data_source {
 public:
  /// Throws errc::bad_option for a condition number out of range (ill_conditioned.hpp), and errc::cancelled.
  explicit data_source(const data_request& request);

  /// Fills a and b, of equal length, with the next pairs. Throws errc::cancelled.
  void next(std::span<T> a, std::span<T> b);

 private:
  void draw(std::span<T> a, std::span<T> b);

  data_request request_;
  std::mt19937 generator_;
  std::size_t position_ = 0;
  std::vector<T> ill_a_, ill_b_;
};

extern template class data_source<float>;
extern template class data_source<double>;

}  // namespace exactdot::io
