/*
 * Vectors of complex numbers in exactdot_mpi.h: distributed results against xd_reduce of all numbers in one
 * process, by bits, of both types, with gaps, backwards, in the other byte order; what does not fit, of one process
 * or of all. `--drop`: the last process drops a number, which must be noticed.
 */
#include <exactdot_mpi.h>

enum { N = 211, LAYOUTS = 4 };

static int rank = 0, processes = 1, checks = 0, failures = 0, drops = 0;

static void fail(const char* what, int line) {
  if (++failures <= 8) printf("rank %d, line %d: %s (%s)\n", rank, line, what, xd_message());
}
static void check_status(xd_status found, xd_status expected, const char* phrase, int line) {
  ++checks;
  if (found != expected || (found != XD_OK && strstr(xd_message(), phrase) == NULL))
    fail(xd_status_name(found), line);
}
#define CHECK(call, status, phrase) check_status((call), (status), (phrase), __LINE__)

static double part(int i, int k, int seed) {
  const unsigned mixed = (unsigned)(2 * i + k + 1000 * seed) * 2654435761u;
  const double x = (double)mixed / 4294967296.0 - 0.5;
  return ldexp((double)(float)x, (int)(mixed % 41) - 20);
}

/* Numbers in memory: 0: one after the other; 1: with gaps; 2: backwards with gaps; 3: with the bytes of each part
 * reversed. */
static char memory[4][N * 3 * 16 + 16];
static xd_vector place(int of, const int* numbers, size_t n, int type, int layout, int seed) {
  const size_t size = xd_type_size(type) / 2;
  const ptrdiff_t stride = (ptrdiff_t)(layout == 1 || layout == 2 ? 5 * size : 2 * size);
  char* const first = memory[of] + 1 + (layout == 2 && n > 0 ? (ptrdiff_t)(n - 1) * stride : 0);
  xd_vector x;
  size_t i, j;
  int k;
  memset(memory[of], 0x7f, sizeof memory[of]);
  x.data = first, x.n = n, x.type = type, x.swapped = layout == 3;
  x.stride = layout == 2 ? -stride : stride;
  for (i = 0; i < n; ++i) {
    for (k = 0; k < 2; ++k) {
      const double wide = part(numbers[i], k, seed);
      const float narrow = (float)wide;
      const char* from = size == 4 ? (const char*)&narrow : (const char*)&wide;
      char* to = first + (ptrdiff_t)i * x.stride + k * (ptrdiff_t)size;
      for (j = 0; j < size; ++j) to[j] = from[layout == 3 ? size - 1 - j : j];
    }
  }
  return x;
}

static void check_results(int type, int layout, int result_type, int real_type) {
  static const int reductions[] = {XD_SUM, XD_MEAN, XD_DOT, XD_ASUM, XD_SUM_OF_SQUARES, XD_NRM2};
  int all[N], mine[N], i, conjugate;
  size_t used = 0;
  xd_vector a, b, x, y;
  for (i = 0; i < N; ++i) {
    all[i] = i;
    if (i % processes == rank) mine[used++] = i;
  }
  if (drops && rank == processes - 1) --used;
  a = place(0, all, N, type, 0, 1), b = place(1, all, N, type, 0, 2);
  x = place(2, mine, used, type, layout, 1), y = place(3, mine, used, type, (layout + 1) % LAYOUTS, 2);
  for (i = 0; i < 6; ++i) {
    const int is_dot = reductions[i] == XD_DOT, to = i < 3 ? result_type : real_type;
    for (conjugate = 0; conjugate <= is_dot; ++conjugate) {
      char expected[16] = {0}, found[16] = {0};
      xd_options local;
      xd_mpi_options options = {1, NULL};
      memset(&local, 0, sizeof local);
      local.conjugate = conjugate, options.local = &local;
      CHECK(xd_reduce(reductions[i], &a, is_dot ? &b : NULL, to, expected, &local), XD_OK, "");
      CHECK(xd_mpi_reduce_vector(reductions[i], &x, is_dot ? &y : NULL, to, found, MPI_COMM_WORLD, &options), XD_OK,
            "");
      ++checks;
      if (memcmp(expected, found, sizeof found) != 0) fail(xd_reduction_name(reductions[i]), type + layout);
    }
  }
}

/* Of one process, whose failure all return; then of all. */
static void check_errors(void) {
  const int last = processes - 1, bad = rank == last;
  int numbers[3] = {0, 1, 2};
  char phrase[64], result[16];
  double reals[2] = {1, 2};
  xd_vector x = place(0, numbers, 3, XD_COMPLEX128, 0, 1), narrow = place(1, numbers, 3, XD_COMPLEX64, 0, 1),
            none = x;
  xd_vector shorter = x, real = xd_contiguous(reals, 2, XD_FLOAT64);
  xd_options local;
  xd_mpi_options conjugates = {0, NULL};
  memset(&local, 0, sizeof local);
  local.conjugate = 1, conjugates.local = &local;
  none.data = NULL, shorter.n = 2;
  snprintf(phrase, sizeof phrase, "rank %d: ", last);
#define REDUCE(what, a, b, to, options) xd_mpi_reduce_vector(what, a, b, to, result, MPI_COMM_WORLD, options)
  CHECK(REDUCE(XD_SUM, bad ? &none : &x, NULL, XD_COMPLEX128, NULL), XD_NULL_POINTER, phrase);
  CHECK(REDUCE(XD_SUM, bad ? NULL : &x, NULL, XD_COMPLEX128, NULL), XD_NULL_POINTER, "a is null");
  CHECK(REDUCE(XD_DOT, &x, bad ? &shorter : &x, XD_COMPLEX128, NULL), XD_SIZE_MISMATCH, phrase);
  CHECK(REDUCE(XD_DOT, &x, bad ? NULL : &x, XD_COMPLEX128, NULL), XD_BAD_OPTION, "a dot needs b");
  CHECK(REDUCE(bad ? XD_MIN : XD_SUM, &x, NULL, XD_COMPLEX128, NULL), XD_BAD_OPTION, "complex numbers have sums");
  CHECK(REDUCE(XD_SUM, bad ? &real : &x, NULL, XD_COMPLEX128, NULL), XD_BAD_OPTION, "the elements real");
  CHECK(REDUCE(XD_VARIANCE, &x, NULL, XD_FLOAT64, NULL), XD_BAD_OPTION, "complex numbers have sums");
  CHECK(REDUCE(XD_SUM, &x, NULL, XD_FLOAT64, NULL), XD_BAD_OPTION, "use XD_COMPLEX64 or XD_COMPLEX128");
  CHECK(REDUCE(XD_NRM2, &x, NULL, XD_COMPLEX128, NULL), XD_BAD_OPTION, "norms of complex numbers are real");
  CHECK(REDUCE(XD_NRM2, &x, NULL, XD_INT64, NULL), XD_BAD_OPTION, "");
  CHECK(REDUCE(XD_SUM, &x, &x, XD_COMPLEX128, NULL), XD_BAD_OPTION, "only a dot");
  CHECK(REDUCE(XD_DOT, &x, &narrow, XD_COMPLEX128, NULL), XD_BAD_OPTION, "one type");
  CHECK(REDUCE(XD_DOT, &x, &real, XD_COMPLEX128, NULL), XD_BAD_OPTION, "one type");
  CHECK(REDUCE(XD_SUM, &x, NULL, XD_COMPLEX128, &conjugates), XD_BAD_OPTION, "only a dot has conjugates");
  CHECK(xd_mpi_reduce_vector(XD_SUM, &x, NULL, XD_COMPLEX128, bad ? NULL : result, MPI_COMM_WORLD, NULL),
        XD_NULL_POINTER, phrase);
  CHECK(xd_mpi_reduce_vector(XD_SUM, &x, NULL, XD_COMPLEX128, result, MPI_COMM_NULL, NULL), XD_NULL_POINTER,
        "MPI_COMM_NULL");
  CHECK(REDUCE(XD_DOT, &x, &x, XD_COMPLEX128, &conjugates), XD_OK, "");
}

int main(int count, char** arguments) {
  int layout, all = 0;
  MPI_Init(&count, &arguments);
  drops = count > 1 && strcmp(arguments[1], "--drop") == 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  for (layout = 0; layout < LAYOUTS; ++layout) {
    check_results(XD_COMPLEX64, layout, XD_COMPLEX64, XD_FLOAT32);
    check_results(XD_COMPLEX64, layout, XD_COMPLEX128, XD_FLOAT64);
    check_results(XD_COMPLEX128, layout, XD_COMPLEX128, XD_FLOAT64);
    check_results(XD_COMPLEX128, layout, XD_COMPLEX64, XD_FLOAT16);
  }
  check_errors();
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d ranks, %d checks each, %d failures\n", processes, checks, all);
  MPI_Finalize();
  return all != 0;
}
