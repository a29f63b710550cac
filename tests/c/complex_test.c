/* Complex numbers: sums, norms and products, and their errors. */
#include <complex.h>
#include <math.h>

#include "check.h"

static void test_complex_results(void) {
  const double complex x[] = {3 + 4 * I, 1e100, -1e100 + 2 * I};
  const float complex y[] = {1 + 2 * I, 3 - 1 * I};
  const xd_vector a = xd_contiguous_complex(x, 3, XD_FLOAT64), b = xd_contiguous_complex(y, 2, XD_FLOAT32);
  const xd_vector three = xd_contiguous_complex(x, 1, XD_FLOAT64);
  const xd_vector backwards = {&x[2], 3, -2 * (ptrdiff_t)sizeof(double), XD_FLOAT64, 0};
  double complex out = 77;
  double real = 77;
  float complex narrow[2] = {77, 77};
  CHECK_OK(xd_reduce_complex(XD_SUM, 0, &a, NULL, XD_FLOAT64, &out, NULL));
  CHECK(creal(out) == 3 && cimag(out) == 6);
  CHECK_OK(xd_reduce_complex(XD_MEAN, 0, &backwards, NULL, XD_FLOAT64, &out, NULL));
  CHECK(creal(out) == 1 && cimag(out) == 2);
  CHECK_OK(xd_reduce_complex(XD_DOT, 0, &b, &b, XD_FLOAT32, narrow, NULL));
  CHECK(crealf(narrow[0]) == 5 && cimagf(narrow[0]) == -2 && crealf(narrow[1]) == 77);
  CHECK_OK(xd_reduce_complex(XD_DOT, 1, &b, &b, XD_FLOAT64, &out, NULL));
  CHECK(creal(out) == 15 && cimag(out) == 0);
  CHECK_OK(xd_reduce_complex(XD_SUM_OF_SQUARES, 0, &b, NULL, XD_FLOAT64, &real, NULL));
  CHECK(real == 15);
  CHECK_OK(xd_reduce_complex(XD_ASUM, 0, &b, NULL, XD_FLOAT64, &real, NULL));
  CHECK(real == 7);
  CHECK_OK(xd_reduce_complex(XD_NRM2, 0, &three, NULL, XD_FLOAT64, &real, NULL));
  CHECK(real == 5);
}

static void test_complex_errors(void) {
  double x[] = {1, 2, 3, 4};
  const xd_vector a = xd_contiguous_complex(x, 2, XD_FLOAT64), one = xd_contiguous_complex(x, 1, XD_FLOAT64),
                  null = xd_contiguous_complex(NULL, 2, XD_FLOAT64),
                  none = xd_contiguous_complex(NULL, 0, XD_FLOAT32),
                  integers = xd_contiguous_complex(x, 2, XD_INT32), far = {x, 3, PTRDIFF_MAX, XD_FLOAT64, 0};
  double out[2] = {77, 77};
  xd_filter filter = {0};
  xd_options options = {0};
  CHECK_ERROR(xd_reduce_complex(XD_DOT, 0, &a, &one, XD_FLOAT64, out, NULL), XD_SIZE_MISMATCH, "2 and 1");
  CHECK_ERROR(xd_reduce_complex(XD_DOT, 0, &a, NULL, XD_FLOAT64, out, NULL), XD_NULL_POINTER, "b");
  CHECK_ERROR(xd_reduce_complex(XD_SUM, 0, &a, &a, XD_FLOAT64, out, NULL), XD_BAD_OPTION, "one vector");
  CHECK_ERROR(xd_reduce_complex(XD_SUM, 1, &a, NULL, XD_FLOAT64, out, NULL), XD_BAD_OPTION, "conjugate");
  CHECK_ERROR(xd_reduce_complex(XD_MAX, 0, &a, NULL, XD_FLOAT64, out, NULL), XD_BAD_OPTION, "not max");
  CHECK_ERROR(xd_reduce_complex(XD_SUM, 0, &a, NULL, XD_INT64, out, NULL), XD_BAD_OPTION, "int64");
  CHECK_ERROR(xd_reduce_complex(XD_DOT, 0, &a, &a, XD_INT64, out, NULL), XD_BAD_OPTION, "int64");
  CHECK_ERROR(xd_reduce_complex(XD_SUM, 0, &a, NULL, 99, out, NULL), XD_BAD_OPTION, "99");
  CHECK_ERROR(xd_reduce_complex(XD_SUM, 0, &integers, NULL, XD_FLOAT64, out, NULL), XD_BAD_OPTION,
              "int32; use float32");
  CHECK_ERROR(xd_reduce_complex(XD_SUM, 0, &null, NULL, XD_FLOAT64, out, NULL), XD_NULL_POINTER, "null pointer");
  CHECK_ERROR(xd_reduce_complex(XD_DOT, 1, &null, &null, XD_FLOAT64, out, NULL), XD_NULL_POINTER, "null pointer");
  CHECK_ERROR(xd_reduce_complex(XD_SUM, 0, &far, NULL, XD_FLOAT64, out, NULL), XD_BAD_OPTION, "address space");
  CHECK_ERROR(xd_reduce_complex(XD_SUM, 0, &a, NULL, XD_FLOAT64, x + 1, NULL), XD_BAD_OPTION, "inside an input");
  CHECK_ERROR(xd_reduce_complex(XD_SUM, 0, &a, NULL, XD_FLOAT64, NULL, NULL), XD_NULL_POINTER, "result");
  options.filter = &filter;
  CHECK_ERROR(xd_reduce_complex(XD_SUM, 0, &a, NULL, XD_FLOAT64, out, &options), XD_BAD_OPTION, "options->filter");
  CHECK(out[0] == 77 && out[1] == 77);
  CHECK_OK(xd_reduce_complex(XD_SUM, 0, &none, NULL, XD_FLOAT64, out, NULL));
  CHECK(out[0] == 0 && out[1] == 0);
  CHECK_OK(xd_reduce_complex(XD_MEAN, 0, &none, NULL, XD_FLOAT64, out, NULL));
  CHECK(isnan(out[0]) && isnan(out[1]));
  CHECK_OK(xd_reduce_complex(XD_DOT, 0, &none, &none, XD_FLOAT64, out, NULL));
  CHECK(out[0] == 0 && out[1] == 0);
}

void test_complex(void) {
  test_complex_results();
  test_complex_errors();
}
