/* Rows, columns, segments and groups. */
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

static void test_products(void) {
  const xd_rows rows = xd_matrix_rows(matrix, 2, 3, XD_FLOAT64);
  const double x[] = {1, 0, -1, 1e300, 0, 0, 0, 2, 1};
  const xd_rows vectors = xd_matrix_rows(x, 3, 3, XD_FLOAT64), few = xd_matrix_rows(x, 3, 2, XD_FLOAT64);
  double out[10] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
  CHECK_OK(xd_multiply_rows(&rows, &vectors, XD_FLOAT64, out, 0, NULL));
  CHECK(out[0] == -2 && out[1] == -2 && out[2] == 1e300 && out[3] == 4e300 && out[4] == 7 && out[5] == 16);
  CHECK(out[6] == 7);
  CHECK_OK(xd_multiply_rows(&rows, &vectors, XD_FLOAT64, out, 3 * sizeof(double), NULL));
  CHECK(out[0] == -2 && out[1] == -2 && out[2] == 1e300 && out[3] == 1e300 && out[4] == 4e300 && out[7] == 16);
  CHECK_ERROR(xd_multiply_rows(&rows, &few, XD_FLOAT64, out, 0, NULL), XD_SIZE_MISMATCH, "3");
  CHECK_ERROR(xd_multiply_rows(&rows, NULL, XD_FLOAT64, out, 0, NULL), XD_NULL_POINTER, "vectors");
  CHECK_ERROR(xd_multiply_rows(&rows, &vectors, 99, out, 0, NULL), XD_BAD_OPTION, "99");
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

static void test_groups(void) {
  const xd_vector x = xd_contiguous(matrix, 6, XD_FLOAT64);
  const int32_t numbers[] = {2, 0, 2, 0, 0, 5};
  const uint64_t backwards[] = {1, 1, 1, 0, 0, 0};
  const xd_vector keys = xd_contiguous(numbers, 6, XD_INT32),
                  reversed = {&backwards[5], 6, -(ptrdiff_t)sizeof(uint64_t), XD_UINT64, 0};
  const xd_vector none = xd_contiguous(NULL, 0, XD_FLOAT64), no_keys = xd_contiguous(NULL, 0, XD_INT64);
  double out[4] = {7, 7, 7, 7};
  int64_t sizes[3] = {7, 7, 7};
  xd_options sample = {0};
  CHECK_OK(xd_reduce_groups(XD_SUM, &x, NULL, &keys, 3, 1, XD_FLOAT64, out, NULL));
  CHECK(out[0] == 11 && out[1] == 0 && out[2] == 4 && out[3] == 7);
  CHECK_OK(xd_reduce_groups(XD_DOT, &x, &x, &keys, 3, 1, XD_FLOAT64, out, NULL));
  CHECK(out[0] == 45 && out[1] == 0 && out[2] == 10 && out[3] == 7);
  CHECK_OK(xd_reduce_groups(XD_MAX, &x, NULL, &reversed, 2, 0, XD_FLOAT64, out, NULL));
  CHECK(out[0] == 3 && out[1] == 6);
  sample.ddof = 1;
  CHECK_OK(xd_reduce_groups(XD_VARIANCE, &x, NULL, &reversed, 2, 0, XD_FLOAT64, out, &sample));
  CHECK(out[0] == 1 && out[1] == 1);
  CHECK_OK(xd_group_sizes(&keys, 3, 1, XD_INT64, sizes, NULL));
  CHECK(sizes[0] == 3 && sizes[1] == 0 && sizes[2] == 2);
  CHECK_OK(xd_reduce_groups(XD_SUM, &none, NULL, &no_keys, 2, 0, XD_FLOAT64, out, NULL));
  CHECK(out[0] == 0 && out[1] == 0);
  CHECK_OK(xd_reduce_groups(XD_MIN, &none, NULL, &no_keys, 0, 0, XD_FLOAT64, NULL, NULL));
  CHECK_OK(xd_group_sizes(&no_keys, 0, 0, XD_UINT64, NULL, NULL));
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
  CHECK_ERROR(xd_reduce_segments(XD_SUM, &x, NULL, past, 2, XD_FLOAT32, XD_FLOAT64, out, NULL), XD_BAD_OPTION,
              "float32");
  CHECK_ERROR(xd_reduce_segments(XD_SUM, &x, NULL, NULL, 2, XD_INT64, XD_FLOAT64, out, NULL), XD_NULL_POINTER,
              "offsets");
  CHECK(out[0] == 7 && out[1] == 7 && out[2] == 7 && integers[0] == 7 && integers[1] == 7);
}

static xd_status reduce_doubles(int reduction, const xd_vector* a, const xd_vector* b, const xd_vector* keys,
                                size_t groups, int skip, double* out) {
  return xd_reduce_groups(reduction, a, b, keys, groups, skip, XD_FLOAT64, out, NULL);
}

static void test_group_errors(void) {
  const xd_vector x = xd_contiguous(matrix, 6, XD_FLOAT64);
  const int64_t numbers[] = {0, 1, 2, 3, 1, -1}, large[] = {1, INT64_MAX, 1, 1, 1, 1};
  const xd_vector keys = xd_contiguous(numbers, 6, XD_INT64), few = xd_contiguous(numbers, 5, XD_INT64),
                  floats = xd_contiguous(matrix, 6, XD_FLOAT64), null_keys = xd_contiguous(NULL, 6, XD_INT64),
                  whole = xd_contiguous(large, 6, XD_INT64);
  xd_vector swapped = keys;
  xd_options fast = {0};
  double out[4] = {7, 7, 7, 7};
  int64_t integers[4] = {7, 7, 7, 7};
  swapped.swapped = 1;
  fast.mode = XD_FAST;
  CHECK_ERROR(reduce_doubles(XD_SUM, &x, NULL, &keys, 3, 0, out), XD_BAD_OPTION,
              "xd_reduce_groups: key 3 is 3, and there are 3");
  CHECK_ERROR(reduce_doubles(XD_SUM, &x, NULL, &keys, 4, 0, out), XD_BAD_OPTION, "key 5 is -1");
  CHECK_ERROR(reduce_doubles(XD_SUM, &x, NULL, &few, 4, 0, out), XD_SIZE_MISMATCH,
              "elements and of keys differ (6 and 5)");
  CHECK_ERROR(reduce_doubles(XD_SUM, &x, NULL, &floats, 4, 1, out), XD_BAD_OPTION, "keys are float64");
  CHECK_ERROR(reduce_doubles(XD_SUM, &x, NULL, &swapped, 4, 1, out), XD_BAD_OPTION, "byte order");
  CHECK_ERROR(reduce_doubles(XD_SUM, &x, NULL, &null_keys, 4, 1, out), XD_NULL_POINTER, "6 keys");
  CHECK_ERROR(reduce_doubles(XD_SUM, &x, NULL, NULL, 4, 1, out), XD_NULL_POINTER, "keys is a null");
  CHECK_ERROR(reduce_doubles(XD_SUM, NULL, NULL, &keys, 4, 1, out), XD_NULL_POINTER, "a is a null");
  CHECK_ERROR(reduce_doubles(XD_DOT, &x, NULL, &keys, 4, 1, out), XD_NULL_POINTER, "b is a null");
  CHECK_ERROR(reduce_doubles(XD_SUM, &x, &x, &keys, 4, 1, out), XD_BAD_OPTION, "takes one vector");
  CHECK_ERROR(reduce_doubles(XD_DOT, &x, &whole, &keys, 4, 1, out), XD_BAD_OPTION, "int64");
  CHECK_ERROR(reduce_doubles(XD_ARGMIN, &x, NULL, &keys, 4, 1, out), XD_BAD_OPTION, "no indices");
  CHECK_ERROR(reduce_doubles(XD_MIN, &x, NULL, &keys, 5, 1, out), XD_EMPTY_INPUT, "group 4 is empty");
  CHECK_ERROR(reduce_doubles(99, &x, NULL, &keys, 4, 1, out), XD_BAD_OPTION, "99");
  CHECK_ERROR(xd_reduce_groups(XD_SUM, &x, NULL, &keys, 4, 1, XD_FLOAT64, out, &fast), XD_BAD_OPTION,
              "no mode fast");
  CHECK_ERROR(xd_reduce_groups(XD_SUM, &x, NULL, &keys, 4, 1, XD_FLOAT64, NULL, NULL), XD_NULL_POINTER,
              "4 results");
  CHECK_ERROR(xd_reduce_groups(XD_SUM, &x, NULL, &keys, 4, 1, XD_FLOAT64, (void*)&matrix[1], NULL), XD_BAD_OPTION,
              "within x");
  CHECK_ERROR(xd_reduce_groups(XD_SUM, &whole, NULL, &keys, 4, 1, XD_INT64, integers, NULL), XD_OVERFLOW,
              "result 1 does not fit");
  CHECK_ERROR(xd_group_sizes(&keys, 4, 0, XD_INT64, integers, NULL), XD_BAD_OPTION, "xd_group_sizes: key 5 is -1");
  CHECK_ERROR(xd_group_sizes(&keys, 4, 1, XD_FLOAT64, out, NULL), XD_BAD_OPTION, "use int64 or uint64");
  CHECK_ERROR(xd_group_sizes(NULL, 4, 1, XD_INT64, integers, NULL), XD_NULL_POINTER, "keys is a null");
  for (int i = 0; i < 4; ++i) CHECK(out[i] == 7 && integers[i] == 7);
}

static void test_rows_by_key(void) {
  const double values[] = {1, 2, 3, 4, 5, 6};
  const float weights[] = {2, -1, 0.5F};
  const int32_t numbers[] = {1, 0, 1};
  const xd_rows x = xd_matrix_rows(values, 3, 2, XD_FLOAT64), w = {weights, 3, 2, sizeof(float), 0, XD_FLOAT32, 0};
  const xd_vector keys = xd_contiguous(numbers, 3, XD_INT32);
  xd_rows few = x, none = x;
  double out[6] = {7, 7, 7, 7, 7, 7};
  few.rows = 2, none.n = 0;
  CHECK_OK(xd_reduce_rows_by_key(XD_SUM, &x, NULL, &keys, 2, 0, XD_FLOAT64, out, 0, 0, NULL));
  CHECK(out[0] == 3 && out[1] == 4 && out[2] == 6 && out[3] == 8 && out[4] == 7);
  CHECK_OK(xd_reduce_rows_by_key(XD_DOT, &x, &w, &keys, 2, 0, XD_FLOAT64, out, 0, 0, NULL));
  CHECK(out[0] == -3 && out[1] == -4 && out[2] == 4.5 && out[3] == 7);
  CHECK_OK(xd_reduce_rows_by_key(XD_DOT, &x, &w, &keys, 2, 0, XD_FLOAT64, out, 3 * sizeof(double), 1, NULL));
  CHECK(out[0] == -6 && out[1] == -8 && out[2] == 4.5 && out[3] == 11.5 && out[4] == 14);
  CHECK_OK(xd_reduce_rows_by_key(XD_MAX, &x, NULL, &keys, 2, 0, XD_FLOAT64, out, 0, 0, NULL));
  CHECK(out[0] == 3 && out[3] == 6);
  CHECK_OK(xd_reduce_rows_by_key(XD_SUM, &none, NULL, &keys, 2, 0, XD_FLOAT64, out, 0, 1, NULL));
  out[0] = 7;
  CHECK_ERROR(xd_reduce_rows_by_key(XD_MEAN, &x, NULL, &keys, 2, 0, XD_FLOAT64, out, 0, 1, NULL), XD_BAD_OPTION,
              "mean is no sum");
  CHECK_ERROR(xd_reduce_rows_by_key(XD_SUM, &few, NULL, &keys, 2, 0, XD_FLOAT64, out, 0, 1, NULL), XD_SIZE_MISMATCH,
              "elements and of keys differ (2 and 3)");
  CHECK_ERROR(xd_reduce_rows_by_key(XD_DOT, &x, NULL, &keys, 2, 0, XD_FLOAT64, out, 0, 1, NULL), XD_NULL_POINTER,
              "b is a null");
  CHECK_ERROR(xd_reduce_rows_by_key(XD_SUM, &x, &w, &keys, 2, 0, XD_FLOAT64, out, 0, 1, NULL), XD_BAD_OPTION,
              "a second array");
  CHECK_ERROR(xd_reduce_rows_by_key(XD_SUM, &x, NULL, &keys, 1, 0, XD_FLOAT64, out, 0, 1, NULL), XD_BAD_OPTION,
              "key 0 is 1");
  CHECK_ERROR(xd_reduce_rows_by_key(XD_SUM, &x, NULL, &keys, 2, 0, XD_FLOAT64, out, 4, 1, NULL), XD_BAD_OPTION,
              "overwrite each other");
  CHECK(out[0] == 7);
}

void test_batches(void) {
  test_rows();
  test_products();
  test_segments();
  test_groups();
  test_rows_by_key();
  test_errors();
  test_group_errors();
}
