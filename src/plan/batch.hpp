// A call with many results as data: a plan for one result, and which elements belong to which (docs/shapes.md).
//
// A grid has result axes and element axes; segments are stretches of one vector between offsets; groups are
// segments if their keys never decrease, otherwise engines read the keys. Beyond that engines do not see the shape:
// they ask for the i-th vector and for the place of its result. make_*_batch does all checks; nothing is written
// before.
#pragma once

#include <exactdot/shapes.hpp>
#include <plan/plan.hpp>
#include <plan/state_words.hpp>
#include <vector>

namespace exactdot::inline v0_3::engine {

/// What a face asks for.
struct batch_request {
  const char* caller;
  reduction what = reduction::sum;
  any_results out;
  std::int64_t ddof = 0;
  /// Null, or what the words at `out` are: of every result a state, to which its sums are added.
  const stored_state* states = nullptr;
  bool takes_ratios = false;  ///< as of request

  /// Bytes of a result.
  [[nodiscard]] std::size_t result_size() const {
    return states == nullptr ? size_of(out.type) : static_cast<std::size_t>(states->words) * sizeof(std::int64_t);
  }
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
  any_offsets offsets;  ///< of segments; its data is null otherwise
  any_keys keys;  ///< of groups whose elements lie anywhere, or that a GPU computes; its data is null otherwise
  /// Of groups: how many elements each has; of those that are segments the offsets.
  std::vector<std::uint64_t> group_sizes;
  /// Of groups of which some have no elements and are no vectors of the batch: which the others are. Otherwise
  /// empty.
  std::vector<std::uint64_t> group_names;
  std::size_t all_groups = 0;  ///< with those; 0 if every group is a vector of the batch
  std::vector<std::uint64_t> own_keys;  ///< what `keys` refers to where keys have been numbered
  std::vector<shared_axis> columns;  ///< of groups: axes that neither elements nor groups lie along
  std::size_t column_count = 1;
  bool is_count = false;  ///< the results are the numbers of elements of groups; on a GPU
  char* out = nullptr;
  std::ptrdiff_t out_stride = 0;  ///< of segments and groups
  bool out_swapped = false;
  bool out_is_scratch = false;  ///< may be written though the call fails
  const stored_state* states = nullptr;  ///< null unless results are states: what these are
  bool adds_to_results = false;          ///< the value at a result's place is one more term of its sum; of groups
  exactdot::monitor* monitor = nullptr;

  [[nodiscard]] bool is_grid() const { return offsets.data == nullptr && !has_keys(); }
  /// Whether the vectors are groups of elements that lie anywhere: result i is group i % groups of column i /
  /// groups.
  [[nodiscard]] bool has_keys() const { return keys.data != nullptr; }
  /// Segments or groups of a column.
  [[nodiscard]] std::size_t groups() const { return count / column_count; }
  /// The caller's index of a group.
  [[nodiscard]] std::size_t group_at(std::size_t group) const {
    return group_names.empty() ? group : group_names[group];
  }
  /// The place of a group's result in a column whose first place is `column`.
  [[nodiscard]] char* place_of(char* column, std::size_t group) const {
    return column + offset_of(group);
  }
  /// The result of a group, in bytes from the first of its column.
  [[nodiscard]] std::ptrdiff_t offset_of(std::size_t group) const {
    return static_cast<std::ptrdiff_t>(group_at(group)) * out_stride;
  }
  /// The elements of a column, of all groups and of none.
  [[nodiscard]] std::size_t column_length() const {
    if (has_keys()) return keys.n;
    return group_sizes.empty() ? each.n : group_sizes.back();
  }
  /// All elements of a column, and the place of its first result.
  [[nodiscard]] line column_at(std::size_t column) const;
  /// The i-th result's; of groups with keys the operands are those of the column. Cost: some ns, of a grid with
  /// several result axes a division each.
  [[nodiscard]] line line_at(std::size_t i) const;
  /// The caller's index of the i-th result.
  [[nodiscard]] std::size_t index_of(std::size_t i) const;
  /// Stores the bits of a result.
  void store(char* to, std::uint64_t word) const;
  /// The same for n neighbouring groups.
  void store_all(char* first, std::size_t n, std::uint64_t word) const;
  /// The bits of the result that is there.
  [[nodiscard]] std::uint64_t load(const char* from) const;
  /// Whether elements and lengths leave room for an integer result that does not fit into its type.
  [[nodiscard]] bool may_overflow() const;

 private:
  [[nodiscard]] line line_along(const std::vector<shared_axis>& axes, std::size_t i, std::size_t n) const;
};

/// The offset of index i.
[[nodiscard]] std::uint64_t offset_at(const any_offsets& offsets, std::size_t i);

/// Throw exactdot::error. For a reduction of one input b is ignored.
[[nodiscard]] batch make_grid_batch(const batch_request& asked, const any_grid& a, const any_grid& b,
                                    const options& options);
[[nodiscard]] batch make_segment_batch(const batch_request& asked, const any_vector& a, const any_vector& b,
                                       const any_offsets& offsets, const options& options);
[[nodiscard]] batch make_group_batch(const batch_request& asked, const any_grid& a, const any_grid& b,
                                     const any_keys& keys, const options& options);
/// The numbers of elements of groups on a GPU; each.on_gpu is false if no GPU computes them.
[[nodiscard]] batch make_count_batch(const batch_request& asked, const any_keys& keys, const options& options);

}  // namespace exactdot::inline v0_3::engine
