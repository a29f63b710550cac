/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every call of exactdot_mpi.h begins and ends with: checks of MPI and the communicator, MPI's failures as
 * statuses, and a failure of one process as the failure of all.
 *
 * A process that fails takes part in the exchange and flags its failure there, so that no other process waits for
 * it. Whoever sees a flag calls xd_mpi_share_failure: two more collectives, of failed calls only.
 */
#ifndef EXACTDOT_MPI_CALLS_H
#define EXACTDOT_MPI_CALLS_H

#if defined(__cplusplus) && !defined(OMPI_SKIP_MPICXX)
#define OMPI_SKIP_MPICXX 1 /* of old MPI libraries: no C++ bindings, which need a library of their own */
#endif
#if defined(__cplusplus) && !defined(MPICH_SKIP_MPICXX)
#define MPICH_SKIP_MPICXX 1
#endif
#include <exactdot.h>
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

/* Stores "caller: sentence" as the message. */
static inline xd_status xd_mpi_refuse(const char* caller, xd_status status, const char* sentence) {
  char text[1024];
  snprintf(text, sizeof text, "%s: %s", caller, sentence);
  return xd_fail(status, text);
}

/* XD_OK for MPI_SUCCESS. Other codes arrive only if the communicator's error handler returns. */
static inline xd_status xd_mpi_status(const char* caller, int code) {
  char sentence[MPI_MAX_ERROR_STRING + 32] = "MPI reports: ";
  int length = 0;
  if (code == MPI_SUCCESS) return XD_OK;
  MPI_Error_string(code, sentence + strlen(sentence), &length);
  return xd_mpi_refuse(caller, XD_COMMUNICATION, sentence);
}

/* Refuses what no communication may begin with. These failures concern the calling process alone. */
static inline xd_status xd_mpi_check_communicator(const char* caller, MPI_Comm comm) {
  int initialized = 0, finalized = 0, between_groups = 0, level = MPI_THREAD_SINGLE, is_main = 1, code;
  MPI_Initialized(&initialized);
  if (!initialized) return xd_mpi_refuse(caller, XD_BAD_OPTION, "MPI is not initialized; call MPI_Init before");
  MPI_Finalized(&finalized);
  if (finalized) return xd_mpi_refuse(caller, XD_BAD_OPTION, "MPI is finalized");
  if (comm == MPI_COMM_NULL) {
    return xd_mpi_refuse(caller, XD_NULL_POINTER, "the communicator is MPI_COMM_NULL, as after MPI_Comm_free");
  }
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_SERIALIZED) {
    MPI_Is_thread_main(&is_main);
    if (!is_main) {
      return xd_mpi_refuse(caller, XD_BAD_OPTION,
                           "MPI was initialized for calls of the main thread only; "
                           "use MPI_Init_thread with MPI_THREAD_SERIALIZED or more");
    }
  }
  code = MPI_Comm_test_inter(comm, &between_groups);
  if (code != MPI_SUCCESS) return xd_mpi_status(caller, code);
  if (between_groups)
    return xd_mpi_refuse(caller, XD_BAD_OPTION, "the communicator connects two groups; use one of one group");
  return XD_OK;
}

/* The lowest failing rank's status and sentence, for all. Called by all processes of the communicator when some
 * have failed; `own` is XD_OK for the others. */
static inline xd_status xd_mpi_share_failure(const char* caller, MPI_Comm comm, xd_status own) {
  char sentence[1024] = "", text[1100];
  int rank = 0, candidate, first = 0, status = own, code;
  MPI_Comm_rank(comm, &rank);
  candidate = own == XD_OK ? INT_MAX : rank;
  code = MPI_Allreduce(&candidate, &first, 1, MPI_INT, MPI_MIN, comm);
  if (code != MPI_SUCCESS) return xd_mpi_status(caller, code);
  if (first == INT_MAX) return xd_mpi_refuse(caller, XD_INTERNAL, "a failure without a failing process");
  if (rank == first) snprintf(sentence, sizeof sentence, "%s", xd_message());
  code = MPI_Bcast(&status, 1, MPI_INT, first, comm);
  if (code == MPI_SUCCESS) code = MPI_Bcast(sentence, (int)sizeof sentence, MPI_CHAR, first, comm);
  if (code != MPI_SUCCESS) return xd_mpi_status(caller, code);
  snprintf(text, sizeof text, "rank %d: %s", first, sentence);
  return xd_fail(status, text);
}

/* A number for the version of the library, commit and all: 62 bits of its FNV-1a hash. */
static inline int64_t xd_mpi_version(void) {
  uint64_t hash = 14695981039346656037u;
  const char* text;
  for (text = xd_version(); *text != '\0'; ++text) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
  return (int64_t)(hash >> 2);
}

/* The version on the rank that holds the lowest number, and on the one that holds the highest. */
static inline int xd_mpi_share_versions(MPI_Comm comm, int64_t lowest, int64_t highest, char* texts, int size) {
  int rank = 0, i, code = MPI_SUCCESS;
  MPI_Comm_rank(comm, &rank);
  for (i = 0; i < 2 && code == MPI_SUCCESS; ++i) {
    const int candidate = xd_mpi_version() == (i == 0 ? lowest : highest) ? rank : INT_MAX;
    int first = 0;
    snprintf(texts + i * size, (size_t)size, "%s", xd_version());
    code = MPI_Allreduce(&candidate, &first, 1, MPI_INT, MPI_MIN, comm);
    if (code == MPI_SUCCESS) code = MPI_Bcast(texts + i * size, size, MPI_CHAR, first, comm);
  }
  return code;
}

/* Writes number i of xd_mpi_compare as a user knows it: types and reductions by name. */
static inline void xd_mpi_compared_text(int i, int is_root, int64_t number, char* text, size_t size) {
  const char* name = NULL;
  if (i == 1 || (i == 3 && !is_root)) name = xd_type_name((int)number);
  if (i == 2) name = number < 0 ? "of accumulators" : xd_reduction_name((int)number);
  if (name != NULL) {
    snprintf(text, size, "%s", name);
  } else {
    snprintf(text, size, "%lld", (long long)number);
  }
}

/* Compares five numbers on all processes: of results, of the element type, of the reduction, of the result type or
 * root, of the library's version. One collective of 10 integers. The sentence names the first that differs, its
 * least and its greatest value. A negative reduction: a merge of accumulators, and result_type is the root. */
static inline xd_status xd_mpi_compare(const char* caller, MPI_Comm comm, size_t k, int type, int reduction,
                                       int result_type) {
  const char* const names[] = {"the number of results", "the element type", "the reduction",
                               reduction < 0 ? "the root" : "the result type", "the version of exactdot"};
  const int64_t numbers[5] = {(int64_t)k, type, reduction, result_type, xd_mpi_version()};
  int64_t mine[10], most[10];
  char text[256], versions[2][64], least[32], greatest[32];
  int i, code;
  for (i = 0; i < 5; ++i) mine[2 * i] = numbers[i], mine[2 * i + 1] = -numbers[i];
  code = MPI_Allreduce(mine, most, 10, MPI_INT64_T, MPI_MAX, comm);
  if (code != MPI_SUCCESS) return xd_mpi_status(caller, code);
  for (i = 0; i < 5; ++i) {
    if (most[2 * i] == -most[2 * i + 1]) continue;
    if (i == 4) {
      code = xd_mpi_share_versions(comm, -most[9], most[8], versions[0], (int)sizeof versions[0]);
      if (code != MPI_SUCCESS) return xd_mpi_status(caller, code);
      snprintf(text, sizeof text, "%s differs between ranks: %s and %s", names[i], versions[0], versions[1]);
      return xd_mpi_refuse(caller, XD_SIZE_MISMATCH, text);
    }
    xd_mpi_compared_text(i, reduction < 0, -most[2 * i + 1], least, sizeof least);
    xd_mpi_compared_text(i, reduction < 0, most[2 * i], greatest, sizeof greatest);
    snprintf(text, sizeof text, "%s differs between ranks: %s to %s", names[i], least, greatest);
    return xd_mpi_refuse(caller, XD_SIZE_MISMATCH, text);
  }
  return XD_OK;
}

#endif
