/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accumulators that are summed while the program goes on: one MPI_Iallreduce of whole states, 138 words of doubles.
 *
 * Shorter forms may need a second collective, which a request could start in xd_mpi_wait only.
 */
#ifndef EXACTDOT_MPI_REQUESTS_H
#define EXACTDOT_MPI_REQUESTS_H

#include <exactdot/mpi/sources.h>

/* A sum on its way. */
typedef struct xd_mpi_request {
  MPI_Request request;
  MPI_Comm comm;
  xd_mpi_states states;
  xd_mpi_source source;
  xd_status failed;
  size_t count; /* words, without the flag */
  int64_t words[1];
} xd_mpi_request;

/* Starts one MPI_Iallreduce of all words of a source. `failed`: a failure of this process, told by the message. */
static inline xd_status xd_mpi_start(const char* caller, const xd_mpi_source* source, MPI_Comm comm,
                                     xd_status failed, xd_mpi_request** request) {
  const size_t each = xd_mpi_result_words(source);
  xd_mpi_selection all = {NULL, 0, 0};
  xd_mpi_request* made;
  int processes = 1, code;
  if (source->k > ((size_t)INT_MAX - 1) / each) {
    return xd_mpi_refuse(caller, XD_BAD_OPTION, "more than 2^31 - 2 words; use several calls or xd_mpi_allreduce");
  }
  made = (xd_mpi_request*)malloc(sizeof *made + source->k * each * sizeof(int64_t));
  if (made == NULL)
    return xd_mpi_refuse(caller, XD_OUT_OF_MEMORY, "no memory for the message; the other ranks wait");
  memset(made, 0, sizeof *made);
  made->comm = comm, made->source = *source, made->count = source->k * each, all.n = source->k;
  MPI_Comm_size(comm, &processes);
  made->failed = xd_mpi_collect(caller, source, &all, processes, failed, made->words);
  made->words[made->count] = made->failed != XD_OK;
  code =
      MPI_Iallreduce(MPI_IN_PLACE, made->words, (int)made->count + 1, MPI_INT64_T, MPI_SUM, comm, &made->request);
  if (code != MPI_SUCCESS) {
    free(made);
    return xd_mpi_status(caller, code);
  }
  *request = made;
  return XD_OK;
}

/* Starts xd_mpi_allreduce of k accumulators: one MPI_Iallreduce of whole states. xd_mpi_wait, or xd_mpi_test until
 * it is done, stores the sums; until then do not change or destroy the accumulators and the list. Errors: those of
 * a process are told to all by xd_mpi_wait. XD_OUT_OF_MEMORY and XD_BAD_OPTION (more than 2^31 - 2 words) are
 * returned at once, to this process alone. */
static inline xd_status xd_mpi_iallreduce(xd_accumulator* const* accumulators, size_t k, MPI_Comm comm,
                                          xd_mpi_request** request) {
  static const char caller[] = "xd_mpi_iallreduce";
  xd_mpi_states states;
  xd_mpi_source source;
  xd_status failed, status = xd_mpi_check_communicator(caller, comm);
  if (status == XD_OK && request == NULL) status = xd_mpi_refuse(caller, XD_NULL_POINTER, "request is null");
  if (status != XD_OK) return status;
  *request = NULL;
  failed = xd_mpi_open_accumulators(caller, accumulators, k, &states, &source);
  status = xd_mpi_start(caller, &source, comm, failed, request);
  if (status != XD_OK) return status;
  (*request)->states = states;
  (*request)->source.self = &(*request)->states;
  return XD_OK;
}

static inline xd_status xd_mpi_finish_request(const char* caller, xd_mpi_request** request) {
  xd_mpi_request* of = *request;
  xd_mpi_selection all = {NULL, 0, 0};
  xd_status status;
  all.n = of->source.k;
  status = of->words[of->count] != 0 ? xd_mpi_share_failure(caller, of->comm, of->failed)
                                     : xd_mpi_take(&of->source, &all, of->words);
  free(of);
  *request = NULL;
  return status;
}

/* Waits for the sums and stores them; *request becomes null. All processes finish their requests in the same order.
 * Errors: those of xd_mpi_allreduce, of any process. */
static inline xd_status xd_mpi_wait(xd_mpi_request** request) {
  int code;
  if (request == NULL || *request == NULL) {
    return xd_mpi_refuse("xd_mpi_wait", XD_NULL_POINTER, "the request is null, or was waited for before");
  }
  code = MPI_Wait(&(*request)->request, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) {
    free(*request);
    *request = NULL;
    return xd_mpi_status("xd_mpi_wait", code);
  }
  return xd_mpi_finish_request("xd_mpi_wait", request);
}

/* *done = 1, and as xd_mpi_wait, if the sums have arrived; otherwise *done = 0. */
static inline xd_status xd_mpi_test(xd_mpi_request** request, int* done) {
  int code;
  if (request == NULL || *request == NULL || done == NULL) {
    return xd_mpi_refuse("xd_mpi_test", XD_NULL_POINTER, "the request or done is null");
  }
  code = MPI_Test(&(*request)->request, done, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) return xd_mpi_status("xd_mpi_test", code);
  return *done ? xd_mpi_finish_request("xd_mpi_test", request) : XD_OK;
}

#endif
