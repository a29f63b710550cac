/*
 * MPI_THREAD_SINGLE: the local computation uses one thread, and another thread may not call. Versions that differ
 * between processes are named when asked for.
 */
#include <dirent.h>
#include <exactdot.h>
#include <pthread.h>
#include <stdlib.h>

/* The headers below see the version of this test. */
static const char* tested_version = "0.3.0.dev0+g1234567";
static const char* version_of_test(void) { return tested_version; }
#define xd_version version_of_test
#include <exactdot_mpi.h>

static int failures = 0;

static void check(int holds, const char* what) {
  if (holds) return;
  printf("%s: %s\n", what, xd_message());
  ++failures;
}

static int threads_of_this_process(void) {
  int n = 0;
  DIR* tasks = opendir("/proc/self/task");
  while (tasks != NULL && readdir(tasks) != NULL) ++n;
  if (tasks != NULL) closedir(tasks);
  return n;
}

static void test_one_thread(void) {
  const size_t n = (size_t)1 << 21;
  const xd_vector x = xd_contiguous(calloc(n, sizeof(double)), n, XD_FLOAT64);
  xd_options local = {0, 0, 0, 2, 0, NULL, NULL, 0};
  xd_mpi_options options = {1, NULL};
  double result = 1;
  int before, after;
  options.local = &local;
  check(xd_mpi_reduce_vector(XD_SUM, &x, NULL, XD_FLOAT64, &result, MPI_COMM_WORLD, NULL) == XD_OK, "a sum");
  before = threads_of_this_process();
  check(xd_mpi_reduce_vector(XD_SUM, &x, NULL, XD_FLOAT64, &result, MPI_COMM_WORLD, &options) == XD_OK, "a sum");
  check(threads_of_this_process() == before, "a thread was started, and MPI was initialized for one");
  check(xd_reduce(XD_SUM, &x, NULL, XD_FLOAT64, &result, &local) == XD_OK, "a local sum of two threads");
  after = threads_of_this_process();
  check(after > before, "the test cannot see threads");
  free((void*)x.data);
}

static void* call_from_another_thread(void* unused) {
  double result = 0;
  const xd_vector x = xd_contiguous(&result, 1, XD_FLOAT64);
  const xd_status status = xd_mpi_reduce_vector(XD_SUM, &x, NULL, XD_FLOAT64, &result, MPI_COMM_WORLD, NULL);
  (void)unused;
  check(status == XD_BAD_OPTION && strstr(xd_message(), "MPI_THREAD_SERIALIZED") != NULL, "another thread");
  return NULL;
}

static void test_versions(int rank, int processes) {
  const double x[2] = {1, 2};
  const xd_rows rows = xd_matrix_rows(x, 2, 1, XD_FLOAT64);
  const xd_mpi_options checked = {1, NULL};
  double results[2];
  xd_status status;
  check(xd_mpi_reduce_rows(XD_SUM, &rows, NULL, XD_FLOAT64, results, MPI_COMM_WORLD, &checked) == XD_OK,
        "one version");
  if (rank == processes - 1) tested_version = "0.3.0.dev0+g1234568";
  check(xd_mpi_reduce_rows(XD_SUM, &rows, NULL, XD_FLOAT64, results, MPI_COMM_WORLD, NULL) == XD_OK, "unchecked");
  status = xd_mpi_reduce_rows(XD_SUM, &rows, NULL, XD_FLOAT64, results, MPI_COMM_WORLD, &checked);
  if (processes == 1) return;
  check(status == XD_SIZE_MISMATCH &&
            strstr(xd_message(), "the version of exactdot differs between ranks: ") != NULL &&
            strstr(xd_message(), "0.3.0.dev0+g1234567") != NULL && strstr(xd_message(), "0.3.0.dev0+g1234568") != NULL,
        "two versions");
}

int main(int count, char** arguments) {
  pthread_t thread;
  int level = 0, rank = 0, processes = 1, all = 0;
  MPI_Init_thread(&count, &arguments, MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  check(level == MPI_THREAD_SINGLE, "this MPI has other levels than asked for");
  test_one_thread();
  check(pthread_create(&thread, NULL, call_from_another_thread, NULL) == 0, "pthread_create");
  pthread_join(thread, NULL);
  test_versions(rank, processes);
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("setup: %d ranks, %d failures\n", processes, all);
  MPI_Finalize();
  return all != 0;
}
