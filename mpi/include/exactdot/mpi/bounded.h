/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The short message: xd_bounded sums, 16 bytes a result, and the MPI operation that adds them.
 *
 * Values are added by TwoSum (D. Knuth, TAOCP 2, 4.2.2), errors by two more; what those two lose joins the bound,
 * so that the bound stays 0 where nothing is lost. docs/mpi.md proves it. A value travels as a double, an error as
 * the upper 44 bits of one (33 significant bits), a bound as 20 bits, rounded upwards. A message element holds
 * eight results, field by field (blocks.h adds them). For values below 2^1000 and bounds that are no NaN, as those of
 * xd_bound are, the operation commutes bit by bit, and MPI gives all processes the same result, so all take the
 * same decisions.
 */
#ifndef EXACTDOT_MPI_BOUNDED_H
#define EXACTDOT_MPI_BOUNDED_H

#include <exactdot/mpi/calls.h>
#include <float.h>

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || \
    FLT_EVAL_METHOD != 0
#error "exactdot_mpi.h needs IEEE arithmetic: add -fno-fast-math (for -ffast-math, -Ofast), or SSE2 instead of the x87"
#endif

enum { XD_MPI_WIDTH = 8, XD_MPI_BOUND_MASK = (1 << 20) - 1, XD_MPI_BOUND_SHIFT = 43 };
typedef struct xd_mpi_block {
  double value[XD_MPI_WIDTH];
  uint64_t rest[XD_MPI_WIDTH]; /* the error; in its lowest 20 bits the bound: its exponent and 9 bits */
} xd_mpi_block;

static inline uint64_t xd_mpi_to_bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline double xd_mpi_from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static inline double xd_mpi_error_of(uint64_t rest) {
  return xd_mpi_from_bits(rest & ~(uint64_t)XD_MPI_BOUND_MASK);
}
static inline double xd_mpi_bound_of(uint64_t rest) {
  return xd_mpi_from_bits((rest & XD_MPI_BOUND_MASK) << XD_MPI_BOUND_SHIFT);
}
/* Bits that the error loses join the bound. The bound is rounded upwards: an infinite one stays infinite, 0 stays
 * 0. */
static inline uint64_t xd_mpi_to_rest(double error, double bound) {
  const double kept = xd_mpi_error_of(xd_mpi_to_bits(error));
  const double widened = fabs((bound + fabs(error - kept)) * (1 + 4 * DBL_EPSILON));
  return xd_mpi_to_bits(kept) |
         ((xd_mpi_to_bits(widened) + (((uint64_t)1 << XD_MPI_BOUND_SHIFT) - 1)) >> XD_MPI_BOUND_SHIFT);
}

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
  x.value = block->value[i];
  x.error = xd_mpi_error_of(block->rest[i]), x.bound = xd_mpi_bound_of(block->rest[i]);
  return x;
}
static inline void xd_mpi_set_item(xd_mpi_block* block, int i, xd_bounded x) {
  block->value[i] = x.value, block->rest[i] = xd_mpi_to_rest(x.error, x.bound);
}

/* Whether additions round to nearest and keep subnormal numbers. Elsewhere TwoSum is not exact. */
static inline int xd_mpi_arithmetic_is_standard(void) {
  volatile double one = 1, half = DBL_EPSILON / 2, least = DBL_MIN;
  const double up = one + half, down = -one - half, towards_zero = one + 3 * half / 2;
  volatile double subnormal = 1.5 * least - least;
  return up == 1 && down == -1 && towards_zero == 1 + DBL_EPSILON && subnormal > 0 &&
         subnormal + subnormal == least;
}

/* Item i of a message. */
static inline void xd_mpi_put(xd_mpi_block* blocks, size_t i, xd_bounded x) {
  xd_mpi_set_item(blocks + i / XD_MPI_WIDTH, (int)(i % XD_MPI_WIDTH), x);
}
static inline xd_bounded xd_mpi_get(const xd_mpi_block* blocks, size_t i) {
  return xd_mpi_item(blocks + i / XD_MPI_WIDTH, (int)(i % XD_MPI_WIDTH));
}

/* Items first ... first + n - 1; whole blocks at a time. */
static inline void xd_mpi_put_items(xd_mpi_block* blocks, size_t first, const xd_bounded* from, size_t n) {
  const size_t whole = first % XD_MPI_WIDTH == 0 ? n / XD_MPI_WIDTH * XD_MPI_WIDTH : 0;
  size_t i;
  int k;
  for (i = 0; i < whole; i += XD_MPI_WIDTH) {
    xd_mpi_block* to = blocks + (first + i) / XD_MPI_WIDTH;
    for (k = 0; k < XD_MPI_WIDTH; ++k) xd_mpi_set_item(to, k, from[i + (size_t)k]);
  }
  for (i = whole; i < n; ++i) xd_mpi_put(blocks, first + i, from[i]);
}

#endif
