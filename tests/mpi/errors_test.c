/*
 * Errors of exactdot_mpi.h from C: bad communicators, before MPI_Init and after MPI_Finalize, threads, failures of
 * one process that all must return, disagreement that is named when asked for. No process may wait for another.
 */
#include <exactdot_mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0, rank = 0, processes = 1;

static void check_status(xd_status found, xd_status expected, const char* phrase, int line) {
  if (found == expected && (found == XD_OK || strstr(xd_message(), phrase) != NULL)) return;
  printf("rank %d, line %d: %s (%s), not %s (%s)\n", rank, line, xd_status_name(found), xd_message(),
         xd_status_name(expected), phrase);
  ++failures;
}
#define CHECK(call, status, phrase) check_status((call), (status), (phrase), __LINE__)
#define EXPECT(condition) check_status((condition) ? XD_OK : XD_INTERNAL, XD_OK, #condition, __LINE__)

static xd_status sum_of(const double* x, size_t n, double* result, MPI_Comm comm) {
  const xd_vector vector = xd_contiguous(x, n, XD_FLOAT64);
  return xd_mpi_reduce_vector(XD_SUM, &vector, NULL, XD_FLOAT64, result, comm, NULL);
}

static void test_communicators(void) {
  MPI_Comm comm = MPI_COMM_NULL, local = MPI_COMM_NULL;
  double x = 1, result = 0;
  CHECK(sum_of(&x, 1, &result, MPI_COMM_NULL), XD_NULL_POINTER, "MPI_COMM_NULL");
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  CHECK(sum_of(&x, 1, &result, comm), XD_OK, "");
  EXPECT(result == processes);
  MPI_Comm_free(&comm);
  CHECK(sum_of(&x, 1, &result, comm), XD_NULL_POINTER, "as after MPI_Comm_free");
  if (processes < 2) return;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &local);
  MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &comm);
  CHECK(sum_of(&x, 1, &result, comm), XD_BAD_OPTION, "connects two groups");
  MPI_Comm_free(&comm);
  CHECK(sum_of(&x, 1, &result, local), XD_OK, "");
  MPI_Comm_free(&local);
}

/* The last process fails, the others do not: all return its error. */
static void test_failures_of_one_process(void) {
  const int last = processes - 1, bad = rank == last;
  char phrase[64];
  double x[4] = {1, 2, 3, 4}, results[4];
  int32_t keys[4] = {0, 1, 1, 0};
  xd_accumulator *first = NULL, *second = NULL, *list[2], *kept[2];
  xd_vector a = xd_contiguous(x, 4, XD_FLOAT64), of_keys;
  xd_rows rows = xd_matrix_rows(x, 2, 2, XD_FLOAT64);
  xd_mpi_request* request = NULL;
  snprintf(phrase, sizeof phrase, "rank %d: ", last);
  CHECK(sum_of(bad ? NULL : x, 4, results, MPI_COMM_WORLD), XD_NULL_POINTER, phrase);
  CHECK(sum_of(x, 4, bad ? NULL : results, MPI_COMM_WORLD), XD_NULL_POINTER, phrase);
  CHECK(xd_mpi_reduce_vector(bad ? XD_MIN : XD_SUM, &a, NULL, XD_FLOAT64, results, MPI_COMM_WORLD, NULL),
        XD_BAD_OPTION, "extrema are no sums");
  CHECK(xd_mpi_reduce_vector(XD_DOT, &a, bad ? NULL : &a, XD_FLOAT64, results, MPI_COMM_WORLD, NULL), XD_BAD_OPTION,
        "a dot needs b");
  rows.data = bad ? NULL : x;
  CHECK(xd_mpi_reduce_rows(XD_SUM, &rows, NULL, XD_FLOAT64, results, MPI_COMM_WORLD, NULL), XD_NULL_POINTER,
        phrase);
  keys[2] = bad ? 7 : 1;
  of_keys = xd_contiguous(keys, 4, XD_INT32);
  CHECK(xd_mpi_reduce_groups(XD_SUM, &a, NULL, &of_keys, 2, 0, XD_FLOAT64, results, MPI_COMM_WORLD, NULL),
        XD_BAD_OPTION, "key 2 is 7");
  CHECK(xd_mpi_reduce_groups(XD_SUM, &a, NULL, &of_keys, 2, 1, XD_FLOAT64, results, MPI_COMM_WORLD, NULL), XD_OK,
        "");
  EXPECT(results[0] == 5 * processes && results[1] == 5 * processes - 3);

  CHECK(xd_accumulator_create(XD_FLOAT64, &first), XD_OK, "");
  CHECK(xd_accumulator_create(bad ? XD_FLOAT32 : XD_FLOAT64, &second), XD_OK, "");
  list[0] = kept[0] = first, list[1] = bad ? NULL : first, kept[1] = second;
  CHECK(xd_mpi_allreduce(list, 2, MPI_COMM_WORLD, NULL), XD_NULL_POINTER, phrase);
  CHECK(xd_mpi_allreduce(bad ? NULL : list, 1, MPI_COMM_WORLD, NULL), XD_NULL_POINTER, phrase);
  CHECK(xd_mpi_allreduce(kept, 2, MPI_COMM_WORLD, NULL), XD_BAD_OPTION, "same element type");
  CHECK(xd_mpi_round(kept, 2, XD_SUM, XD_FLOAT64, results, MPI_COMM_WORLD, NULL), XD_BAD_OPTION,
        "same element type");
  CHECK(xd_mpi_reduce(kept, 2, 0, MPI_COMM_WORLD, NULL), XD_BAD_OPTION, "same element type");
  CHECK(xd_mpi_iallreduce(kept, 2, MPI_COMM_WORLD, &request), XD_OK, "");
  CHECK(xd_mpi_wait(&request), XD_BAD_OPTION, "same element type");
  CHECK(xd_mpi_wait(&request), XD_NULL_POINTER, "waited for before");
  CHECK(xd_mpi_reduce(kept, 1, processes, MPI_COMM_WORLD, NULL), XD_BAD_OPTION, "no rank of the communicator");
  CHECK(xd_mpi_reduce(kept, 1, -1, MPI_COMM_WORLD, NULL), XD_BAD_OPTION, "no rank of the communicator");
  xd_accumulator_destroy(first);
  xd_accumulator_destroy(second);
}

/* Every process computes the same words, so all find that the result does not fit. */
static void test_overflow(void) {
  const int64_t large = (int64_t)1 << 62;
  const int64_t fields[5][2] = {{1, 2}, {3, 4}, {large, large}, {large, large}, {5, 6}};
  const xd_rows rows = xd_matrix_rows(fields, 5, 2, XD_INT64);
  int64_t sum = 0, sums[5];
  double mean = 0;
  const xd_vector x = xd_contiguous(&large, 1, XD_INT64);
  const xd_status status = xd_mpi_reduce_vector(XD_SUM, &x, NULL, XD_INT64, &sum, MPI_COMM_WORLD, NULL);
  if (processes < 2)
    CHECK(status, XD_OK, "");
  else
    CHECK(status, XD_OVERFLOW, "xd_mpi_reduce_vector: result 0: the sum does not fit into int64");
  CHECK(xd_mpi_reduce_rows(XD_SUM, &rows, NULL, XD_INT64, sums, MPI_COMM_WORLD, NULL), XD_OVERFLOW,
        "xd_mpi_reduce_rows: result 2: the sum does not fit into int64");
  CHECK(xd_mpi_reduce_vector(XD_MEAN, &x, NULL, XD_FLOAT64, &mean, MPI_COMM_WORLD, NULL), XD_OK, "");
  EXPECT(mean == (double)large);
}

/* A count whose sum could wrap. */
static void test_headroom(void) {
  int64_t words[1 + 2 * 24] = {INT64_MAX};
  xd_moments* moments = NULL;
  xd_status status;
  words[24] = words[48] = 1;
  CHECK(xd_moments_create(XD_FLOAT32, &moments), XD_OK, "");
  CHECK(xd_moments_load(moments, words, 49), XD_OK, "");
  status = xd_mpi_allreduce_moments(&moments, 1, MPI_COMM_WORLD, NULL);
  if (processes < 2)
    CHECK(status, XD_OK, "");
  else
    CHECK(status, XD_HEADROOM, "2^63 - 1");
  xd_moments_destroy(moments);
}

static void test_disagreement(void) {
  double x[6] = {1, 2, 3, 4, 5, 6}, results[3];
  const int other = rank == processes - 1;
  const xd_mpi_options checked = {1, NULL};
  const xd_rows rows = xd_matrix_rows(x, other ? 3 : 2, 2, XD_FLOAT64);
  const xd_vector vector = xd_contiguous(x, 2, other ? XD_FLOAT32 : XD_FLOAT64);
  const xd_rows same_rows = xd_matrix_rows(x, 2, 2, XD_FLOAT64);
  const xd_vector same_vector = xd_contiguous(x, 2, XD_FLOAT64);
  const xd_status status = processes < 2 ? XD_OK : XD_SIZE_MISMATCH;
  CHECK(xd_mpi_reduce_rows(XD_SUM, &rows, NULL, XD_FLOAT64, results, MPI_COMM_WORLD, &checked), status,
        "the number of results differs between ranks: 2 to 3");
  CHECK(xd_mpi_reduce_vector(XD_SUM, &vector, NULL, XD_FLOAT64, results, MPI_COMM_WORLD, &checked), status,
        "the element type differs between ranks: float32 to float64");
  CHECK(xd_mpi_reduce_vector(other ? XD_SUM : XD_MEAN, &same_vector, NULL, XD_FLOAT64, results, MPI_COMM_WORLD,
                             &checked),
        status, "the reduction differs between ranks: sum to mean");
  CHECK(xd_mpi_reduce_rows(XD_SUM, &same_rows, NULL, other ? XD_FLOAT32 : XD_FLOAT64, results, MPI_COMM_WORLD,
                           &checked),
        status, "the result type differs between ranks: float32 to float64");
}

static void* call_from_another_thread(void* unused) {
  double x = 1, result = 0;
  (void)unused;
  CHECK(sum_of(&x, 1, &result, MPI_COMM_WORLD), XD_BAD_OPTION, "MPI_THREAD_SERIALIZED");
  return NULL;
}
static void test_threads(void) {
  pthread_t thread;
  int level = 0;
  MPI_Query_thread(&level);
  if (level >= MPI_THREAD_SERIALIZED || pthread_create(&thread, NULL, call_from_another_thread, NULL) != 0) return;
  pthread_join(thread, NULL);
}

/* Results of no rows and of no elements. */
static void test_nothing(void) {
  double result = 1, none = 0;
  const xd_rows rows = xd_matrix_rows(&none, 0, 0, XD_FLOAT64);
  const xd_vector x = xd_contiguous(NULL, 0, XD_FLOAT64);
  CHECK(xd_mpi_reduce_rows(XD_SUM, &rows, NULL, XD_FLOAT64, NULL, MPI_COMM_WORLD, NULL), XD_OK, "");
  CHECK(xd_mpi_allreduce(NULL, 0, MPI_COMM_WORLD, NULL), XD_OK, "");
  CHECK(xd_mpi_allreduce(NULL, 1, MPI_COMM_WORLD, NULL), XD_NULL_POINTER, "accumulators is null");
  CHECK(xd_mpi_reduce_vector(XD_SUM, &x, NULL, XD_FLOAT64, &result, MPI_COMM_WORLD, NULL), XD_OK, "");
  EXPECT(result == 0);
  CHECK(xd_mpi_reduce_vector(XD_MEAN, &x, NULL, XD_FLOAT64, &result, MPI_COMM_WORLD, NULL), XD_OK, "");
  EXPECT(result != result);
}

int main(int count, char** arguments) {
  double x = 1, result = 0;
  int level = 0, all = 0;
  CHECK(sum_of(&x, 1, &result, MPI_COMM_WORLD), XD_BAD_OPTION, "MPI is not initialized");
  MPI_Init_thread(&count, &arguments, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  test_communicators();
  test_failures_of_one_process();
  test_overflow();
  test_headroom();
  test_disagreement();
  test_threads();
  test_nothing();
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("errors: %d ranks, %d failures\n", processes, all);
  MPI_Finalize();
  CHECK(sum_of(&x, 1, &result, MPI_COMM_WORLD), XD_BAD_OPTION, "MPI is finalized");
  return all + failures != 0;
}
