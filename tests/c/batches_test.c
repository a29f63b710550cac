/* Rows, columns and segments. */
#include <stdint.h>
#include <string.h>

#include "check.h"

static const double matrix[] = {1, 2, 3, 4, 5, 6}; /* 2 rows of 3 */

static void test_rows(void) {
  const xd_rows rows = xd_matrix_rows(matrix, 2, 3, XD_FLOAT64),
                columns = xd_matrix_columns(matrix, 2, 3, XD_FLOAT64);
  const float x[] = {1, 0, -1};
  const xd_rows repeated = {x, 2, 3, 0, sizeof(float), XD_FLOAT32, 0};
  double out[4] = {7, 7, 7, 7};
  int64_t index[3] = {7, 7, 7};
  xd_options sample = {0};
  CHECK_OK(xd_reduce_rows(XD_SUM, &rows, NULL, XD_FLOAT64, out, 0, NULL));
  CHECK(out[0] == 6 && out[1] == 15 && out[2] == 7);
  CHECK_OK(xd_reduce_rows(XD_SUM, &columns, NULL, XD_FLOAT64, out, 0, NULL));
  CHECK(out[0] == 5 && out[1] == 7 && out[2] == 9 && out[3] == 7);
  CHECK_OK(xd_reduce_rows(XD_DOT, &rows, &repeated, XD_FLOAT64, out, 2 * sizeof(double), NULL));
  CHECK(out[0] == -2 && out[1] == 7 && out[2] == -2);
  CHECK_OK(xd_reduce_rows(XD_ARGMAX, &columns, NULL, XD_INT64, index, 0, NULL));
  CHECK(index[0] == 1 && index[1] == 1 && index[2] == 1);
  sample.ddof = 1;
  CHECK_OK(xd_reduce_rows(XD_VARIANCE, &columns, NULL, XD_FLOAT64, out, 0, &sample));
  CHECK(out[0] == 4.5);
}

static void test_segments(void) {
  const xd_vector x = xd_contiguous(matrix, 6, XD_FLOAT64);
  const int32_t offsets[] = {0, 2, 2, 6};
  double out[3] = {7, 7, 7};
  CHECK_OK(xd_reduce_segments(XD_SUM, &x, NULL, offsets, 3, XD_INT32, XD_FLOAT64, out, NULL));
  CHECK(out[0] == 3 && out[1] == 0 && out[2] == 18);
  CHECK_OK(xd_reduce_segments(XD_DOT, &x, &x, offsets, 1, XD_INT32, XD_FLOAT64, out, NULL));
  CHECK(out[0] == 5 && out[1] == 0);
  CHECK_OK(xd_reduce_segments(XD_SUM, &x, NULL, NULL, 0, XD_INT32, XD_FLOAT64, NULL, NULL));
}

static void test_errors(void) {
  xd_rows rows = xd_matrix_rows(matrix, 2, 3, XD_FLOAT64);
  const xd_rows columns = xd_matrix_columns(matrix, 2, 3, XD_FLOAT64);
  const xd_vector x = xd_contiguous(matrix, 6, XD_FLOAT64);
  const int64_t decreasing[] = {0, 3, 2}, past[] = {0, 6, 7};
  const int64_t large[] = {1, 1, INT64_MAX, 1};
  const xd_rows whole = xd_matrix_rows(large, 2, 2, XD_INT64);
  double out[3] = {7, 7, 7};
  int64_t integers[2] = {7, 7};
  CHECK_ERROR(xd_reduce_rows(XD_SUM, NULL, NULL, XD_FLOAT64, out, 0, NULL), XD_NULL_POINTER, "a is a null");
  CHECK_ERROR(xd_reduce_rows(XD_DOT, &rows, NULL, XD_FLOAT64, out, 0, NULL), XD_NULL_POINTER, "b is a null");
  CHECK_ERROR(xd_reduce_rows(XD_SUM, &rows, &rows, XD_FLOAT64, out, 0, NULL), XD_BAD_OPTION, "a second array");
  CHECK_ERROR(xd_reduce_rows(XD_SUM, &rows, NULL, XD_FLOAT64, NULL, 0, NULL), XD_NULL_POINTER, "2 results");
  CHECK_ERROR(xd_reduce_rows(XD_DOT, &rows, &columns, XD_FLOAT64, out, 0, NULL), XD_SIZE_MISMATCH, "differ");
  CHECK_ERROR(xd_reduce_rows(99, &rows, NULL, XD_FLOAT64, out, 0, NULL), XD_BAD_OPTION, "99");
  CHECK_ERROR(xd_reduce_rows(XD_SUM, &rows, NULL, 99, out, 0, NULL), XD_BAD_OPTION, "99");
  CHECK_ERROR(xd_reduce_rows(XD_SUM, &rows, NULL, XD_FLOAT64, out, 4, NULL), XD_BAD_OPTION, "overwrite each other");
  CHECK_ERROR(xd_reduce_rows(XD_SUM, &rows, NULL, XD_FLOAT64, (void*)&matrix[1], 0, NULL), XD_BAD_OPTION,
              "within x");
  CHECK_ERROR(xd_reduce_rows(XD_SUM, &whole, NULL, XD_INT64, integers, 0, NULL), XD_OVERFLOW,
              "result 1 does not fit");
  rows.n = SIZE_MAX;
  CHECK_ERROR(xd_reduce_rows(XD_SUM, &rows, NULL, XD_FLOAT64, out, 0, NULL), XD_BAD_OPTION, "address space");
  CHECK_ERROR(xd_reduce_segments(XD_SUM, &x, NULL, decreasing, 2, XD_INT64, XD_FLOAT64, out, NULL), XD_BAD_OPTION,
              "offset 2 is 2, below");
  CHECK_ERROR(xd_reduce_segments(XD_SUM, &x, NULL, past, 2, XD_INT64, XD_FLOAT64, out, NULL), XD_BAD_OPTION,
              "offset 2 is 7, past the end");
  CHECK_ERROR(xd_reduce_segments(XD_SUM, &x, NULL, past, 2, XD_INT8, XD_FLOAT64, out, NULL), XD_BAD_OPTION, "int8");
  CHECK_ERROR(xd_reduce_segments(XD_SUM, &x, NULL, NULL, 2, XD_INT64, XD_FLOAT64, out, NULL), XD_NULL_POINTER,
              "offsets");
  CHECK(out[0] == 7 && out[1] == 7 && out[2] == 7 && integers[0] == 7 && integers[1] == 7);
}

void test_batches(void) {
  test_rows();
  test_segments();
  test_errors();
}
