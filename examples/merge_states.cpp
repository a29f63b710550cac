// One dot product computed in ranges: by threads with shared memory, and by ranks without.
//
// Threads merge accumulators. Ranks send the words of their accumulators, which are int64. The elementwise sum of
// the words, such as MPI_Allreduce(MPI_IN_PLACE, sum, word_count, MPI_INT64_T, MPI_SUM, comm), is the state of the
// whole dot product. Both return the bits of a single accumulator, for any number of ranges.
#include <array>
#include <cstdint>
#include <cstdio>
#include <exactdot/accumulator.hpp>
#include <span>
#include <thread>
#include <vector>

using state = exactdot::accumulator<double>;
using vector = std::vector<double>;

state sum_of_range(const vector& a, const vector& b, std::size_t index, std::size_t ranges) {
  const std::size_t begin = a.size() * index / ranges, count = a.size() * (index + 1) / ranges - begin;
  state sum;
  sum.add(std::span(a).subspan(begin, count), std::span(b).subspan(begin, count), {.threads = 1});
  return sum;
}

double by_threads(const vector& a, const vector& b, std::size_t threads) {
  std::vector<state> sums(threads);
  {
    std::vector<std::jthread> team;
    for (std::size_t i = 0; i < threads; ++i) {
      team.emplace_back([&, i] { sums[i] = sum_of_range(a, b, i, threads); });
    }
  }
  for (std::size_t i = 1; i < threads; ++i) sums[0].merge(sums[i]);
  return sums[0].round<double>();
}

double by_ranks(const vector& a, const vector& b, std::size_t ranks) {
  std::array<std::int64_t, state::word_count> sum{};
  for (std::size_t rank = 0; rank < ranks; ++rank) {  // with MPI: one iteration per rank, and MPI_Allreduce
    const state local = sum_of_range(a, b, rank, ranks);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += local.words()[i];
  }
  return state(sum).round<double>();
}

int main() {
  // 1e20 and -1e20 cancel in pairs that are far apart; the sum is 0.1
  vector a(10'001, 1e20), b(10'001, 1);
  for (std::size_t i = 5'000; i < 10'000; ++i) b[i] = -1;
  a[10'000] = 0.1;
  std::printf("2 threads: %g\n", by_threads(a, b, 2));
  std::printf("3 ranks: %g\n", by_ranks(a, b, 3));
}
