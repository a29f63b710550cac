// exactdot over MPI: a dot product, a variance and the sums of groups of distributed data. The output is the same
// for any number of processes.
#include <cstdint>
#include <cstdio>
#include <exactdot/mpi.hpp>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const MPI_Comm world = MPI_COMM_WORLD;
  int rank = 0, processes = 1;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &processes);

  std::vector<double> x, y;
  std::vector<std::int32_t> region;
  for (int i = rank; i < 1000; i += processes) {  // element i belongs to process i modulo their number
    x.push_back(0.1 * i);
    y.push_back(i % 2 == 0 ? 1e200 : -1e200);
    region.push_back(i % 7 % 3);
  }
  const double dot = exactdot::mpi::dot(x, y, world);
  const double variance = exactdot::mpi::variance(x, world);
  std::vector<double> sums(3);
  exactdot::mpi::sum(exactdot::groups{x, region, sums.size()}, sums, world);

  exactdot::accumulator<double> total;  // grows, and travels while the program goes on
  for (const double each : x) total.add(each);
  auto request = exactdot::mpi::iallreduce(total, world);
  request.wait();

  if (rank == 0) {
    std::printf("dot %.17g\nvariance %.17g\nregions %.17g %.17g %.17g\ntotal %.17g\n", dot, variance, sums[0],
                sums[1], sums[2], total.round<double>());
  }
  MPI_Finalize();
}
