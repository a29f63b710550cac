// Workload rows: sums of the rows of a matrix that lies row after row; see workload.hpp. The last row has the rest.
#include <fmt/format.h>

#include <algorithm>
#include <lab/workload.hpp>

namespace exactdot::lab {
namespace {

template <element T>
host_vectors<T> with_ones(host_vectors<T> made) {
  std::ranges::fill(made.b, T{1});
  return made;
}

template <element T>
host_vectors<T> row_data(const io::data_request& request, const division& parts) {
  return with_ones(dot_workload().of<T>().data(request, parts));
}

template <element T>
host_vectors<T> row_integers(std::size_t n, operation op, const division& parts) {
  return with_ones(dot_workload().of<T>().integers(n, op, parts));
}

template <element T>
std::vector<reference<T>> row_references(const vector_views<T>& vectors, operation op, const division& parts) {
  std::vector<reference<T>> rows;
  for (std::size_t first = 0; first < vectors.a.size(); first += parts.row_length) {
    const std::size_t count = std::min(parts.row_length, vectors.a.size() - first);
    rows.emplace_back(vectors.a.subspan(first, count), vectors.b.subspan(first, count), op);
  }
  return rows;
}

template <element T>
constexpr workload_functions<T> row_functions{row_data<T>, row_integers<T>, row_references<T>};

}  // namespace

workload rows_workload() {
  return {.name = "rows",
          .summary = "sums each row of a matrix; --row-length gives the length of a row",
          .terms = "elements",
          .reads_b = false,
          .results = rows_of,
          .divided =
              [](std::size_t n, const division& parts) {
                return fmt::format("{} rows of {}", rows_of(n, parts), parts.row_length);
              },
          .checked = {{.row_length = 37}, {.row_length = 1000}},
          .of_float = row_functions<float>,
          .of_double = row_functions<double>};
}

}  // namespace exactdot::lab
