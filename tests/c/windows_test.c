/* Prefix sums and moving windows, and their errors. */
#include <math.h>
#include <stdint.h>

#include "check.h"

static void test_results(void) {
  const double x[] = {1e100, 1, -1e100, 2, 1, 3};
  const int32_t whole[] = {1, 2, 3, 4, 5, 6};
  const xd_rows line = xd_matrix_rows(x, 1, 6, XD_FLOAT64), rows = xd_matrix_rows(x, 2, 3, XD_FLOAT64),
                columns = xd_matrix_columns(x, 3, 2, XD_FLOAT64), integers = xd_matrix_rows(whole, 1, 6, XD_INT32);
  double out[8] = {77, 77, 77, 77, 77, 77, 77, 77};
  float narrow[6];
  int64_t sums[6];
  xd_options options = {0};
  CHECK_OK(xd_cumsum(&line, XD_FLOAT64, out, 0, NULL));
  CHECK(out[0] == 1e100 && out[1] == 1e100 && out[2] == 1 && out[5] == 7 && out[6] == 77);
  CHECK_OK(xd_cumsum(&rows, XD_FLOAT64, out, 4 * sizeof(double), NULL));
  CHECK(out[2] == 1 && out[3] == 3 && out[4] == 2 && out[6] == 6 && out[7] == 77);
  CHECK_OK(xd_cumsum(&columns, XD_FLOAT64, out, 0, NULL));
  CHECK(out[0] == 1e100 && out[1] == 0 && out[2] == 1 && out[3] == 1 && out[4] == 3 && out[5] == 6);
  CHECK_OK(xd_cumsum(&integers, XD_INT64, sums, 0, NULL));
  CHECK(sums[0] == 1 && sums[5] == 21);
  CHECK_OK(xd_rolling(XD_SUM, &line, 2, 2, XD_FLOAT32, narrow, 0, NULL));
  CHECK(isnan(narrow[0]) && narrow[3] == -HUGE_VALF && narrow[4] == 3 && narrow[5] == 4);
  CHECK_OK(xd_rolling(XD_MEAN, &line, 100, 1, XD_FLOAT64, out, 0, NULL));
  CHECK(out[2] == 1.0 / 3 && out[5] == 7.0 / 6);
  options.ddof = 1;
  CHECK_OK(xd_rolling(XD_VARIANCE, &integers, 3, 2, XD_FLOAT64, out, 0, &options));
  CHECK(isnan(out[0]) && out[1] == 0.5 && out[2] == 1 && out[5] == 1);
}

static void test_skipped(void) {
  const double x[] = {1, NAN, 3, 5}, initial = 0;
  const xd_rows line = xd_matrix_rows(x, 1, 4, XD_FLOAT64);
  double out[4];
  xd_filter filter = {0};
  xd_options options = {0};
  options.filter = &filter;
  CHECK_OK(xd_rolling(XD_STDDEV, &line, 2, 1, XD_FLOAT64, out, 0, &options));
  CHECK(out[0] == 0 && isnan(out[1]) && isnan(out[2]) && out[3] == 1);
  filter.skip_nan = 1;
  CHECK_OK(xd_rolling(XD_SUM, &line, 2, 1, XD_FLOAT64, out, 0, &options));
  CHECK(out[0] == 1 && out[1] == 1 && out[2] == 3 && out[3] == 8);
  CHECK_OK(xd_cumsum(&line, XD_FLOAT64, out, 0, &options));
  CHECK(out[1] == 1 && out[3] == 9);
  filter.initial = &initial;
  CHECK_ERROR(xd_cumsum(&line, XD_FLOAT64, out, 0, &options), XD_BAD_OPTION, "no mask and no initial value");
}

static void test_window_errors(void) {
  double x[] = {1, 2, 3, 4};
  const xd_rows line = xd_matrix_rows(x, 1, 4, XD_FLOAT64), empty = xd_matrix_rows(NULL, 1, 0, XD_FLOAT64),
                null = xd_matrix_rows(NULL, 1, 2, XD_FLOAT64);
  double out[4] = {77, 77, 77, 77};
  xd_options options = {0};
  CHECK_OK(xd_cumsum(&empty, XD_FLOAT64, NULL, 0, NULL));
  CHECK_OK(xd_rolling(XD_SUM, &empty, 3, 3, XD_FLOAT64, out, 0, NULL));
  CHECK_ERROR(xd_rolling(XD_SUM, &line, 0, 0, XD_FLOAT64, out, 0, NULL), XD_BAD_OPTION, "the window has no elements");
  CHECK_ERROR(xd_rolling(XD_SUM, &line, 2, 3, XD_FLOAT64, out, 0, NULL), XD_BAD_OPTION, "min_periods is 3");
  CHECK_ERROR(xd_rolling(XD_MAX, &line, 2, 2, XD_FLOAT64, out, 0, NULL), XD_BAD_OPTION, "not max");
  CHECK_ERROR(xd_rolling(99, &line, 2, 2, XD_FLOAT64, out, 0, NULL), XD_BAD_OPTION, "99");
  CHECK_ERROR(xd_rolling(XD_SUM, &line, 2, 2, XD_INT64, out, 0, NULL), XD_BAD_OPTION, "a floating-point type");
  CHECK_ERROR(xd_cumsum(&line, XD_INT64, out, 0, NULL), XD_BAD_OPTION, "a floating-point type");
  CHECK_ERROR(xd_cumsum(&line, XD_FLOAT64, NULL, 0, NULL), XD_NULL_POINTER, "results");
  CHECK_ERROR(xd_cumsum(&null, XD_FLOAT64, out, 0, NULL), XD_NULL_POINTER, "a null pointer");
  CHECK_ERROR(xd_cumsum(NULL, XD_FLOAT64, out, 0, NULL), XD_NULL_POINTER, "x");
  CHECK_ERROR(xd_cumsum(&line, XD_FLOAT64, x, 0, NULL), XD_BAD_OPTION, "results lie within x");
  options.mode = XD_FAST;
  CHECK_ERROR(xd_cumsum(&line, XD_FLOAT64, out, 0, &options), XD_BAD_OPTION, "mode fast has no windows");
  CHECK(out[0] == 77);
}

void test_windows(void) {
  test_results();
  test_skipped();
  test_window_errors();
}
