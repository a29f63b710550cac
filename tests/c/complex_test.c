/* Complex numbers: sums, norms and products, of some of the numbers too, and their errors. */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

static const xd_options conjugates = {.conjugate = 1};

static void test_complex_results(void) {
  const double complex x[] = {3 + 4 * I, 1e100, -1e100 + 2 * I};
  const float complex y[] = {1 + 2 * I, 3 - 1 * I};
  const xd_vector a = xd_contiguous(x, 3, XD_COMPLEX128), b = xd_contiguous(y, 2, XD_COMPLEX64);
  const xd_vector three = xd_contiguous(x, 1, XD_COMPLEX128);
  const xd_vector backwards = {&x[2], 3, -2 * (ptrdiff_t)sizeof(double), XD_COMPLEX128, 0};
  double complex out = 77;
  double real = 77;
  float complex narrow[2] = {77, 77};
  CHECK_OK(xd_reduce(XD_SUM, &a, NULL, XD_COMPLEX128, &out, NULL));
  CHECK(creal(out) == 3 && cimag(out) == 6);
  CHECK_OK(xd_reduce(XD_MEAN, &backwards, NULL, XD_COMPLEX128, &out, NULL));
  CHECK(creal(out) == 1 && cimag(out) == 2);
  CHECK_OK(xd_reduce(XD_DOT, &b, &b, XD_COMPLEX64, narrow, NULL));
  CHECK(crealf(narrow[0]) == 5 && cimagf(narrow[0]) == -2 && crealf(narrow[1]) == 77);
  CHECK_OK(xd_reduce(XD_DOT, &b, &b, XD_COMPLEX128, &out, &conjugates));
  CHECK(creal(out) == 15 && cimag(out) == 0);
  CHECK_OK(xd_reduce(XD_SUM_OF_SQUARES, &b, NULL, XD_FLOAT64, &real, NULL));
  CHECK(real == 15);
  CHECK_OK(xd_reduce(XD_ASUM, &b, NULL, XD_FLOAT64, &real, NULL));
  CHECK(real == 7);
  CHECK_OK(xd_reduce(XD_NRM2, &three, NULL, XD_FLOAT64, &real, NULL));
  CHECK(real == 5);
}

static void test_complex_errors(void) {
  double x[] = {1, 2, 3, 4};
  const xd_vector a = xd_contiguous(x, 2, XD_COMPLEX128), one = xd_contiguous(x, 1, XD_COMPLEX128),
                  null = xd_contiguous(NULL, 2, XD_COMPLEX128),
                  none = xd_contiguous(NULL, 0, XD_COMPLEX64),
                  integers = xd_contiguous(x, 2, XD_INT32), far = {x, 3, PTRDIFF_MAX, XD_COMPLEX128, 0};
  double out[2] = {77, 77};
  CHECK_ERROR(xd_reduce(XD_DOT, &a, &one, XD_COMPLEX128, out, NULL), XD_SIZE_MISMATCH, "2 and 1");
  CHECK_ERROR(xd_reduce(XD_DOT, &a, NULL, XD_COMPLEX128, out, NULL), XD_NULL_POINTER, "b");
  CHECK_ERROR(xd_reduce(XD_SUM, &a, &a, XD_COMPLEX128, out, NULL), XD_BAD_OPTION, "one vector");
  CHECK_ERROR(xd_reduce(XD_SUM, &a, NULL, XD_COMPLEX128, out, &conjugates), XD_BAD_OPTION, "conjugate");
  CHECK_ERROR(xd_reduce(XD_MAX, &a, NULL, XD_FLOAT64, out, NULL), XD_BAD_OPTION, "not max");
  CHECK_ERROR(xd_reduce(XD_SUM, &a, NULL, XD_INT64, out, NULL), XD_BAD_OPTION, "int64");
  CHECK_ERROR(xd_reduce(XD_DOT, &a, &a, XD_INT64, out, NULL), XD_BAD_OPTION, "int64");
  CHECK_ERROR(xd_reduce(XD_SUM, &a, NULL, 99, out, NULL), XD_BAD_OPTION, "99");
  CHECK_ERROR(xd_reduce(XD_SUM, &integers, NULL, XD_COMPLEX128, out, NULL), XD_BAD_OPTION, "the elements real");
  CHECK_ERROR(xd_reduce(XD_SUM, &null, NULL, XD_COMPLEX128, out, NULL), XD_NULL_POINTER, "null pointer");
  CHECK_ERROR(xd_reduce(XD_DOT, &null, &null, XD_COMPLEX128, out, &conjugates), XD_NULL_POINTER, "null pointer");
  CHECK_ERROR(xd_reduce(XD_SUM, &far, NULL, XD_COMPLEX128, out, NULL), XD_BAD_OPTION, "address space");
  CHECK_ERROR(xd_reduce(XD_SUM, &a, NULL, XD_COMPLEX128, x + 1, NULL), XD_BAD_OPTION, "inside an input");
  CHECK_ERROR(xd_reduce(XD_SUM, &a, NULL, XD_COMPLEX128, NULL, NULL), XD_NULL_POINTER, "result");
  CHECK(out[0] == 77 && out[1] == 77);
  CHECK_OK(xd_reduce(XD_SUM, &none, NULL, XD_COMPLEX128, out, NULL));
  CHECK(out[0] == 0 && out[1] == 0);
  CHECK_OK(xd_reduce(XD_MEAN, &none, NULL, XD_COMPLEX128, out, NULL));
  CHECK(isnan(out[0]) && isnan(out[1]));
  CHECK_OK(xd_reduce(XD_DOT, &none, &none, XD_COMPLEX128, out, NULL));
  CHECK(out[0] == 0 && out[1] == 0);
}

static void test_complex_shapes(void) {
  const double complex x[] = {1 + 2 * I, 3 - 1 * I, 1 * I, 2 + 2 * I, -4, 1 + 1 * I};
  const double weights[] = {1, 2, 3};
  const xd_rows rows = xd_matrix_rows(x, 2, 3, XD_COMPLEX128), columns = xd_matrix_columns(x, 2, 3, XD_COMPLEX128),
                first = {x, 2, 3, 0, sizeof *x, XD_COMPLEX128, 0}, real = {weights, 2, 3, 0, sizeof *weights, XD_FLOAT64, 0};
  const xd_vector vector = xd_contiguous(x, 6, XD_COMPLEX128);
  const int32_t offsets[] = {0, 2, 6};
  const int keys[] = {0, 1, 0, 1, 1, 0};
  const xd_vector of_keys = xd_contiguous(keys, 6, XD_INT32), two_keys = xd_contiguous(keys, 2, XD_INT32);
  double complex out[6] = {77, 77, 77, 77, 77, 77};
  double norms[3] = {77, 77, 77};
  CHECK_OK(xd_reduce_rows(XD_SUM, &rows, NULL, XD_COMPLEX128, out, 0, NULL));
  CHECK(out[0] == 4 + 2 * I && out[1] == -1 + 3 * I && creal(out[2]) == 77);
  CHECK_OK(xd_reduce_rows(XD_SUM_OF_SQUARES, &columns, NULL, XD_FLOAT64, norms, 0, NULL));
  CHECK(norms[0] == 13 && norms[1] == 26 && norms[2] == 3);
  CHECK_OK(xd_reduce_rows(XD_DOT, &rows, &rows, XD_COMPLEX128, out, 0, &conjugates));
  CHECK(out[0] == 16 && out[1] == 26);
  CHECK_OK(xd_reduce_rows(XD_DOT, &rows, &real, XD_COMPLEX128, out, 0, NULL));
  CHECK(out[0] == 7 + 3 * I && out[1] == -3 + 5 * I);
  CHECK_OK(xd_multiply_rows(&rows, &first, XD_COMPLEX128, out, 0, &conjugates));
  CHECK(out[0] == 16 && out[2] == 16 && out[1] == out[3]);
  CHECK_OK(xd_reduce_segments(XD_MEAN, &vector, NULL, offsets, 2, XD_INT32, XD_COMPLEX128, out, NULL));
  CHECK(out[0] == 2 + 0.5 * I && out[1] == -0.25 + 1 * I);
  CHECK_OK(xd_reduce_groups(XD_DOT, &vector, &vector, &of_keys, 2, 0, XD_COMPLEX128, out, NULL));
  CHECK(out[0] == -4 + 6 * I && out[1] == 24 + 2 * I);
  CHECK_OK(xd_reduce_rows_by_key(XD_SUM, &rows, NULL, &two_keys, 2, 0, XD_COMPLEX128, out, 0, 0, NULL));
  CHECK(memcmp(out, x, sizeof x) == 0);
  CHECK_ERROR(xd_reduce_rows(XD_MAX, &rows, NULL, XD_COMPLEX128, out, 0, NULL), XD_BAD_OPTION, "not max");
  CHECK_ERROR(xd_reduce_rows(XD_SUM, &rows, NULL, XD_FLOAT64, norms, 0, NULL), XD_BAD_OPTION, "use complex64");
  CHECK_ERROR(xd_group_sizes(&of_keys, 2, 0, XD_COMPLEX64, out, NULL), XD_BAD_OPTION, "64");
  CHECK_ERROR(xd_cumsum(&rows, XD_FLOAT64, norms, 0, NULL), XD_BAD_OPTION, "unknown element type 65");
  CHECK(xd_type_size(XD_COMPLEX64) == 8 && xd_type_size(XD_COMPLEX128) == 16);
  CHECK(xd_type_named("complex128") == XD_COMPLEX128 && strcmp(xd_type_name(XD_COMPLEX64), "complex64") == 0);
}

static void test_complex_filter(void) {
  double complex x[] = {1 + 2 * I, 3 - 1 * I, 1 * I, 2 + 2 * I, -4, 1 + 1 * I};
  const double weights[] = {1, 2, 3, 4, 5, 6};
  const uint8_t flags[] = {1, 1, 0, 1, 255, 1};
  const double initial = 1;
  const int32_t offsets[] = {0, 3, 6};
  const int numbers[] = {0, 1, 0, 0, 1, 1};
  const xd_vector a = xd_contiguous(x, 6, XD_COMPLEX128), real = xd_contiguous(weights, 6, XD_FLOAT64),
                  keys = xd_contiguous(numbers, 6, XD_INT32), three_keys = xd_contiguous(numbers, 3, XD_INT32);
  const xd_rows rows = xd_matrix_rows(x, 2, 3, XD_COMPLEX128), pairs = xd_matrix_rows(x, 3, 2, XD_COMPLEX128),
                where = xd_matrix_rows(flags, 1, 6, XD_UINT8), of_rows = xd_matrix_rows(flags, 2, 3, XD_UINT8),
                of_pairs = xd_matrix_rows(flags, 3, 2, XD_UINT8), longer = xd_matrix_rows(flags, 1, 5, XD_UINT8);
  double complex out[6] = {77, 77, 77, 77, 77, 77};
  double norm = 77;
  xd_filter filter = {0};
  xd_options options = {0};
  options.filter = &filter;
  ((double*)x)[3] = NAN; /* the imaginary part of x[1] */
  ((double*)x)[8] = NAN; /* the real part of x[4] */
  CHECK_OK(xd_reduce(XD_SUM, &a, NULL, XD_COMPLEX128, out, &options));
  CHECK(isnan(creal(out[0])) && isnan(cimag(out[0])));
  filter.skip_nan = 1;
  CHECK_OK(xd_reduce(XD_SUM, &a, NULL, XD_COMPLEX128, out, &options));
  CHECK(out[0] == 4 + 6 * I);
  CHECK_OK(xd_reduce(XD_DOT, &a, &real, XD_COMPLEX128, out, &options));
  CHECK(out[0] == 15 + 19 * I);
  filter.where = &where;
  CHECK_OK(xd_reduce(XD_MEAN, &a, NULL, XD_COMPLEX128, out, &options));
  CHECK(creal(out[0]) == 4.0 / 3 && cimag(out[0]) == 5.0 / 3 && out[1] == 77);
  CHECK_OK(xd_reduce(XD_SUM_OF_SQUARES, &a, NULL, XD_FLOAT64, &norm, &options));
  CHECK(norm == 15);
  options.conjugate = 1;
  CHECK_OK(xd_reduce(XD_DOT, &a, &a, XD_COMPLEX128, out, &options));
  CHECK(out[0] == 15);
  CHECK_OK(xd_reduce_segments(XD_DOT, &a, &a, offsets, 2, XD_INT32, XD_COMPLEX128, out, &options));
  CHECK(out[0] == 5 && out[1] == 10);
  CHECK_OK(xd_reduce_groups(XD_DOT, &a, &a, &keys, 2, 0, XD_COMPLEX128, out, &options));
  CHECK(out[0] == 13 && out[1] == 2);
  CHECK_ERROR(xd_reduce(XD_SUM, &a, NULL, XD_COMPLEX128, out, &options), XD_BAD_OPTION, "conjugates");
  filter.where = &of_rows;
  CHECK_OK(xd_reduce_rows(XD_DOT, &rows, &rows, XD_COMPLEX128, out, 0, &options));
  CHECK(out[0] == 5 && out[1] == 10 && out[2] == 77);
  options.conjugate = 0, filter.where = &of_pairs;
  CHECK_OK(xd_reduce_rows_by_key(XD_SUM, &pairs, NULL, &three_keys, 2, 0, XD_COMPLEX128, out, 0, 0, &options));
  CHECK(out[0] == 1 + 2 * I && out[1] == 1 + 1 * I && out[2] == 0 && out[3] == 2 + 2 * I);
  out[0] = norm = 77, filter.where = &longer;
  CHECK_ERROR(xd_reduce(XD_SUM, &a, NULL, XD_COMPLEX128, out, &options), XD_SIZE_MISMATCH, "mask differ: (6,) and (5,)");
  filter.where = &of_rows;
  CHECK_ERROR(xd_reduce(XD_SUM, &a, NULL, XD_COMPLEX128, out, &options), XD_SIZE_MISMATCH, "where has 2 rows");
  filter.where = NULL;
  CHECK_ERROR(xd_reduce(XD_MAX, &a, NULL, XD_FLOAT64, &norm, &options), XD_BAD_OPTION, "not max");
  CHECK_ERROR(xd_reduce(XD_SUM, &a, NULL, XD_FLOAT64, &norm, &options), XD_BAD_OPTION, "use complex64");
  CHECK_ERROR(xd_reduce(XD_SUM, &a, NULL, XD_COMPLEX128, x, &options), XD_BAD_OPTION, "inside an input");
  CHECK_ERROR(xd_multiply_rows(&rows, &rows, XD_COMPLEX128, out, 0, &options), XD_BAD_OPTION, "options->filter");
  filter.initial = &initial;
  CHECK_ERROR(xd_reduce(XD_SUM, &a, NULL, XD_COMPLEX128, out, &options), XD_BAD_OPTION, "filter->initial is for XD_MIN");
  CHECK(out[0] == 77 && norm == 77);
}

static void test_complex_default_types(void) {
  int type = 42;
  CHECK_ERROR(xd_default_result_type(XD_MAX, XD_COMPLEX64, 0, &type), XD_BAD_OPTION, "dot products, not max");
  CHECK_ERROR(xd_default_result_type(XD_VARIANCE, XD_COMPLEX128, 0, &type), XD_BAD_OPTION, "not variance");
  CHECK_ERROR(xd_default_result_type(XD_CORRELATION, XD_FLOAT32, XD_COMPLEX64, &type), XD_BAD_OPTION, "correlation");
  CHECK_ERROR(xd_default_result_type(XD_DOT, XD_COMPLEX64, XD_INT8, &type), XD_BAD_OPTION, "one vector holds integers");
  CHECK(type == 42);
  CHECK_OK(xd_default_result_type(XD_SUM, XD_COMPLEX64, -1, &type));
  CHECK(type == XD_COMPLEX64);
  CHECK_OK(xd_default_result_type(XD_NRM2, XD_COMPLEX64, -1, &type));
  CHECK(type == XD_FLOAT32);
  CHECK_OK(xd_default_result_type(XD_DOT, XD_COMPLEX64, XD_FLOAT64, &type));
  CHECK(type == XD_COMPLEX128);
  CHECK_OK(xd_default_result_type(XD_DOT, XD_FLOAT16, XD_COMPLEX64, &type));
  CHECK(type == XD_COMPLEX64);
}

void test_complex(void) {
  test_complex_default_types();
  test_complex_shapes();
  test_complex_filter();
  test_complex_results();
  test_complex_errors();
}
