// Many results in one call, against the integer oracle: rows and groups of distributed arrays, over the bounded
// sums and over the words that these leave undecided. The columns of each row are shared out; some processes have
// none.
#include <cfenv>
#include <cmath>
#include <exactdot/mpi.hpp>
#include <limits>

#include "distributed.hpp"
#include "oracle/reference.hpp"

namespace {

using distributed::checks;
using exactdot::any_vector;
using exactdot::reduction;
namespace mpi = exactdot::mpi;

/// An element of row `row`: the kinds of rows that bounded sums decide, and those that they cannot.
double element(std::size_t row, std::size_t i, std::size_t n, oracle::rng& random) {
  const double uniform = static_cast<double>(random.below(1U << 30)) * 0x1p-30;
  const double sign = i % 2 == 0 ? 1 : -1;
  switch (row % 11) {
    case 0:
      return uniform;
    case 1:  // cancels, but for the last bits
      return sign * std::ldexp(1 + std::floor(static_cast<double>(i) / 2) * 0x1p-40, 60) + uniform;
    case 2:  // an exact tie of double, then of float
      return i == 0 ? 1 : i == 1 ? 0x1p-53 : 0;
    case 3:
      return i == 0 ? 1 : i == 1 ? 0x1p-24 : i + 1 == n ? std::ldexp(1, -1000) : 0;
    case 4:
      return std::ldexp(uniform - 0.5, static_cast<int>(random.below(1800)) - 1000);
    case 5:
      return i + 1 == n ? std::numeric_limits<double>::infinity() : uniform;
    case 6:
      return i == 0 ? std::numeric_limits<double>::quiet_NaN() : uniform;
    case 7:
      return i == 0 || i + 1 == n ? sign * std::numeric_limits<double>::infinity() * (i == 0 ? 1 : -sign) : uniform;
    case 8:  // 0
      return sign * std::floor(static_cast<double>(i) / 2) * (i + 1 == n && n % 2 == 1 ? 0 : 1);
    case 9:  // overflows between processes, not in the sum
      return sign * std::numeric_limits<double>::max();
    default:
      return sign * std::ldexp(1 + uniform, -1060);
  }
}

struct matrix {
  std::size_t rows, n;
  std::vector<double> whole;
  std::vector<int> owner;  // of a column

  matrix(std::size_t k, std::size_t columns, int processes, oracle::rng& random)
      : rows(k), n(columns), whole(k * columns) {
    for (std::size_t row = 0; row < k; ++row) {
      for (std::size_t i = 0; i < columns; ++i) whole[row * columns + i] = element(row, i, columns, random);
    }
    const std::size_t kind = random.below(std::size(distributed::partitions));
    owner = distributed::owners(distributed::partitions[kind], columns, processes, random);
  }
  template <class T>
  [[nodiscard]] std::vector<T> columns_of(int rank) const {
    std::vector<T> mine;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      if (rank < 0 || owner[i % n] == rank) mine.push_back(static_cast<T>(whole[i]));
    }
    return mine;
  }
};

template <class T, class R>
void check_rows(checks& all, const matrix& of, reduction what, std::int64_t ddof) {
  const auto mine = of.columns_of<T>(distributed::rank_of(MPI_COMM_WORLD)), whole = of.columns_of<T>(-1);
  const exactdot::rows<T> local(mine.data(), of.rows, mine.size() / of.rows);
  std::vector<R> found(of.rows);
  mpi::reduce(what, local, found, MPI_COMM_WORLD, ddof);
  for (std::size_t i = 0; i < of.rows; ++i) {
    const any_vector row(whole.data() + i * of.n, of.n, exactdot::type_of<T>);
    const R expected = oracle::reference(what, row, row, ddof).exact(exactdot::type_of<R>)->template as<R>();
    all.expect(std::memcmp(&found[i], &expected, sizeof(R)) == 0,
               std::string(name_of(what)) + " of row " + std::to_string(i) + " of " + std::to_string(of.rows));
  }
}

void check_dots(checks& all, const matrix& of) {
  const auto mine = of.columns_of<double>(distributed::rank_of(MPI_COMM_WORLD)), whole = of.columns_of<double>(-1);
  const exactdot::rows<double> local(mine.data(), of.rows, mine.size() / of.rows);
  std::vector<double> found(of.rows);
  mpi::dot(local, local, found, MPI_COMM_WORLD);
  for (std::size_t i = 0; i < of.rows; ++i) {
    const any_vector row(whole.data() + i * of.n, of.n, exactdot::element_type::float64);
    const auto expected = oracle::reference(reduction::dot, row, row).exact(exactdot::element_type::float64);
    all.expect_bits(found[i], expected->as<double>(), "dot of row " + std::to_string(i));
  }
}

/// The rows again, as groups: element (row, i) has the key `row`.
void check_groups(checks& all, const matrix& of, oracle::rng& random) {
  std::vector<double> mine;
  std::vector<std::int32_t> keys;
  for (std::size_t i = 0; i < of.whole.size(); ++i) {
    if (random.below(static_cast<std::uint64_t>(distributed::processes_of(MPI_COMM_WORLD))) ==
        static_cast<std::uint64_t>(distributed::rank_of(MPI_COMM_WORLD))) {
      mine.push_back(of.whole[i]);
      keys.push_back(static_cast<std::int32_t>(i / of.n));
    }
  }
  std::vector<double> sums(of.rows), means(of.rows);
  mpi::sum(exactdot::groups{mine, keys, of.rows}, sums, MPI_COMM_WORLD);
  mpi::mean(exactdot::groups{mine, keys, of.rows}, means, MPI_COMM_WORLD);
  for (std::size_t i = 0; i < of.rows; ++i) {
    const any_vector row(of.whole.data() + i * of.n, of.n, exactdot::element_type::float64);
    const auto sum = oracle::reference(reduction::sum, row, row).exact(exactdot::element_type::float64);
    const auto mean = oracle::reference(reduction::mean, row, row).exact(exactdot::element_type::float64);
    all.expect_bits(sums[i], sum->as<double>(), "sum of group " + std::to_string(i));
    all.expect_bits(means[i], mean->as<double>(), "mean of group " + std::to_string(i));
  }
}

void check_matrix(checks& all, std::size_t k, std::size_t columns, oracle::rng& random) {
  const matrix of(k, columns, distributed::processes_of(MPI_COMM_WORLD), random);
  for (const reduction what : {reduction::sum, reduction::asum, reduction::sum_of_squares, reduction::nrm2,
                               reduction::mean, reduction::variance, reduction::stddev}) {
    check_rows<double, double>(all, of, what, 1);
    if (k > 200) return;  // of long calls: one reduction
    check_rows<float, float>(all, of, what, 0);
  }
  check_rows<double, float>(all, of, reduction::sum, 0);
  check_rows<double, exactdot::float16>(all, of, reduction::sum, 0);
  check_dots(all, of);
  check_groups(all, of, random);
}

/// The last process rounds upwards: its bounded sums decide nothing, and the words are right.
void check_rounding_mode(checks& all, oracle::rng& random) {
  const matrix of(20, 30, distributed::processes_of(MPI_COMM_WORLD), random);
  const auto mine = of.columns_of<double>(distributed::rank_of(MPI_COMM_WORLD)), whole = of.columns_of<double>(-1);
  const bool is_last = distributed::rank_of(MPI_COMM_WORLD) == distributed::processes_of(MPI_COMM_WORLD) - 1;
  std::vector<double> found(of.rows);
  if (is_last) std::fesetround(FE_UPWARD);
  mpi::sum(exactdot::rows<double>(mine.data(), of.rows, mine.size() / of.rows), found, MPI_COMM_WORLD);
  std::fesetround(FE_TONEAREST);
  for (std::size_t i = 0; i < of.rows; ++i) {
    const any_vector row(whole.data() + i * of.n, of.n, exactdot::element_type::float64);
    const auto expected = oracle::reference(reduction::sum, row, row).exact(exactdot::element_type::float64);
    all.expect_bits(found[i], expected->as<double>(), "upwards, row " + std::to_string(i));
  }
}

}  // namespace

int main(int count, char** arguments) {
  int level = 0;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_SERIALIZED, &level);
  int status = 1;
  {
    checks all(MPI_COMM_WORLD);
    oracle::rng random(23);
    for (const std::size_t k : {2, 7, 8, 23, 110}) check_matrix(all, k, 1 + random.below(40), random);
    for (const std::size_t k : {1023, 1024, 1025, 2300}) check_matrix(all, k, 3, random);
    check_rounding_mode(all, random);
    status = all.finish("many results");
  }
  MPI_Finalize();
  return status;
}
