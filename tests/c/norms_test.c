/* RMS norms and layer norms of rows. */
#include <math.h>

#include "check.h"

static void test_rms_norm(void) {
  const float values[] = {3, 4, 5, 0, 1, 7, 5, 5}; /* the means of squares are 12.5 and 25 */
  const float weights[] = {2, 2, 2, 0.5F};
  const xd_rows rows = xd_matrix_rows(values, 2, 4, XD_FLOAT32),
                last = {values + 4, 1, 4, 0, sizeof(float), XD_FLOAT32, 0};
  const xd_vector weight = xd_contiguous(weights, 4, XD_FLOAT32), few = xd_contiguous(weights, 3, XD_FLOAT32), none = xd_contiguous(weights, 0, XD_FLOAT32);
  float out[10] = {9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
  CHECK_OK(xd_rms_norm(&last, &weight, 0, out, 0, NULL));
  CHECK(out[0] == 0.4F && out[1] == 2.8F && out[2] == 2 && out[3] == 0.5F && out[4] == 9);
  CHECK_OK(xd_rms_norm(&rows, NULL, 12.5, out, 5 * sizeof(float), NULL));
  CHECK(out[0] == 0.6F && out[1] == 0.8F && out[2] == 1 && out[3] == 0 && out[4] == 9 && out[9] == 9);
  CHECK_ERROR(xd_rms_norm(&rows, &few, 0, out, 0, NULL), XD_SIZE_MISMATCH, "xd_rms_norm: weight has 3");
  CHECK_ERROR(xd_rms_norm(&rows, &none, 0, out, 0, NULL), XD_SIZE_MISMATCH, "xd_rms_norm: weight has 0");
  CHECK_ERROR(xd_rms_norm(&rows, NULL, -1, out, 0, NULL), XD_BAD_OPTION, "epsilon is -1");
  CHECK_ERROR(xd_rms_norm(&rows, NULL, 0, NULL, 0, NULL), XD_NULL_POINTER, "results");
  CHECK_ERROR(xd_rms_norm(NULL, NULL, 0, out, 0, NULL), XD_NULL_POINTER, "x is a null");
  CHECK(out[0] == 0.6F);
}

static void test_layer_norm(void) {
  const double values[] = {1, 5, 5, 1, 1e300, 1e300, 1e300, 1e300}; /* mean 3, variance 4; and no variance */
  const double biases[] = {0, 1, 2, -0.0};
  const float weights[] = {1, 1, 1, 0};
  const xd_rows rows = xd_matrix_rows(values, 2, 4, XD_FLOAT64);
  xd_rows integers = rows, columns = xd_matrix_columns(values, 4, 2, XD_FLOAT64);
  const xd_vector bias = xd_contiguous(biases, 4, XD_FLOAT64), weight = xd_contiguous(weights, 4, XD_FLOAT32);
  double out[8];
  integers.type = XD_INT64;
  CHECK_OK(xd_layer_norm(&rows, NULL, &bias, 0, out, 0, NULL));
  CHECK(out[0] == -1 && out[1] == 2 && out[2] == 3 && out[3] == -1 && isnan(out[4]) && isnan(out[7]));
  CHECK_OK(xd_layer_norm(&rows, &weight, NULL, 1, out, 0, NULL));
  CHECK(out[1] == -out[0] && out[3] == 0 && out[4] == 0 && out[7] == 0);
  CHECK_ERROR(xd_layer_norm(&rows, &weight, &bias, 0, out, 0, NULL), XD_BAD_OPTION, "different types");
  CHECK_ERROR(xd_layer_norm(&integers, NULL, NULL, 0, out, 0, NULL), XD_BAD_OPTION, "float16, bfloat16");
  CHECK_ERROR(xd_layer_norm(&columns, NULL, NULL, 0, out, 0, NULL), XD_BAD_OPTION, "follow each other");
}

void test_norms(void) {
  test_rms_norm();
  test_layer_norm();
}
