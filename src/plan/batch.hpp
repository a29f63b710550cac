// A call with many results as data: a plan for one result, and which elements belong to which (docs/shapes.md).
//
// A grid has result axes and element axes; segments are stretches of one vector between offsets. Engines see
// neither: they ask for the i-th vector and for the place of its result. make_*_batch does all checks; nothing is
// written before.
#pragma once

#include <exactdot/shapes.hpp>
#include <plan/plan.hpp>
#include <vector>

namespace exactdot::engine {

/// What a face asks for.
struct batch_request {
  const char* caller;
  reduction what = reduction::sum;
  any_results out;
  std::int64_t ddof = 0;
};

/// An axis that both inputs and the results share. Strides in bytes; `out` of an element axis is 0. `index`:
/// between the caller's indices of results, which count along the axes as they were passed.
struct shared_axis {
  std::size_t n;
  std::ptrdiff_t a, b, out, index;
};

/// The elements of one result, and where it goes.
struct line {
  const void *a, *b;
  std::size_t n;
  char* out;
};

struct batch {
  batch() = default;
  batch(batch&&) = default;  // the operands refer to members
  batch& operator=(batch&&) = default;

  plan each;  ///< of one result: its operands are those of the first, its length the greatest; one thread
  std::size_t count = 0;             ///< of results
  std::size_t elements = 0;          ///< of all results, at most the greatest std::size_t
  int threads = 1;                   ///< for the whole call
  std::vector<shared_axis> results;  ///< of a grid; simplified
  std::vector<axis> outer_a,
      outer_b;          ///< element axes of a grid but the innermost; each.a and each.b refer to them
  any_offsets offsets;  ///< of segments; its data is null for a grid
  char* out = nullptr;
  std::ptrdiff_t out_stride = 0;  ///< of segments
  bool out_swapped = false;
  exactdot::monitor* monitor = nullptr;

  [[nodiscard]] bool is_grid() const { return offsets.data == nullptr; }
  /// The i-th result's. Cost: some ns, of a grid with several result axes a division each.
  [[nodiscard]] line line_at(std::size_t i) const;
  /// The caller's index of the i-th result.
  [[nodiscard]] std::size_t index_of(std::size_t i) const;
  /// Stores the bits of a result.
  void store(char* to, std::uint64_t word) const;
  /// Whether elements and lengths leave room for an integer result that does not fit into its type.
  [[nodiscard]] bool may_overflow() const;
};

/// The offset of index i.
[[nodiscard]] std::uint64_t offset_at(const any_offsets& offsets, std::size_t i);

/// Throw exactdot::error. For a reduction of one input b is ignored.
[[nodiscard]] batch make_grid_batch(const batch_request& asked, const any_grid& a, const any_grid& b,
                                    const options& options);
[[nodiscard]] batch make_segment_batch(const batch_request& asked, const any_vector& a, const any_vector& b,
                                       const any_offsets& offsets, const options& options);

}  // namespace exactdot::engine
