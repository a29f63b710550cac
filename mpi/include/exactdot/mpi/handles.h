/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What calls of exactdot_mpi.h share: two datatypes, two operations, and memory for long messages.
 *
 * Made at the first call and freed by MPI_Finalize, which deletes the attributes of MPI_COMM_SELF. The memory of a
 * long message stays for the next call: pages that are new to a process cost more than the arithmetic on them.
 */
#ifndef EXACTDOT_MPI_HANDLES_H
#define EXACTDOT_MPI_HANDLES_H

#include <exactdot/mpi/blocks.h>
#include <exactdot/mpi/window.h>
#include <stdlib.h>

typedef struct xd_mpi_handles {
  MPI_Datatype block, window;
  MPI_Op add, add_windows;
  int ready, lock;
  void* buffer; /* null while a call uses it */
  size_t buffer_size;
} xd_mpi_handles;

/* Of this translation unit. */
static inline xd_mpi_handles* xd_mpi_all_handles(void) {
  static xd_mpi_handles handles;
  return &handles;
}
static inline void xd_mpi_lock(xd_mpi_handles* handles) {
  while (__atomic_exchange_n(&handles->lock, 1, __ATOMIC_ACQUIRE) != 0) {
  }
}
static inline void xd_mpi_unlock(xd_mpi_handles* handles) { __atomic_store_n(&handles->lock, 0, __ATOMIC_RELEASE); }

static inline int xd_mpi_free_handles(MPI_Comm comm, int key, void* value, void* unused) {
  xd_mpi_handles* handles = (xd_mpi_handles*)value;
  (void)comm, (void)key, (void)unused;
  MPI_Op_free(&handles->add);
  MPI_Op_free(&handles->add_windows);
  MPI_Type_free(&handles->block);
  MPI_Type_free(&handles->window);
  free(handles->buffer);
  handles->buffer = NULL, handles->buffer_size = 0;
  handles->ready = 0;
  return MPI_SUCCESS;
}

static inline int xd_mpi_make_type(int count, MPI_Datatype of, MPI_Datatype* type) {
  const int code = MPI_Type_contiguous(count, of, type);
  return code == MPI_SUCCESS ? MPI_Type_commit(type) : code;
}
static inline int xd_mpi_make_handles(xd_mpi_handles* handles) {
  int key = MPI_KEYVAL_INVALID, code = xd_mpi_make_type(2 * XD_MPI_WIDTH, MPI_INT64_T, &handles->block);
  if (code == MPI_SUCCESS) code = xd_mpi_make_type(XD_MPI_WINDOW_WORDS, MPI_INT64_T, &handles->window);
  if (code == MPI_SUCCESS) code = MPI_Op_create(xd_mpi_best_add(), 1, &handles->add);
  if (code == MPI_SUCCESS) code = MPI_Op_create(xd_mpi_add_windows, 1, &handles->add_windows);
  if (code == MPI_SUCCESS) code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, xd_mpi_free_handles, &key, NULL);
  if (code == MPI_SUCCESS) code = MPI_Comm_set_attr(MPI_COMM_SELF, key, handles);
  if (code == MPI_SUCCESS) code = MPI_Comm_free_keyval(&key);
  return code;
}

/* Threads may call it at the same time. */
static inline xd_status xd_mpi_get_handles(const char* caller, xd_mpi_handles** result) {
  xd_mpi_handles* handles = *result = xd_mpi_all_handles();
  int code = MPI_SUCCESS;
  xd_mpi_lock(handles);
  if (!handles->ready) {
    code = xd_mpi_make_handles(handles);
    handles->ready = code == MPI_SUCCESS;
  }
  xd_mpi_unlock(handles);
  return xd_mpi_status(caller, code);
}

/* Memory for this call alone, or null. *size: what is needed, and then what there is. */
static inline void* xd_mpi_acquire_buffer(xd_mpi_handles* handles, size_t* size) {
  void* buffer;
  size_t kept;
  xd_mpi_lock(handles);
  buffer = handles->buffer, kept = handles->buffer_size;
  handles->buffer = NULL;
  xd_mpi_unlock(handles);
  if (buffer == NULL || kept < *size) {
    free(buffer);
    return malloc(*size);
  }
  *size = kept;
  return buffer;
}
/* Keeps the memory for the next call. */
static inline void xd_mpi_release_buffer(xd_mpi_handles* handles, void* buffer, size_t size) {
  xd_mpi_lock(handles);
  if (handles->buffer == NULL) {
    handles->buffer = buffer, handles->buffer_size = size;
    buffer = NULL;
  }
  xd_mpi_unlock(handles);
  free(buffer);
}

#endif
