/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message of bounded sums: how a source fills it, and the results that it decides.
 *
 * Both go over the message tile by tile, so that what they copy stays in the first-level cache: 10,000 results take
 * 160 KB. Sums that are rounded to double take a test of eight at a time, without branches; all others
 * xd_round_bounded.
 */
#ifndef EXACTDOT_MPI_MESSAGE_H
#define EXACTDOT_MPI_MESSAGE_H

#include <exactdot/mpi/finish.h>

enum { XD_MPI_TILE = 256, XD_MPI_SHORT = 64 };

/* The bounded sums of n results; their sums of squares, if a result has two states; their numbers of elements, if
 * the source counts; and the number of failing processes. And the list of the results that it leaves undecided. */
typedef struct xd_mpi_message {
  xd_mpi_block* blocks;
  size_t* undecided;
  size_t squares, counts, failures; /* their first items; that of the sums is 0 */
  size_t undecided_count;
} xd_mpi_message;

/* Items of n results: of long messages whole blocks. */
static inline size_t xd_mpi_region(size_t n) {
  return n < XD_MPI_SHORT ? n : (n + XD_MPI_WIDTH - 1) / XD_MPI_WIDTH * XD_MPI_WIDTH;
}
static inline void xd_mpi_open_message(const xd_mpi_source* source, size_t n, xd_mpi_message* message) {
  message->squares = xd_mpi_region(n);
  message->counts = message->squares * (size_t)source->states;
  message->failures = message->counts + (source->counted ? message->squares : 0);
  message->undecided_count = 0;
}
static inline size_t xd_mpi_blocks_of(const xd_mpi_message* message) {
  return message->failures / XD_MPI_WIDTH + 1;
}

/* An integer below 2^62 without a loss, also as a sum over processes below 2^63. */
static inline xd_bounded xd_mpi_integer(uint64_t x) {
  xd_bounded sum;
  sum.value = (double)x, sum.error = (double)((int64_t)x - (int64_t)sum.value), sum.bound = 0;
  return sum;
}
/* The value of a sum just below 2^63 may be 2^63 itself, with a negative error. */
static inline uint64_t xd_mpi_to_integer(xd_bounded x) { return (uint64_t)x.value + (uint64_t)(int64_t)x.error; }

/* Of a tile of results. */
typedef struct xd_mpi_bounds {
  xd_bounded sums[XD_MPI_TILE], squares[XD_MPI_TILE];
  uint64_t counts[XD_MPI_TILE];
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

/* Makes the items of a tile, from result `start` of the message on. */
static inline void xd_mpi_put_bounds(const xd_mpi_source* source, size_t start, size_t n, int is_standard,
                                     xd_mpi_bounds* bounds, const xd_mpi_message* message) {
  size_t i;
  for (i = 0; i < n && !is_standard; ++i) bounds->sums[i].bound = bounds->squares[i].bound = (double)INFINITY;
  xd_mpi_put_items(message->blocks, start, bounds->sums, n);
  if (source->states == 2) xd_mpi_put_items(message->blocks, message->squares + start, bounds->squares, n);
  for (i = 0; i < n && source->counted; ++i) {
    xd_mpi_put(message->blocks, message->counts + start + i, xd_mpi_integer(bounds->counts[i]));
  }
}

/* Fetches the lines of a tile for writing. After a message the other process has copies of them, and each first
 * store would wait for their invalidation: filling 10,000 results takes a third less. */
static inline void xd_mpi_prefetch_tile(const xd_mpi_message* message, size_t start) {
#if defined(__x86_64__) && defined(__GNUC__)
  const char* at = (const char*)(message->blocks + start / XD_MPI_WIDTH);
  size_t i;
  for (i = 0; i < (size_t)XD_MPI_TILE / XD_MPI_WIDTH * sizeof *message->blocks; i += 64) {
    __asm__ volatile("prefetchw %0" : : "m"(at[i]));
  }
#else
  (void)message, (void)start;
#endif
}

/* Zeros from item `first` to before `last`. */
static inline void xd_mpi_put_zeros(const xd_mpi_message* message, size_t first, size_t last) {
  const xd_bounded zero = {0, 0, 0};
  size_t i;
  for (i = first; i < last; ++i) xd_mpi_put(message->blocks, i, zero);
}

static inline xd_status xd_mpi_fill_message(const char* caller, const xd_mpi_source* source,
                                            const xd_mpi_selection* chosen, int processes, xd_status failed,
                                            xd_mpi_message* message) {
  const int is_standard = xd_mpi_arithmetic_is_standard();
  const size_t items = xd_mpi_blocks_of(message) * XD_MPI_WIDTH, region = message->squares;
  xd_mpi_bounds bounds;
  size_t start, i;
  for (start = 0; start < chosen->n && failed == XD_OK; start += XD_MPI_TILE) {
    const size_t n = chosen->n - start < XD_MPI_TILE ? chosen->n - start : (size_t)XD_MPI_TILE;
    if (start + 2 * XD_MPI_TILE <= chosen->n) xd_mpi_prefetch_tile(message, start + XD_MPI_TILE);
    failed = xd_mpi_get_bounds(caller, source, chosen->first + start, n, processes, &bounds);
    if (failed == XD_OK) xd_mpi_put_bounds(source, start, n, is_standard, &bounds, message);
  }
  if (failed != XD_OK) {
    xd_mpi_put_zeros(message, 0, message->failures);
  } else {
    for (i = region; i <= message->failures; i += region) xd_mpi_put_zeros(message, i - region + chosen->n, i);
  }
  xd_mpi_put_zeros(message, message->failures, items);
  xd_mpi_put(message->blocks, message->failures, xd_mpi_integer(failed != XD_OK));
  return failed;
}

/* Stores those of a tile of n results, from the one at `start` of the message on, that the summed message decides,
 * and lists the others. */
static inline xd_status xd_mpi_round_tile(const xd_mpi_finish* finish, const xd_mpi_source* source,
                                          const xd_mpi_selection* chosen, size_t start, size_t n,
                                          xd_mpi_message* message) {
  const size_t index = chosen->first + start;
  xd_mpi_bounds bounds;
  unsigned char decided[XD_MPI_TILE];
  size_t i;
  xd_status status;
  for (i = 0; i < n; ++i) bounds.sums[i] = xd_mpi_get(message->blocks, start + i);
  for (i = 0; i < n && source->states == 2; ++i) {
    bounds.squares[i] = xd_mpi_get(message->blocks, message->squares + start + i);
  }
  for (i = 0; i < n && source->counted; ++i) {
    const xd_bounded count = xd_mpi_get(message->blocks, message->counts + start + i);
    bounds.counts[i] = xd_mpi_to_integer(count);
    if (count.bound != 0) bounds.sums[i].bound = (double)INFINITY; /* never here: no sum loses bits */
  }
  status = xd_round_bounded(finish->reduction, finish->type, n, bounds.sums, bounds.squares, bounds.counts,
                            finish->ddof, finish->result_type,
                            (char*)finish->results + index * xd_type_size(finish->result_type), decided);
  for (i = 0; i < n && status == XD_OK; ++i) {
    if (!decided[i]) message->undecided[message->undecided_count++] = index + i;
  }
  return status;
}

/* Stores the results that the summed message decides, and lists the others. */
static inline xd_status xd_mpi_round_results(const xd_mpi_finish* finish, const xd_mpi_source* source,
                                             const xd_mpi_selection* chosen, xd_mpi_message* message) {
  const int is_plain = finish->reduction <= XD_SUM_OF_SQUARES && finish->result_type == XD_FLOAT64;
  const size_t most = is_plain ? (size_t)XD_MPI_WIDTH : (size_t)XD_MPI_TILE;
  double* results = (double*)finish->results + chosen->first; /* if is_plain */
  xd_status status = XD_OK;
  size_t start, n;
  for (start = 0; start < chosen->n && status == XD_OK; start += n) {
    n = chosen->n - start < most ? chosen->n - start : most;
    if (is_plain && n == most && xd_mpi_round_block(message->blocks + start / most, results + start)) continue;
    status = xd_mpi_round_tile(finish, source, chosen, start, n, message);
  }
  return status;
}

#endif
