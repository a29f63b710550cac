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

#include <exactdot/mpi/message.h>
#include <exactdot/mpi/words.h>

enum {
  XD_MPI_CHUNK = 1024,       /* results of a message that lies on the stack */
  XD_MPI_LONG_CHUNK = 65536, /* results of one message; longer calls use several */
  XD_MPI_CHUNK_BLOCKS = 1 + (3 * XD_MPI_CHUNK) / XD_MPI_WIDTH
};

/* One collective for the chosen results, and those of xd_mpi_add_words for the undecided. */
static inline xd_status xd_mpi_exchange_bounded(const char* caller, xd_mpi_finish* finish,
                                                const xd_mpi_source* source, const xd_mpi_selection* chosen,
                                                const xd_mpi_target* target, xd_mpi_message* message,
                                                xd_status* failed) {
  xd_mpi_handles* handles = NULL;
  xd_mpi_selection rest = {NULL, 0, 0};
  int code;
  const xd_status status = xd_mpi_get_handles(caller, &handles);
  if (status != XD_OK) return status;
  *failed = xd_mpi_fill_message(caller, source, chosen, target->processes, *failed, message);
  code = MPI_Allreduce(MPI_IN_PLACE, message->blocks, (int)xd_mpi_blocks_of(message), handles->block, handles->add,
                       target->comm);
  if (code != MPI_SUCCESS) return xd_mpi_status(caller, code);
  if (xd_mpi_to_integer(xd_mpi_get(message->blocks, message->failures)) != 0) {
    return xd_mpi_share_failure(caller, target->comm, *failed);
  }
  *failed = xd_mpi_round_results(finish, source, chosen, message);
  rest.list = message->undecided, rest.n = message->undecided_count;
  if (rest.n == 0) return XD_OK;
  if (*failed == XD_OK) *failed = xd_mpi_ready_finish(finish);
  return xd_mpi_add_words(caller, source, rest, target, failed);
}

/* Up to XD_MPI_CHUNK results, without an allocation that could fail. */
static inline xd_status xd_mpi_add_bounded(const char* caller, xd_mpi_finish* finish, const xd_mpi_source* source,
                                           const xd_mpi_selection* chosen, const xd_mpi_target* target,
                                           xd_status* failed) {
  xd_mpi_block blocks[XD_MPI_CHUNK_BLOCKS];
  size_t undecided[XD_MPI_CHUNK];
  xd_mpi_message message;
  message.blocks = blocks, message.undecided = undecided;
  xd_mpi_open_message(source, chosen->n, &message);
  return xd_mpi_exchange_bounded(caller, finish, source, chosen, target, &message, failed);
}

/* More. One more collective of 4 bytes tells whether all processes have memory. */
static inline xd_status xd_mpi_add_long_bounded(const char* caller, xd_mpi_finish* finish,
                                                const xd_mpi_source* source, const xd_mpi_selection* chosen,
                                                const xd_mpi_target* target, xd_status* failed) {
  xd_mpi_handles* handles = xd_mpi_all_handles();
  xd_mpi_message message;
  size_t of_blocks, size;
  int lacking, code;
  void* buffer;
  xd_status ended = XD_OK;
  xd_mpi_open_message(source, chosen->n, &message);
  of_blocks = xd_mpi_blocks_of(&message) * sizeof *message.blocks;
  size = of_blocks + chosen->n * sizeof *message.undecided;
  buffer = xd_mpi_acquire_buffer(handles, &size);
  message.blocks = (xd_mpi_block*)buffer;
  message.undecided = buffer == NULL ? NULL : (size_t*)(void*)((char*)buffer + of_blocks);
  if (buffer == NULL && *failed == XD_OK) {
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
  if (buffer != NULL) xd_mpi_release_buffer(handles, buffer, size);
  return ended;
}

/* All results of a source. source->take must be xd_mpi_round_words of `finish`. */
static inline xd_status xd_mpi_all_results(const char* caller, xd_mpi_finish* finish, const xd_mpi_source* source,
                                           MPI_Comm comm, xd_status failed) {
  xd_mpi_target target = {MPI_COMM_NULL, -1, 0, 1};
  xd_mpi_selection chosen = {NULL, 0, 0};
  xd_status ended = XD_OK;
  target.comm = comm;
  MPI_Comm_size(comm, &target.processes);
  if (source->k == 0 || source->k * xd_mpi_result_words(source) <= XD_MPI_AS_WORDS) {
    chosen.n = source->k;
    if (failed == XD_OK) failed = xd_mpi_ready_finish(finish);
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
