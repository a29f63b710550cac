/*
 * exactdot over MPI from C: the mean of a distributed vector, the sums of distributed rows, and an accumulator that
 * travels. The output is the same for any number of processes.
 *
 *   mpicc -std=c99 mpi_sums.c $(pkg-config --cflags --libs exactdot_c) -Wl,-rpath,P/lib -lm -o mpi_sums
 *   mpirun -n 4 ./mpi_sums
 */
#include <exactdot_mpi.h>
#include <stdio.h>

/* Every process returns the same status, so all end together. */
static void check(xd_status status) {
  if (status == XD_OK) return;
  fprintf(stderr, "%s: %s\n", xd_status_name(status), xd_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  enum { N = 1000, FIELDS = 3 };
  double mine[FIELDS][N], sums[FIELDS], mean = 0, total = 0;
  int rank = 0, processes = 1, n = 0, i;
  xd_vector x;
  xd_rows fields;
  xd_accumulator* sum = NULL;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);

  /* the element i of three fields belongs to the process i modulo their number */
  for (i = rank; i < N; i += processes, ++n) {
    mine[0][n] = 0.1 * i;
    mine[1][n] = (i % 2 == 0 ? 1e300 : -1e300) + (i == 7 ? 1e290 : 0);
    mine[2][n] = 1.0 / (i + 1);
  }

  x = xd_contiguous(mine[0], (size_t)n, XD_FLOAT64);
  check(xd_mpi_reduce_vector(XD_MEAN, &x, NULL, XD_FLOAT64, &mean, MPI_COMM_WORLD, NULL));

  fields = xd_matrix_rows(mine, FIELDS, N, XD_FLOAT64); /* of rows of N elements, n are in use */
  fields.n = (size_t)n;
  check(xd_mpi_reduce_rows(XD_SUM, &fields, NULL, XD_FLOAT64, sums, MPI_COMM_WORLD, NULL));

  check(xd_accumulator_create(XD_FLOAT64, &sum));
  check(xd_accumulator_add_products(sum, &x, &x, NULL));
  check(xd_mpi_allreduce(&sum, 1, MPI_COMM_WORLD, NULL));
  check(xd_accumulator_round(sum, XD_FLOAT64, &total));
  xd_accumulator_destroy(sum);

  if (rank == 0) {
    printf("mean %.17g\nsums %.17g %.17g %.17g\nsquares %.17g\n", mean, sums[0], sums[1], sums[2], total);
  }
  MPI_Finalize();
  return 0;
}
