/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window of an exact state: the 16 limbs around those in use, 160 bytes instead of 138 words, and the MPI
 * operation that adds windows of different states.
 *
 * Limb i lies at i % 16 in every window, so that windows are added slot by slot, wherever their limbs are: the
 * operation needs no branch, and it is associative. The extents travel as maxima. If the limbs of all states
 * together span more than 16 limbs, two limbs of different weights met in a slot; the extents tell, and the states
 * travel as words.
 */
#ifndef EXACTDOT_MPI_WINDOW_H
#define EXACTDOT_MPI_WINDOW_H

#include <exactdot/mpi/calls.h>

enum { XD_MPI_WINDOW_LIMBS = 16, XD_MPI_WINDOW_WORDS = 20 };

/* The limbs in use: from `low` to before `high`, and whether any state counts NaNs or infinities. */
typedef struct xd_mpi_range {
  int64_t low, high, special;
} xd_mpi_range;

/* The lowest limb that is not 0, or `limbs`; four at a time. */
static inline int xd_mpi_lowest_limb(const int64_t* state, int limbs) {
  int i = 0;
  while (i + 4 <= limbs && (state[i] | state[i + 1] | state[i + 2] | state[i + 3]) == 0) i += 4;
  while (i < limbs && state[i] == 0) ++i;
  return i;
}
/* The least `high` > `low` for which all limbs from it on, but for the last, equal `sign`. */
static inline int xd_mpi_highest_limb(const int64_t* state, int low, int high, int64_t sign) {
  while (high - 4 > low && ((state[high - 1] ^ sign) | (state[high - 2] ^ sign) | (state[high - 3] ^ sign) |
                            (state[high - 4] ^ sign)) == 0) {
    high -= 4;
  }
  while (high > low + 1 && state[high - 1] == sign) --high;
  return high;
}

/* Extends a range by the limbs of a canonical state. */
static inline void xd_mpi_extend_range(xd_mpi_range* range, const int64_t* state, int limbs) {
  const int64_t sign = state[limbs - 1] < 0 ? (int64_t)UINT32_MAX : 0;
  const int low = xd_mpi_lowest_limb(state, limbs);
  int high = limbs;
  if (state[limbs] != 0 || state[limbs + 1] != 0 || state[limbs + 2] != 0) range->special = 1;
  if (low == limbs) return;
  if (state[limbs - 1] == (sign == 0 ? 0 : -1)) high = xd_mpi_highest_limb(state, low, limbs - 1, sign);
  if (high <= low) high = low + 1;
  if (low < range->low) range->low = low;
  if (high > range->high) range->high = high;
}

typedef struct xd_mpi_window {
  int64_t minus_low, high; /* maxima */
  int64_t flags;           /* sums: of failing processes; 2^32 for each process with NaNs or infinities */
  int64_t count;           /* of elements, if the source counts them */
  int64_t limbs[XD_MPI_WINDOW_LIMBS];
} xd_mpi_window;

/* to[i] += from[i] */
static inline void xd_mpi_add_windows(void* from, void* to, int* count, MPI_Datatype* type) {
  const xd_mpi_window* in = (const xd_mpi_window*)from;
  xd_mpi_window* inout = (xd_mpi_window*)to;
  int i, k;
  (void)type;
  for (i = 0; i < *count; ++i) {
    const xd_mpi_window* x = in + i;
    xd_mpi_window* y = inout + i;
    if (x->minus_low > y->minus_low) y->minus_low = x->minus_low;
    if (x->high > y->high) y->high = x->high;
    y->flags += x->flags, y->count += x->count;
    for (k = 0; k < XD_MPI_WINDOW_LIMBS; ++k) y->limbs[k] += x->limbs[k];
  }
}

/* Stores a canonical state, as far as it fits. Its highest limb in use gets the sign. */
static inline void xd_mpi_to_window(const int64_t* state, int limbs, xd_mpi_window* window) {
  xd_mpi_range range = {0, 0, 0};
  int64_t i;
  range.low = limbs;
  memset(window, 0, sizeof *window);
  xd_mpi_extend_range(&range, state, limbs);
  window->minus_low = -range.low, window->high = range.high;
  window->flags = range.special << 32;
  if (range.high - range.low > XD_MPI_WINDOW_LIMBS) return;
  for (i = range.low; i < range.high; ++i) window->limbs[i % XD_MPI_WINDOW_LIMBS] = state[i];
  if (range.high > range.low && range.high < limbs && state[limbs - 1] < 0) {
    window->limbs[(range.high - 1) % XD_MPI_WINDOW_LIMBS] -= (int64_t)1 << 32;
  }
}

/* Whether the sum of windows is the sum of all their states. Those of zeros have low = limbs and high = 0. */
static inline int xd_mpi_window_fits(const xd_mpi_window* window) {
  return window->flags >> 32 == 0 && window->high + window->minus_low <= XD_MPI_WINDOW_LIMBS;
}

/* Limbs from `low` to before `high`, which a sum has left in any interval, as those of a canonical state whose
 * other limbs are 0. >> keeps the sign, as every compiler of this header does. */
static inline void xd_mpi_carry(int64_t* state, int64_t low, int64_t high, int limbs) {
  int64_t carry = 0, i;
  for (i = low; i < limbs - 1 && (i < high || carry != 0); ++i) {
    const int64_t limb = state[i] + carry;
    state[i] = limb & UINT32_MAX;
    carry = limb >> 32;
  }
  if (i == limbs - 1) state[i] += carry;
}

/* The canonical words of a window that fits. */
static inline void xd_mpi_from_window(const xd_mpi_window* window, int limbs, int64_t* state) {
  int64_t i;
  memset(state, 0, (size_t)(limbs + 4) * sizeof *state);
  state[limbs + 3] = 1;
  if (window->high == 0) return;
  for (i = -window->minus_low; i < window->high; ++i) state[i] = window->limbs[i % XD_MPI_WINDOW_LIMBS];
  xd_mpi_carry(state, -window->minus_low, window->high, limbs);
}

#endif
