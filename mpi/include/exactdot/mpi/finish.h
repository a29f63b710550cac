/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of the summed words of a result: one rounding of the sum, its root, its mean or variance.
 *
 * Words are rounded in one object that all results of a call share; bounded sums need none. Cost: some 0.2
 * microseconds a result.
 */
#ifndef EXACTDOT_MPI_FINISH_H
#define EXACTDOT_MPI_FINISH_H

#include <exactdot/mpi/source.h>

/* What becomes of the sums; the objects that round words. */
typedef struct xd_mpi_finish {
  const char* caller;
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
  finish->caller = caller, finish->reduction = reduction, finish->type = type, finish->result_type = result_type,
  finish->ddof = ddof;
  finish->results = results, finish->sum = NULL, finish->moments = NULL;
  if (reduction == XD_MIN || reduction == XD_MAX || reduction == XD_ARGMIN || reduction == XD_ARGMAX) {
    return xd_mpi_refuse(caller, XD_BAD_OPTION,
                         "extrema are no sums; MPI_MIN, MPI_MAX, MPI_MINLOC and MPI_MAXLOC find those of data "
                         "without NaN and zeros of both signs");
  }
  status = xd_round_bounded(reduction, type, 0, NULL, NULL, NULL, ddof, result_type, NULL, NULL);
  if (status == XD_OK && results == NULL && k != 0)
    status = xd_mpi_refuse(caller, XD_NULL_POINTER, "results is null");
  return status;
}
/* Makes the object that rounds words, before the message that brings them: a failure is told there. */
static inline xd_status xd_mpi_ready_finish(xd_mpi_finish* finish) {
  if (finish->sum != NULL || finish->moments != NULL) return XD_OK;
  return xd_mpi_is_moment(finish->reduction) ? xd_moments_create(finish->type, &finish->moments)
                                             : xd_accumulator_create(finish->type, &finish->sum);
}
static inline void xd_mpi_close_finish(xd_mpi_finish* finish) {
  xd_accumulator_destroy(finish->sum);
  xd_moments_destroy(finish->moments);
}

static inline xd_status xd_mpi_round_state(const xd_mpi_finish* finish, const int64_t* words, void* result) {
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

/* Result i from its summed words. The sentence of a failure names the call and the result. */
static inline xd_status xd_mpi_round_words(const xd_mpi_finish* finish, size_t i, const int64_t* words) {
  char text[512];
  const char* reason;
  const xd_status status =
      xd_mpi_round_state(finish, words, (char*)finish->results + i * xd_type_size(finish->result_type));
  if (status == XD_OK) return XD_OK;
  reason = strstr(xd_message(), ": ");
  snprintf(text, sizeof text, "result %llu: %s", (unsigned long long)i, reason == NULL ? xd_message() : reason + 2);
  return xd_mpi_refuse(finish->caller, status, text);
}

#endif
