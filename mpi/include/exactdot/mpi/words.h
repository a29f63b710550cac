/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of words over all processes: whole states in one collective, or of many states the limbs in use.
 *
 * A source has k results. Each has, in this order, the number of its elements if the source counts them, and the
 * words of one or two states. Few words travel as they are, with one more word that counts failing processes. Many
 * words: one collective of four integers agrees on the range of limbs that any state uses and tells failures, a
 * second one adds the limbs in this range. The highest carries the sign; its carries are propagated afterwards.
 */
#ifndef EXACTDOT_MPI_WORDS_H
#define EXACTDOT_MPI_WORDS_H

#include <exactdot/mpi/calls.h>
#include <stdlib.h>

enum {
  XD_MPI_MAX_STATE = 138, /* words of the widest state */
  XD_MPI_MAX_RESULT = 1 + 2 * XD_MPI_MAX_STATE,
  XD_MPI_FEW_WORDS = 320,    /* up to this many travel as they are */
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

/* Adds `count` words in place. With a root into `room`, and then back: MPICH 4.0 crashes where a root that is not
 * rank 0 receives in place. `room` may be null without a root. */
static inline int xd_mpi_sum_words(const xd_mpi_target* target, int64_t* words, size_t count, int64_t* room) {
  int code;
  if (target->root < 0) return MPI_Allreduce(MPI_IN_PLACE, words, (int)count, MPI_INT64_T, MPI_SUM, target->comm);
  code = MPI_Reduce(words, room, (int)count, MPI_INT64_T, MPI_SUM, target->root, target->comm);
  if (code == MPI_SUCCESS && target->rank == target->root) memcpy(words, room, count * sizeof *words);
  return code;
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

static inline xd_status xd_mpi_take(const xd_mpi_source* source, const xd_mpi_selection* chosen,
                                    const int64_t* words) {
  const size_t each = xd_mpi_result_words(source);
  xd_status failed = XD_OK;
  size_t i;
  for (i = 0; i < chosen->n; ++i) {
    const xd_status status = source->take(source->self, xd_mpi_selected(chosen, i), words + i * each);
    if (failed == XD_OK) failed = status;
  }
  return failed;
}

/* One collective, and a second one, of the flag, if the sum has a root. */
static inline xd_status xd_mpi_add_few_words(const char* caller, const xd_mpi_source* source,
                                             const xd_mpi_selection* chosen, const xd_mpi_target* target,
                                             xd_status* failed) {
  int64_t words[XD_MPI_FEW_WORDS + 1], room[XD_MPI_FEW_WORDS + 1];
  const size_t count = chosen->n * xd_mpi_result_words(source);
  int code;
  *failed = xd_mpi_collect(caller, source, chosen, target->processes, *failed, words);
  words[count] = *failed != XD_OK;
  code = xd_mpi_sum_words(target, words, count + 1, room);
  if (code == MPI_SUCCESS && target->root >= 0)
    code = MPI_Bcast(&words[count], 1, MPI_INT64_T, target->root, target->comm);
  if (code != MPI_SUCCESS) return xd_mpi_status(caller, code);
  if (words[count] != 0) return xd_mpi_share_failure(caller, target->comm, *failed);
  if (target->root < 0 || target->rank == target->root) *failed = xd_mpi_take(source, chosen, words);
  return XD_OK;
}

/* The limbs in use: from `low` to before `high`, and whether any state counts NaNs or infinities. */
typedef struct xd_mpi_range {
  int64_t low, high, special;
} xd_mpi_range;

static inline void xd_mpi_extend_range(xd_mpi_range* range, const int64_t* state, int limbs) {
  const int64_t sign = state[limbs - 1] < 0 ? (int64_t)UINT32_MAX : 0;
  int low = 0, high = limbs;
  while (low < limbs && state[low] == 0) ++low;
  if (state[limbs] != 0 || state[limbs + 1] != 0 || state[limbs + 2] != 0) range->special = 1;
  if (low == limbs) return;
  if (state[limbs - 1] == (sign == 0 ? 0 : -1)) {
    --high;
    while (high > low + 1 && state[high - 1] == sign) --high;
  }
  if (high <= low) high = low + 1;
  if (low < range->low) range->low = low;
  if (high > range->high) range->high = high;
}

/* The limbs of the range, the highest with the sign of the state; then the three counts, if any state has some. */
static inline int64_t* xd_mpi_pack(const xd_mpi_range* range, const int64_t* state, int limbs, int64_t* to) {
  int i;
  for (i = (int)range->low; i < (int)range->high; ++i) *to++ = state[i];
  if (range->high > range->low && range->high < limbs && state[limbs - 1] < 0) to[-1] -= (int64_t)1 << 32;
  for (i = 0; i < 3 && range->special; ++i) *to++ = state[limbs + i];
  return to;
}
static inline const int64_t* xd_mpi_unpack(const xd_mpi_range* range, const int64_t* from, int limbs, int processes,
                                           int64_t* state) {
  int64_t carry = 0;
  int i;
  memset(state, 0, (size_t)(limbs + 4) * sizeof *state);
  for (i = (int)range->low; i < (int)range->high; ++i) state[i] = *from++;
  if (range->high > range->low &&
      range->high < limbs) { /* >> keeps the sign, as every compiler of this header does */
    carry = state[range->high - 1] >> 32;
    state[range->high - 1] &= UINT32_MAX;
    for (i = (int)range->high; i < limbs - 1; ++i, carry >>= 32) state[i] = carry & UINT32_MAX;
    state[limbs - 1] = carry;
  }
  for (i = 0; i < 3 && range->special; ++i) state[limbs + i] = *from++;
  state[limbs + 3] = processes;
  return from;
}

/* Agrees on the range; a failure of any process ends the exchange for all. */
static inline xd_status xd_mpi_agree(const char* caller, const xd_mpi_target* target, xd_mpi_range* range,
                                     xd_status failed) {
  int64_t mine[4], all[4];
  int code;
  mine[0] = -range->low, mine[1] = range->high, mine[2] = range->special, mine[3] = failed != XD_OK;
  code = MPI_Allreduce(mine, all, 4, MPI_INT64_T, MPI_MAX, target->comm);
  if (code != MPI_SUCCESS) return xd_mpi_status(caller, code);
  if (all[3] != 0) return xd_mpi_share_failure(caller, target->comm, failed);
  range->low = -all[0], range->high = all[1], range->special = all[2];
  return XD_OK;
}

/* Packs the words of n results in place, adds them over the processes and unpacks them. */
static inline xd_status xd_mpi_add_limbs(const char* caller, const xd_mpi_source* source, size_t n,
                                         const xd_mpi_target* target, const xd_mpi_range* range, int64_t* words,
                                         int64_t* message, int64_t* room) {
  const int limbs = (int)xd_mpi_state_words(source) - 4;
  const size_t each = xd_mpi_result_words(source);
  int64_t* to = message;
  const int64_t* from = message;
  size_t i;
  int k, code;
  for (i = 0; i < n; ++i) {
    const int64_t* result = words + i * each;
    if (source->counted) *to++ = *result++;
    for (k = 0; k < source->states; ++k, result += limbs + 4) to = xd_mpi_pack(range, result, limbs, to);
  }
  code = to == message ? MPI_SUCCESS : xd_mpi_sum_words(target, message, (size_t)(to - message), room);
  if (code != MPI_SUCCESS) return xd_mpi_status(caller, code);
  for (i = 0; i < n; ++i) {
    int64_t* result = words + i * each;
    if (source->counted) *result++ = *from++;
    for (k = 0; k < source->states; ++k, result += limbs + 4) {
      from = xd_mpi_unpack(range, from, limbs, target->processes, result);
    }
  }
  return XD_OK;
}

/* Two collectives for up to XD_MPI_MANY_RESULTS results. */
static inline xd_status xd_mpi_add_many_words(const char* caller, const xd_mpi_source* source,
                                              const xd_mpi_selection* chosen, const xd_mpi_target* target,
                                              xd_status* failed) {
  const size_t each = xd_mpi_result_words(source), count = chosen->n * each;
  const int limbs = (int)xd_mpi_state_words(source) - 4;
  int64_t* words = (int64_t*)malloc((target->root < 0 ? 2 : 3) * count * sizeof *words);
  xd_mpi_range range;
  size_t i;
  int k;
  xd_status status;
  range.low = limbs, range.high = 0, range.special = 0;
  if (words == NULL && *failed == XD_OK)
    *failed = xd_mpi_refuse(caller, XD_OUT_OF_MEMORY, "no memory for a message");
  if (words != NULL) *failed = xd_mpi_collect(caller, source, chosen, target->processes, *failed, words);
  for (i = 0; i < chosen->n && *failed == XD_OK; ++i) {
    for (k = 0; k < source->states; ++k) {
      xd_mpi_extend_range(&range, words + i * each + source->counted + k * (limbs + 4), limbs);
    }
  }
  status = xd_mpi_agree(caller, target, &range, *failed);
  if (status == XD_OK) {
    status = xd_mpi_add_limbs(caller, source, chosen->n, target, &range, words, words + count,
                              target->root < 0 ? NULL : words + 2 * count);
  }
  if (status == XD_OK && (target->root < 0 || target->rank == target->root)) {
    *failed = xd_mpi_take(source, chosen, words);
  }
  free(words);
  return status;
}

/* Adds the words of the selected results over the processes and hands them to source->take. *failed: a failure of
 * this process, which the next message tells; afterwards one of source->take, which no message has told. Returns
 * the failure that ended the exchange for all. */
static inline xd_status xd_mpi_add_words(const char* caller, const xd_mpi_source* source, xd_mpi_selection chosen,
                                         const xd_mpi_target* target, xd_status* failed) {
  size_t rest = chosen.n;
  xd_status ended = XD_OK;
  if (chosen.n * xd_mpi_result_words(source) <= XD_MPI_FEW_WORDS) {
    return xd_mpi_add_few_words(caller, source, &chosen, target, failed);
  }
  for (; rest != 0 && ended == XD_OK; rest -= chosen.n) {
    chosen.n = rest < XD_MPI_MANY_RESULTS ? rest : (size_t)XD_MPI_MANY_RESULTS;
    ended = xd_mpi_add_many_words(caller, source, &chosen, target, failed);
    if (chosen.list == NULL)
      chosen.first += chosen.n;
    else
      chosen.list += chosen.n;
  }
  return ended;
}

#endif
