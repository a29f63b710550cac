/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The short message: xd_bounded sums, 24 bytes a result, and the MPI operation that adds them.
 *
 * Values are added by TwoSum (D. Knuth, TAOCP 2, 4.2.2), errors by two more; what those two lose joins the bound,
 * so that the bound stays 0 where nothing is lost. docs/mpi.md proves it. A message element holds eight results,
 * field by field, which compilers vectorise: some 25 flops a result. The operation commutes bit by bit, and MPI
 * gives all processes the same result, so all take the same decisions.
 */
#ifndef EXACTDOT_MPI_BOUNDED_H
#define EXACTDOT_MPI_BOUNDED_H

#include <exactdot/mpi/calls.h>
#include <float.h>

#if defined(__FAST_MATH__) || FLT_EVAL_METHOD != 0
#error "exactdot_mpi.h needs IEEE additions: compile without -ffast-math (-Ofast), and with SSE2 instead of the x87"
#endif

enum { XD_MPI_WIDTH = 8 };
typedef struct xd_mpi_block {
  double value[XD_MPI_WIDTH], error[XD_MPI_WIDTH], bound[XD_MPI_WIDTH];
} xd_mpi_block;

/* x and y as value + error, give or take a bound. No branches, so that a loop is vectorised. */
static inline xd_bounded xd_mpi_add(xd_bounded x, xd_bounded y) {
  const double sum = x.value + y.value, y_part = sum - x.value;
  const double rest = (x.value - (sum - y_part)) + (y.value - y_part);
  const double errors = x.error + y.error, error_part = errors - x.error;
  const double lost = (x.error - (errors - error_part)) + (y.error - error_part);
  const double tail = errors + rest, rest_part = tail - errors;
  const double lost_again = (errors - (tail - rest_part)) + (rest - rest_part);
  xd_bounded total;
  total.value = sum, total.error = tail;
  total.bound = ((x.bound + y.bound) + (fabs(lost) + fabs(lost_again))) * (1 + 4 * DBL_EPSILON);
  return total;
}

/* The same where a value is infinite or NaN, or their sum overflows. With the bound 0 such a value is the result of
 * infinite or NaN terms, and stays; a sum that overflows gets an infinite bound. */
static inline xd_bounded xd_mpi_add_special(xd_bounded x, xd_bounded y) {
  xd_bounded total = xd_mpi_add(x, y);
  if (!(fabs(x.value) <= DBL_MAX && fabs(y.value) <= DBL_MAX)) {
    total.error = 0, total.bound = x.bound + y.bound;
  } else if (!(fabs(total.value) <= DBL_MAX)) {
    total.error = 0, total.bound = (double)INFINITY;
  }
  return total;
}

static inline xd_bounded xd_mpi_item(const xd_mpi_block* block, int i) {
  xd_bounded x;
  x.value = block->value[i], x.error = block->error[i], x.bound = block->bound[i];
  return x;
}
static inline void xd_mpi_set_item(xd_mpi_block* block, int i, xd_bounded x) {
  block->value[i] = x.value, block->error[i] = x.error, block->bound[i] = x.bound;
}

/* to[i] += from[i] */
static inline void xd_mpi_add_block(const xd_mpi_block* __restrict from, xd_mpi_block* __restrict to) {
  xd_mpi_block total;
  double not_finite[XD_MPI_WIDTH]; /* 0, or NaN if a value or their sum is infinite or NaN */
  int i;
  for (i = 0; i < XD_MPI_WIDTH; ++i) {
    const xd_bounded x = xd_mpi_item(from, i), y = xd_mpi_item(to, i), sum = xd_mpi_add(x, y);
    xd_mpi_set_item(&total, i, sum);
    not_finite[i] = (sum.value - sum.value) + (x.value - x.value) + (y.value - y.value);
  }
  for (i = 1; i < XD_MPI_WIDTH; ++i) not_finite[0] += not_finite[i];
  for (i = 0; i < XD_MPI_WIDTH && not_finite[0] != 0; ++i) {
    xd_mpi_set_item(&total, i, xd_mpi_add_special(xd_mpi_item(from, i), xd_mpi_item(to, i)));
  }
  *to = total;
}

static inline void xd_mpi_add_blocks(void* from, void* to, int* count, MPI_Datatype* type) {
  const xd_mpi_block* in = (const xd_mpi_block*)from;
  xd_mpi_block* inout = (xd_mpi_block*)to;
  int i;
  (void)type;
  for (i = 0; i < *count; ++i) xd_mpi_add_block(in + i, inout + i);
}

/* Whether additions round to nearest and keep subnormal numbers. Elsewhere TwoSum is not exact. */
static inline int xd_mpi_arithmetic_is_standard(void) {
  volatile double one = 1, half = DBL_EPSILON / 2, least = DBL_MIN;
  const double up = one + half, down = -one - half, towards_zero = one + 3 * half / 2;
  volatile double subnormal = 1.5 * least - least;
  return up == 1 && down == -1 && towards_zero == 1 + DBL_EPSILON && subnormal > 0 &&
         subnormal + subnormal == least;
}

/* The datatype and the operation, made at the first call and freed by MPI_Finalize, which deletes the attributes of
 * MPI_COMM_SELF. */
typedef struct xd_mpi_handles {
  MPI_Datatype block;
  MPI_Op add;
  int ready;
} xd_mpi_handles;

static inline int xd_mpi_free_handles(MPI_Comm comm, int key, void* value, void* unused) {
  xd_mpi_handles* handles = (xd_mpi_handles*)value;
  (void)comm, (void)key, (void)unused;
  MPI_Op_free(&handles->add);
  MPI_Type_free(&handles->block);
  handles->ready = 0;
  return MPI_SUCCESS;
}

static inline int xd_mpi_make_handles(xd_mpi_handles* handles) {
  int key = MPI_KEYVAL_INVALID, code = MPI_Type_contiguous(3 * XD_MPI_WIDTH, MPI_DOUBLE, &handles->block);
  if (code == MPI_SUCCESS) code = MPI_Type_commit(&handles->block);
  if (code == MPI_SUCCESS) code = MPI_Op_create(xd_mpi_add_blocks, 1, &handles->add);
  if (code == MPI_SUCCESS) code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, xd_mpi_free_handles, &key, NULL);
  if (code == MPI_SUCCESS) code = MPI_Comm_set_attr(MPI_COMM_SELF, key, handles);
  if (code == MPI_SUCCESS) code = MPI_Comm_free_keyval(&key);
  return code;
}

/* Those of this translation unit. Threads may call it at the same time. */
static inline xd_status xd_mpi_get_handles(const char* caller, xd_mpi_handles** result) {
  static xd_mpi_handles handles;
  static int lock = 0;
  int code = MPI_SUCCESS;
  while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE) != 0) {
  }
  if (!handles.ready) {
    code = xd_mpi_make_handles(&handles);
    handles.ready = code == MPI_SUCCESS;
  }
  __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
  *result = &handles;
  return xd_mpi_status(caller, code);
}

/* Item i of a message. */
static inline void xd_mpi_put(xd_mpi_block* blocks, size_t i, xd_bounded x) {
  xd_mpi_set_item(blocks + i / XD_MPI_WIDTH, (int)(i % XD_MPI_WIDTH), x);
}
static inline xd_bounded xd_mpi_get(const xd_mpi_block* blocks, size_t i) {
  return xd_mpi_item(blocks + i / XD_MPI_WIDTH, (int)(i % XD_MPI_WIDTH));
}

#endif
