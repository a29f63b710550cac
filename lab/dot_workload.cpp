// Workload dot: the dot product of two vectors, and the other operations on their products; see workload.hpp.
#include <lab/workload.hpp>
#include <random>

namespace exactdot::lab {
namespace {

template <element T>
host_vectors<T> data_vectors(const io::data_request& request, const division&) {
  host_vectors<T> made{std::vector<T>(request.n), std::vector<T>(request.n)};
  io::data_source<T>(request).next(made.a, made.b);
  return made;
}

/// Returns 2 if i is a nonzero square modulo 61, 1/2 if it is not a square, 1 if 61 divides i. Every arithmetic
/// progression whose step 61 does not divide has equally many factors 2 and 1/2 per 61 terms, so partial products
/// stay in range.
template <element T>
T balanced_factor(std::size_t i) {
  constexpr std::size_t modulus = 61;
  if (i % modulus == 0) return 1;
  for (std::size_t root = 1; root < modulus; ++root) {
    if (root * root % modulus == i % modulus) return 2;
  }
  return static_cast<T>(0.5);
}

/// Makes vectors whose partial results are all representable and in which every omitted element changes the result.
///
/// sum: small nonzero integers of both signs. min, max, absmax: the last element is the result, for every length;
/// min and max have elements of one sign only and no zero, so that a wrong start value shows.
template <element T>
host_vectors<T> integer_vectors(std::size_t n, operation op, const division&) {
  std::mt19937 generator(1);
  const auto small = [&] {
    const int draw = static_cast<int>(generator() % 6) - 3;
    return static_cast<T>(draw < 0 ? draw : draw + 1);
  };
  const auto sign = [&] { return static_cast<T>(generator() % 2 == 0 ? -1 : 1); };
  host_vectors<T> made{std::vector<T>(n), std::vector<T>(n, 1)};
  for (std::size_t i = 0; i < n; ++i) {
    switch (op) {
      case operation::sum:
        made.a[i] = small(), made.b[i] = small();
        break;
      case operation::min:
        made.a[i] = static_cast<T>(n - i);
        break;
      case operation::max:
        made.a[i] = -static_cast<T>(n - i);
        break;
      case operation::absmax:
        made.a[i] = sign() * static_cast<T>(i + 1);
        break;
      case operation::product:
        made.a[i] = balanced_factor<T>(i + 1), made.b[i] = sign();
        break;
    }
  }
  return made;
}

template <element T>
std::vector<reference<T>> only_reference(const vector_views<T>& vectors, operation op, const division&) {
  return {reference<T>(vectors.a, vectors.b, op)};
}

template <element T>
constexpr workload_functions<T> functions{data_vectors<T>, integer_vectors<T>, only_reference<T>};

}  // namespace

workload dot_workload() {
  return {.name = "dot",
          .summary = "combines the products a[i]·b[i] of two vectors to one number; with --op sum, the dot product",
          .terms = "products",
          .results = [](std::size_t, const division&) -> std::size_t { return 1; },
          .of_float = functions<float>,
          .of_double = functions<double>};
}

}  // namespace exactdot::lab
