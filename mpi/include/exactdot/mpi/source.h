/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A source: what has k results, and the words of each; and what every exchange of words does with it.
 *
 * The words of a result are, in this order, the number of its elements if the source counts them, and the words of
 * one or two states.
 */
#ifndef EXACTDOT_MPI_SOURCE_H
#define EXACTDOT_MPI_SOURCE_H

#include <exactdot/mpi/handles.h>

enum {
  XD_MPI_MAX_STATE = 138, /* words of the widest state */
  XD_MPI_MAX_RESULT = 1 + 2 * XD_MPI_MAX_STATE,
  XD_MPI_FEW_WORDS = 320, /* up to this many travel in one collective */
  XD_MPI_FEW_WINDOWS = XD_MPI_FEW_WORDS / XD_MPI_WINDOW_WORDS,
  XD_MPI_AS_WORDS = 32,     /* up to this many words need no shorter form */
  XD_MPI_MANY_RESULTS = 512 /* of one message; longer calls use several */
};

typedef struct xd_mpi_source {
  void* self;
  size_t k;
  int type;    /* the element type */
  int states;  /* of a result: 1, or 2 of a variance */
  int counted; /* whether the number of elements travels */
  /* Stores the canonical words of result i. */
  xd_status (*words)(void* self, size_t i, int64_t* words);
  /* Stores the bounded sums of n results from `first` on, of two states the second ones in `squares`, and their
   * numbers of elements; or null: they follow from the words. */
  xd_status (*bound)(void* self, size_t first, size_t n, xd_bounded* sums, xd_bounded* squares, uint64_t* counts);
  /* Takes the summed words of result i. */
  xd_status (*take)(void* self, size_t i, const int64_t* words);
} xd_mpi_source;

static inline size_t xd_mpi_state_words(const xd_mpi_source* source) {
  return xd_accumulator_word_count(source->type);
}
static inline size_t xd_mpi_result_words(const xd_mpi_source* source) {
  return (size_t)source->counted + (size_t)source->states * xd_mpi_state_words(source);
}

/* A count that the sum over all processes might wrap is refused. */
static inline xd_status xd_mpi_check_count(const char* caller, uint64_t count, int processes) {
  if (count <= (uint64_t)(INT64_MAX / processes)) return XD_OK;
  return xd_mpi_refuse(caller, XD_HEADROOM, "the number of elements may pass 2^63 - 1 over all ranks");
}
static inline xd_status xd_mpi_words_of(const char* caller, const xd_mpi_source* source, size_t i, int processes,
                                        int64_t* words) {
  const xd_status status = source->words(source->self, i, words);
  if (status != XD_OK || !source->counted) return status;
  return xd_mpi_check_count(caller, (uint64_t)words[0], processes);
}

/* How the results of one exchange are added: by MPI_Allreduce, or by MPI_Reduce at `root`. */
typedef struct xd_mpi_target {
  MPI_Comm comm;
  int root; /* -1: all processes */
  int rank, processes;
} xd_mpi_target;

/* Adds `count` items of `size` words in place. With a root into `room`, and then back: MPICH 4.0 crashes where a
 * root that is not rank 0 receives in place. `room` may be null without a root. */
static inline int xd_mpi_sum_items(const xd_mpi_target* target, MPI_Datatype type, MPI_Op add, void* items,
                                   size_t count, size_t size, void* room) {
  int code;
  if (target->root < 0) return MPI_Allreduce(MPI_IN_PLACE, items, (int)count, type, add, target->comm);
  code = MPI_Reduce(items, room, (int)count, type, add, target->root, target->comm);
  if (code == MPI_SUCCESS && target->rank == target->root) memcpy(items, room, count * size * sizeof(int64_t));
  return code;
}
static inline int xd_mpi_sum_words(const xd_mpi_target* target, int64_t* words, size_t count, int64_t* room) {
  return xd_mpi_sum_items(target, MPI_INT64_T, MPI_SUM, words, count, 1, room);
}

/* The results that an exchange concerns: the first `n` of `list`, or with a null list those from `first` on. */
typedef struct xd_mpi_selection {
  const size_t* list;
  size_t first, n;
} xd_mpi_selection;
static inline size_t xd_mpi_selected(const xd_mpi_selection* chosen, size_t i) {
  return chosen->list == NULL ? chosen->first + i : chosen->list[i];
}

/* Stores the words of all selected results, or zeros after a failure. */
static inline xd_status xd_mpi_collect(const char* caller, const xd_mpi_source* source,
                                       const xd_mpi_selection* chosen, int processes, xd_status failed,
                                       int64_t* words) {
  const size_t each = xd_mpi_result_words(source);
  size_t i;
  for (i = 0; i < chosen->n && failed == XD_OK; ++i) {
    failed = xd_mpi_words_of(caller, source, xd_mpi_selected(chosen, i), processes, words + i * each);
  }
  if (failed != XD_OK) memset(words, 0, chosen->n * each * sizeof *words);
  return failed;
}

/* Hands over the summed words, up to the first failure: the lowest result whose sum does not fit. */
static inline xd_status xd_mpi_take(const xd_mpi_source* source, const xd_mpi_selection* chosen,
                                    const int64_t* words) {
  const size_t each = xd_mpi_result_words(source);
  xd_status failed = XD_OK;
  size_t i;
  for (i = 0; i < chosen->n && failed == XD_OK; ++i) {
    failed = source->take(source->self, xd_mpi_selected(chosen, i), words + i * each);
  }
  return failed;
}

#endif
