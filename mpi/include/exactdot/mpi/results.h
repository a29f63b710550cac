/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounded results of all processes: bounded sums in one collective; what they leave undecided, by words.
 *
 * All processes get the same sums and bounds from MPI, so they agree without a message on which results are
 * undecided: those whose two ends do not round to the same bits, and those with a bound that a process made
 * infinite (extreme magnitudes, or additions that do not round to nearest). One result of floats or integers
 * travels as words at once.
 */
#ifndef EXACTDOT_MPI_RESULTS_H
#define EXACTDOT_MPI_RESULTS_H

#include <exactdot/mpi/bounded.h>
#include <exactdot/mpi/words.h>

enum {
  XD_MPI_CHUNK = 1024,       /* results that are rounded at a time, and of a message that lies on the stack */
  XD_MPI_LONG_CHUNK = 65536, /* results of a message that is allocated; longer calls use several */
  XD_MPI_AS_WORDS = 32,      /* results of so few words travel as words: they are as short, and always decided */
  XD_MPI_CHUNK_BLOCKS = 1 + (3 * XD_MPI_CHUNK) / XD_MPI_WIDTH
};

/* What becomes of the sums; the objects that round words. */
typedef struct xd_mpi_finish {
  int reduction, type, result_type;
  int64_t ddof;
  void* results;
  xd_accumulator* sum; /* of words that are rounded */
  xd_moments* moments; /* the same of a variance */
} xd_mpi_finish;

static inline int xd_mpi_is_moment(int reduction) { return reduction == XD_VARIANCE || reduction == XD_STDDEV; }
static inline int xd_mpi_is_counted(int reduction) { return reduction == XD_MEAN || xd_mpi_is_moment(reduction); }

/* Refuses what no result can come of, before any message. */
static inline xd_status xd_mpi_open_finish(const char* caller, int reduction, int type, int64_t ddof,
                                           int result_type, void* results, size_t k, xd_mpi_finish* finish) {
  xd_status status;
  finish->reduction = reduction, finish->type = type, finish->result_type = result_type, finish->ddof = ddof;
  finish->results = results, finish->sum = NULL, finish->moments = NULL;
  if (reduction == XD_MIN || reduction == XD_MAX || reduction == XD_ARGMIN || reduction == XD_ARGMAX) {
    return xd_mpi_refuse(caller, XD_BAD_OPTION,
                         "extrema are no sums; MPI_MIN, MPI_MAX, MPI_MINLOC and MPI_MAXLOC find them");
  }
  status = xd_round_bounded(reduction, type, 0, NULL, NULL, NULL, ddof, result_type, NULL, NULL);
  if (status == XD_OK && results == NULL && k != 0)
    status = xd_mpi_refuse(caller, XD_NULL_POINTER, "results is null, or in C++ not as long as there are results");
  if (status != XD_OK) return status;
  return xd_mpi_is_moment(reduction) ? xd_moments_create(type, &finish->moments)
                                     : xd_accumulator_create(type, &finish->sum);
}
static inline void xd_mpi_close_finish(xd_mpi_finish* finish) {
  xd_accumulator_destroy(finish->sum);
  xd_moments_destroy(finish->moments);
}

/* Result i from its summed words. */
static inline xd_status xd_mpi_round_words(const xd_mpi_finish* finish, size_t i, const int64_t* words) {
  void* result = (char*)finish->results + i * xd_type_size(finish->result_type);
  const size_t count = xd_accumulator_word_count(finish->type);
  const int to = finish->result_type;
  xd_status status;
  if (xd_mpi_is_moment(finish->reduction)) {
    status = xd_moments_load(finish->moments, words, 1 + 2 * count);
    if (status != XD_OK) return status;
    return finish->reduction == XD_VARIANCE ? xd_moments_variance(finish->moments, finish->ddof, to, result)
                                            : xd_moments_stddev(finish->moments, finish->ddof, to, result);
  }
  status = xd_accumulator_load(finish->sum, words + (finish->reduction == XD_MEAN), count);
  if (status != XD_OK) return status;
  if (finish->reduction == XD_NRM2) return xd_accumulator_round_root(finish->sum, to, result);
  if (finish->reduction == XD_MEAN)
    return xd_accumulator_round_quotient(finish->sum, (uint64_t)words[0], to, result);
  return xd_accumulator_round(finish->sum, to, result);
}

/* A message of the bounded sums of n results: the counts of elements, if the source counts; the sums; the sums of
 * squares; and the number of failing processes. And the list of the results that it leaves undecided. */
typedef struct xd_mpi_message {
  xd_mpi_block* blocks;
  size_t* undecided;
  size_t items, undecided_count;
} xd_mpi_message;

static inline xd_bounded xd_mpi_integer(uint64_t x) {
  xd_bounded sum;
  sum.value = (double)(x >> 32) * 4294967296.0, sum.error = (double)(x & UINT32_MAX), sum.bound = 0;
  return sum;
}
static inline uint64_t xd_mpi_to_integer(xd_bounded x) { return (uint64_t)x.value + (uint64_t)x.error; }

/* Bounded sums of up to XD_MPI_CHUNK results, and numbers of elements. */
typedef struct xd_mpi_bounds {
  xd_bounded sums[XD_MPI_CHUNK], squares[XD_MPI_CHUNK];
  uint64_t counts[XD_MPI_CHUNK];
} xd_mpi_bounds;

static inline xd_status xd_mpi_bounds_from_words(const char* caller, const xd_mpi_source* source, size_t first,
                                                 size_t n, int processes, xd_mpi_bounds* bounds) {
  const size_t state = xd_mpi_state_words(source);
  int64_t words[XD_MPI_MAX_RESULT];
  xd_status status = XD_OK;
  size_t i;
  for (i = 0; i < n && status == XD_OK; ++i) {
    status = xd_mpi_words_of(caller, source, first + i, processes, words);
    if (status != XD_OK) return status;
    if (source->counted) bounds->counts[i] = (uint64_t)words[0];
    status = xd_bound_words(source->type, words + source->counted, state, &bounds->sums[i]);
    if (status != XD_OK || source->states == 1) continue;
    status = xd_bound_words(source->type, words + source->counted + state, state, &bounds->squares[i]);
  }
  return status;
}
static inline xd_status xd_mpi_get_bounds(const char* caller, const xd_mpi_source* source, size_t first, size_t n,
                                          int processes, xd_mpi_bounds* bounds) {
  xd_status status;
  size_t i;
  if (source->bound == NULL) return xd_mpi_bounds_from_words(caller, source, first, n, processes, bounds);
  status = source->bound(source->self, first, n, bounds->sums, bounds->squares, bounds->counts);
  for (i = 0; i < n && source->counted && status == XD_OK; ++i) {
    status = xd_mpi_check_count(caller, bounds->counts[i], processes);
  }
  return status;
}

/* Makes the items of n <= XD_MPI_CHUNK results, from the one at `start` of the message on. */
static inline void xd_mpi_put_bounds(const xd_mpi_source* source, const xd_mpi_selection* chosen, size_t start,
                                     size_t n, int is_standard, xd_mpi_bounds* bounds, xd_mpi_message* message) {
  const size_t counts = start, sums = counts + (source->counted ? chosen->n : 0), squares = sums + chosen->n;
  size_t i;
  for (i = 0; i < n && !is_standard; ++i) bounds->sums[i].bound = bounds->squares[i].bound = (double)INFINITY;
  for (i = 0; i < n && source->counted; ++i) {
    xd_mpi_put(message->blocks, counts + i, xd_mpi_integer(bounds->counts[i]));
  }
  for (i = 0; i < n; ++i) xd_mpi_put(message->blocks, sums + i, bounds->sums[i]);
  for (i = 0; i < n && source->states == 2; ++i) xd_mpi_put(message->blocks, squares + i, bounds->squares[i]);
}

static inline xd_status xd_mpi_fill_message(const char* caller, const xd_mpi_source* source,
                                            const xd_mpi_selection* chosen, int processes, xd_status failed,
                                            xd_mpi_message* message) {
  const int is_standard = xd_mpi_arithmetic_is_standard();
  const xd_bounded zero = {0, 0, 0};
  xd_mpi_bounds bounds;
  size_t start, i;
  message->items = 1 + (source->counted ? chosen->n : 0) + (size_t)source->states * chosen->n;
  message->undecided_count = 0;
  for (start = 0; start < chosen->n && failed == XD_OK; start += XD_MPI_CHUNK) {
    const size_t n = chosen->n - start < XD_MPI_CHUNK ? chosen->n - start : (size_t)XD_MPI_CHUNK;
    failed = xd_mpi_get_bounds(caller, source, chosen->first + start, n, processes, &bounds);
    if (failed == XD_OK) xd_mpi_put_bounds(source, chosen, start, n, is_standard, &bounds, message);
  }
  for (i = failed == XD_OK ? message->items : 0; i < message->items || i % XD_MPI_WIDTH != 0; ++i) {
    xd_mpi_put(message->blocks, i, zero);
  }
  xd_mpi_put(message->blocks, message->items - 1, xd_mpi_integer(failed != XD_OK));
  return failed;
}

/* Stores those of n <= XD_MPI_CHUNK results, from the one at `start` of the message on, that the summed message
 * decides, and lists the others. */
static inline xd_status xd_mpi_round_message(const xd_mpi_finish* finish, const xd_mpi_source* source,
                                             const xd_mpi_selection* chosen, size_t start, size_t n,
                                             xd_mpi_message* message) {
  const size_t first = (source->counted ? chosen->n : 0) + start, index = chosen->first + start;
  xd_mpi_bounds bounds;
  unsigned char decided[XD_MPI_CHUNK];
  size_t i;
  xd_status status;
  for (i = 0; i < n; ++i) bounds.sums[i] = xd_mpi_get(message->blocks, first + i);
  for (i = 0; i < n && source->states == 2; ++i) {
    bounds.squares[i] = xd_mpi_get(message->blocks, first + chosen->n + i);
  }
  for (i = 0; i < n && source->counted; ++i) {
    const xd_bounded count = xd_mpi_get(message->blocks, start + i);
    bounds.counts[i] = xd_mpi_to_integer(count);
    if (count.bound != 0) bounds.sums[i].bound = (double)INFINITY; /* of more than 2^21 processes */
  }
  status = xd_round_bounded(finish->reduction, finish->type, n, bounds.sums, bounds.squares, bounds.counts,
                            finish->ddof, finish->result_type,
                            (char*)finish->results + index * xd_type_size(finish->result_type), decided);
  for (i = 0; i < n && status == XD_OK; ++i) {
    if (!decided[i]) message->undecided[message->undecided_count++] = index + i;
  }
  return status;
}

/* Sums rounded to double, eight at a time: 1 if both ends of every bound round to the same number but 0, which is
 * stored; otherwise 0, and xd_round_bounded looks closer. The bounds are those of exactdot/core/enclosure.hpp. */
static inline int xd_mpi_round_block(const xd_mpi_block* block, double* results) {
  double low[XD_MPI_WIDTH], doubt[XD_MPI_WIDTH], sum = 0;
  int i, zeros = 0;
  for (i = 0; i < XD_MPI_WIDTH; ++i) {
    const double bound = block->bound[i] * 1.0625 + DBL_EPSILON * fabs(block->error[i]);
    low[i] = block->value[i] + (block->error[i] - bound);
    doubt[i] = fabs((block->value[i] + (block->error[i] + bound)) - low[i]); /* NaN of infinities and NaNs */
  }
  for (i = 0; i < XD_MPI_WIDTH; ++i) sum += doubt[i], zeros |= low[i] == 0;
  if (!(sum == 0) || zeros) return 0;
  memcpy(results, low, sizeof low);
  return 1;
}

/* Stores the results that the summed message decides, and lists the others. */
static inline xd_status xd_mpi_round_results(const xd_mpi_finish* finish, const xd_mpi_source* source,
                                             const xd_mpi_selection* chosen, xd_mpi_message* message) {
  const int is_plain = finish->reduction <= XD_SUM_OF_SQUARES && finish->result_type == XD_FLOAT64;
  const size_t most = is_plain ? (size_t)XD_MPI_WIDTH : (size_t)XD_MPI_CHUNK;
  double* results = (double*)finish->results + chosen->first; /* if is_plain */
  xd_status status = XD_OK;
  size_t start, n;
  for (start = 0; start < chosen->n && status == XD_OK; start += n) {
    n = chosen->n - start < most ? chosen->n - start : most;
    if (is_plain && n == most && xd_mpi_round_block(message->blocks + start / most, results + start)) continue;
    status = xd_mpi_round_message(finish, source, chosen, start, n, message);
  }
  return status;
}

/* One collective for the chosen results, and those of xd_mpi_add_words for the undecided. */
static inline xd_status xd_mpi_exchange_bounded(const char* caller, const xd_mpi_finish* finish,
                                                const xd_mpi_source* source, const xd_mpi_selection* chosen,
                                                const xd_mpi_target* target, xd_mpi_message* message,
                                                xd_status* failed) {
  xd_mpi_handles* handles = NULL;
  xd_mpi_selection rest = {NULL, 0, 0};
  int code;
  const xd_status status = xd_mpi_get_handles(caller, &handles);
  if (status != XD_OK) return status;
  *failed = xd_mpi_fill_message(caller, source, chosen, target->processes, *failed, message);
  code = MPI_Allreduce(MPI_IN_PLACE, message->blocks, (int)((message->items + XD_MPI_WIDTH - 1) / XD_MPI_WIDTH),
                       handles->block, handles->add, target->comm);
  if (code != MPI_SUCCESS) return xd_mpi_status(caller, code);
  if (xd_mpi_to_integer(xd_mpi_get(message->blocks, message->items - 1)) != 0) {
    return xd_mpi_share_failure(caller, target->comm, *failed);
  }
  *failed = xd_mpi_round_results(finish, source, chosen, message);
  rest.list = message->undecided, rest.n = message->undecided_count;
  return rest.n == 0 ? XD_OK : xd_mpi_add_words(caller, source, rest, target, failed);
}

/* Up to XD_MPI_CHUNK results, without an allocation that could fail. */
static inline xd_status xd_mpi_add_bounded(const char* caller, const xd_mpi_finish* finish,
                                           const xd_mpi_source* source, const xd_mpi_selection* chosen,
                                           const xd_mpi_target* target, xd_status* failed) {
  xd_mpi_block blocks[XD_MPI_CHUNK_BLOCKS];
  size_t undecided[XD_MPI_CHUNK];
  xd_mpi_message message;
  message.blocks = blocks, message.undecided = undecided;
  return xd_mpi_exchange_bounded(caller, finish, source, chosen, target, &message, failed);
}

/* More. One more collective of 4 bytes tells whether all processes have memory. */
static inline xd_status xd_mpi_add_long_bounded(const char* caller, const xd_mpi_finish* finish,
                                                const xd_mpi_source* source, const xd_mpi_selection* chosen,
                                                const xd_mpi_target* target, xd_status* failed) {
  const size_t blocks = 1 + 3 * chosen->n / XD_MPI_WIDTH;
  xd_mpi_message message;
  int lacking, code;
  xd_status ended = XD_OK;
  message.blocks = (xd_mpi_block*)malloc(blocks * sizeof *message.blocks);
  message.undecided = (size_t*)malloc(chosen->n * sizeof *message.undecided);
  if ((message.blocks == NULL || message.undecided == NULL) && *failed == XD_OK) {
    *failed = xd_mpi_refuse(caller, XD_OUT_OF_MEMORY, "no memory for a message");
  }
  lacking = *failed != XD_OK;
  code = MPI_Allreduce(MPI_IN_PLACE, &lacking, 1, MPI_INT, MPI_MAX, target->comm);
  if (code != MPI_SUCCESS) {
    ended = xd_mpi_status(caller, code);
  } else if (lacking) {
    ended = xd_mpi_share_failure(caller, target->comm, *failed);
  } else {
    ended = xd_mpi_exchange_bounded(caller, finish, source, chosen, target, &message, failed);
  }
  free(message.blocks);
  free(message.undecided);
  return ended;
}

/* All results of a source. source->take must be xd_mpi_round_words of `finish`. */
static inline xd_status xd_mpi_all_results(const char* caller, const xd_mpi_finish* finish,
                                           const xd_mpi_source* source, MPI_Comm comm, xd_status failed) {
  xd_mpi_target target = {MPI_COMM_NULL, -1, 0, 1};
  xd_mpi_selection chosen = {NULL, 0, 0};
  xd_status ended = XD_OK;
  target.comm = comm;
  MPI_Comm_size(comm, &target.processes);
  if (source->k == 0 || source->k * xd_mpi_result_words(source) <= XD_MPI_AS_WORDS) {
    chosen.n = source->k;
    ended = xd_mpi_add_words(caller, source, chosen, &target, &failed);
    return ended == XD_OK ? failed : ended;
  }
  for (; chosen.first < source->k && ended == XD_OK; chosen.first += chosen.n) {
    const size_t rest = source->k - chosen.first;
    chosen.n = rest < XD_MPI_LONG_CHUNK ? rest : (size_t)XD_MPI_LONG_CHUNK;
    ended = chosen.n <= XD_MPI_CHUNK ? xd_mpi_add_bounded(caller, finish, source, &chosen, &target, &failed)
                                     : xd_mpi_add_long_bounded(caller, finish, source, &chosen, &target, &failed);
  }
  return ended == XD_OK ? failed : ended;
}

#endif
