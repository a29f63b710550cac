/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the Fortran module exactdot calls: exactdot_mpi.h with arguments that Fortran passes by value or by address.
 *
 * Compiled with the MPI library of the program, since a Fortran communicator means something to that library only.
 */
#include <exactdot_mpi.h>

/* The reduction of n contiguous elements: of this process, or of all if `distributed`. conjugate: of a dot of complex
 * numbers. */
int xd_fortran_reduce(int reduction, int type, int result_type, const void* a, const void* b, int64_t n_a, int64_t n_b,
                      int64_t ddof, int conjugate, int distributed, MPI_Fint comm, void* result);
/* sums[i] = the sum of the first n elements of column i of a matrix with `leading` elements a column, of all
 * processes. */
int xd_fortran_fields(int type, const void* values, int64_t n, int64_t leading, int64_t fields, MPI_Fint comm,
                      int check, void* sums);
/* Adds x, products (b is not null), or squares. */
int xd_fortran_add(xd_accumulator* accumulator, int type, const void* a, const void* b, int64_t n_a, int64_t n_b,
                   int squares);
int xd_fortran_allreduce(xd_accumulator* const* accumulators, int64_t k, MPI_Fint comm);
/* Copies the message, filled up with blanks. */
void xd_fortran_message(char* text, int64_t length);

int xd_fortran_reduce(int reduction, int type, int result_type, const void* a, const void* b, int64_t n_a, int64_t n_b,
                      int64_t ddof, int conjugate, int distributed, MPI_Fint comm, void* result) {
  const xd_vector x = xd_contiguous(a, (size_t)n_a, type), y = xd_contiguous(b, (size_t)n_b, type);
  const xd_vector* second = reduction == XD_DOT ? &y : NULL;
  xd_options local = {0, 0, 0, 0, 0, NULL, NULL, 0};
  xd_mpi_options options = {0, NULL};
  local.ddof = ddof, local.conjugate = conjugate;
  options.local = &local;
  if (!distributed) return xd_reduce(reduction, &x, second, result_type, result, &local);
  return xd_mpi_reduce_vector(reduction, &x, second, result_type, result, MPI_Comm_f2c(comm), &options);
}

int xd_fortran_fields(int type, const void* values, int64_t n, int64_t leading, int64_t fields, MPI_Fint comm,
                      int check, void* sums) {
  static const char caller[] = "exact_sum_calc";
  const xd_mpi_options options = {check, NULL};
  const MPI_Comm communicator = MPI_Comm_f2c(comm);
  xd_rows rows = xd_matrix_rows(values, fields < 0 ? 0 : (size_t)fields, (size_t)leading, type);
  xd_status status = xd_mpi_check_communicator(caller, communicator);
  if (status != XD_OK) return status;
  if (n < 0 || n > leading || fields < 0) {
    status = xd_mpi_refuse(caller, XD_BAD_OPTION, "expected 0 <= nsummands <= dsummands and 0 <= nflds");
  }
  rows.n = status == XD_OK ? (size_t)n : 0;
  return xd_mpi_reduce_lines(caller, XD_SUM, &rows, NULL, type, sums, rows.rows, communicator, &options, NULL,
                             status);
}

int xd_fortran_add(xd_accumulator* accumulator, int type, const void* a, const void* b, int64_t n_a, int64_t n_b,
                   int squares) {
  const xd_vector x = xd_contiguous(a, (size_t)n_a, type), y = xd_contiguous(b, (size_t)n_b, type);
  if (b != NULL) return xd_accumulator_add_products(accumulator, &x, &y, NULL);
  return squares ? xd_accumulator_add_squares(accumulator, &x, NULL) : xd_accumulator_add(accumulator, &x, NULL);
}

int xd_fortran_allreduce(xd_accumulator* const* accumulators, int64_t k, MPI_Fint comm) {
  return xd_mpi_allreduce(accumulators, (size_t)k, MPI_Comm_f2c(comm), NULL);
}

void xd_fortran_message(char* text, int64_t length) {
  const size_t used = strlen(xd_message()), size = (size_t)length;
  memset(text, ' ', size);
  memcpy(text, xd_message(), used < size ? used : size);
}
