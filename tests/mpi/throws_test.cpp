// Errors of exactdot/mpi.hpp that only C++ has: an `out` of the wrong length on one process, views and ranges that
// throw there. All processes must throw the same, and none may wait: after each case a sum of all is right.
#include <exactdot/mpi.hpp>
#include <functional>
#include <stdexcept>

#include "distributed.hpp"

namespace {

using distributed::checks;
using exactdot::errc;
namespace mpi = exactdot::mpi;
const MPI_Comm comm = MPI_COMM_WORLD;

/// A range whose size() throws what `kind` says.
struct faulty_range {
  std::vector<double> values;
  int kind = 0;

  [[nodiscard]] std::size_t size() const {
    if (kind == 1) throw std::length_error("this range has no size");
    if (kind == 2) throw 7;
    if (kind == 3) throw std::bad_alloc();
    if (kind == 4) throw exactdot::error(errc::cancelled, "stopped");
    return values.size();
  }
  double* begin() { return values.data(); }
  double* end() { return values.data() + values.size(); }
  [[nodiscard]] const double* begin() const { return values.data(); }
  [[nodiscard]] const double* end() const { return values.data() + values.size(); }
};

bool is_last() { return distributed::rank_of(comm) == distributed::processes_of(comm) - 1; }

/// What a call throws: its kind and its sentence.
std::string thrown_by(const std::function<void()>& call) {
  try {
    call();
    return "nothing";
  } catch (const exactdot::error& thrown) {
    return "error " + std::to_string(static_cast<int>(thrown.code())) + ": " + thrown.what();
  } catch (const std::bad_alloc&) {
    return "bad_alloc";
  } catch (const std::exception& thrown) {
    return std::string("exception: ") + thrown.what();
  }
}

/// The call fails on all processes with this kind and sentence, and all go on together.
void check_fails(checks& all, const std::string& expected, const std::function<void()>& call) {
  const std::string found = thrown_by(call);
  all.expect(found == expected, "\"" + found + "\", not \"" + expected + "\"");
  const std::vector<double> one{1};
  all.expect(mpi::sum(one, comm) == distributed::processes_of(comm), "the sum after " + expected);
}

std::string from_last(const std::string& kind, const std::string& sentence) {
  return kind + ": rank " + std::to_string(distributed::processes_of(comm) - 1) + ": " + sentence;
}

void check_lengths(checks& all) {
  const std::vector<double> x{1, 2, 3, 4, 5, 6};
  const std::vector<std::int32_t> keys{0, 1, 0, 1, 0, 1};
  const std::vector<exactdot::accumulator<double>> sums(2);
  std::vector<double> out(is_last() ? 3 : 2);
  const exactdot::rows<double> rows(x.data(), 2, 3);
  const auto expected = [](const char* caller) {
    return from_last("error " + std::to_string(static_cast<int>(errc::size_mismatch)),
                     std::string(caller) + ": out has 3 elements for 2 results");
  };
  check_fails(all, expected("mpi::sum"), [&] { mpi::sum(rows, out, comm); });
  check_fails(all, expected("mpi::mean"), [&] { mpi::mean(exactdot::groups{x, keys, 2}, out, comm); });
  check_fails(all, expected("mpi::reduce"),
              [&] { mpi::reduce(exactdot::reduction::variance, rows, out, comm, 0, {.check = true}); });
  check_fails(all, expected("mpi::dot"), [&] { mpi::dot(rows, rows, out, comm); });
  check_fails(all, expected("mpi::round"),
              [&] { mpi::round(std::span<const exactdot::accumulator<double>>(sums), out, comm); });
}

void check_exceptions(checks& all) {
  const std::vector<double> x{1, 2, 3, 4};
  const exactdot::rows<double> rows(x.data(), 2, 2);
  const std::string expected[] = {
      from_last("exception", "this range has no size"),
      from_last("exception", "exactdot: an exception of an unknown type"), "bad_alloc",
      from_last("error " + std::to_string(static_cast<int>(errc::cancelled)), "stopped")};
  for (int kind = 1; kind <= 4; ++kind) {
    faulty_range out{{0, 0}, is_last() ? kind : 0}, view{{1, 2}, is_last() ? kind : 0};
    check_fails(all, expected[kind - 1], [&] { mpi::sum(rows, out, comm); });
    check_fails(all, expected[kind - 1], [&] { (void)mpi::nrm2(view, comm); });
    check_fails(all, expected[kind - 1], [&] { (void)mpi::dot(std::span(x).first(2), view, comm); });
  }
}

/// Results that their type does not hold: all processes find the lowest of them.
void check_overflow(checks& all) {
  const std::int64_t large = std::int64_t{1} << 62;
  const std::string kind = "error " + std::to_string(static_cast<int>(errc::overflow)) + ": mpi::";
  const std::string reason = ": the sum does not fit into int64; round it to a floating-point type";
  check_fails(all, kind + "sum: result 0" + reason, [&] {
    (void)mpi::sum(std::vector<std::int64_t>{large, large}, comm);
  });
  for (const std::size_t k : {std::size_t{20}, std::size_t{3000}}) {
    std::vector<std::int64_t> x(2 * k, 1), out(k);
    for (const std::size_t row : {k - 1, k / 2, k / 2 + 1}) x[2 * row] = x[2 * row + 1] = large;
    check_fails(all, kind + "sum: result " + std::to_string(k / 2) + reason,
                [&] { mpi::sum(exactdot::rows<std::int64_t>(x.data(), k, 2), out, comm); });
  }
}

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  int status = 1;
  {
    checks all(comm);
    check_lengths(all);
    check_exceptions(all);
    check_overflow(all);
    status = all.finish("throws");
  }
  MPI_Finalize();
  return status;
}
