// One dot product computed in pieces: by threads that share memory, and by ranks that share nothing.
//
// Threads merge accumulators. Ranks send their words, which are plain int64: an elementwise sum of them, such as
// MPI_Allreduce(MPI_IN_PLACE, sum, word_count, MPI_INT64_T, MPI_SUM, comm), is the state of the whole. Both give
// the bits that one accumulator gives, for any number of pieces.
#include <array>
#include <cstdint>
#include <cstdio>
#include <exactdot/accumulator.hpp>
#include <span>
#include <thread>
#include <vector>

using state = exactdot::accumulator<double>;
using vector = std::vector<double>;

state part(const vector& a, const vector& b, std::size_t piece, std::size_t pieces) {
  const std::size_t begin = a.size() * piece / pieces, count = a.size() * (piece + 1) / pieces - begin;
  state sum;
  sum.add(std::span(a).subspan(begin, count), std::span(b).subspan(begin, count), {.threads = 1});
  return sum;
}

double by_threads(const vector& a, const vector& b, std::size_t threads) {
  std::vector<state> parts(threads);
  {
    std::vector<std::jthread> team;
    for (std::size_t i = 0; i < threads; ++i) team.emplace_back([&, i] { parts[i] = part(a, b, i, threads); });
  }
  for (std::size_t i = 1; i < threads; ++i) parts[0].merge(parts[i]);
  return parts[0].round<double>();
}

double by_ranks(const vector& a, const vector& b, std::size_t ranks) {
  std::array<std::int64_t, state::word_count> sum{};
  for (std::size_t rank = 0; rank < ranks; ++rank) {  // in MPI, each rank runs one turn and the library adds
    const state mine = part(a, b, rank, ranks);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += mine.words()[i];
  }
  return state(sum).round<double>();
}

int main() {
  // 1e20 and -1e20 cancel in pairs that lie far apart; 0.1 is what remains
  vector a(10'001, 1e20), b(10'001, 1);
  for (std::size_t i = 5'000; i < 10'000; ++i) b[i] = -1;
  a[10'000] = 0.1;
  std::printf("2 threads: %g\n", by_threads(a, b, 2));
  std::printf("3 ranks: %g\n", by_ranks(a, b, 3));
}
