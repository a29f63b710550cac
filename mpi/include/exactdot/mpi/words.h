/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of words over all processes: whole states or windows of them in one collective, or of many states the limbs
 * in use.
 *
 * Few words travel as they are, with one more word that counts failing processes; few states of many words as
 * windows (window.h). Many words: one collective of four integers agrees on the range of limbs that any state uses
 * and tells failures, a second one adds the limbs in this range. The highest carries the sign; its carries are
 * propagated afterwards.
 */
#ifndef EXACTDOT_MPI_WORDS_H
#define EXACTDOT_MPI_WORDS_H

#include <exactdot/mpi/source.h>

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
  int i;
  memset(state, 0, (size_t)(limbs + 4) * sizeof *state);
  for (i = (int)range->low; i < (int)range->high; ++i) state[i] = *from++;
  if (range->high > range->low && range->high < limbs) xd_mpi_carry(state, range->high - 1, range->high, limbs);
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

/* What the root tells of summed windows: failing processes, and the range of their limbs where they do not fit. */
typedef struct xd_mpi_outcome {
  int64_t failures, fits;
  xd_mpi_range range;
} xd_mpi_outcome;

static inline void xd_mpi_look_at_windows(const xd_mpi_window* windows, size_t n, int limbs,
                                          xd_mpi_outcome* outcome) {
  size_t i;
  outcome->failures = windows[0].flags & UINT32_MAX, outcome->fits = 1;
  outcome->range.low = limbs, outcome->range.high = 0, outcome->range.special = 0;
  for (i = 0; i < n; ++i) {
    outcome->fits &= xd_mpi_window_fits(windows + i);
    if (windows[i].flags >> 32 != 0) outcome->range.special = 1;
    if (-windows[i].minus_low < outcome->range.low) outcome->range.low = -windows[i].minus_low;
    if (windows[i].high > outcome->range.high) outcome->range.high = windows[i].high;
  }
}

/* Windows of the words of the selected results, added over the processes. */
static inline xd_status xd_mpi_sum_windows(const char* caller, const xd_mpi_source* source,
                                           const xd_mpi_selection* chosen, const xd_mpi_target* target,
                                           xd_status failed, const int64_t* words, xd_mpi_window* windows,
                                           xd_mpi_outcome* outcome) {
  const size_t each = xd_mpi_result_words(source), states = (size_t)source->states, n = chosen->n * states;
  const int limbs = (int)xd_mpi_state_words(source) - 4;
  xd_mpi_window room[XD_MPI_FEW_WINDOWS];
  xd_mpi_handles* handles = NULL;
  size_t i;
  int code;
  const xd_status status = xd_mpi_get_handles(caller, &handles);
  if (status != XD_OK) return status;
  for (i = 0; i < n; ++i) {
    const int64_t* result = words + i / states * each;
    xd_mpi_to_window(result + source->counted + i % states * (size_t)(limbs + 4), limbs, windows + i);
    if (source->counted) windows[i].count = result[0];
  }
  windows[0].flags += failed != XD_OK;
  code = xd_mpi_sum_items(target, handles->window, handles->add_windows, windows, n, XD_MPI_WINDOW_WORDS, room);
  if (code == MPI_SUCCESS) xd_mpi_look_at_windows(windows, n, limbs, outcome);
  if (code == MPI_SUCCESS && target->root >= 0) {
    code = MPI_Bcast(outcome, sizeof *outcome / sizeof(int64_t), MPI_INT64_T, target->root, target->comm);
  }
  return xd_mpi_status(caller, code);
}

/* One collective of up to XD_MPI_FEW_WINDOWS windows; one more, of limbs, if they do not fit. */
static inline xd_status xd_mpi_add_by_windows(const char* caller, const xd_mpi_source* source,
                                              const xd_mpi_selection* chosen, const xd_mpi_target* target,
                                              xd_status* failed) {
  const size_t each = xd_mpi_result_words(source), states = (size_t)source->states;
  const int limbs = (int)xd_mpi_state_words(source) - 4;
  int64_t words[XD_MPI_FEW_WINDOWS * (XD_MPI_MAX_STATE + 1)];
  int64_t message[XD_MPI_FEW_WINDOWS * (XD_MPI_MAX_STATE + 1)], room[XD_MPI_FEW_WINDOWS * (XD_MPI_MAX_STATE + 1)];
  xd_mpi_window windows[XD_MPI_FEW_WINDOWS];
  xd_mpi_outcome outcome;
  xd_status status;
  size_t i;
  *failed = xd_mpi_collect(caller, source, chosen, target->processes, *failed, words);
  status = xd_mpi_sum_windows(caller, source, chosen, target, *failed, words, windows, &outcome);
  if (status != XD_OK) return status;
  if (outcome.failures != 0) return xd_mpi_share_failure(caller, target->comm, *failed);
  if (!outcome.fits) {
    status = xd_mpi_add_limbs(caller, source, chosen->n, target, &outcome.range, words, message, room);
    if (status != XD_OK) return status;
  }
  if (target->root >= 0 && target->rank != target->root) return XD_OK;
  for (i = 0; outcome.fits && i < chosen->n * states; ++i) {
    int64_t* result = words + i / states * each;
    if (source->counted) result[0] = windows[i].count;
    xd_mpi_from_window(windows + i, limbs, result + source->counted + i % states * (size_t)(limbs + 4));
  }
  *failed = xd_mpi_take(source, chosen, words);
  return XD_OK;
}

/* Adds the words of the selected results over the processes and hands them to source->take. *failed: a failure of
 * this process, which the next message tells; afterwards one of source->take, which no message has told. Returns
 * the failure that ended the exchange for all. */
static inline xd_status xd_mpi_add_words(const char* caller, const xd_mpi_source* source, xd_mpi_selection chosen,
                                         const xd_mpi_target* target, xd_status* failed) {
  size_t rest = chosen.n;
  xd_status ended = XD_OK;
  const int is_wide = xd_mpi_state_words(source) > XD_MPI_AS_WORDS;
  if (is_wide && chosen.n != 0 && chosen.n <= (size_t)(XD_MPI_FEW_WINDOWS / source->states)) {
    return xd_mpi_add_by_windows(caller, source, &chosen, target, failed);
  }
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
