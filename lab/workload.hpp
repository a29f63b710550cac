// Workload: what the rungs of a ladder compute. It decides the data, the references, and how many results there
// are.
//
// A rung names its workload; harness, ladder and reports reach data and references only through this interface. The
// program has dot (dot_workload.cpp), rows (rows_workload.cpp) and groups (groups_workload.cpp);
// docs/contributing.md says how to add another.
#pragma once

#include <io/data_source.hpp>
#include <lab/reference.hpp>
#include <lab/registry.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace exactdot::lab {

/// Two vectors of equal length on the host. A workload of one vector fills b with ones.
template <element T>
struct host_vectors {
  std::vector<T> a, b;
  std::vector<std::uint32_t> keys = {};  ///< group of each element of a; empty without groups
};

/// The same by reference.
template <element T>
struct vector_views {
  std::span<const T> a, b;
  std::span<const std::uint32_t> keys = {};

  vector_views(std::span<const T> first, std::span<const T> second) : a(first), b(second) {}
  vector_views(const host_vectors<T>& vectors)  // NOLINT(google-explicit-constructor)
      : a(vectors.a), b(vectors.b), keys(vectors.keys) {}

  /// Returns n elements of each vector; the first `skip_a` and `skip_b` are skipped. Keys stay with those of a.
  [[nodiscard]] vector_views part(std::size_t n, std::size_t skip_a, std::size_t skip_b) const {
    vector_views chosen(a.subspan(skip_a, n), b.subspan(skip_b, n));
    if (!keys.empty()) chosen.keys = keys.subspan(skip_a, n);
    return chosen;
  }
};

/// The functions of a workload on elements of type T.
template <element T>
struct workload_functions {
  /// Returns the vectors of a data set.
  host_vectors<T> (*data)(const io::data_request&, const division&) = nullptr;
  /// Returns vectors for the check on integers: all partial results are representable, and every omitted element
  /// changes a result.
  host_vectors<T> (*integers)(std::size_t n, operation op, const division&) = nullptr;
  /// Returns the reference of each result.
  std::vector<reference<T>> (*references)(const vector_views<T>&, operation op, const division&) = nullptr;
};

struct workload {
  const char* name = "";
  const char* summary = "";
  const char* terms = "";                                            ///< what the operation combines: "products"
  bool reads_b = true;                                               ///< rungs read both vectors, not only a
  bool has_keys = false;                                             ///< rungs read a key for each element
  std::size_t (*results)(std::size_t n, const division&) = nullptr;  ///< number of results from n elements
  /// Returns how n elements are divided, for reports: "64 rows of 1024"; null: not at all.
  std::string (*divided)(std::size_t n, const division&) = nullptr;
  std::vector<division> checked = {division{}};  ///< for the checks on integers
  workload_functions<float> of_float;
  workload_functions<double> of_double;

  template <element T>
  [[nodiscard]] const workload_functions<T>& of() const {
    if constexpr (std::is_same_v<T, float>) {
      return of_float;
    } else {
      return of_double;
    }
  }
};

/// The dot product of two vectors, and other operations on their products: one result.
[[nodiscard]] workload dot_workload();

/// Sums of the rows of a matrix: ⌈n / row_length⌉ results.
[[nodiscard]] workload rows_workload();

/// Sums of the elements with the same key: a result for each of the groups, 0 for an empty one.
[[nodiscard]] workload groups_workload();

/// Adds a workload to those of the program; for tests, at program start.
void add_workload(const workload& added);

/// Returns the workloads in the order of their registration; the dot product is the first.
[[nodiscard]] std::vector<workload> workloads();

/// Throws errc::bad_option, listing the known workloads, if `name` is unknown. The reference stays valid.
[[nodiscard]] const workload& find_workload(std::string_view name);

}  // namespace exactdot::lab
