/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the words of a call come from: accumulators, moments, vectors and rows, groups by keys.
 *
 * Words of vectors are computed when a message asks for them, in one state that all results of a call share: k
 * results need no k states. The few that bounded sums leave undecided are computed twice.
 */
#ifndef EXACTDOT_MPI_SOURCES_H
#define EXACTDOT_MPI_SOURCES_H

#include <exactdot/mpi/results.h>

/* k accumulators or k moments; one of the lists is null. */
typedef struct xd_mpi_states {
  const char* caller;
  xd_accumulator* const* accumulators;
  xd_moments* const* moments;
  int type;
} xd_mpi_states;

static inline xd_status xd_mpi_check_state(const xd_mpi_states* states, int type) {
  if (type == states->type) return XD_OK;
  if (type < 0) return xd_mpi_refuse(states->caller, XD_NULL_POINTER, "an accumulator or moments is null");
  return xd_mpi_refuse(states->caller, XD_BAD_OPTION, "all accumulators of a call have the same element type");
}
static inline xd_status xd_mpi_accumulator_words(void* self, size_t i, int64_t* words) {
  const xd_mpi_states* states = (const xd_mpi_states*)self;
  const xd_status status = xd_mpi_check_state(states, xd_accumulator_type(states->accumulators[i]));
  if (status != XD_OK) return status;
  return xd_accumulator_words(states->accumulators[i], words, xd_accumulator_word_count(states->type));
}
static inline xd_status xd_mpi_accumulator_bound(void* self, size_t first, size_t n, xd_bounded* sums,
                                                 xd_bounded* squares, uint64_t* counts) {
  const xd_mpi_states* states = (const xd_mpi_states*)self;
  xd_status status = XD_OK;
  size_t i;
  (void)squares, (void)counts;
  for (i = first; i < first + n && status == XD_OK; ++i) {
    status = xd_mpi_check_state(states, xd_accumulator_type(states->accumulators[i]));
    if (status == XD_OK) status = xd_accumulator_bound(states->accumulators[i], &sums[i - first]);
  }
  return status;
}
static inline xd_status xd_mpi_accumulator_load(void* self, size_t i, const int64_t* words) {
  const xd_mpi_states* states = (const xd_mpi_states*)self;
  return xd_accumulator_load(states->accumulators[i], words, xd_accumulator_word_count(states->type));
}
static inline xd_status xd_mpi_moments_words(void* self, size_t i, int64_t* words) {
  const xd_mpi_states* states = (const xd_mpi_states*)self;
  const xd_status status = xd_mpi_check_state(states, xd_moments_type(states->moments[i]));
  if (status != XD_OK) return status;
  return xd_moments_words(states->moments[i], words, xd_moments_word_count(states->type));
}
static inline xd_status xd_mpi_moments_load(void* self, size_t i, const int64_t* words) {
  const xd_mpi_states* states = (const xd_mpi_states*)self;
  return xd_moments_load(states->moments[i], words, xd_moments_word_count(states->type));
}

/* The first object of a list that is not null, or null. */
static inline void* xd_mpi_first(void* const* list, size_t k) {
  size_t i;
  for (i = 0; i < k && list != NULL; ++i) {
    if (list[i] != NULL) return list[i];
  }
  return NULL;
}

/* Accumulators whose type is that of the first one. A null list is a failure, told to all by the first message. */
static inline xd_status xd_mpi_open_accumulators(const char* caller, xd_accumulator* const* list, size_t k,
                                                 xd_mpi_states* states, xd_mpi_source* source) {
  xd_accumulator* const known = (xd_accumulator*)xd_mpi_first((void* const*)list, k);
  states->caller = caller, states->accumulators = list, states->moments = NULL;
  states->type = known != NULL ? xd_accumulator_type(known) : XD_FLOAT64;
  source->self = states, source->k = k, source->type = states->type, source->states = 1, source->counted = 0;
  source->bound = NULL;
  source->words = xd_mpi_accumulator_words, source->take = xd_mpi_accumulator_load;
  return known != NULL || k == 0 ? XD_OK : xd_mpi_refuse(caller, XD_NULL_POINTER, "accumulators is null");
}
static inline xd_status xd_mpi_open_moments(const char* caller, xd_moments* const* list, size_t k,
                                            xd_mpi_states* states, xd_mpi_source* source) {
  xd_moments* const known = (xd_moments*)xd_mpi_first((void* const*)list, k);
  states->caller = caller, states->accumulators = NULL, states->moments = list;
  states->type = known != NULL ? xd_moments_type(known) : XD_FLOAT64;
  source->self = states, source->k = k, source->type = states->type, source->states = 2, source->counted = 1;
  source->bound = NULL;
  source->words = xd_mpi_moments_words, source->take = xd_mpi_moments_load;
  return known != NULL || k == 0 ? XD_OK : xd_mpi_refuse(caller, XD_NULL_POINTER, "moments is null");
}

/* Lines: result i is the reduction of the i-th of k vectors of one array, or of the elements of group i. */
typedef struct xd_mpi_lines {
  const char* caller;
  xd_mpi_finish finish;
  xd_rows a, b;          /* n is not used if there are offsets */
  const size_t* offsets; /* of groups: result i is of the elements offsets[i] to before offsets[i + 1] */
  xd_options local;
  xd_accumulator *sum, *squares;
} xd_mpi_lines;

static inline xd_vector xd_mpi_line(const xd_mpi_lines* lines, const xd_rows* of, size_t i) {
  xd_vector line;
  line.n = of->n, line.stride = of->stride, line.type = of->type, line.swapped = of->swapped;
  line.data = of->data;
  if (of->data != NULL && lines->offsets == NULL) line.data = (const char*)of->data + (ptrdiff_t)i * of->row_stride;
  if (lines->offsets != NULL) {
    line.n = lines->offsets[i + 1] - lines->offsets[i];
    line.data = (const char*)of->data + lines->offsets[i] * xd_type_size(of->type);
  }
  return line;
}

/* An empty accumulator, made at the first call. */
static inline xd_status xd_mpi_clear_sum(const xd_mpi_lines* lines, xd_accumulator** sum) {
  return *sum == NULL ? xd_accumulator_create(lines->a.type, sum) : xd_accumulator_clear(*sum);
}

static inline xd_status xd_mpi_line_words(void* self, size_t i, int64_t* words) {
  xd_mpi_lines* lines = (xd_mpi_lines*)self;
  const int reduction = lines->finish.reduction;
  const size_t count = xd_accumulator_word_count(lines->a.type);
  const xd_vector a = xd_mpi_line(lines, &lines->a, i);
  xd_status status = xd_mpi_clear_sum(lines, &lines->sum);
  if (xd_mpi_is_counted(reduction)) *words++ = (int64_t)a.n;
  if (status == XD_OK && reduction == XD_DOT) {
    const xd_vector b = xd_mpi_line(lines, &lines->b, i);
    status = xd_accumulator_add_products(lines->sum, &a, &b, &lines->local);
  } else if (status == XD_OK && reduction == XD_ASUM) {
    status = xd_accumulator_add_magnitudes(lines->sum, &a, &lines->local);
  } else if (status == XD_OK && (reduction == XD_SUM_OF_SQUARES || reduction == XD_NRM2)) {
    status = xd_accumulator_add_squares(lines->sum, &a, &lines->local);
  } else if (status == XD_OK) {
    status = xd_accumulator_add(lines->sum, &a, &lines->local);
  }
  if (status == XD_OK) status = xd_accumulator_words(lines->sum, words, count);
  if (status != XD_OK || !xd_mpi_is_moment(reduction)) return status;
  status = xd_mpi_clear_sum(lines, &lines->squares);
  if (status == XD_OK) status = xd_accumulator_add_squares(lines->squares, &a, &lines->local);
  return status == XD_OK ? xd_accumulator_words(lines->squares, words + count, count) : status;
}
static inline xd_status xd_mpi_line_bound(void* self, size_t first, size_t n, xd_bounded* sums, xd_bounded* squares,
                                          uint64_t* counts) {
  xd_mpi_lines* lines = (xd_mpi_lines*)self;
  const int reduction = lines->finish.reduction, to = lines->finish.result_type;
  const int squared = reduction == XD_SUM_OF_SQUARES || reduction == XD_NRM2;
  const int term = reduction == XD_DOT || reduction == XD_ASUM ? reduction : squared ? XD_SUM_OF_SQUARES : XD_SUM;
  xd_status status = XD_OK;
  size_t i;
  for (i = 0; i < n && status == XD_OK; ++i) {
    const xd_vector a = xd_mpi_line(lines, &lines->a, first + i), b = xd_mpi_line(lines, &lines->b, first + i);
    status = xd_bound(term, &a, reduction == XD_DOT ? &b : NULL, to, &lines->local, &sums[i]);
    counts[i] = a.n;
    if (status != XD_OK || !xd_mpi_is_moment(reduction)) continue;
    status = xd_bound(XD_SUM_OF_SQUARES, &a, NULL, to, &lines->local, &squares[i]);
  }
  return status;
}
static inline xd_status xd_mpi_line_take(void* self, size_t i, const int64_t* words) {
  const xd_mpi_lines* lines = (const xd_mpi_lines*)self;
  return xd_mpi_round_words(&lines->finish, i, words);
}

/* Checks what the reduction of k lines needs, and sets up its source. Whatever fails here is told by the first
 * message. `status`: a failure before, whose sentence stays. */
static inline xd_status xd_mpi_open_lines(const char* caller, int reduction, size_t k, const xd_rows* a,
                                          const xd_rows* b, int result_type, void* results, const xd_options* local,
                                          xd_status status, xd_mpi_lines* lines, xd_mpi_source* source) {
  static const xd_rows nothing = {NULL, 0, 0, 0, 0, XD_FLOAT64, 0};
  int level = MPI_THREAD_SINGLE;
  memset(lines, 0, sizeof *lines);
  lines->caller = caller;
  lines->a = a == NULL ? nothing : *a;
  lines->b = b == NULL ? nothing : *b;
  if (local != NULL) lines->local = *local;
  MPI_Query_thread(&level);
  if (level == MPI_THREAD_SINGLE) lines->local.threads = 1; /* as the program has told MPI */
  source->self = lines, source->k = k, source->states = xd_mpi_is_moment(reduction) ? 2 : 1;
  source->type = xd_type_size(lines->a.type) == 0 ? XD_FLOAT64 : lines->a.type;
  source->counted = xd_mpi_is_counted(reduction);
  source->bound = xd_mpi_line_bound;
  source->words = xd_mpi_line_words, source->take = xd_mpi_line_take;
  if (status == XD_OK && a == NULL) status = xd_mpi_refuse(caller, XD_NULL_POINTER, "a is null");
  if (status == XD_OK && (b != NULL) != (reduction == XD_DOT)) {
    status = xd_mpi_refuse(caller, XD_BAD_OPTION, b == NULL ? "a dot needs b" : "only a dot has a second vector");
  }
  if (status == XD_OK && b != NULL && (a->rows != b->rows || a->n != b->n)) {
    status = xd_mpi_refuse(caller, XD_SIZE_MISMATCH, "a and b have different shapes");
  }
  if (status == XD_OK) {
    status =
        xd_mpi_open_finish(caller, reduction, a->type, lines->local.ddof, result_type, results, k, &lines->finish);
  }
  return status;
}
static inline void xd_mpi_close_lines(xd_mpi_lines* lines) {
  xd_mpi_close_finish(&lines->finish);
  xd_accumulator_destroy(lines->sum);
  xd_accumulator_destroy(lines->squares);
}

/* Elements of x sorted by key, in the order of each group, and the offsets of the groups: the counting sort. */
typedef struct xd_mpi_sorted {
  size_t* offsets;
  char *a, *b;
} xd_mpi_sorted;

static inline int64_t xd_mpi_key(const xd_vector* keys, size_t i) {
  const char* at = (const char*)keys->data + (ptrdiff_t)i * keys->stride;
  int64_t wide = 0;
  int32_t narrow = 0;
  uint32_t positive = 0;
  if (keys->type == XD_INT32) return memcpy(&narrow, at, sizeof narrow), narrow;
  if (keys->type == XD_UINT32) return memcpy(&positive, at, sizeof positive), (int64_t)positive;
  memcpy(&wide, at, sizeof wide); /* a uint64 beyond 2^63 becomes negative: out of range, too */
  return wide;
}

static inline xd_status xd_mpi_check_keys(const char* caller, const xd_vector* x, const xd_vector* b,
                                          const xd_vector* keys, size_t groups, int skip) {
  char text[160];
  size_t i;
  if (x == NULL || keys == NULL) return xd_mpi_refuse(caller, XD_NULL_POINTER, "a or keys is null");
  if (keys->type != XD_INT32 && keys->type != XD_INT64 && keys->type != XD_UINT32 && keys->type != XD_UINT64) {
    return xd_mpi_refuse(caller, XD_BAD_OPTION, "keys are int32, int64, uint32 or uint64");
  }
  if (keys->swapped) return xd_mpi_refuse(caller, XD_BAD_OPTION, "keys have this machine's byte order");
  if (keys->n != x->n || (b != NULL && b->n != x->n)) {
    return xd_mpi_refuse(caller, XD_SIZE_MISMATCH, "vectors and keys have different lengths");
  }
  if (xd_type_size(x->type) == 0 || (b != NULL && xd_type_size(b->type) == 0)) {
    return xd_mpi_refuse(caller, XD_BAD_OPTION, "unknown element type");
  }
  if (x->n != 0 && (x->data == NULL || keys->data == NULL || (b != NULL && b->data == NULL))) {
    return xd_mpi_refuse(caller, XD_NULL_POINTER, "elements or keys are null");
  }
  for (i = 0; i < keys->n && !skip; ++i) {
    const int64_t key = xd_mpi_key(keys, i);
    if (key >= 0 && (uint64_t)key < groups) continue;
    snprintf(text, sizeof text, "key %llu is %lld; keys are at least 0 and less than %llu", (unsigned long long)i,
             (long long)key, (unsigned long long)groups);
    return xd_mpi_refuse(caller, XD_BAD_OPTION, text);
  }
  return XD_OK;
}

static inline void xd_mpi_place(const xd_vector* x, size_t i, char* to, size_t position) {
  const size_t size = xd_type_size(x->type);
  memcpy(to + position * size, (const char*)x->data + (ptrdiff_t)i * x->stride, size);
}

static inline xd_status xd_mpi_sort(const char* caller, const xd_vector* x, const xd_vector* b,
                                    const xd_vector* keys, size_t groups, int skip, xd_mpi_sorted* sorted) {
  size_t i;
  xd_status status = xd_mpi_check_keys(caller, x, b, keys, groups, skip);
  sorted->offsets = NULL, sorted->a = NULL, sorted->b = NULL;
  if (status != XD_OK) return status;
  if (groups < SIZE_MAX / sizeof(size_t) - 2) sorted->offsets = (size_t*)calloc(groups + 2, sizeof(size_t));
  sorted->a = (char*)malloc(x->n * xd_type_size(x->type) + 1);
  if (b != NULL) sorted->b = (char*)malloc(b->n * xd_type_size(b->type) + 1);
  if (sorted->offsets == NULL || sorted->a == NULL || (b != NULL && sorted->b == NULL)) {
    return xd_mpi_refuse(caller, XD_OUT_OF_MEMORY, "no memory to sort by keys");
  }
  for (i = 0; i < keys->n; ++i) {
    const int64_t key = xd_mpi_key(keys, i);
    if (key >= 0 && (uint64_t)key < groups) ++sorted->offsets[key + 2];
  }
  for (i = 2; i < groups + 2; ++i) sorted->offsets[i] += sorted->offsets[i - 1];
  for (i = 0; i < keys->n; ++i) {
    const int64_t key = xd_mpi_key(keys, i);
    size_t position;
    if (key < 0 || (uint64_t)key >= groups) continue;
    position = sorted->offsets[key + 1]++;
    xd_mpi_place(x, i, sorted->a, position);
    if (b != NULL) xd_mpi_place(b, i, sorted->b, position);
  }
  return XD_OK;
}
static inline void xd_mpi_free_sorted(xd_mpi_sorted* sorted) {
  free(sorted->offsets);
  free(sorted->a);
  free(sorted->b);
}

#endif
