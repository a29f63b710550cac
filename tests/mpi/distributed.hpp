// Data that every process makes whole, and of which each then uses its share; checks that count failures of all
// processes.
#pragma once

#include <mpi.h>

#include <bit>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "oracle/random.hpp"

namespace distributed {

inline int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline int processes_of(MPI_Comm comm) {
  int processes = 1;
  MPI_Comm_size(comm, &processes);
  return processes;
}

/// How elements are shared out.
enum class partition { even, random_cuts, one_has_all, cyclic, random };
inline constexpr partition partitions[] = {partition::even, partition::random_cuts, partition::one_has_all,
                                           partition::cyclic, partition::random};

/// The owner of each of n elements; the same on all processes. Many have none.
inline std::vector<int> owners(partition kind, std::size_t n, int processes, oracle::rng& random) {
  std::vector<int> owner(n);
  const auto count = static_cast<std::size_t>(processes);
  std::vector<std::size_t> cuts(count - 1);
  for (std::size_t& cut : cuts) cut = random.below(n + 1);
  const int single = static_cast<int>(random.below(count));
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t below = 0;
    for (const std::size_t cut : cuts) below += cut <= i;
    switch (kind) {
      case partition::even:
        owner[i] = static_cast<int>(i * count / n);
        break;
      case partition::random_cuts:
        owner[i] = static_cast<int>(below);
        break;
      case partition::one_has_all:
        owner[i] = single;
        break;
      case partition::cyclic:
        owner[i] = static_cast<int>(i % count);
        break;
      case partition::random:
        owner[i] = static_cast<int>(random.below(count));
        break;
    }
  }
  return owner;
}

template <class T>
std::vector<T> share_of(int rank, const std::vector<T>& all, const std::vector<int>& owner) {
  std::vector<T> mine;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (owner[i] == rank) mine.push_back(all[i]);
  }
  return mine;
}

class checks {
 public:
  explicit checks(MPI_Comm comm) : comm_(comm), rank_(rank_of(comm)) {}

  void expect(bool holds, const std::string& what) {
    ++count_;
    if (holds) return;
    if (++failures_ <= 5) std::printf("rank %d: %s\n", rank_, what.c_str());
  }
  template <class T>
  void expect_bits(T found, T expected, const std::string& what) {
    char text[128];
    std::snprintf(text, sizeof text, ": %.17g, not %.17g", static_cast<double>(found),
                  static_cast<double>(expected));
    expect(std::memcmp(&found, &expected, sizeof found) == 0, what + text);
  }
  /// The exit status of all processes.
  [[nodiscard]] int finish(const char* name) {
    int failures = failures_;
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, comm_);
    if (rank_ == 0)
      std::printf("%s: %d ranks, %d checks each, %d failures\n", name, processes_of(comm_), count_, failures);
    return failures == 0 && count_ != 0 ? 0 : 1;
  }

 private:
  MPI_Comm comm_;
  int rank_, count_ = 0, failures_ = 0;
};

}  // namespace distributed
