/* xd_bounded: sums as value, error and bound, and what they decide. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"

enum { N = 5, WORDS = 138 };

static void test_bounds_of_states(void) {
  const double x[N] = {1e16, 1, 0x1p-60, -1e16, 0x1p-200};
  const xd_vector all = xd_contiguous(x, N, XD_FLOAT64), tiny = xd_contiguous(x, 1, XD_FLOAT32);
  int64_t words[WORDS];
  xd_accumulator* sum = NULL;
  xd_bounded bounded = {0, 0, 0}, of_sum = {0, 0, 0};
  CHECK_OK(xd_accumulator_create(XD_FLOAT64, &sum));
  CHECK_OK(xd_accumulator_add(sum, &all, NULL));
  CHECK_OK(xd_accumulator_words(sum, words, WORDS));
  CHECK_OK(xd_bound_words(XD_FLOAT64, words, WORDS, &bounded));
  CHECK(bounded.value == 1 && bounded.error == 0x1p-60);
  CHECK(bounded.bound >= 0x1p-200 && bounded.bound <= 0x1p-96);
  CHECK_OK(xd_accumulator_bound(sum, &of_sum));
  CHECK(memcmp(&of_sum, &bounded, sizeof bounded) == 0);
  CHECK_ERROR(xd_accumulator_bound(NULL, &bounded), XD_NULL_POINTER, "accumulator");
  CHECK_ERROR(xd_accumulator_bound(sum, NULL), XD_NULL_POINTER, "bounded");
  CHECK_OK(xd_accumulator_negate(sum));
  CHECK_OK(xd_accumulator_words(sum, words, WORDS));
  CHECK_OK(xd_bound_words(XD_FLOAT64, words, WORDS, &bounded));
  CHECK(bounded.value == -1 && bounded.error <= -0x1p-60 * (1 - 0x1p-30) && bounded.bound <= 0x1p-96);
  CHECK_OK(xd_accumulator_clear(sum));
  CHECK_OK(xd_accumulator_words(sum, words, WORDS));
  CHECK_OK(xd_bound_words(XD_FLOAT64, words, WORDS, &bounded));
  CHECK(bounded.value == 0 && bounded.error == 0 && bounded.bound == 0);
  words[WORDS - 2] = 1; /* one -infinity */
  CHECK_OK(xd_bound_words(XD_FLOAT64, words, WORDS, &bounded));
  CHECK(bounded.value == -HUGE_VAL && bounded.bound == 0);
  words[WORDS - 3] = 1; /* and one +infinity */
  CHECK_OK(xd_bound_words(XD_FLOAT64, words, WORDS, &bounded));
  CHECK(bounded.value != bounded.value && bounded.bound == 0);
  xd_accumulator_destroy(sum);

  CHECK_ERROR(xd_bound_words(XD_FLOAT64, words, WORDS - 1, &bounded), XD_SIZE_MISMATCH, "137 words");
  CHECK_ERROR(xd_bound_words(77, words, WORDS, &bounded), XD_BAD_OPTION, "77");
  CHECK_ERROR(xd_bound_words(XD_FLOAT64, NULL, WORDS, &bounded), XD_NULL_POINTER, "words");
  CHECK_ERROR(xd_bound_words(XD_FLOAT64, words, WORDS, NULL), XD_NULL_POINTER, "sum");

  CHECK_OK(xd_bound(XD_SUM, &all, NULL, XD_FLOAT64, NULL, &bounded));
  CHECK(fabs(bounded.value + bounded.error - 1) <= bounded.bound + 0x1p-60);
  CHECK_OK(xd_bound(XD_DOT, &all, &all, XD_FLOAT64, NULL, &bounded));
  CHECK(bounded.value == 2e32);
  CHECK_ERROR(xd_bound(XD_NRM2, &all, NULL, XD_FLOAT64, NULL, &bounded), XD_BAD_OPTION, "XD_SUM_OF_SQUARES");
  CHECK_ERROR(xd_bound(XD_DOT, &all, &tiny, XD_FLOAT64, NULL, &bounded), XD_BAD_OPTION, "float32");
  CHECK_ERROR(xd_bound(XD_SUM, &all, NULL, XD_FLOAT64, NULL, NULL), XD_NULL_POINTER, "sum");
}

static void test_decisions(void) {
  const xd_bounded sums[N] = {
      {1, 0x1p-53, 0}, {1, 0x1p-53, 0x1p-90}, {1, 0x1p-53 + 0x1p-80, 0x1p-90}, {HUGE_VAL, 0, 0}, {1, 0, HUGE_VAL}};
  const uint64_t counts[N] = {2, 2, 2, 2, 2};
  unsigned char decided[N];
  double results[N] = {9, 9, 9, 9, 9};
  int64_t integer = 0;
  const xd_bounded whole = {0x1p60, 3, 0};
  CHECK_OK(xd_round_bounded(XD_SUM, XD_FLOAT64, N, sums, NULL, NULL, 0, XD_FLOAT64, results, decided));
  CHECK(decided[0] == 1 && results[0] == 1); /* a tie that is known to be one */
  CHECK(decided[1] == 0 && results[1] == 9);
  CHECK(decided[2] == 1 && results[2] == 1 + DBL_EPSILON);
  CHECK(decided[3] == 1 && results[3] == HUGE_VAL);
  CHECK(decided[4] == 0 && results[4] == 9);
  CHECK_OK(xd_round_bounded(XD_MEAN, XD_FLOAT64, N, sums, NULL, counts, 0, XD_FLOAT64, results, decided));
  CHECK(decided[2] == 1 && results[2] == (1 + DBL_EPSILON) / 2 && decided[3] == 1 && results[3] == HUGE_VAL);
  CHECK_OK(xd_round_bounded(XD_SUM, XD_INT64, 1, &whole, NULL, NULL, 0, XD_INT64, &integer, decided));
  CHECK(decided[0] == 1 && integer == ((int64_t)1 << 60) + 3);
  CHECK_ERROR(xd_round_bounded(XD_MEAN, XD_FLOAT64, 1, sums, NULL, NULL, 0, XD_FLOAT64, results, decided),
              XD_NULL_POINTER, "counts");
  CHECK_ERROR(xd_round_bounded(XD_VARIANCE, XD_FLOAT64, 1, sums, NULL, counts, 0, XD_FLOAT64, results, decided),
              XD_NULL_POINTER, "squares");
  CHECK_ERROR(xd_round_bounded(XD_MAX, XD_FLOAT64, 1, sums, NULL, NULL, 0, XD_FLOAT64, results, decided),
              XD_BAD_OPTION, "no sum");
  CHECK_ERROR(xd_round_bounded(XD_SUM, XD_FLOAT64, 1, sums, NULL, NULL, 0, XD_INT64, results, decided),
              XD_BAD_OPTION, "int64");
  CHECK_ERROR(xd_round_bounded(XD_SUM, XD_FLOAT64, 1, sums, NULL, NULL, -1, XD_FLOAT64, results, decided),
              XD_BAD_OPTION, "ddof");
}

void test_bounded_sums(void) {
  const float x[3] = {1, -2, 4};
  const xd_vector magnitudes = xd_contiguous(x, 3, XD_FLOAT32);
  xd_accumulator* sum = NULL;
  float result = 0;
  test_bounds_of_states();
  test_decisions();
  CHECK_OK(xd_accumulator_create(XD_FLOAT32, &sum));
  CHECK_OK(xd_accumulator_add_magnitudes(sum, &magnitudes, NULL));
  CHECK_OK(xd_accumulator_round(sum, XD_FLOAT32, &result));
  CHECK(result == 7);
  CHECK_ERROR(xd_accumulator_add_magnitudes(NULL, &magnitudes, NULL), XD_NULL_POINTER, "accumulator");
  xd_accumulator_destroy(sum);
  CHECK(xd_fail(XD_CANCELLED, "a sentence") == XD_CANCELLED && strcmp(xd_message(), "a sentence") == 0);
  CHECK(xd_fail(XD_COMMUNICATION, NULL) == XD_COMMUNICATION && strcmp(xd_message(), "") == 0);
  CHECK(strcmp(xd_status_name(XD_COMMUNICATION), "XD_COMMUNICATION") == 0);
}
