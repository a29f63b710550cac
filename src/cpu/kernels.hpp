// The CPU kernels: per instruction set one table, with an entry for each compiled pair of element and term.
//
// kernels.cpp compiles the table once per Highway target; one of them is chosen at run time. No result depends on
// which.
#pragma once

#include <array>
#include <atomic>
#include <cpu/column_sums.hpp>
#include <cpu/plain_sums.hpp>
#include <cpu/refined_sum.hpp>
#include <cpu/row_bounds.hpp>
#include <cpu/sum_bounds.hpp>
#include <cstddef>
#include <cstdint>
#include <exactdot/core/reduction.hpp>
#include <plan/plan.hpp>
#include <plan/staging.hpp>
#include <string>
#include <vector>

namespace exactdot::inline v0_3::core {
struct row_scale;
}

namespace exactdot::inline v0_3::cpu_engine {

/// How far ahead of its use a group's sums are prefetched.
inline constexpr std::size_t group_slots_ahead = 16;

/// The loops over n contiguous carriers at a and b, for one carrier and term (b = a for terms of one input). Each
/// result is exact, or known to within a bound, or of order v1, so none depends on the instruction set. All compute
/// in the environment of environment.hpp.
struct kernels {
  /// Mode fast: the tile tree of order v1; the bits of the accumulation type.
  std::uint64_t (*fast)(const void* a, const void* b, std::size_t n);
  /// A sum with a proven error bound. False if the data does not suit it. next: null, or where the caller will go
  /// on in place of a + n, in memory that is in no cache near by.
  bool (*bounded)(const void* a, const void* b, std::size_t n, const void* next, bounded_sum& sum);
  /// The same for `count` rows, `step` bytes apart, by one vector b; null for terms of one input. is_far: the rows
  /// are in no cache near by, and the caller goes on with those that follow.
  void (*bounded_rows)(const void* a, std::ptrdiff_t step, std::size_t count, const void* b, std::size_t n,
                       bool is_far, const row_bounds& to);
  /// A sum with a much smaller bound, for sums that cancel, from 3, 4 or 5 levels of 51 bits. All addends are
  /// finite, and below 2^exponent in magnitude.
  bool (*refined)(const void* a, const void* b, std::size_t n, int levels, int exponent, refined_sum& sum);
  /// How many levels a sample of the addends suggests; more than 5 if these would not do.
  int (*suggested_levels)(const void* a, const void* b, std::size_t n, int exponent);
  /// The same without an error, from two doubles per lane; false if these do not hold the sum. It decides ties.
  bool (*exact_pair)(const void* a, const void* b, std::size_t n, cpu_engine::exact_pair& sum);
  /// words += the exact sum; normalised on entry and on return.
  void (*accumulate)(const void* a, const void* b, std::size_t n, std::int64_t* words);
  /// Adds rows of `width` carriers to the sums of their columns, or begins these with them.
  void (*add_columns)(const row_block& a, const row_block& b, std::size_t rows, std::size_t width, bool begins,
                      const column_sums& to);
  /// The same, row i to the sums of entry entries[i] of a table: those of entry e begin e · step doubles behind
  /// `table`.
  void (*add_rows)(const row_block& a, const row_block& b, std::size_t rows, std::size_t width,
                   const std::uint32_t* entries, const column_sums& table, std::size_t step);
  /// The same as add_columns for up to plain_sums::max_rows rows of floats, plainly; null for doubles.
  void (*add_plain_columns)(const row_block& a, const row_block& b, std::size_t rows, std::size_t width,
                            bool begins, const plain_sums& to);
  /// Adds n carriers, element i to the sums table[slots[i]]. There are group_slots_ahead more slots, of any value.
  void (*add_groups)(const void* a, const void* b, const std::uint32_t* slots, std::size_t n, group_sums* table);
  /// table[k] = the sums of run k, the next sizes[k] carriers.
  void (*sum_runs)(const void* a, const void* b, const std::uint32_t* sizes, std::size_t runs, group_sums* table);
  /// Whether its terms are a double and an error: products of doubles.
  bool has_two_part_terms;
};

/// The least or greatest of some elements.
struct extreme {
  std::uint64_t key = ~std::uint64_t{0};  ///< core::ordered_key of the element; less is more extreme
  std::uint64_t index = 0;                ///< the lowest one that attains it
};

/// The extreme of n > 0 contiguous elements; indices from 0.
using extremum_kernel = extreme (*)(const void* x, std::size_t n);

/// Per column: the least key so far, a word of the element's size, and the row that has it, another one; null where
/// no row is asked for. Whole registers are loaded and stored: there is room for `padding` bytes more of each.
struct column_extremes {
  static constexpr std::size_t padding = 64;
  static constexpr std::size_t max_rows = 256;  ///< that a word of one byte can count
  void *key, *row;
};

/// Lowers the keys of columns to those of the elements of `rows` rows, which count from `first`.
using column_extremum_kernel = void (*)(const row_block& x, std::size_t rows, std::size_t first, std::size_t width,
                                        const column_extremes& to);

/// Stores the results of `count` bounded sums, one after the other, at any address. True if some are open: then
/// is_open, which is all false before, tells which, and what is stored for these is unspecified.
using sum_decision = bool (*)(const asked_results& asked, const sum_bounds& of, std::size_t count, char* to,
                              bool* is_open);

/// bounds = those of `count` columns of n terms, from column `start` on: of plain sums, and of compensated ones.
/// Room as sum_bounds has.
using plain_column_bounds = void (*)(const plain_sums& of, std::size_t start, std::size_t count, double n,
                                     double* bounds);
using column_bounds = void (*)(const column_sums& of, std::size_t start, std::size_t count, std::size_t n,
                               bool has_two_part_terms, double* bounds);

/// to = the numerators n·Σx² − (Σx)² of variances, from the sums and those of the squares.
using numerator_bounds = void (*)(double n, const sum_bounds& sums, const sum_bounds& squares, std::size_t count,
                                  const sum_bounds& to);

/// Lowers the keys of groups to those of n elements, element i that of table[slots[i]], a word of the element's
/// size. There are group_slots_ahead more slots, of any value.
using group_extremum_kernel = void (*)(const void* x, const std::uint32_t* slots, std::size_t n, void* table);

/// Per column: two words that make the sum of 64-bit integers u, high · 2^32 + low, low that of the lower halves.
/// Whole registers are loaded and stored: there is room for a multiple of `padding` columns.
struct word_sums {
  static constexpr std::size_t padding = 8;
  std::uint64_t *low, *high;
};

/// Adds rows of `width` words, row i to the sums of entry entries[i] of a table, which begin `step` words after
/// those of the one before it: u = x ^ flip of each word x, or its magnitude as that of an integer with a sign.
/// Without entries all rows go to the first. Less than 2^32 rows an entry.
using word_row_kernel = void (*)(const row_block& x, std::size_t rows, std::size_t width, std::uint64_t flip,
                                 const std::uint32_t* entries, const word_sums& table, std::size_t step);

/// The two words of a sum as word_sums has them, of n < 2^32 consecutive words.
struct word_sum {
  std::uint64_t low, high;
};
/// to = the bounded sums, without an error, of `count` columns from `start` on, of fewer than max_bounded_words
/// words. flips: the number of words of each from which 2^63 is to be subtracted.
using word_bounds = void (*)(const word_sums& of, std::size_t start, std::size_t count, std::uint64_t flips,
                             const sum_bounds& to);
inline constexpr std::size_t max_bounded_words = std::size_t{1} << 19;  // halves add up to less than 2^51

/// Word i of row k, of which there are `rows` of `columns` words, `step` bytes apart, becomes word k of row i at
/// `to`, whose rows are `pitch` bytes apart. All at any address.
using transposition = void (*)(const void* from, std::ptrdiff_t step, std::size_t rows, std::size_t columns,
                               void* to, std::ptrdiff_t pitch);

/// to = n 64-bit integers, with or without a sign, at any address, which may be that of `to`. False if one of them
/// is not below 2^51 in magnitude: then they are unspecified.
using word_conversion = bool (*)(const void* from, std::size_t n, bool has_sign, double* to);

/// Stores the elements of a normalised row, of `count` carriers at x, times the carriers at w plus those at b, one
/// after the other at any address: those that the scale decides, and anything in place of the others. How many
/// these are, and their indices, in order, at `open`, where there is room for `count`. The scale's bound is finite.
using row_normalisation = std::size_t (*)(const core::row_scale& scale, const void* x, const void* w, const void* b,
                                          std::size_t count, void* to, std::uint32_t* open);

/// product[i] + error[i] = a[i]·b[i]. False if that does not hold: a product is not 0, and below 2^-968, above 2^1020
/// or no number.
using product_kernel = bool (*)(const double* a, const double* b, std::size_t n, double* product, double* error);

using word_run_kernel = word_sum (*)(const void* x, std::size_t n, std::uint64_t flip);

inline constexpr std::size_t term_count = std::tuple_size_v<core::term_types>;
inline constexpr std::size_t carrier_count = 2;  // float32, float64: the first of the element types

/// The index of a carrier's and term's kernels.
constexpr std::size_t kernels_index(element_type carrier, std::size_t term) {
  return static_cast<std::size_t>(carrier) * term_count + term;
}
/// Types that have kernels for extrema. Those behind them are 8-bit floats, which are compared as floats
/// (cpu/extreme.hpp).
inline constexpr std::size_t compared_types = static_cast<std::size_t>(element_type::float8_e4m3fn);

/// The index of such a type's kernel for the least or the greatest element.
constexpr std::size_t extremum_index(element_type element, bool greatest) {
  return 2 * static_cast<std::size_t>(element) + greatest;
}

struct instruction_set {
  const char* name;
  std::array<kernels, carrier_count * term_count> table;
  std::array<extremum_kernel, 2 * compared_types> extrema;
  std::array<group_extremum_kernel, 2 * compared_types> group_extrema;
  std::array<column_extremum_kernel, 2 * compared_types> column_extrema;
  word_row_kernel add_word_rows, add_word_magnitudes;
  word_run_kernel sum_words, sum_word_magnitudes;
  word_bounds bound_words;
  word_conversion convert_words;
  transposition transpose_floats, transpose_doubles;
  sum_decision decide_sums;
  plain_column_bounds bound_plain_values, bound_plain_products;
  column_bounds bound_columns;
  numerator_bounds bound_numerators;
  product_kernel multiply_exactly;
  /// Of each element type to its carrier; null where the copies of plan/staging.hpp are all there is.
  std::array<engine::widening, elements.size()> widenings;
  /// Of each element type to results of the same; null but for floating-point types of 16 bits and more.
  std::array<row_normalisation, elements.size()> normalisations;
};

extern std::atomic<const instruction_set*> chosen_instruction_set;  // null before the first call
const instruction_set& choose_at_first_call();

/// The table in use: the best one, or the one that use_instruction_set or EXACTDOT_TARGET chose.
inline const instruction_set& current_instruction_set() {
  const instruction_set* const chosen = chosen_instruction_set.load(std::memory_order_acquire);
  return chosen != nullptr ? *chosen : choose_at_first_call();
}
/// All that this machine can run, best first.
std::vector<const instruction_set*> runnable_instruction_sets();
void choose_instruction_set(const std::string& name);

inline const kernels& current_kernels(element_type carrier, std::size_t term) {
  return current_instruction_set().table[kernels_index(carrier, term)];
}

inline engine::widening current_widening(element_type type) {
  return current_instruction_set().widenings[static_cast<std::size_t>(type)];
}

}  // namespace exactdot::inline v0_3::cpu_engine
