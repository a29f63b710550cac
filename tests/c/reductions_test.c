/* Names, reductions and their errors. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

void test_names(void) {
  static const char* const types[] = {"float32", "float64", "float16", "bfloat16", "int8",   "int16",
                                      "int32",   "int64",   "uint8",   "uint16",   "uint32", "uint64",
                                      "float8_e4m3fn", "float8_e5m2"};
  static const size_t sizes[] = {4, 8, 2, 2, 1, 2, 4, 8, 1, 2, 4, 8, 1, 1};
  static const char* const reductions[] = {"dot",    "sum", "asum", "sum_of_squares", "nrm2",  "mean", "variance",
                                           "stddev", "min", "max",  "argmin",         "argmax",
                                           "weighted_mean", "cosine", "distance", "covariance", "correlation", "slope",
                                           "intercept", "standard_error", "weighted_variance", "weighted_stddev",
                                           "variance_about", "stddev_about"};
  static const char* const statuses[] = {"XD_OK",           "XD_OUT_OF_MEMORY", "XD_INTERNAL",  "XD_SIZE_MISMATCH",
                                         "XD_NULL_POINTER", "XD_BAD_OPTION",    "XD_NO_DEVICE", "XD_EMPTY_INPUT",
                                         "XD_OVERFLOW",     "XD_HEADROOM",      "XD_CANCELLED", "XD_DEVICE_FAILURE",
                                         "XD_FILE"};
  static const int unknown[] = {-1, 24, 256, INT_MAX, INT_MIN};
  CHECK(strcmp(xd_message(), "") == 0);
  for (int i = 0; i < 14; ++i) {
    CHECK(strcmp(xd_type_name(i), types[i]) == 0);
    CHECK(xd_type_size(i) == sizes[i]);
    CHECK(xd_type_named(types[i]) == i);
  }
  for (int i = 0; i < 24; ++i) {
    CHECK(strcmp(xd_reduction_name(i), reductions[i]) == 0);
    CHECK(xd_reduction_named(reductions[i]) == i);
  }
  for (int i = 0; i < 13; ++i) CHECK(strcmp(xd_status_name(i), statuses[i]) == 0);
  for (int i = 0; i < 5; ++i) {
    CHECK(strcmp(xd_type_name(unknown[i]), "unknown") == 0);
    CHECK(xd_type_size(unknown[i]) == 0);
    CHECK(strcmp(xd_reduction_name(unknown[i]), "unknown") == 0);
    CHECK(xd_accumulator_word_count(unknown[i]) == 0);
    CHECK(xd_moments_word_count(unknown[i]) == 0);
  }
  CHECK(strcmp(xd_status_name(-1), "unknown status") == 0);
  CHECK(xd_type_named("float128") == -1 && xd_type_named("") == -1 && xd_type_named(NULL) == -1);
  CHECK(XD_NORM == XD_NRM2 && XD_VAR == XD_VARIANCE && XD_STD == XD_STDDEV);
  CHECK(xd_reduction_named("norm") == XD_NORM && xd_reduction_named("var") == XD_VAR);
  CHECK(xd_reduction_named("std") == XD_STD && strcmp(xd_reduction_name(XD_NORM), "nrm2") == 0);
  CHECK(xd_reduction_named("Dot") == -1 && xd_reduction_named(NULL) == -1);
  CHECK(strncmp(xd_version(), EXPECTED_VERSION, strlen(EXPECTED_VERSION)) == 0);
}

static double reduce(int reduction, const xd_vector* x, const xd_options* options) {
  double result = -77;
  CHECK_OK(xd_reduce(reduction, x, NULL, XD_FLOAT64, &result, options));
  return result;
}

static void test_8_bit_floats(void) {
  const unsigned char e4m3[] = {0x7e, 0x7e, 0x01}, e5m2[] = {0x3c, 0xbc, 0x7b}; /* 448, 448, 2^-9; 1, -1, 57344 */
  const xd_vector f8 = xd_contiguous(e4m3, 3, XD_FLOAT8_E4M3FN), g8 = xd_contiguous(e5m2, 3, XD_FLOAT8_E5M2);
  unsigned char small = 0;
  CHECK(reduce(XD_SUM, &f8, NULL) == 896 + 0x1p-9 && reduce(XD_SUM, &g8, NULL) == 57344);
  CHECK_OK(xd_reduce(XD_SUM, &f8, NULL, XD_FLOAT8_E4M3FN, &small, NULL));
  CHECK(small == 0x7f); /* beyond 448, where there is no infinity */
  CHECK_OK(xd_reduce(XD_DOT, &f8, &g8, XD_FLOAT8_E5M2, &small, NULL));
  CHECK(small == 0x57); /* 57344 * 2^-9 = 112 */
  CHECK_OK(xd_reduce(XD_MIN, &g8, NULL, XD_FLOAT8_E5M2, &small, NULL));
  CHECK(small == 0xbc);
}

static void test_extremes(void) {
  static const double elements[] = {1, -3, 3, -0.0, 2};
  static const int8_t narrow[] = {127, -128, 5};
  const double nothing = 7;
  xd_vector x = xd_contiguous(elements, 5, XD_FLOAT64), bytes = xd_contiguous(narrow, 3, XD_INT8), none;
  double least = nothing, greatest = nothing;
  int8_t low = 0, high = 0;
  uint64_t index = 7;
  CHECK_OK(xd_minmax(&x, &least, &greatest, NULL));
  CHECK(least == -3 && greatest == 3);
  CHECK_OK(xd_minmax(&bytes, &low, &high, NULL));
  CHECK(low == -128 && high == 127);
  CHECK_OK(xd_iamax(&x, &index, NULL));
  CHECK(index == 1);
  CHECK_OK(xd_iamax(&bytes, &index, NULL));
  CHECK(index == 1);
  none = xd_contiguous(NULL, 0, XD_FLOAT64);
  CHECK_ERROR(xd_minmax(&none, &least, &greatest, NULL), XD_EMPTY_INPUT, "xd_minmax: the vector is empty");
  CHECK_ERROR(xd_iamax(&none, &index, NULL), XD_EMPTY_INPUT, "xd_iamax: the vector is empty");
  CHECK_ERROR(xd_minmax(NULL, &least, &greatest, NULL), XD_NULL_POINTER, "x");
  CHECK_ERROR(xd_minmax(&x, NULL, &greatest, NULL), XD_NULL_POINTER, "least");
  CHECK_ERROR(xd_minmax(&x, &least, NULL, NULL), XD_NULL_POINTER, "greatest");
  CHECK_ERROR(xd_iamax(&x, NULL, NULL), XD_NULL_POINTER, "index");
  CHECK_ERROR(xd_minmax(&x, (void*)elements, &greatest, NULL), XD_BAD_OPTION, "inside an input vector");
  CHECK(least == -3 && greatest == 3 && index == 1);
}

void test_reductions(void) {
  const double data[] = {3, -1, 2, 6};
  const double b_data[] = {1e200, 1, -1e200, 0};
  const double a_data[] = {1e200, 1, 1e200, 5};
  const int32_t integers[] = {INT32_MAX, INT32_MAX, 3};
  const xd_vector x = xd_contiguous(data, 4, XD_FLOAT64);
  const xd_vector a = xd_contiguous(a_data, 4, XD_FLOAT64), b = xd_contiguous(b_data, 4, XD_FLOAT64);
  const xd_vector none = xd_contiguous(NULL, 0, XD_FLOAT64), i = xd_contiguous(integers, 3, XD_INT32);
  const xd_vector backwards = {&data[3], 2, -2 * (ptrdiff_t)sizeof(double), XD_FLOAT64, 0};
  const unsigned char big_endian[] = {0x40, 0x08, 0, 0, 0, 0, 0, 0, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0};
  const xd_vector swapped = {big_endian, 2, 8, XD_FLOAT64, 1};
  double r = 0;
  float f = 0;
  int64_t index = -1, total = -1;
  int16_t small[] = {-5, 7};
  int16_t least = 0;
  char bytes[9];
  const xd_vector s = xd_contiguous(small, 2, XD_INT16);
  xd_options options = {0};

  CHECK(x.data == data && x.n == 4 && x.stride == 8 && x.type == XD_FLOAT64 && x.swapped == 0);
  CHECK(xd_contiguous(data, 4, 99).stride == 0);
  CHECK(reduce(XD_SUM, &x, NULL) == 10);
  CHECK(reduce(XD_SUM, &x, &options) == 10);
  CHECK(reduce(XD_ASUM, &x, NULL) == 12);
  CHECK(reduce(XD_SUM_OF_SQUARES, &x, NULL) == 50);
  CHECK(reduce(XD_NRM2, &x, NULL) == sqrt(50.0));
  CHECK(reduce(XD_MEAN, &x, NULL) == 2.5);
  CHECK(reduce(XD_VARIANCE, &x, NULL) == 6.25);
  CHECK(reduce(XD_STDDEV, &x, NULL) == 2.5);
  CHECK(reduce(XD_MIN, &x, NULL) == -1);
  CHECK(reduce(XD_MAX, &x, NULL) == 6);
  CHECK(reduce(XD_SUM, &backwards, NULL) == 5);
  CHECK(reduce(XD_SUM, &swapped, NULL) == 4);
  CHECK(reduce(XD_SUM, &none, NULL) == 0 && !signbit(reduce(XD_SUM, &none, NULL)));
  CHECK(isnan(reduce(XD_MEAN, &none, NULL)));
  options.ddof = 1;
  CHECK(reduce(XD_VARIANCE, &x, &options) == 25.0 / 3);
  CHECK(reduce(XD_MEAN, &x, &options) == 2.5); /* ignores ddof */

  CHECK_OK(xd_reduce(XD_DOT, &a, &b, XD_FLOAT64, &r, NULL));
  CHECK(r == 1);
  options.mode = XD_FAST;
  options.threads = 1;
  options.device = XD_CPU;
  CHECK(reduce(XD_SUM, &x, &options) == 10);
  CHECK_OK(xd_reduce(XD_SUM, &x, NULL, XD_FLOAT32, &f, NULL));
  CHECK(f == 10);
  CHECK_OK(xd_reduce(XD_ARGMAX, &x, NULL, XD_INT64, &index, NULL));
  CHECK(index == 3);
  CHECK_OK(xd_reduce(XD_SUM, &i, NULL, XD_INT64, &total, NULL));
  CHECK(total == 2 * (int64_t)INT32_MAX + 3);
  CHECK_OK(xd_reduce(XD_MIN, &s, NULL, XD_INT16, &least, NULL));
  CHECK(least == -5);
  CHECK_OK(xd_reduce(XD_SUM, &x, NULL, XD_FLOAT64, bytes + 1, NULL)); /* any address */
  memcpy(&r, bytes + 1, sizeof r);
  CHECK(r == 10);
  test_8_bit_floats();
  test_extremes();
}

void test_typed_calls(void) {
  const float f[] = {1, -2, 3, -4, 5, -6};
  const double d[] = {1, -2, 3, -4, 5, -6};
  float s = 0;
  double r = 0;
  CHECK(xd_sdot(6, f, 1, f, 1, &s) == XD_OK && s == 91);
  CHECK(xd_ddot(6, d, 1, d, 1, &r) == XD_OK && r == 91);
  CHECK(xd_sdot(3, f, 2, f + 5, -2, &s) == XD_OK && s == 1 * -6 + 3 * -4 + 5 * -2);
  CHECK(xd_ddot(3, d, 2, d + 5, -2, &r) == XD_OK && r == 1 * -6 + 3 * -4 + 5 * -2);
  CHECK(xd_ddot(6, d, 1, d, 0, &r) == XD_OK && r == -3);
  CHECK(xd_ssum(6, f, 1, &s) == XD_OK && s == -3);
  CHECK(xd_dsum(6, d, 1, &r) == XD_OK && r == -3);
  CHECK(xd_dsum(2, d + 5, -3, &r) == XD_OK && r == -3); /* element i is x[i*incx] */
  CHECK(xd_sasum(6, f, 1, &s) == XD_OK && s == 21);
  CHECK(xd_dasum(3, d, 2, &r) == XD_OK && r == 9);
  CHECK(xd_snrm2(2, f + 2, 1, &s) == XD_OK && s == 5);
  CHECK(xd_dnrm2(2, d + 2, 1, &r) == XD_OK && r == 5);
  CHECK(xd_smean(6, f, 1, &s) == XD_OK && s == -0.5f);
  CHECK(xd_dmean(3, d, 2, &r) == XD_OK && r == 3);
  CHECK(xd_ddot(0, NULL, 1, NULL, 1, &r) == XD_OK && r == 0);

  r = 42;
  CHECK_ERROR(xd_ddot(2, d, 1, NULL, 1, &r), XD_NULL_POINTER, "dot");
  CHECK_ERROR(xd_ddot(2, d, 1, d, 1, NULL), XD_NULL_POINTER, "result");
  CHECK_ERROR(xd_dsum(2, NULL, 1, &r), XD_NULL_POINTER, "sum");
  CHECK_ERROR(xd_ssum(2, f, 1, NULL), XD_NULL_POINTER, "result");
  CHECK_ERROR(xd_dsum(3, d, PTRDIFF_MAX, &r), XD_BAD_OPTION, "address space");
  CHECK_ERROR(xd_ddot(3, d, PTRDIFF_MIN, d, 1, &r), XD_BAD_OPTION, "address space");
  CHECK(r == 42);
  {
    double own[] = {1, 2, 3, 4};
    CHECK_ERROR(xd_dsum(4, own, 1, &own[3]), XD_BAD_OPTION, "inside an input");
    CHECK_ERROR(xd_ddot(2, d, 1, own + 3, -3, &own[0]), XD_BAD_OPTION, "inside an input");
    CHECK(own[0] == 1 && own[3] == 4);
    CHECK_OK(xd_dsum(2, own, 2, &own[1])); /* between the elements */
    CHECK(own[1] == 4);
    CHECK_OK(xd_dsum(3, own, 1, &own[3])); /* behind them */
    CHECK(own[3] == 8);
  }
}

static void test_argument_errors(double* r) {
  const double data[] = {1, 2, 3};
  const float floats[] = {1, 2, 3};
  const int64_t integers[] = {INT64_MAX, 1, 2};
  const xd_vector x = xd_contiguous(data, 3, XD_FLOAT64), shorter = xd_contiguous(data, 2, XD_FLOAT64);
  const xd_vector i = xd_contiguous(integers, 3, XD_INT64), none = xd_contiguous(data, 0, XD_FLOAT64);
  const xd_vector null = xd_contiguous(NULL, 3, XD_FLOAT64), unknown = xd_contiguous(data, 3, 256);
  const xd_vector f = xd_contiguous(floats, 3, XD_FLOAT32);
  const xd_vector far = {data, 3, PTRDIFF_MAX, XD_FLOAT64, 0};
  const xd_vector endless = {data, SIZE_MAX, -8, XD_FLOAT64, 0};

  CHECK_ERROR(xd_reduce(24, &x, NULL, XD_FLOAT64, r, NULL), XD_BAD_OPTION, "unknown reduction 24");
  CHECK_ERROR(xd_reduce(-1, &x, NULL, XD_FLOAT64, r, NULL), XD_BAD_OPTION, "unknown reduction -1");
  CHECK_ERROR(xd_reduce(256 + XD_SUM, &x, NULL, XD_FLOAT64, r, NULL), XD_BAD_OPTION, "unknown reduction 257");
  CHECK_ERROR(xd_reduce(XD_SUM, &x, NULL, 256, r, NULL), XD_BAD_OPTION, "unknown element type 256");
  CHECK_ERROR(xd_reduce(XD_SUM, &unknown, NULL, XD_FLOAT64, r, NULL), XD_BAD_OPTION, "unknown element type 256");
  CHECK_ERROR(xd_reduce(XD_SUM, NULL, NULL, XD_FLOAT64, r, NULL), XD_NULL_POINTER, "a is a null");
  CHECK_ERROR(xd_reduce(XD_DOT, &x, NULL, XD_FLOAT64, r, NULL), XD_NULL_POINTER, "b is a null");
  CHECK_ERROR(xd_reduce(XD_SUM, &x, NULL, XD_FLOAT64, NULL, NULL), XD_NULL_POINTER, "result is a null");
  CHECK_ERROR(xd_reduce(XD_SUM, &null, NULL, XD_FLOAT64, r, NULL), XD_NULL_POINTER, "3 elements");
  CHECK_ERROR(xd_reduce(XD_SUM, &x, &x, XD_FLOAT64, r, NULL), XD_BAD_OPTION, "sum takes one vector");
  CHECK_ERROR(xd_reduce(XD_DOT, &x, &shorter, XD_FLOAT64, r, NULL), XD_SIZE_MISMATCH, "3 and 2");
  CHECK_ERROR(xd_reduce(XD_DOT, &x, &i, XD_FLOAT64, r, NULL), XD_BAD_OPTION, "integers");
  CHECK_ERROR(xd_reduce(XD_SUM, &x, NULL, XD_INT64, r, NULL), XD_BAD_OPTION, "floating-point");
  CHECK_ERROR(xd_reduce(XD_MIN, &x, NULL, XD_FLOAT32, r, NULL), XD_BAD_OPTION, "float64");
  CHECK_ERROR(xd_reduce(XD_ARGMIN, &x, NULL, XD_FLOAT64, r, NULL), XD_BAD_OPTION, "int64 or uint64");
  CHECK_ERROR(xd_reduce(XD_SUM, &far, NULL, XD_FLOAT64, r, NULL), XD_BAD_OPTION, "address space");
  CHECK_ERROR(xd_reduce(XD_SUM, &endless, NULL, XD_FLOAT64, r, NULL), XD_BAD_OPTION, "address space");
  for (int what = XD_MIN; what <= XD_ARGMAX; ++what) {
    CHECK_ERROR(xd_reduce(what, &none, NULL, what <= XD_MAX ? XD_FLOAT64 : XD_INT64, r, NULL), XD_EMPTY_INPUT,
                "empty");
  }
  CHECK_ERROR(xd_reduce(XD_SUM, &i, NULL, XD_INT64, r, NULL), XD_OVERFLOW, "does not fit");
  CHECK_ERROR(xd_reduce(XD_SUM, &x, NULL, XD_FLOAT64, (double*)data + 1, NULL), XD_BAD_OPTION, "inside an input");
  CHECK_ERROR(xd_reduce(XD_SUM, &f, NULL, XD_FLOAT64, (float*)floats + 2, NULL), XD_BAD_OPTION, "inside an input");
  CHECK_ERROR(xd_reduce(XD_DOT, &x, &x, XD_FLOAT32, (char*)data + 6, NULL), XD_BAD_OPTION, "inside an input");
}

static void test_option_errors(double* r) {
  const double data[] = {1, 2, 3};
  const xd_vector x = xd_contiguous(data, 3, XD_FLOAT64);
  xd_options options = {0};
  options.mode = 2;
  CHECK_ERROR(xd_reduce(XD_SUM, &x, NULL, XD_FLOAT64, r, &options), XD_BAD_OPTION, "unknown mode 2");
  options.mode = XD_FAST;
  CHECK_ERROR(xd_reduce(XD_VARIANCE, &x, NULL, XD_FLOAT64, r, &options), XD_BAD_OPTION, "variance");
  options.mode = XD_EXACT;
  options.device = 3;
  CHECK_ERROR(xd_reduce(XD_SUM, &x, NULL, XD_FLOAT64, r, &options), XD_BAD_OPTION, "unknown device 3");
  options.device = -1;
  CHECK_ERROR(xd_reduce(XD_SUM, &x, NULL, XD_FLOAT64, r, &options), XD_BAD_OPTION, "unknown device -1");
  options.device = XD_CUDA;
  options.device_index = 99;
  CHECK_ERROR(xd_reduce(XD_SUM, &x, NULL, XD_FLOAT64, r, &options), XD_NO_DEVICE, "");
  options.device = XD_AUTOMATIC;
  options.threads = -1;
  CHECK_ERROR(xd_reduce(XD_SUM, &x, NULL, XD_FLOAT64, r, &options), XD_BAD_OPTION, "threads");
  options.threads = 0;
  options.ddof = -1;
  CHECK_ERROR(xd_reduce(XD_STDDEV, &x, NULL, XD_FLOAT64, r, &options), XD_BAD_OPTION, "ddof is -1");
  CHECK_ERROR(xd_reduce(XD_MEAN, &x, NULL, XD_FLOAT64, r, &options), XD_BAD_OPTION, "ddof is -1");
}

static void test_default_types(void) {
  int type = 42;
  CHECK_ERROR(xd_default_result_type(99, XD_INT8, 0, &type), XD_BAD_OPTION, "unknown reduction 99");
  CHECK_ERROR(xd_default_result_type(XD_SUM, 99, 0, &type), XD_BAD_OPTION, "unknown element type 99");
  CHECK_ERROR(xd_default_result_type(XD_DOT, XD_INT8, -1, &type), XD_BAD_OPTION, "unknown element type -1");
  CHECK_ERROR(xd_default_result_type(XD_DOT, XD_INT8, XD_FLOAT32, &type), XD_BAD_OPTION, "integers");
  CHECK_ERROR(xd_default_result_type(XD_SUM, XD_INT8, 0, NULL), XD_NULL_POINTER, "type");
  CHECK(type == 42);
  CHECK_OK(xd_default_result_type(XD_DOT, XD_FLOAT32, XD_FLOAT64, &type));
  CHECK(type == XD_FLOAT64);
  CHECK_OK(xd_default_result_type(XD_MEAN, XD_INT8, -1, &type)); /* type_b is for dots only */
  CHECK(type == XD_FLOAT64);
  CHECK_OK(xd_default_result_type(XD_SUM, XD_UINT8, 0, &type));
  CHECK(type == XD_UINT64);
}

static void test_monitor(double* r) {
  const double data[] = {1, 2, 3};
  const xd_vector x = xd_contiguous(data, 3, XD_FLOAT64);
  xd_monitor* monitor = NULL;
  xd_options options = {0};
  CHECK_ERROR(xd_monitor_create(NULL), XD_NULL_POINTER, "monitor");
  CHECK_ERROR(xd_monitor_cancel(NULL), XD_NULL_POINTER, "monitor");
  CHECK(xd_monitor_done(NULL) == 0);
  xd_monitor_destroy(NULL);
  CHECK_OK(xd_monitor_create(&monitor));
  options.monitor = monitor;
  CHECK(reduce(XD_SUM, &x, &options) == 6);
  CHECK(xd_monitor_done(monitor) == 3);
  CHECK_OK(xd_monitor_cancel(monitor));
  CHECK_ERROR(xd_reduce(XD_SUM, &x, NULL, XD_FLOAT64, r, &options), XD_CANCELLED, "cancelled");
  xd_monitor_destroy(monitor);
}

void test_reduction_errors(void) {
  double r = 42;
  test_argument_errors(&r);
  test_option_errors(&r);
  test_default_types();
  test_monitor(&r);
  CHECK(r == 42); /* a call that fails writes no result */
}
