// Results of distributed data against the integer oracle, by bits: every generator, reduction, partition, with
// empty processes and one that has all. `--drop`: the last process drops one element, which must be noticed.
#include <array>
#include <exactdot/mpi.hpp>

#include "distributed.hpp"
#include "oracle/generators.hpp"
#include "oracle/reference.hpp"

namespace {

using distributed::checks;
using distributed::partition;
using exactdot::accumulator;
using exactdot::any_vector;
using exactdot::reduction;
namespace mpi = exactdot::mpi;

bool drops = false;
std::size_t every = 1;  // many processes on few processors: a part of the generators

template <class T>
std::vector<T> share(const std::vector<T>& all, const std::vector<int>& owner) {
  std::vector<T> mine = distributed::share_of(distributed::rank_of(MPI_COMM_WORLD), all, owner);
  const int last = distributed::processes_of(MPI_COMM_WORLD) - 1;
  if (drops && distributed::rank_of(MPI_COMM_WORLD) == last && !mine.empty()) mine.pop_back();
  return mine;
}

template <class R>
R expected_of(reduction what, const any_vector& a, const any_vector& b, std::int64_t ddof = 0) {
  return oracle::reference(what, a, b, ddof).exact(exactdot::type_of<R>)->template as<R>();
}

template <class T>
void check_vectors(checks& all, const std::string& name, const oracle::vectors<T>& v,
                   const std::vector<int>& owner) {
  const std::vector<T> a = share(v.a, owner), b = share(v.b, owner);
  const any_vector x = exactdot::to_any(v.a), y = exactdot::to_any(v.b);
  const MPI_Comm comm = MPI_COMM_WORLD;
  all.expect_bits(mpi::dot(a, b, comm), expected_of<T>(reduction::dot, x, y), name + " dot");
  all.expect_bits(mpi::sum(a, comm), expected_of<T>(reduction::sum, x, x), name + " sum");
  all.expect_bits(mpi::asum(a, comm), expected_of<T>(reduction::asum, x, x), name + " asum");
  all.expect_bits(mpi::sum_of_squares<double>(a, comm), expected_of<double>(reduction::sum_of_squares, x, x),
                  name + " sum_of_squares");
  all.expect_bits(mpi::nrm2(a, comm), expected_of<T>(reduction::nrm2, x, x), name + " nrm2");
  all.expect_bits(mpi::norm(a, comm), expected_of<T>(reduction::nrm2, x, x), name + " norm");
  all.expect_bits(mpi::mean(a, comm), expected_of<T>(reduction::mean, x, x), name + " mean");
  all.expect_bits(mpi::variance(a, comm, 1), expected_of<T>(reduction::variance, x, x, 1), name + " variance");
  all.expect_bits(mpi::stddev<float>(a, comm), expected_of<float>(reduction::stddev, x, x), name + " stddev");
}

using sums = std::vector<accumulator<double>>;
static_assert(mpi::changeable_states<sums&> && mpi::changeable_states<std::array<exactdot::moments<float>, 3>&>);
static_assert(mpi::state_range<const sums&> && !mpi::changeable_states<const sums&>);
static_assert(!mpi::changeable_states<sums> && !mpi::state_range<std::vector<double>&>);

template <class T>
void check_accumulators(checks& all, const std::string& name, const oracle::vectors<T>& v,
                        const std::vector<int>& owner) {
  const std::vector<T> a = share(v.a, owner), b = share(v.b, owner);
  const MPI_Comm comm = MPI_COMM_WORLD;
  const oracle::reference dot(reduction::dot, exactdot::to_any(v.a), exactdot::to_any(v.b));
  const oracle::reference sum(reduction::sum, exactdot::to_any(v.a), exactdot::to_any(v.a));
  std::vector<accumulator<T>> states(40), merged;  // some of the dot, some of the sum
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (i % 2 == 0) states[i].add(std::span<const T>(a), std::span<const T>(b));
    if (i % 2 == 1) states[i].add(std::span<const T>(a));
  }
  const auto check = [&](const accumulator<T>& found, std::size_t i, const char* how) {
    const std::string fault = (i % 2 == 0 ? dot : sum).words_fault(found.words(), 1);
    all.expect(fault.empty(), name + " " + how + ": " + fault);
  };
  for (const std::size_t k : {std::size_t{1}, std::size_t{2}, states.size()}) {
    merged.assign(states.begin(), states.begin() + static_cast<std::ptrdiff_t>(k));
    mpi::allreduce(std::span(merged), comm);
    for (std::size_t i = 0; i < k; ++i) check(merged[i], i, "allreduce");
  }
  mpi::allreduce(merged = states, comm);
  for (std::size_t i = 0; i < states.size(); ++i) check(merged[i], i, "allreduce of a vector");
  merged = states;
  const int root = distributed::processes_of(comm) - 1;
  mpi::reduce(merged, root, comm);
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (distributed::rank_of(comm) == root)
      check(merged[i], i, "reduce");
    else
      all.expect(std::ranges::equal(merged[i].words(), states[i].words()), name + " reduce: another rank's state");
  }
  merged = states;
  auto request = mpi::iallreduce(merged, comm);
  while (!request.test()) {
  }
  for (std::size_t i = 0; i < states.size(); ++i) check(merged[i], i, "iallreduce");
  std::vector<T> rounded(states.size());
  const auto check_rounded = [&](const auto& accumulators, const char* how) {
    std::ranges::fill(rounded, T(7));
    mpi::round(accumulators, rounded, comm);
    for (std::size_t i = 0; i < states.size(); ++i) {
      const oracle::reference& expected = i % 2 == 0 ? dot : sum;
      all.expect_bits(rounded[i], expected.exact(exactdot::type_of<T>)->template as<T>(), name + " " + how);
    }
  };
  check_rounded(std::span<const accumulator<T>>(states), "round");
  check_rounded(std::span(states), "round of a span");
  check_rounded(states, "round of a vector");
}

template <class T>
void check_all_generators(checks& all, oracle::rng& random, std::size_t n) {
  std::size_t turn = 0;
  for (const oracle::generator<T>& generator : oracle::generators<T>()) {
    const oracle::vectors<T> v = generator.make(random, n);
    if (turn++ % every != 0) continue;
    const partition kind = distributed::partitions[turn % std::size(distributed::partitions)];
    const auto owner = distributed::owners(kind, v.size(), distributed::processes_of(MPI_COMM_WORLD), random);
    const std::string name = std::string(generator.name) + (sizeof(T) == 4 ? " float" : " double");
    check_vectors(all, name, v, owner);
    check_accumulators(all, name, v, owner);
  }
}

void check_integers(checks& all, oracle::rng& random) {
  std::vector<std::int32_t> x(300);
  for (std::int32_t& each : x) each = static_cast<std::int32_t>(random.below(std::uint64_t{1} << 32));
  const auto owner =
      distributed::owners(partition::random, x.size(), distributed::processes_of(MPI_COMM_WORLD), random);
  const std::vector<std::int32_t> mine = share(x, owner);
  const any_vector whole = exactdot::to_any(x);
  all.expect_bits(mpi::sum(mine, MPI_COMM_WORLD), expected_of<std::int64_t>(reduction::sum, whole, whole),
                  "int32 sum");
  all.expect_bits(mpi::mean(mine, MPI_COMM_WORLD), expected_of<double>(reduction::mean, whole, whole),
                  "int32 mean");
  std::vector<std::int64_t> columns(30);
  const std::size_t rows = mine.size() / 30;  // each process has some whole rows of 30 columns
  const exactdot::columns<std::int32_t> matrix(mine.data(), rows, 30);
  mpi::sum(matrix, columns, MPI_COMM_WORLD);
  std::vector<std::int64_t> expected(30);
  for (std::size_t i = 0; i < rows * 30; ++i) expected[i % 30] += mine[i];
  MPI_Allreduce(MPI_IN_PLACE, expected.data(), 30, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  all.expect(columns == expected, "int32 columns");
}

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  drops = count > 1 && std::string(arguments[1]) == "--drop";
  const int processes = distributed::processes_of(MPI_COMM_WORLD);
  every = drops ? 11 : processes > 4 ? 7 : processes > 1 ? 3 : 1;
  int status = 1;
  {
    checks all(MPI_COMM_WORLD);
    oracle::rng random(17);
    for (const std::size_t n : {std::size_t{1}, std::size_t{60}}) {
      check_all_generators<float>(all, random, n);
      check_all_generators<double>(all, random, n);
    }
    check_integers(all, random);
    status = all.finish("results");
  }
  MPI_Finalize();
  return status;
}
