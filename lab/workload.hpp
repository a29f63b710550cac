// Workload: what the rungs of a ladder compute. It decides the data, the references, and how many results there
// are.
//
// A rung names its workload; harness, ladder and reports reach data and references only through this interface. The
// dot product is the only workload of the program (dot_workload.cpp); docs/contributing.md says how to add another.
#pragma once

#include <io/data_source.hpp>
#include <lab/reference.hpp>
#include <lab/registry.hpp>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace exactdot::lab {

/// Two vectors of equal length on the host. A workload of one vector fills b with ones.
template <element T>
struct host_vectors {
  std::vector<T> a, b;
};

/// The functions of a workload on elements of type T.
template <element T>
struct workload_functions {
  /// Returns the vectors of a data set.
  host_vectors<T> (*data)(const io::data_request&) = nullptr;
  /// Returns vectors for the check on integers: all partial results are representable, and every omitted element
  /// changes a result.
  host_vectors<T> (*integers)(std::size_t n, operation op) = nullptr;
  /// Returns the reference of each result.
  std::vector<reference<T>> (*references)(std::span<const T> a, std::span<const T> b, operation op) = nullptr;
};

struct workload {
  const char* name = "";
  const char* summary = "";
  const char* terms = "";                           ///< what the operation combines: "products"
  std::size_t (*results)(std::size_t n) = nullptr;  ///< number of results from n elements
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

/// Adds a workload to those of the program; for tests, at program start.
void add_workload(const workload& added);

/// Returns the workloads in the order of their registration; the dot product is the first.
[[nodiscard]] std::vector<workload> workloads();

/// Throws errc::bad_option, listing the known workloads, if `name` is unknown. The reference stays valid.
[[nodiscard]] const workload& find_workload(std::string_view name);

}  // namespace exactdot::lab
