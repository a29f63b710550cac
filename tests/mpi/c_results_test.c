/*
 * The C functions of exactdot_mpi.h by bits: results of distributed data against those of the same data in one
 * process. Any partition: even shares, processes without elements, one that has all. `--drop`: the last process
 * that has elements drops one, which must be noticed.
 */
#include <exactdot_mpi.h>
#include <stdlib.h>

enum { N = 300, FIELDS = 6, PARTITIONS = 4 };

static int rank = 0, processes = 1, checks = 0, failures = 0, drops = 0;
static double whole[FIELDS][N], mine[FIELDS][N];
static size_t used; /* of each field, on this process */

static void require_ok(xd_status status) {
  if (status == XD_OK) return;
  fprintf(stderr, "rank %d: %s\n", rank, xd_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}
static void expect_bits(const double* found, const double* expected, size_t n, const char* what) {
  ++checks;
  if (memcmp(found, expected, n * sizeof *found) == 0) return;
  if (++failures <= 5) printf("rank %d: %s: %.17g, not %.17g\n", rank, what, found[0], expected[0]);
}

/* Sums that cancel, exponents of the whole range, a tie, infinities; the same on all processes. */
static void make_data(void) {
  int i, k;
  srand(5);
  for (k = 0; k < FIELDS; ++k) {
    for (i = 0; i < N; ++i) {
      const double x = rand() / (double)RAND_MAX - 0.5;
      whole[k][i] = ldexp(x, k == 1 ? rand() % 1800 - 1000 : k == 2 ? 300 : rand() % 40);
      if (k == 2 && i % 2 == 1) whole[k][i] = -whole[k][i - 1];
      if (k == 3) whole[k][i] = i == 0 ? 1 : i == 1 ? ldexp(1, -53) : 0;
      if (k == 4 && i == N / 2) whole[k][i] = (double)INFINITY;
    }
  }
}

/* 0: in turns; 1: the first has all; 2: the last has all; 3: only every third process has elements. */
static void share(int partition) {
  const int owners = partition == 3 ? (processes + 2) / 3 : processes;
  int i, k, last = 0;
  used = 0;
  for (i = 0; i < N; ++i) {
    const int owner = partition == 1   ? 0
                      : partition == 2 ? processes - 1
                      : partition == 3 ? 3 * (i % owners)
                                       : i % owners;
    if (owner > last) last = owner;
    if (owner != rank) continue;
    for (k = 0; k < FIELDS; ++k) mine[k][used] = whole[k][i];
    ++used;
  }
  if (drops && rank == last) --used;
}

static xd_accumulator* sum_of(const double* x, size_t n) {
  const xd_vector vector = xd_contiguous(x, n, XD_FLOAT64);
  xd_accumulator* sum = NULL;
  require_ok(xd_accumulator_create(XD_FLOAT64, &sum));
  require_ok(xd_accumulator_add(sum, &vector, NULL));
  return sum;
}

static void expect_words(xd_accumulator* found, const double* x, const char* what) {
  int64_t words[138], expected[138];
  xd_accumulator* sum = sum_of(x, N);
  require_ok(xd_accumulator_words(found, words, 138));
  require_ok(xd_accumulator_words(sum, expected, 138));
  ++checks;
  if (memcmp(words, expected, sizeof words) != 0 && ++failures <= 5) printf("rank %d: %s\n", rank, what);
  xd_accumulator_destroy(sum);
}

/* k fields at once, by all ways: windows up to 16, words beyond. */
static void test_accumulators(size_t k) {
  xd_accumulator *sums[24], *copies[24], *last[24];
  double expected[24], found[24];
  xd_mpi_request* request = NULL;
  size_t i;
  for (i = 0; i < k; ++i) {
    xd_accumulator* sum = sum_of(whole[i % FIELDS], N);
    require_ok(xd_accumulator_round(sum, XD_FLOAT64, &expected[i]));
    xd_accumulator_destroy(sum);
    sums[i] = sum_of(mine[i % FIELDS], used), copies[i] = sum_of(mine[i % FIELDS], used);
    last[i] = sum_of(mine[i % FIELDS], used);
  }
  require_ok(xd_mpi_round(sums, k, XD_SUM, XD_FLOAT64, found, MPI_COMM_WORLD, NULL));
  expect_bits(found, expected, k, "xd_mpi_round");
  require_ok(xd_mpi_allreduce(sums, k, MPI_COMM_WORLD, NULL));
  require_ok(xd_mpi_iallreduce(copies, k, MPI_COMM_WORLD, &request));
  require_ok(xd_mpi_wait(&request));
  require_ok(xd_mpi_reduce(last, k, processes / 2, MPI_COMM_WORLD, NULL));
  for (i = 0; i < k; ++i) {
    expect_words(sums[i], whole[i % FIELDS], "xd_mpi_allreduce");
    expect_words(copies[i], whole[i % FIELDS], "xd_mpi_iallreduce");
    if (rank == processes / 2) expect_words(last[i], whole[i % FIELDS], "xd_mpi_reduce");
    xd_accumulator_destroy(sums[i]), xd_accumulator_destroy(copies[i]), xd_accumulator_destroy(last[i]);
  }
}

static void test_vectors(int reduction) {
  int k;
  double expected, found;
  for (k = 0; k < FIELDS; ++k) {
    const xd_vector x = xd_contiguous(whole[k], N, XD_FLOAT64), part = xd_contiguous(mine[k], used, XD_FLOAT64);
    const int is_dot = reduction == XD_DOT;
    require_ok(xd_reduce(reduction, &x, is_dot ? &x : NULL, XD_FLOAT64, &expected, NULL));
    require_ok(
        xd_mpi_reduce_vector(reduction, &part, is_dot ? &part : NULL, XD_FLOAT64, &found, MPI_COMM_WORLD, NULL));
    expect_bits(&found, &expected, 1, "xd_mpi_reduce_vector");
  }
}

static void test_moments(void) {
  const xd_vector x = xd_contiguous(whole[0], N, XD_FLOAT64), part = xd_contiguous(mine[0], used, XD_FLOAT64);
  xd_moments* moments = NULL;
  double expected, found;
  require_ok(xd_reduce(XD_VARIANCE, &x, NULL, XD_FLOAT64, &expected, NULL));
  require_ok(xd_moments_create(XD_FLOAT64, &moments));
  require_ok(xd_moments_add(moments, &part, NULL));
  require_ok(xd_mpi_allreduce_moments(&moments, 1, MPI_COMM_WORLD, NULL));
  require_ok(xd_moments_variance(moments, 0, XD_FLOAT64, &found));
  expect_bits(&found, &expected, 1, "xd_mpi_allreduce_moments");
  xd_moments_destroy(moments);
}

/* The fields as rows, and their first two as groups by keys. */
static void test_many(void) {
  double expected[FIELDS], found[FIELDS], values[2 * N];
  int32_t keys[2 * N];
  const xd_rows rows = {mine[0], FIELDS, used, N * sizeof(double), sizeof(double), XD_FLOAT64, 0};
  xd_vector x, of_keys;
  size_t i;
  for (i = 0; i < FIELDS; ++i) {
    x = xd_contiguous(whole[i], N, XD_FLOAT64);
    require_ok(xd_reduce(XD_SUM, &x, NULL, XD_FLOAT64, &expected[i], NULL));
  }
  require_ok(xd_mpi_reduce_rows(XD_SUM, &rows, NULL, XD_FLOAT64, found, MPI_COMM_WORLD, NULL));
  expect_bits(found, expected, FIELDS, "xd_mpi_reduce_rows");
  for (i = 0; i < 2 * used; ++i) values[i] = mine[i % 2][i / 2], keys[i] = (int32_t)(i % 2);
  x = xd_contiguous(values, 2 * used, XD_FLOAT64), of_keys = xd_contiguous(keys, 2 * used, XD_INT32);
  require_ok(xd_mpi_reduce_groups(XD_SUM, &x, NULL, &of_keys, 2, 0, XD_FLOAT64, found, MPI_COMM_WORLD, NULL));
  expect_bits(found, expected, 2, "xd_mpi_reduce_groups");
}

int main(int count, char** arguments) {
  int partition, reduction;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  drops = count > 1 && strcmp(arguments[1], "--drop") == 0;
  make_data();
  for (partition = 0; partition < PARTITIONS; ++partition) {
    static const size_t counts[] = {1, 2, 5, 16, 17, 24};
    size_t i;
    share(partition);
    for (i = 0; i < sizeof counts / sizeof counts[0]; ++i) test_accumulators(counts[i]);
    for (reduction = XD_DOT; reduction <= XD_STDDEV; ++reduction) test_vectors(reduction);
    test_moments();
    test_many();
  }
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("C results: %d ranks, %d checks each, %d failures\n", processes, checks, failures);
  MPI_Finalize();
  return failures != 0;
}
