// Compiles the kernels once per instruction set and chooses among them at run time.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cpu/bounded_sum.hpp>
#include <cpu/kernels.hpp>
#include <cpu/window.hpp>
#include <cstdlib>
#include <exactdot/core/error_free.hpp>
#include <exactdot/core/extremum.hpp>
#include <exactdot/core/state.hpp>
#include <exactdot/error.hpp>
#include <exactdot/order_v1.hpp>
#include <limits>
#include <utility>

// The targets of the table below and no others, whichever this version of Highway has. SSE has no fused
// multiply-add, so machines without AVX2 use the portable target. Vectors of SVE have no size that the compiler
// knows, and the kernels keep vectors in structs: machines with SVE use NEON. The portable target is compiled even
// where the compiler may assume more, so that every machine can run it. EXACTDOT_DISABLED_TARGETS: what a build for
// tests leaves out, to compile faster.
#ifndef EXACTDOT_DISABLED_TARGETS
#define EXACTDOT_DISABLED_TARGETS 0
#endif
#define HWY_DISABLED_TARGETS \
  (~(HWY_AVX3 | HWY_AVX2 | HWY_NEON | HWY_EMU128 | HWY_SCALAR) | EXACTDOT_DISABLED_TARGETS)
#define HWY_COMPILE_ALL_ATTAINABLE
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace exactdot::inline v0_3::cpu_engine {
namespace HWY_NAMESPACE {

/// Entry i: carrier i / term_count, term i % term_count.
template <std::size_t... i>
constexpr std::array<kernels, sizeof...(i)> kernels_table(std::index_sequence<i...>) {
  return {kernels_of<std::tuple_element_t<i / term_count, element_types>,
                     std::tuple_element_t<i % term_count, core::term_types>>()...};
}

/// Entry i: element type i / 2, the least or the greatest.
template <std::size_t... i>
constexpr std::array<extremum_kernel, sizeof...(i)> extremum_table(std::index_sequence<i...>) {
  return {extremum<std::tuple_element_t<i / 2, element_types>, i % 2 == 1>...};
}

template <std::size_t... i>
constexpr std::array<group_extremum_kernel, sizeof...(i)> group_extremum_table(std::index_sequence<i...>) {
  return {add_group_extrema<std::tuple_element_t<i / 2, element_types>, i % 2 == 1>...};
}

template <std::size_t... i>
constexpr std::array<column_extremum_kernel, sizeof...(i)> column_extremum_table(std::index_sequence<i...>) {
  return {column_extremum<std::tuple_element_t<i / 2, element_types>, i % 2 == 1>...};
}

/// Entry i: element type i.
template <std::size_t... i>
constexpr std::array<engine::widening, sizeof...(i)> widening_table(std::index_sequence<i...>) {
  return {widening_of<std::tuple_element_t<i, element_types>>()...};
}

template <std::size_t... i>
constexpr std::array<row_normalisation, sizeof...(i)> normalisation_table(std::index_sequence<i...>) {
  return {normalisation_of<std::tuple_element_t<i, element_types>>()...};
}

constexpr instruction_set named(const char* name) {
  return {name,
          kernels_table(std::make_index_sequence<carrier_count * term_count>()),
          extremum_table(std::make_index_sequence<2 * compared_types>()),
          group_extremum_table(std::make_index_sequence<2 * compared_types>()),
          column_extremum_table(std::make_index_sequence<2 * compared_types>()),
          add_word_rows<false>,
          add_word_rows<true>,
          sum_words<false>,
          sum_words<true>,
          bound_words,
          convert_words,
          transpose<float>,
          transpose<double>,
          decide_sums,
          bound_plain_columns<false>,
          bound_plain_columns<true>,
          bound_columns,
          bound_numerators,
          multiply_exactly,
          widening_table(std::make_index_sequence<elements.size()>()),
          normalisation_table(std::make_index_sequence<elements.size()>())};
}

}  // namespace HWY_NAMESPACE
}  // namespace exactdot::inline v0_3::cpu_engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace exactdot::inline v0_3::cpu_engine {
namespace {

struct target {
  std::int64_t bit;  // Highway's
  instruction_set set;
};

/// Best first.
constexpr target targets[] = {
#if HWY_TARGETS & HWY_AVX3
    {HWY_AVX3, N_AVX3::named("avx512")},
#endif
#if HWY_TARGETS & HWY_AVX2
    {HWY_AVX2, N_AVX2::named("avx2")},
#endif
#if HWY_TARGETS & HWY_NEON
    {HWY_NEON, N_NEON::named("neon")},
#endif
#if HWY_TARGETS & HWY_EMU128
    {HWY_EMU128, N_EMU128::named("portable")},
#endif
#if HWY_TARGETS & HWY_SCALAR
    {HWY_SCALAR, N_SCALAR::named("portable")},
#endif
};

const instruction_set* find(const std::string& name, const std::string& asked_by = "") {
  std::string known;
  for (const instruction_set* set : runnable_instruction_sets()) {
    if (name.empty() || name == set->name) return set;
    known += (known.empty() ? "" : ", ") + std::string(set->name);
  }
  throw error(errc::bad_option,
              asked_by + "instruction set '" + name + "' is not one that this machine runs (" + known + ")");
}

}  // namespace

constinit std::atomic<const instruction_set*> chosen_instruction_set{nullptr};

std::vector<const instruction_set*> runnable_instruction_sets() {
  std::vector<const instruction_set*> sets;
  for (const target& candidate : targets) {
    // The static target needs no support: the compiler assumed it everywhere.
    if (candidate.bit == HWY_STATIC_TARGET || (hwy::SupportedTargets() & candidate.bit) != 0)
      sets.push_back(&candidate.set);
  }
  return sets;
}

void choose_instruction_set(const std::string& name) {
  chosen_instruction_set.store(find(name), std::memory_order_release);
}

const instruction_set& choose_at_first_call() {
  const char* const wanted = std::getenv("EXACTDOT_TARGET");
  const instruction_set* const set = find(wanted == nullptr ? "" : wanted, "EXACTDOT_TARGET: ");
  chosen_instruction_set.store(set, std::memory_order_release);
  return *set;
}

}  // namespace exactdot::inline v0_3::cpu_engine
#endif
