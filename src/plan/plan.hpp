// A call as data: what a face asks for (request), and what will be done (plan).
//
// make_plan checks a request and makes every choice that does not depend on the elements' values: engine, GPU,
// threads, levels. Nothing after it looks at an option. Cost: a few nanoseconds for vectors in host memory.
#pragma once

#include <core/reduction.hpp>
#include <cstddef>
#include <exactdot/error.hpp>
#include <exactdot/options.hpp>
#include <exactdot/views.hpp>

namespace exactdot::engine {

/// What a face asks for.
struct request {
  const char* caller;  ///< the name with which error sentences begin: "dot", "accumulator::add"
  reduction what = reduction::dot;
  any_vector a, b;
  element_type result = element_type::float64;
};

enum class memory_kind : unsigned char { host, pinned, managed, device };

/// Where a pointer points to.
struct location {
  memory_kind kind = memory_kind::host;
  int gpu = -1;  ///< whose memory it is, or that pinned it

  /// Whether that GPU's kernels read it in place.
  [[nodiscard]] bool on_gpu() const { return kind == memory_kind::device || kind == memory_kind::managed; }
};

/// An input as an engine reads it.
struct operand {
  const void* data = nullptr;
  std::ptrdiff_t stride = 0;  ///< in bytes
  bool swapped = false;
  bool contiguous = true;  ///< consecutive elements in native byte order
  location where = {};

  /// The operand from element i on.
  [[nodiscard]] operand from(std::size_t i) const {
    operand rest = *this;
    rest.data = static_cast<const char*>(data) + static_cast<std::ptrdiff_t>(i) * stride;
    return rest;
  }
};

/// What will be done. Inputs have been checked.
struct plan {
  const char* caller = "dot";
  exactdot::mode mode = mode::exact;
  element_type element = element_type::float64;
  std::size_t term = 0;  ///< its index in core::term_types
  core::result_rule result = {};
  element_type result_type = element_type::float64;
  operand a, b;
  std::size_t n = 0;
  bool contiguous = true;  ///< all inputs are
  bool bounded_sum_can_decide = true;
  bool on_gpu = false;
  int gpu = 0;
  bool gpu_demanded = false;  ///< device::cuda: no other engine may take over
  int threads = 1;            ///< of the CPU; for a GPU, at most so many that copy for it
  exactdot::monitor* monitor = nullptr;

  [[nodiscard]] core::state_layout layout() const { return core::layout_of(element); }
};

/// Whether a bounded sum of such elements can decide the rounding: results as precise as their carrier, or less.
constexpr bool bounded_sum_can_decide(element_type element, element_type result) {
  return core::format_of(result).precision <= core::format_of(core::carrier_type(element)).precision;
}

/// Throws exactdot::error whose sentence begins with the caller's name.
[[nodiscard]] plan make_plan(const request& asked, const options& options);

/// Throws unless both inputs have known and equal element types and equal lengths.
void check_types_and_lengths(const request& asked);

/// The plan without an engine, threads and monitor; inputs have been checked.
[[nodiscard]] plan unplaced_plan(const request& asked, mode mode);

[[noreturn]] void throw_error(errc code, const char* caller, const std::string& sentence);

inline void throw_if_cancelled(const plan& plan) {
  if (plan.monitor != nullptr && plan.monitor->cancel.load())
    throw_error(errc::cancelled, plan.caller, "cancelled");
}

/// Calls work(T{}) with the C++ type of the plan's elements.
template <class Work>
decltype(auto) with_element_of(const plan& plan, Work&& work) {
  return with_element(plan.element, work);
}

}  // namespace exactdot::engine
