/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors of complex numbers as one or two rows of real numbers, which travel in one exchange.
 *
 * Sums and means have two rows, the parts. Norms have one, of all parts: 2n reals. A product has two rows of 2n
 * reals: those of a, and those of b with the parts of each number conjugated, exchanged or both, in a copy. So each
 * part is one sum, rounded once, and what cancels between its products cancels exactly, whichever process has them.
 *
 *   conj(x + iy)*(u + iv) = xu + yv + i(xv - yu);   (x + iy)*(u + iv) = xu - yv + i(xv + yu)
 */
#ifndef EXACTDOT_MPI_COMPLEX_H
#define EXACTDOT_MPI_COMPLEX_H

#include <exactdot/mpi/calls.h>
#include <stdlib.h>

static inline int xd_mpi_is_complex(int type) { return type == XD_COMPLEX64 || type == XD_COMPLEX128; }
static inline int xd_mpi_part_of(int type) { return type == XD_COMPLEX64 ? XD_FLOAT32 : XD_FLOAT64; }
/* Whether the reduction of complex numbers is a complex number. */
static inline int xd_mpi_gives_complex(int reduction) {
  return reduction == XD_SUM || reduction == XD_MEAN || reduction == XD_DOT;
}

typedef struct xd_mpi_parts {
  xd_rows a, b;    /* of reals; b of a product */
  int result_type; /* of each row's result: of complex ones that of a part */
  char *of_a, *of_b;
} xd_mpi_parts;

/* Copies the parts of n numbers, perhaps exchanged, of the first and the second of which the signs may change. */
static inline void xd_mpi_copy_numbers(const xd_vector* x, int exchanges, int negates_first, int negates_second,
                                       char* to) {
  const size_t size = xd_type_size(xd_mpi_part_of(x->type));
  const uint16_t one = 1;
  const int is_little = *(const unsigned char*)&one == 1;
  const size_t sign = is_little == (x->swapped != 0) ? 0 : size - 1; /* the byte with the sign */
  size_t i;
  for (i = 0; i < x->n; ++i, to += 2 * size) {
    const char* from = (const char*)x->data + (ptrdiff_t)i * x->stride;
    memcpy(to, exchanges ? from + size : from, size);
    memcpy(to + size, exchanges ? from : from + size, size);
    if (negates_first) to[sign] = (char)(to[sign] ^ 0x80);
    if (negates_second) to[size + sign] = (char)(to[size + sign] ^ 0x80);
  }
}

static inline xd_status xd_mpi_allocate_numbers(const char* caller, const xd_vector* x, size_t copies,
                                                char** memory) {
  const size_t bytes = copies * 2 * xd_type_size(xd_mpi_part_of(x->type));
  if (x->n <= SIZE_MAX / 2 / bytes) *memory = (char*)malloc(x->n * bytes + 1);
  return *memory == NULL ? xd_mpi_refuse(caller, XD_OUT_OF_MEMORY, "no memory for a copy of complex numbers")
                         : XD_OK;
}

/* All parts of x along one row, in place if its numbers follow each other, otherwise of a copy. */
static inline xd_status xd_mpi_open_reals(const char* caller, const xd_vector* x, xd_rows* row, char** copy) {
  const ptrdiff_t size = (ptrdiff_t)xd_type_size(row->type);
  xd_status status = XD_OK;
  row->data = x->data, row->n = 2 * x->n, row->stride = size;
  if (x->n <= 1 || x->stride == 2 * size) return XD_OK;
  status = xd_mpi_allocate_numbers(caller, x, 1, copy);
  if (status != XD_OK) return status;
  xd_mpi_copy_numbers(x, 0, 0, 0, *copy);
  row->data = *copy;
  return XD_OK;
}

/* The second factors of both parts. */
static inline xd_status xd_mpi_open_factors(const char* caller, const xd_vector* b, int conjugates, xd_rows* rows,
                                            char** copy) {
  const size_t size = xd_type_size(rows->type);
  const xd_status status = xd_mpi_allocate_numbers(caller, b, 2, copy);
  if (status != XD_OK) return status;
  rows->data = *copy, rows->n = 2 * b->n, rows->stride = (ptrdiff_t)size;
  rows->row_stride = (ptrdiff_t)(2 * b->n * size);
  xd_mpi_copy_numbers(b, 0, 0, !conjugates, *copy);
  xd_mpi_copy_numbers(b, 1, 0, conjugates, *copy + 2 * b->n * size);
  return XD_OK;
}

static inline xd_status xd_mpi_check_numbers(const char* caller, int reduction, const xd_vector* a,
                                             const xd_vector* b, int result_type) {
  const xd_vector* vectors[2];
  int i;
  vectors[0] = a, vectors[1] = b;
  if (a == NULL) return xd_mpi_refuse(caller, XD_NULL_POINTER, "a is null");
  if (!xd_mpi_gives_complex(reduction) && reduction != XD_ASUM && reduction != XD_SUM_OF_SQUARES &&
      reduction != XD_NRM2) {
    return xd_mpi_refuse(caller, XD_BAD_OPTION, "complex numbers have sums, means, norms and dot products");
  }
  if ((b != NULL) != (reduction == XD_DOT)) {
    return xd_mpi_refuse(caller, XD_BAD_OPTION, b == NULL ? "a dot needs b" : "only a dot has a second vector");
  }
  if (!xd_mpi_is_complex(a->type)) {
    return xd_mpi_refuse(caller, XD_BAD_OPTION,
                         "the results are complex, the elements real; use a real result type");
  }
  if (b != NULL && b->type != a->type) {
    return xd_mpi_refuse(caller, XD_BAD_OPTION, "both vectors of a dot of complex numbers have one type");
  }
  if (xd_mpi_gives_complex(reduction) != xd_mpi_is_complex(result_type)) {
    return xd_mpi_refuse(
        caller, XD_BAD_OPTION,
        xd_mpi_gives_complex(reduction)
            ? "sums, means and dots of complex numbers are complex; use XD_COMPLEX64 or XD_COMPLEX128"
            : "norms of complex numbers are real; use a floating-point type");
  }
  for (i = 0; i < 2 && vectors[i] != NULL; ++i) {
    if (vectors[i]->n != 0 && vectors[i]->data == NULL) {
      return xd_mpi_refuse(caller, XD_NULL_POINTER, "a null pointer for a vector of complex numbers");
    }
    if (vectors[i]->n > SIZE_MAX / 64) {
      return xd_mpi_refuse(caller, XD_BAD_OPTION, "so many complex numbers exceed the address space");
    }
  }
  return XD_OK;
}

/* The rows of a reduction. After a failure they are empty, of the type and the number that the other processes
 * have. */
static inline xd_status xd_mpi_open_parts(const char* caller, int reduction, int conjugates, const xd_vector* a,
                                          const xd_vector* b, int result_type, xd_mpi_parts* parts) {
  const int known = a != NULL && xd_mpi_is_complex(a->type) ? a->type : result_type;
  xd_status status = xd_mpi_check_numbers(caller, reduction, a, b, result_type);
  memset(parts, 0, sizeof *parts);
  parts->a.rows = parts->b.rows = xd_mpi_is_complex(result_type) ? 2 : 1;
  parts->a.type = parts->b.type = xd_mpi_part_of(known);
  parts->result_type = xd_mpi_is_complex(result_type) ? xd_mpi_part_of(result_type) : result_type;
  if (status != XD_OK) return status;
  parts->a.swapped = a->swapped;
  if (reduction == XD_SUM || reduction == XD_MEAN) {
    parts->a.data = a->data, parts->a.n = a->n, parts->a.stride = a->stride;
    parts->a.row_stride = (ptrdiff_t)xd_type_size(parts->a.type);
    return XD_OK;
  }
  status = xd_mpi_open_reals(caller, a, &parts->a, &parts->of_a);
  if (status == XD_OK && b != NULL) {
    parts->b.swapped = b->swapped;
    status = xd_mpi_open_factors(caller, b, conjugates, &parts->b, &parts->of_b);
  }
  return status;
}

static inline void xd_mpi_close_parts(xd_mpi_parts* parts) {
  free(parts->of_a);
  free(parts->of_b);
}

#endif
