/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exactdot over MPI, for C99: exact sums, dots, norms, means and variances of data that are distributed over the
 * processes of a communicator. Header only: over exactdot.h (libexactdot_c) and MPI 3.0's C interface.
 *
 * Results have the bits of the same call on all data in one process: no number of ranks, no partition, no order, no
 * MPI library changes a bit (docs/mpi.md). Every function is collective: all processes of the communicator call it
 * with the same number of results and the same types. A failure of one process is returned by all, with the
 * sentence of the lowest failing rank in xd_message(), and nobody waits. Four exceptions, which no message can
 * tell: a process that has no usable communicator, one that gives a null pointer to rows, one whose
 * xd_mpi_iallreduce finds no memory, and one that does not know the others' element type (an unknown type, a null
 * pointer in place of a vector or an accumulator): its message has the length for doubles. If the others hold
 * another type, MPI reports that, or aborts, as for calls that do not match; with `check` all processes return.
 */
#ifndef EXACTDOT_MPI_H
#define EXACTDOT_MPI_H

#include <exactdot/mpi/complex.h>
#include <exactdot/mpi/requests.h>
#include <exactdot/mpi/sources.h>

/* All zero, or a null pointer: the defaults. */
typedef struct xd_mpi_options {
  int check; /* 1: compare the number of results and the types over all processes before the exchange, by
              * one more collective of 80 bytes; XD_SIZE_MISMATCH names what differs */
  const xd_options* local; /* of the local computation; null: the defaults, and one thread if MPI was initialized
                            * for one (MPI_THREAD_SINGLE) */
} xd_mpi_options;

static inline int xd_mpi_checks(const xd_mpi_options* options) { return options != NULL && options->check; }

/* ---- Accumulators ---- */

static inline xd_status xd_mpi_merge(const char* caller, const xd_mpi_source* source, int root, MPI_Comm comm,
                                     const xd_mpi_options* options, xd_status failed) {
  xd_mpi_target target = {MPI_COMM_NULL, -1, 0, 1};
  xd_mpi_selection all = {NULL, 0, 0};
  xd_status ended = XD_OK;
  target.comm = comm, target.root = root, all.n = source->k;
  MPI_Comm_rank(comm, &target.rank);
  MPI_Comm_size(comm, &target.processes);
  if (root >= target.processes) {
    return xd_mpi_refuse(caller, XD_BAD_OPTION, "the root is no rank of the communicator");
  }
  if (xd_mpi_checks(options)) ended = xd_mpi_compare(caller, comm, source->k, source->type, -1, root);
  if (ended == XD_OK) ended = xd_mpi_add_words(caller, source, all, &target, &failed);
  return ended == XD_OK ? failed : ended;
}

/* Each of k accumulators becomes its sum over all processes, on all of them. One collective: of up to 320 words, or
 * of doubles up to 16 windows of 160 bytes, and one more if their limbs span more than 512 bits. Beyond, two: one
 * of 4 integers, one of the limbs in use. Errors: XD_NULL_POINTER, XD_BAD_OPTION (element types differ),
 * XD_HEADROOM, XD_OUT_OF_MEMORY, XD_COMMUNICATION, XD_SIZE_MISMATCH (options->check). After a failure some
 * accumulators may have their sum. */
static inline xd_status xd_mpi_allreduce(xd_accumulator* const* accumulators, size_t k, MPI_Comm comm,
                                         const xd_mpi_options* options) {
  xd_mpi_states states;
  xd_mpi_source source;
  const xd_status status = xd_mpi_check_communicator("xd_mpi_allreduce", comm);
  if (status != XD_OK) return status;
  return xd_mpi_merge("xd_mpi_allreduce", &source, -1, comm, options,
                      xd_mpi_open_accumulators("xd_mpi_allreduce", accumulators, k, &states, &source));
}

/* The same at rank `root`; other processes keep their accumulators. Costs one more message of 8 or 40 bytes, which
 * tells all whether a process has failed. */
static inline xd_status xd_mpi_reduce(xd_accumulator* const* accumulators, size_t k, int root, MPI_Comm comm,
                                      const xd_mpi_options* options) {
  xd_mpi_states states;
  xd_mpi_source source;
  const xd_status status = xd_mpi_check_communicator("xd_mpi_reduce", comm);
  if (status != XD_OK) return status;
  if (root < 0) return xd_mpi_refuse("xd_mpi_reduce", XD_BAD_OPTION, "the root is no rank of the communicator");
  return xd_mpi_merge("xd_mpi_reduce", &source, root, comm, options,
                      xd_mpi_open_accumulators("xd_mpi_reduce", accumulators, k, &states, &source));
}

/* xd_mpi_allreduce of k moments. */
static inline xd_status xd_mpi_allreduce_moments(xd_moments* const* moments, size_t k, MPI_Comm comm,
                                                 const xd_mpi_options* options) {
  xd_mpi_states states;
  xd_mpi_source source;
  const xd_status status = xd_mpi_check_communicator("xd_mpi_allreduce_moments", comm);
  if (status != XD_OK) return status;
  return xd_mpi_merge("xd_mpi_allreduce_moments", &source, -1, comm, options,
                      xd_mpi_open_moments("xd_mpi_allreduce_moments", moments, k, &states, &source));
}

typedef struct xd_mpi_rounding {
  xd_mpi_finish finish; /* first */
  xd_mpi_states states;
} xd_mpi_rounding;
static inline xd_status xd_mpi_rounding_words(void* self, size_t i, int64_t* words) {
  return xd_mpi_accumulator_words(&((xd_mpi_rounding*)self)->states, i, words);
}
static inline xd_status xd_mpi_rounding_bound(void* self, size_t first, size_t n, xd_bounded* sums,
                                              xd_bounded* squares, uint64_t* counts) {
  return xd_mpi_accumulator_bound(&((xd_mpi_rounding*)self)->states, first, n, sums, squares, counts);
}
static inline xd_status xd_mpi_rounding_take(void* self, size_t i, const int64_t* words) {
  return xd_mpi_round_words(&((xd_mpi_rounding*)self)->finish, i, words);
}

/* results[i] = the sum of accumulator i over all processes, rounded once to result_type, on all processes; with
 * reduction XD_NRM2 its root, otherwise XD_SUM. The accumulators do not change. Up to 32 words in all travel as
 * words; more results as the short message, 128 bytes for each eight, and words only for those that it leaves
 * undecided. Errors as above; XD_OVERFLOW. After a failure results are unspecified. */
static inline xd_status xd_mpi_round(xd_accumulator* const* accumulators, size_t k, int reduction, int result_type,
                                     void* results, MPI_Comm comm, const xd_mpi_options* options) {
  static const char caller[] = "xd_mpi_round";
  xd_mpi_rounding call;
  xd_mpi_source source;
  xd_status ended, status = xd_mpi_check_communicator(caller, comm);
  if (status != XD_OK) return status;
  memset(&call, 0, sizeof call);
  status = xd_mpi_open_accumulators(caller, accumulators, k, &call.states, &source);
  source.self = &call, source.words = xd_mpi_rounding_words, source.take = xd_mpi_rounding_take;
  source.bound = xd_mpi_rounding_bound;
  if (status == XD_OK && reduction != XD_SUM && reduction != XD_NRM2) {
    status = xd_mpi_refuse(caller, XD_BAD_OPTION, "the reduction is XD_SUM or XD_NRM2");
  }
  if (status == XD_OK) {
    status = xd_mpi_open_finish(caller, reduction, source.type, 0, result_type, results, k, &call.finish);
  }
  ended = xd_mpi_checks(options) ? xd_mpi_compare(caller, comm, k, source.type, reduction, result_type) : XD_OK;
  if (ended == XD_OK) ended = xd_mpi_all_results(caller, &call.finish, &source, comm, status);
  xd_mpi_close_finish(&call.finish);
  return ended;
}

/* ---- Distributed data ---- */

/* `failed`: a failure of this process before the call, whose sentence all return. */
static inline xd_status xd_mpi_reduce_lines(const char* caller, int reduction, const xd_rows* a, const xd_rows* b,
                                            int result_type, void* results, size_t k, MPI_Comm comm,
                                            const xd_mpi_options* options, const size_t* offsets,
                                            xd_status failed) {
  xd_mpi_lines lines;
  xd_mpi_source source;
  xd_status ended = XD_OK;
  failed = xd_mpi_open_lines(caller, reduction, k, a, b, result_type, results,
                             options == NULL ? NULL : options->local, failed, &lines, &source);
  lines.offsets = offsets;
  if (xd_mpi_checks(options)) ended = xd_mpi_compare(caller, comm, k, source.type, reduction, result_type);
  if (ended == XD_OK) ended = xd_mpi_all_results(caller, &lines.finish, &source, comm, failed);
  xd_mpi_close_lines(&lines);
  return ended;
}

/* A vector of complex numbers, or one whose result would be complex: up to two rows of reals, whose results are the
 * parts of one. */
static inline xd_status xd_mpi_call_complex(const char* caller, int reduction, const xd_vector* a, const xd_vector* b,
                                            int result_type, void* result, MPI_Comm comm,
                                            const xd_mpi_options* options, xd_status failed) {
  xd_mpi_parts parts;
  xd_options local;
  xd_mpi_options chosen = {0, NULL};
  xd_status status;
  int conjugates;
  memset(&local, 0, sizeof local);
  if (options != NULL && options->local != NULL) local = *options->local;
  conjugates = local.conjugate, local.conjugate = 0;
  chosen.check = xd_mpi_checks(options), chosen.local = &local;
  status = xd_mpi_open_parts(caller, reduction, conjugates, a, b, result_type, &parts);
  if (status == XD_OK && conjugates && reduction != XD_DOT) {
    status = xd_mpi_refuse(caller, XD_BAD_OPTION, "only a dot has conjugates");
  }
  status = xd_mpi_reduce_lines(caller, reduction, &parts.a, b == NULL ? NULL : &parts.b, parts.result_type, result,
                               parts.a.rows, comm, &chosen, NULL, failed != XD_OK ? failed : status);
  xd_mpi_close_parts(&parts);
  return status;
}

static inline xd_status xd_mpi_call_vector(const char* caller, int reduction, const xd_vector* a,
                                           const xd_vector* b, int result_type, void* result, MPI_Comm comm,
                                           const xd_mpi_options* options, xd_status failed) {
  xd_rows rows[2] = {{NULL, 1, 0, 0, 0, XD_FLOAT64, 0}, {NULL, 1, 0, 0, 0, XD_FLOAT64, 0}};
  const xd_vector* vectors[2];
  int i, has_complex = xd_mpi_is_complex(result_type);
  vectors[0] = a, vectors[1] = b;
  for (i = 0; i < 2; ++i) {
    if (vectors[i] != NULL && xd_mpi_is_complex(vectors[i]->type)) has_complex = 1;
  }
  if (has_complex) {
    return xd_mpi_call_complex(caller, reduction, a, b, result_type, result, comm, options, failed);
  }
  for (i = 0; i < 2; ++i) {
    if (vectors[i] == NULL) continue;
    rows[i].data = vectors[i]->data, rows[i].n = vectors[i]->n, rows[i].stride = vectors[i]->stride;
    rows[i].type = vectors[i]->type, rows[i].swapped = vectors[i]->swapped;
  }
  return xd_mpi_reduce_lines(caller, reduction, a == NULL ? NULL : &rows[0], b == NULL ? NULL : &rows[1],
                             result_type, result, 1, comm, options, NULL, failed);
}

/* *result = the reduction (XD_DOT ... XD_STDDEV) of the elements of all processes, on all processes: this process
 * has those of a (and of b for XD_DOT: as many, of the same type), which may be none. ddof is that of
 * options->local. Result types as of xd_reduce. One collective: of up to 32 words of floats and integers,
 * of 128 bytes for doubles and variances. Errors: those of xd_reduce, of any process, and XD_COMMUNICATION.
 * Complex numbers have XD_SUM, XD_MEAN and XD_DOT, whose results are XD_COMPLEX64 or XD_COMPLEX128 (options->local's
 * `conjugate`: conj(a)*b), and XD_NRM2, XD_SUM_OF_SQUARES and XD_ASUM, whose results are real: in one collective, too, of up
 * to twice as many words. A dot copies b twice, and dots and norms copy a unless its numbers follow each other. */
static inline xd_status xd_mpi_reduce_vector(int reduction, const xd_vector* a, const xd_vector* b, int result_type,
                                             void* result, MPI_Comm comm, const xd_mpi_options* options) {
  const xd_status status = xd_mpi_check_communicator("xd_mpi_reduce_vector", comm);
  if (status != XD_OK) return status;
  return xd_mpi_call_vector("xd_mpi_reduce_vector", reduction, a, b, result_type, result, comm, options, XD_OK);
}

/* results[i] = the reduction of row i of all processes: this process has the elements of row i of a (and b). All
 * have the same number of rows, of any length, 0 too. Columns are rows with exchanged strides (xd_matrix_columns).
 * The short message: see xd_mpi_round. Results without gaps. Errors as above. */
static inline xd_status xd_mpi_reduce_rows(int reduction, const xd_rows* a, const xd_rows* b, int result_type,
                                           void* results, MPI_Comm comm, const xd_mpi_options* options) {
  const xd_status status = xd_mpi_check_communicator("xd_mpi_reduce_rows", comm);
  if (status != XD_OK) return status;
  if (a == NULL) return xd_mpi_refuse("xd_mpi_reduce_rows", XD_NULL_POINTER, "a is null");
  return xd_mpi_reduce_lines("xd_mpi_reduce_rows", reduction, a, b, result_type, results, a->rows, comm, options,
                             NULL, XD_OK);
}

static inline xd_status xd_mpi_call_groups(const char* caller, int reduction, const xd_vector* a,
                                           const xd_vector* b, const xd_vector* keys, size_t groups,
                                           int skip_out_of_range, int result_type, void* results, MPI_Comm comm,
                                           const xd_mpi_options* options, xd_status status) {
  xd_rows rows[2] = {{NULL, 0, 0, 0, 0, XD_FLOAT64, 0}, {NULL, 0, 0, 0, 0, XD_FLOAT64, 0}};
  xd_mpi_sorted sorted = {NULL, NULL, NULL};
  if (status == XD_OK) status = xd_mpi_sort(caller, a, b, keys, groups, skip_out_of_range, &sorted);
  rows[0].data = sorted.a, rows[1].data = sorted.b;
  if (a != NULL)
    rows[0].type = a->type, rows[0].swapped = a->swapped, rows[0].stride = (ptrdiff_t)xd_type_size(a->type);
  if (b != NULL)
    rows[1].type = b->type, rows[1].swapped = b->swapped, rows[1].stride = (ptrdiff_t)xd_type_size(b->type);
  status = xd_mpi_reduce_lines(caller, reduction, &rows[0], b == NULL ? NULL : &rows[1], result_type, results,
                               groups, comm, options, sorted.offsets, status);
  xd_mpi_free_sorted(&sorted);
  return status;
}

/* results[i] = the reduction of the elements of all processes whose key is i, for i < groups. Keys as of
 * xd_reduce_groups. Memory: a copy of the local elements, and 8 bytes a group. Errors as above. */
static inline xd_status xd_mpi_reduce_groups(int reduction, const xd_vector* a, const xd_vector* b,
                                             const xd_vector* keys, size_t groups, int skip_out_of_range,
                                             int result_type, void* results, MPI_Comm comm,
                                             const xd_mpi_options* options) {
  const xd_status status = xd_mpi_check_communicator("xd_mpi_reduce_groups", comm);
  if (status != XD_OK) return status;
  return xd_mpi_call_groups("xd_mpi_reduce_groups", reduction, a, b, keys, groups, skip_out_of_range, result_type,
                            results, comm, options, XD_OK);
}

#endif
