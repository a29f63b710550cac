/* Missing values: options->filter of vectors, rows, columns, segments and groups, and its errors. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

static const uint8_t flags[] = {1, 1, 0, 1, 255, 1};
static const uint8_t no_flags[6] = {0};

static double result_of(int reduction, const xd_vector* a, const xd_vector* b, const xd_options* options) {
  double result = 77;
  CHECK_OK(xd_reduce(reduction, a, b, XD_FLOAT64, &result, options));
  return result;
}

static void test_kept_vectors(void) {
  const double x[] = {1, NAN, 3, 5, NAN, 7};
  const float y[] = {1, 2, 3, NAN, 1, 1};
  const xd_vector a = xd_contiguous(x, 6, XD_FLOAT64), b = xd_contiguous(y, 6, XD_FLOAT32);
  const xd_vector backwards = {x + 5, 6, -(ptrdiff_t)sizeof(double), XD_FLOAT64, 0};
  const xd_rows where = xd_matrix_rows(flags, 1, 6, XD_UINT8), none = xd_matrix_rows(no_flags, 1, 6, XD_INT8);
  const double least = -2;
  int64_t index = 77;
  double result = 77;
  xd_filter filter = {0};
  xd_options options = {0};
  options.filter = &filter;
  CHECK(isnan(result_of(XD_SUM, &a, NULL, &options)));
  filter.skip_nan = 1;
  CHECK(result_of(XD_SUM, &a, NULL, &options) == 16);
  CHECK(result_of(XD_SUM, &backwards, NULL, &options) == 16);
  CHECK(result_of(XD_DOT, &a, &b, &options) == 17);
  CHECK(result_of(XD_WEIGHTED_MEAN, &a, &b, &options) == 17.0 / 5);
  options.ddof = 1;
  CHECK(result_of(XD_VARIANCE, &a, NULL, &options) == 20.0 / 3);
  options.ddof = 0;
  filter.where = &where;
  CHECK(result_of(XD_MEAN, &a, NULL, &options) == 13.0 / 3);
  CHECK_OK(xd_reduce(XD_ARGMAX, &a, NULL, XD_INT64, &index, &options));
  CHECK(index == 5);
  filter.where = &none;
  CHECK(result_of(XD_SUM, &a, NULL, &options) == 0 && isnan(result_of(XD_MEAN, &a, NULL, &options)));
  CHECK_ERROR(xd_reduce(XD_MIN, &a, NULL, XD_FLOAT64, &result, &options), XD_EMPTY_INPUT, "no element is left");
  CHECK(result == 77);
  filter.initial = &least;
  CHECK(result_of(XD_MIN, &a, NULL, &options) == -2);
  CHECK_ERROR(xd_reduce(XD_SUM, &a, NULL, XD_FLOAT64, &result, &options), XD_BAD_OPTION, "for min and max");
}

static void test_kept_shapes(void) {
  const double x[] = {1, NAN, 3, 5, NAN, 7};
  const xd_vector a = xd_contiguous(x, 6, XD_FLOAT64);
  const xd_rows rows = xd_matrix_rows(x, 2, 3, XD_FLOAT64), columns = xd_matrix_columns(x, 3, 2, XD_FLOAT64);
  const xd_rows where = xd_matrix_rows(flags, 2, 3, XD_UINT8),
                of_columns = xd_matrix_columns(flags, 3, 2, XD_UINT8);
  const xd_rows of_keys = xd_matrix_rows(flags, 3, 2, XD_UINT8), repeated = {flags, 2, 3, 0, 1, XD_UINT8, 0};
  const xd_rows vector = xd_matrix_rows(flags, 1, 6, XD_UINT8), pairs = xd_matrix_rows(x, 3, 2, XD_FLOAT64);
  const int32_t offsets[] = {0, 3, 6}, numbers[] = {0, 1, 0, 0, 1, 1};
  const xd_vector keys = xd_contiguous(numbers, 6, XD_INT32), few_keys = xd_contiguous(numbers, 3, XD_INT32);
  double out[4] = {77, 77, 77, 77};
  xd_filter filter = {0};
  xd_options options = {0};
  options.filter = &filter, filter.skip_nan = 1;
  CHECK_OK(xd_reduce_rows(XD_SUM, &rows, NULL, XD_FLOAT64, out, 0, &options));
  CHECK(out[0] == 4 && out[1] == 12 && out[2] == 77);
  filter.where = &where;
  CHECK_OK(xd_reduce_rows(XD_DOT, &rows, &rows, XD_FLOAT64, out, 2 * sizeof(double), &options));
  CHECK(out[0] == 1 && out[2] == 25 + 49);
  filter.where = &repeated;
  CHECK_OK(xd_reduce_rows(XD_SUM, &rows, NULL, XD_FLOAT64, out, 0, &options));
  CHECK(out[0] == 1 && out[1] == 5);
  filter.where = &of_columns;
  CHECK_OK(xd_reduce_rows(XD_SUM, &columns, NULL, XD_FLOAT64, out, 0, &options));
  CHECK(out[0] == 1 && out[1] == 12);
  filter.where = &vector;
  CHECK_OK(xd_reduce_segments(XD_SUM, &a, NULL, offsets, 2, XD_INT32, XD_FLOAT64, out, &options));
  CHECK(out[0] == 1 && out[1] == 12);
  CHECK_OK(xd_reduce_groups(XD_SUM, &a, NULL, &keys, 2, 0, XD_FLOAT64, out, &options));
  CHECK(out[0] == 6 && out[1] == 7);
  filter.where = &of_keys;
  CHECK_OK(xd_reduce_rows_by_key(XD_SUM, &pairs, NULL, &few_keys, 2, 0, XD_FLOAT64, out, 0, 0, &options));
  CHECK(out[0] == 1 && out[1] == 7 && out[2] == 0 && out[3] == 5);
  CHECK_ERROR(xd_reduce_rows_by_key(XD_SUM, &pairs, NULL, &few_keys, 2, 0, XD_FLOAT64, out, 0, 1, &options),
              XD_BAD_OPTION, "not added");
}

static void test_filter_errors(void) {
  const double x[] = {1, 2, 3};
  const xd_vector a = xd_contiguous(x, 3, XD_FLOAT64);
  const xd_rows rows = xd_matrix_rows(x, 1, 3, XD_FLOAT64);
  const xd_rows longer = xd_matrix_rows(flags, 1, 4, XD_UINT8), numbers = xd_matrix_rows(x, 1, 3, XD_FLOAT64),
                two = xd_matrix_rows(flags, 2, 3, XD_UINT8), null = xd_matrix_rows(NULL, 1, 3, XD_UINT8),
                unknown = xd_matrix_rows(flags, 1, 3, 99);
  double result = 77;
  uint64_t index = 77;
  xd_filter filter = {0};
  xd_options options = {0};
  options.filter = &filter;
#define OF(mask) (filter.where = &(mask), xd_reduce(XD_SUM, &a, NULL, XD_FLOAT64, &result, &options))
  CHECK_ERROR(OF(longer), XD_SIZE_MISMATCH, "mask differ: (3,) and (4,)");
  CHECK_ERROR(OF(numbers), XD_BAD_OPTION, "where holds float64; use XD_UINT8 or XD_INT8");
  CHECK_ERROR(OF(two), XD_SIZE_MISMATCH, "where has 2 rows");
  CHECK_ERROR(OF(null), XD_NULL_POINTER, "for where");
  CHECK_ERROR(OF(unknown), XD_BAD_OPTION, "99");
#undef OF
  filter.where = &two;
  CHECK_ERROR(xd_reduce_rows(XD_SUM, &rows, NULL, XD_FLOAT64, &result, 0, &options), XD_SIZE_MISMATCH, "its mask");
  filter.where = NULL;
  CHECK_ERROR(xd_minmax(&a, &result, &result, &options), XD_BAD_OPTION, "options->filter");
  CHECK_ERROR(xd_iamax(&a, &index, &options), XD_BAD_OPTION, "options->filter");
  CHECK_ERROR(xd_multiply_rows(&rows, &rows, XD_FLOAT64, &result, 0, &options), XD_BAD_OPTION, "options->filter");
  CHECK(result == 77 && index == 77);
}

void test_missing(void) {
  test_kept_vectors();
  test_kept_shapes();
  test_filter_errors();
}
