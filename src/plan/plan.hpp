// A call as data: what a face asks for (request), and what will be done (plan).
//
// make_plan checks a request and makes every choice that does not depend on the elements' values: engine, GPU,
// threads, levels. Nothing after it looks at an option. Cost: a few nanoseconds for vectors in host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exactdot/core/reduction.hpp>
#include <exactdot/error.hpp>
#include <exactdot/options.hpp>
#include <exactdot/shapes.hpp>
#include <exactdot/views.hpp>

namespace exactdot::inline v0_3::engine {

/// What a face asks for.
struct request {
  const char* caller;  ///< the name with which error sentences begin: "dot", "accumulator::add"
  reduction what = reduction::dot;
  any_vector a, b;  ///< b only if the reduction has two inputs
  element_type result = element_type::float64;
  std::int64_t ddof = 0;      ///< where it is a part of the divisor
  bool takes_ratios = false;  ///< the caller passes ratios to the CPU engine; no other entry computes them
};

enum class memory_kind : unsigned char { host, pinned, managed, device };

/// Where a pointer points to.
struct location {
  memory_kind kind = memory_kind::host;
  int gpu = -1;  ///< whose memory it is, or that pinned it

  /// Whether that GPU's kernels read it in place.
  [[nodiscard]] bool on_gpu() const { return kind == memory_kind::device || kind == memory_kind::managed; }
};

/// What an input becomes whose elements are the parts of complex numbers, x + iy, one after the other.
enum class pairing : unsigned char {
  none,       ///< x, y
  conjugate,  ///< x, −y
  exchanged,  ///< y, x
  turned,     ///< y, −x
};

/// An input as an engine reads it.
struct operand {
  const void* data = nullptr;
  std::ptrdiff_t stride = 0;  ///< in bytes
  element_type type = element_type::float64;
  bool swapped = false;
  bool contiguous = true;  ///< consecutive elements in native byte order, of the type that kernels read
  location where = {};
  /// Of an input with several axes of elements: those that enclose the innermost one, and the length of that one.
  /// Only the staging of a CPU reads such operands.
  std::span<const axis> outer = {};
  std::size_t inner = 0;
  /// Only the staging of a CPU changes pairs; such operands are not contiguous, and of float or double.
  pairing pairs = pairing::none;

  /// The operand from element i on; not for several axes.
  [[nodiscard]] operand from(std::size_t i) const {
    operand rest = *this;
    rest.data = static_cast<const char*>(data) + static_cast<std::ptrdiff_t>(i) * stride;
    return rest;
  }
};

/// What will be done. Inputs have been checked.
struct plan {
  const char* caller = "dot";
  reduction what = reduction::dot;
  exactdot::mode mode = mode::exact;
  /// The type that kernels read, to which elements are converted: float32 or float64; of extrema the element type.
  element_type carrier = element_type::float64;
  std::size_t term = 0;  ///< its index in core::term_types
  core::result_rule result = {};
  element_type result_type = element_type::float64;
  operand a, b;  ///< b = a for reductions of one input
  std::size_t n = 0;
  std::uint64_t ddof = 0;
  bool contiguous = true;  ///< all inputs are
  bool bounded_sum_can_decide = true;
  bool on_gpu = false;
  int gpu = 0;
  bool gpu_demanded = false;  ///< device::cuda: no other engine may take over
  int threads = 1;            ///< of the CPU; for a GPU, at most so many that copy for it
  exactdot::monitor* monitor = nullptr;

  [[nodiscard]] const core::reduction_info& info() const { return core::info_of(what); }
  [[nodiscard]] core::state_layout layout() const { return core::layout_of(carrier); }
  /// Whether an element takes two carriers: the halves of a 64-bit integer.
  [[nodiscard]] bool has_parts() const {
    return !info().is_extremum && core::parts_of(a.type) + core::parts_of(b.type) > 2;
  }
  /// Whether finite elements that are all equal have the result 0, which no bound tells.
  [[nodiscard]] bool is_zero_if_equal() const { return info().needs_squares() && ddof < n && !has_parts(); }
  [[nodiscard]] const core::term_info& term_info() const { return core::term_at(term); }
  /// Whether an addend is a product of two factors.
  [[nodiscard]] bool multiplies() const { return term_info().factors == 2; }
  /// The term whose kernels add sum `index` of a reduction: as the descriptor has it, or for elements in parts.
  [[nodiscard]] std::size_t term_of(int index) const {
    const std::size_t described = info().term_of(index);
    return has_parts() ? core::term_of_parts(described) : described;
  }
  /// This plan for one of its sums.
  [[nodiscard]] plan for_sum(int index) const {
    plan made = *this;
    made.what = core::sum_of_term(info().term_of(index));
    made.term = term_of(index);
    return made;
  }
  /// Parts of an element of a, and of b for each of them: all if parts are multiplied, otherwise one.
  [[nodiscard]] int parts_of_a() const { return has_parts() ? core::parts_of(a.type) : 1; }
  [[nodiscard]] int parts_of_b(bool multiplied) const {
    return has_parts() && multiplied ? core::parts_of(b.type) : 1;
  }
};

/// Whether a bounded sum on this carrier can decide the result: floating-point types as precise as the carrier, or
/// less; integers.
constexpr bool bounded_sum_can_decide(element_type carrier, element_type result) {
  return is_integer(result) || info_of(result).precision <= info_of(carrier).precision;
}

/// Throws exactdot::error whose sentence begins with the caller's name.
[[nodiscard]] plan make_plan(const request& asked, const options& options);

/// After a GPU engine had its choice: ratios are computed on a CPU. Throws errc::bad_option for a demanded GPU, and for
/// memory that only a GPU reads.
void keep_ratio_on_host(plan& plan);

/// Throws unless reduction, element types, result type, lengths and mode go together.
void check_request(const request& asked, mode mode);

/// Throws if the elements of x do not fit into the address space.
void check_extent(const char* caller, const char* name, const any_vector& x);

/// Throws errc::bad_option if `bytes` from `result` on overlap an element of x, which is called `name`.
void check_output(const char* caller, const any_vector& x, const char* name, const void* result, std::size_t bytes);

/// The plan without an engine, threads and monitor; inputs have been checked.
[[nodiscard]] plan unplaced_plan(const request& asked, mode mode);

[[noreturn]] void throw_error(errc code, const char* caller, const std::string& sentence);

inline void throw_if_cancelled(const plan& plan) {
  if (plan.monitor != nullptr && plan.monitor->cancel.load())
    throw_error(errc::cancelled, plan.caller, "cancelled");
}

/// The result that needs no elements: of n = 0. Throws errc::empty_input for an extremum.
[[nodiscard]] std::uint64_t result_of_nothing(const plan& plan);

/// The result in mode fast for the sum of the terms in the carrier T: converted, divided, or its root.
template <class T>
[[nodiscard]] std::uint64_t fast_result(const plan& plan, T sum);

/// The result of one or two (moments) normalised states, which are overwritten.
[[nodiscard]] core::outcome outcome_of(const plan& plan, std::int64_t* words) noexcept;
/// The same. Throws errc::overflow.
[[nodiscard]] std::uint64_t exact_result(const plan& plan, std::int64_t* words);
/// The bits of a result. Throws errc::overflow.
[[nodiscard]] std::uint64_t word_of(const plan& plan, const core::outcome& found);

/// Words of the states that the plan fills: one, or two for moments.
[[nodiscard]] inline int states_of(const plan& plan) { return plan.info().needs_squares() ? 2 : 1; }

}  // namespace exactdot::inline v0_3::engine
