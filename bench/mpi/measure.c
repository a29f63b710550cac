/*
 * Exact results of k sums over MPI beside MPI's own sum of k doubles and beside two such collectives.
 *
 * All ways take turns, so that a disturbance meets all; a time is the median on rank 0, from a barrier to the
 * return. Rank 0 prints one JSON object a line. usage: mpirun -n P measure [--quick]
 */
#include <exactdot_mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_RESULTS = 10000, ROW = 64, MAX_SAMPLES = 301, WAYS = 11 };

static const char* const names[WAYS] = {
    "doubles",                       /* MPI_Allreduce of k doubles */
    "two_collectives",               /* that twice */
    "words_24",                      /* MPI_Allreduce of k states of float, and of double */
    "words_138",       "doubles_2k", /* MPI_Allreduce of 2 k doubles: as many bytes as bounded sums */
    "message",                       /* MPI_Allreduce of k bounded sums by the operation of exactdot_mpi.h */
    "bounded",                       /* xd_mpi_round's exchange and rounding of bounded sums that the caller has */
    "round",                         /* results from accumulators */
    "merge",                         /* xd_mpi_allreduce of accumulators */
    "plain_rows",                    /* a loop over each of k rows of doubles, and MPI_Allreduce of the sums */
    "exact_rows"                     /* xd_mpi_reduce_rows of the same */
};

typedef struct data {
  size_t k;
  int type;
  double *plain, *sums, *plain2, *sums2, *rows, *results;
  xd_mpi_block* blocks;
  int64_t* words;
  xd_bounded* bounded;
  xd_accumulator** accumulators;
  xd_accumulator** merged;
} data;

static void check(xd_status status) {
  if (status == XD_OK) return;
  fprintf(stderr, "%s\n", xd_message());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The source of the bounded sums alone: what a caller has that sums by itself. Every result is decided. */
static xd_status bound(void* self, size_t first, size_t n, xd_bounded* sums, xd_bounded* squares,
                       uint64_t* counts) {
  (void)squares, (void)counts;
  memcpy(sums, ((data*)self)->bounded + first, n * sizeof *sums);
  return XD_OK;
}
static xd_status no_words(void* self, size_t i, int64_t* words) {
  (void)self, (void)i, (void)words;
  return xd_fail(XD_INTERNAL, "measure: a bounded sum was not decided");
}
static xd_status take_no_words(void* self, size_t i, const int64_t* words) {
  return no_words(self, i, (int64_t*)words);
}

static void add_bounded(data* of) {
  xd_mpi_source source;
  xd_mpi_finish finish;
  memset(&source, 0, sizeof source);
  source.self = of, source.k = of->k, source.type = XD_FLOAT64, source.states = 1;
  source.bound = bound, source.words = no_words, source.take = take_no_words;
  check(xd_mpi_open_finish("measure", XD_SUM, XD_FLOAT64, 0, XD_FLOAT64, of->results, of->k, &finish));
  check(xd_mpi_all_results("measure", &finish, &source, MPI_COMM_WORLD, XD_OK));
  xd_mpi_close_finish(&finish);
}

static void add_rows(data* of, int exact) {
  const xd_rows rows = xd_matrix_rows(of->rows, of->k, ROW, XD_FLOAT64);
  size_t i, k;
  if (exact) {
    check(xd_mpi_reduce_rows(XD_SUM, &rows, NULL, XD_FLOAT64, of->results, MPI_COMM_WORLD, NULL));
    return;
  }
  for (i = 0; i < of->k; ++i) {
    double sum = 0;
    for (k = 0; k < ROW; ++k) sum += of->rows[i * ROW + k];
    of->plain[i] = sum;
  }
  MPI_Allreduce(of->plain, of->sums, (int)of->k, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void add_blocks(data* of) {
  xd_mpi_handles* handles = NULL;
  const int n = (int)((of->k + XD_MPI_WIDTH) / XD_MPI_WIDTH);
  check(xd_mpi_get_handles("measure", &handles));
  MPI_Allreduce(MPI_IN_PLACE, of->blocks, n, handles->block, handles->add, MPI_COMM_WORLD);
}

static void call(data* of, int way) {
  const int k = (int)of->k;
  if (way <= 1) MPI_Allreduce(of->plain, of->sums, k, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (way == 1) MPI_Allreduce(of->plain, of->sums, k, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (way == 2 || way == 3) {
    MPI_Allreduce(MPI_IN_PLACE, of->words, k * (way == 2 ? 24 : 138), MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  }
  if (way == 4) MPI_Allreduce(of->plain2, of->sums2, 2 * k, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (way == 5) add_blocks(of);
  if (way == 6) add_bounded(of);
  if (way == 7) {
    check(xd_mpi_round(of->accumulators, of->k, XD_SUM, of->type, of->results, MPI_COMM_WORLD, NULL));
  }
  if (way == 8) check(xd_mpi_allreduce(of->merged, of->k, MPI_COMM_WORLD, NULL));
  if (way >= 9) add_rows(of, way == 10);
}

/* Between two samples: the accumulators are those before the merge. */
static void prepare(data* of, int way) {
  size_t i;
  for (i = 0; way == 8 && i < of->k; ++i) {
    int64_t words[138];
    const size_t count = xd_accumulator_word_count(of->type);
    check(xd_accumulator_words(of->accumulators[i], words, count));
    check(xd_accumulator_load(of->merged[i], words, count));
  }
  if (way == 2 || way == 3) memset(of->words, 0, of->k * 138 * sizeof *of->words);
}

static int less(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void measure(data* of, int samples, int rank, int processes) {
  static double times[WAYS][MAX_SAMPLES];
  int sample, way;
  for (sample = -2; sample < samples; ++sample) { /* two to warm up */
    for (way = 0; way < WAYS; ++way) {
      double start;
      prepare(of, way);
      MPI_Barrier(MPI_COMM_WORLD);
      start = MPI_Wtime();
      call(of, way);
      if (sample >= 0) times[way][sample] = (MPI_Wtime() - start) * 1e6;
    }
  }
  if (rank != 0) return;
  printf("{\"ranks\": %d, \"k\": %d, \"type\": \"%s\", \"samples\": %d", processes, (int)of->k,
         xd_type_name(of->type), samples);
  for (way = 0; way < WAYS; ++way) {
    qsort(times[way], (size_t)samples, sizeof(double), less);
    printf(", \"%s\": %.3f", names[way], times[way][samples / 2]);
  }
  printf("}\n");
  fflush(stdout);
}

static double uniform(void) { return rand() / ((double)RAND_MAX + 1); }

static void fill(data* of, int type) {
  size_t i, k;
  of->type = type;
  for (i = 0; i < MAX_RESULTS; ++i) {
    int64_t words[138];
    const xd_vector x = xd_contiguous(of->rows + i * ROW, ROW, XD_FLOAT64);
    for (k = 0; k < ROW; ++k) of->rows[i * ROW + k] = uniform();
    check(xd_bound(XD_SUM, &x, NULL, XD_FLOAT64, NULL, &of->bounded[i]));
    of->plain[i] = uniform();
    if (of->accumulators[i] != NULL)
      xd_accumulator_destroy(of->accumulators[i]), xd_accumulator_destroy(of->merged[i]);
    check(xd_accumulator_create(type, &of->accumulators[i]));
    check(xd_accumulator_create(type, &of->merged[i]));
    if (type == XD_FLOAT64) {
      check(xd_accumulator_add(of->accumulators[i], &x, NULL));
    } else {
      float narrow[ROW];
      const xd_vector y = xd_contiguous(narrow, ROW, XD_FLOAT32);
      for (k = 0; k < ROW; ++k) narrow[k] = (float)of->rows[i * ROW + k];
      check(xd_accumulator_add(of->accumulators[i], &y, NULL));
    }
    check(xd_accumulator_words(of->accumulators[i], words, xd_accumulator_word_count(type)));
  }
}

int main(int count, char** arguments) {
  int rank, processes, k, type;
  const int quick = count > 1 && strcmp(arguments[1], "--quick") == 0;
  data of;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  srand((unsigned)rank + 1);
  of.plain = (double*)calloc(MAX_RESULTS, sizeof(double));
  of.sums = (double*)calloc(MAX_RESULTS, sizeof(double));
  of.plain2 = (double*)calloc(2 * MAX_RESULTS, sizeof(double));
  of.sums2 = (double*)calloc(2 * MAX_RESULTS, sizeof(double));
  of.blocks = (xd_mpi_block*)calloc(MAX_RESULTS / XD_MPI_WIDTH + 1, sizeof(xd_mpi_block));
  of.rows = (double*)calloc((size_t)MAX_RESULTS * ROW, sizeof(double));
  of.results = (double*)calloc(MAX_RESULTS, sizeof(double));
  of.words = (int64_t*)calloc((size_t)MAX_RESULTS * 138, sizeof(int64_t));
  of.bounded = (xd_bounded*)calloc(MAX_RESULTS, sizeof(xd_bounded));
  of.accumulators = (xd_accumulator**)calloc(MAX_RESULTS, sizeof(xd_accumulator*));
  of.merged = (xd_accumulator**)calloc(MAX_RESULTS, sizeof(xd_accumulator*));
  for (type = XD_FLOAT32; type <= XD_FLOAT64; ++type) {
    fill(&of, type);
    for (k = 1; k <= MAX_RESULTS; k *= 10) {
      of.k = (size_t)k;
      measure(&of, quick ? 11 : k <= 100 ? 301 : k == 1000 ? 101 : 21, rank, processes);
    }
  }
  MPI_Finalize();
  return 0;
}
