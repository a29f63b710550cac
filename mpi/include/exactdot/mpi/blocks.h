/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole blocks of the short message by vectors: the MPI operation, and the rounding of sums to double.
 *
 * Four results at a time, as the vector types of GCC and Clang express it: one AVX register, or two of SSE2 or
 * NEON. Every lane takes the additions of xd_mpi_add in the same order, so processes on different processors have
 * the same bits. Cost: some 45 flops a result, 1 nanosecond with AVX2.
 */
#ifndef EXACTDOT_MPI_BLOCKS_H
#define EXACTDOT_MPI_BLOCKS_H

#include <exactdot/mpi/bounded.h>

enum { XD_MPI_LANES = 4 };
typedef double xd_mpi_lanes __attribute__((vector_size(8 * XD_MPI_LANES)));
typedef uint64_t xd_mpi_lane_bits __attribute__((vector_size(8 * XD_MPI_LANES)));
typedef struct xd_mpi_quad {
  xd_mpi_lanes value, error, bound;
} xd_mpi_quad;

__attribute__((always_inline)) static inline void xd_mpi_load_quad(const xd_mpi_block* block, int first,
                                                                   xd_mpi_quad* x) {
  xd_mpi_lane_bits rest;
  memcpy(&x->value, block->value + first, sizeof x->value);
  memcpy(&rest, block->rest + first, sizeof rest);
  x->error = (xd_mpi_lanes)(rest & ~(uint64_t)XD_MPI_BOUND_MASK);
  x->bound = (xd_mpi_lanes)((rest & (uint64_t)XD_MPI_BOUND_MASK) << (int)XD_MPI_BOUND_SHIFT);
}
__attribute__((always_inline)) static inline void xd_mpi_magnitude(xd_mpi_lanes* x) {
  *x = (xd_mpi_lanes)((xd_mpi_lane_bits)*x << 1 >> 1);
}

/* As xd_mpi_to_rest. */
__attribute__((always_inline)) static inline void xd_mpi_store_quad(const xd_mpi_quad* x, xd_mpi_block* block,
                                                                    int first) {
  const xd_mpi_lane_bits kept = (xd_mpi_lane_bits)x->error & ~(uint64_t)XD_MPI_BOUND_MASK;
  xd_mpi_lanes bound = x->error - (xd_mpi_lanes)kept;
  xd_mpi_lane_bits rest;
  xd_mpi_magnitude(&bound);
  bound = (x->bound + bound) * (1 + 4 * DBL_EPSILON);
  xd_mpi_magnitude(&bound);
  rest = kept |
         (((xd_mpi_lane_bits)bound + (((uint64_t)1 << (int)XD_MPI_BOUND_SHIFT) - 1)) >> (int)XD_MPI_BOUND_SHIFT);
  memcpy(block->value + first, &x->value, sizeof x->value);
  memcpy(block->rest + first, &rest, sizeof rest);
}

/* *sum + *rest = x + y */
__attribute__((always_inline)) static inline void xd_mpi_two_sum(const xd_mpi_lanes* x, const xd_mpi_lanes* y,
                                                                 xd_mpi_lanes* sum, xd_mpi_lanes* rest) {
  const xd_mpi_lanes total = *x + *y, y_part = total - *x;
  *rest = (*x - (total - y_part)) + (*y - y_part);
  *sum = total;
}

/* As xd_mpi_add; and bits that are 0 if values and their sum are finite. */
__attribute__((always_inline)) static inline void xd_mpi_add_quad(const xd_mpi_quad* x, const xd_mpi_quad* y,
                                                                  xd_mpi_quad* total,
                                                                  xd_mpi_lane_bits* not_finite) {
  xd_mpi_lanes rest, errors, lost, lost_again;
  xd_mpi_two_sum(&x->value, &y->value, &total->value, &rest);
  xd_mpi_two_sum(&x->error, &y->error, &errors, &lost);
  xd_mpi_two_sum(&errors, &rest, &total->error, &lost_again);
  xd_mpi_magnitude(&lost), xd_mpi_magnitude(&lost_again);
  total->bound = ((x->bound + y->bound) + (lost + lost_again)) * (1 + 4 * DBL_EPSILON);
  *not_finite |=
      (xd_mpi_lane_bits)((total->value - total->value) + ((x->value - x->value) + (y->value - y->value)));
}

__attribute__((always_inline)) static inline int xd_mpi_has_bits(const xd_mpi_lane_bits* x) {
  uint64_t bits[XD_MPI_LANES];
  memcpy(bits, x, sizeof bits);
  return (bits[0] | bits[1] | bits[2] | bits[3]) != 0;
}

/* to[i] += from[i] */
__attribute__((always_inline)) static inline void xd_mpi_add_block(const xd_mpi_block* from, xd_mpi_block* to) {
  xd_mpi_quad x, y, low, high;
  xd_mpi_lane_bits not_finite = {0, 0, 0, 0};
  int i;
  xd_mpi_load_quad(from, 0, &x), xd_mpi_load_quad(to, 0, &y);
  xd_mpi_add_quad(&x, &y, &low, &not_finite);
  xd_mpi_load_quad(from, XD_MPI_LANES, &x), xd_mpi_load_quad(to, XD_MPI_LANES, &y);
  xd_mpi_add_quad(&x, &y, &high, &not_finite);
  if (!xd_mpi_has_bits(&not_finite)) {
    xd_mpi_store_quad(&low, to, 0), xd_mpi_store_quad(&high, to, XD_MPI_LANES);
    return;
  }
  for (i = 0; i < XD_MPI_WIDTH; ++i) {
    xd_mpi_set_item(to, i, xd_mpi_add_special(xd_mpi_item(from, i), xd_mpi_item(to, i)));
  }
}

/* The MPI operation. */
static inline void xd_mpi_add_blocks(void* from, void* to, int* count, MPI_Datatype* type) {
  int i;
  (void)type;
  for (i = 0; i < *count; ++i) xd_mpi_add_block((const xd_mpi_block*)from + i, (xd_mpi_block*)to + i);
}
#ifdef __x86_64__
__attribute__((target("avx2"))) static inline void xd_mpi_add_blocks_avx2(void* from, void* to, int* count,
                                                                          MPI_Datatype* type) {
  int i;
  (void)type;
  for (i = 0; i < *count; ++i) xd_mpi_add_block((const xd_mpi_block*)from + i, (xd_mpi_block*)to + i);
}
#endif
/* The fastest one of this processor. */
static inline MPI_User_function* xd_mpi_best_add(void) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return xd_mpi_add_blocks_avx2;
#endif
  return xd_mpi_add_blocks;
}

/* Sums rounded to double, eight at a time: 1 if both ends of every bound round to the same finite number, which is
 * stored; otherwise 0, and xd_round_bounded looks closer. The bounds are those of exactdot/core/enclosure.hpp. Both
 * ends are 0 only if the bound is 0: then the sum is 0, and its result +0. */
static inline int xd_mpi_round_block(const xd_mpi_block* block, double* results) {
  xd_mpi_lane_bits doubt = {0, 0, 0, 0};
  xd_mpi_lanes low[2];
  int i;
  for (i = 0; i < 2; ++i) {
    xd_mpi_quad x;
    xd_mpi_lanes size, bound;
    xd_mpi_load_quad(block, XD_MPI_LANES * i, &x);
    size = x.error;
    xd_mpi_magnitude(&size);
    bound = x.bound * 1.0625 + DBL_EPSILON * size;
    low[i] = x.value + (x.error - bound);
    /* +0 of equal ends; NaN of infinities */
    doubt |= (xd_mpi_lane_bits)((x.value + (x.error + bound)) - low[i]);
    low[i] += 0.0;
  }
  if (xd_mpi_has_bits(&doubt)) return 0;
  memcpy(results, low, sizeof low);
  return 1;
}

#endif
