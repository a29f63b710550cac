/* Accumulators, moments, workspaces and their errors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static xd_accumulator* accumulator_of(int type) {
  xd_accumulator* made = NULL;
  CHECK_OK(xd_accumulator_create(type, &made));
  return made;
}

static double rounded(xd_accumulator* sum) {
  double result = -77;
  CHECK_OK(xd_accumulator_round(sum, XD_FLOAT64, &result));
  return result;
}

static void test_sums(void) {
  const double data[] = {1e308, 1, -1e308, 3};
  const xd_vector x = xd_contiguous(data, 4, XD_FLOAT64), head = xd_contiguous(data, 2, XD_FLOAT64);
  const xd_vector tail = xd_contiguous(data + 2, 2, XD_FLOAT64);
  xd_accumulator* sum = accumulator_of(XD_FLOAT64);
  xd_accumulator* other = accumulator_of(XD_FLOAT64);
  xd_accumulator* copy = NULL;
  int64_t words[138], summed[138];
  xd_options options = {0};
  CHECK(xd_accumulator_type(sum) == XD_FLOAT64 && xd_accumulator_type(NULL) == -1);
  CHECK(rounded(sum) == 0);
  CHECK_OK(xd_accumulator_add(sum, &head, NULL));
  CHECK_OK(xd_accumulator_add(other, &tail, &options));
  CHECK_OK(xd_accumulator_copy(sum, &copy));
  CHECK(xd_accumulator_type(copy) == XD_FLOAT64);
  CHECK_OK(xd_accumulator_merge(sum, other));
  CHECK(rounded(sum) == 4 && rounded(other) == -1e308 && rounded(copy) == 1e308);
  CHECK_OK(xd_accumulator_merge(sum, sum));
  CHECK(rounded(sum) == 8);
  CHECK_OK(xd_accumulator_negate(sum));
  CHECK(rounded(sum) == -8);
  CHECK_OK(xd_accumulator_subtract(sum, &x, NULL));
  CHECK(rounded(sum) == -12);
  CHECK_OK(xd_accumulator_clear(sum));
  CHECK(rounded(sum) == 0);

  CHECK(xd_accumulator_word_count(XD_FLOAT64) == 138 && xd_accumulator_word_count(XD_BFLOAT16) == 24);
  CHECK(xd_accumulator_word_count(XD_FLOAT8_E4M3FN) == 24 && xd_accumulator_word_count(XD_FLOAT8_E5M2) == 24);
  CHECK(xd_accumulator_word_count(XD_UINT32) == 8 && xd_accumulator_word_count(XD_INT64) == 10);
  CHECK_OK(xd_accumulator_words(copy, words, 138));
  CHECK_OK(xd_accumulator_words(other, summed, 138));
  CHECK(words[137] == 1 && summed[137] == 1);
  for (int k = 0; k < 138; ++k) summed[k] += words[k];
  CHECK_OK(xd_accumulator_load(sum, summed, 138));
  CHECK(rounded(sum) == 4);
  xd_accumulator_destroy(sum);
  xd_accumulator_destroy(other);
  xd_accumulator_destroy(copy);
  xd_accumulator_destroy(NULL);
}

static void test_products_and_roundings(void) {
  const double data[] = {1e308, 1, -1e308, 3};
  const xd_vector x = xd_contiguous(data, 4, XD_FLOAT64), head = xd_contiguous(data, 2, XD_FLOAT64);
  const xd_vector tail = xd_contiguous(data + 2, 2, XD_FLOAT64), last = xd_contiguous(data + 3, 1, XD_FLOAT64);
  xd_accumulator* const sum = accumulator_of(XD_FLOAT64);
  double r = 0;
  float f = 0;
  int64_t exponent = -1;
  xd_options options = {0};
  options.mode = XD_FAST; /* not used */
  CHECK_OK(xd_accumulator_add_products(sum, &x, &x, &options));
  CHECK_OK(xd_accumulator_round(sum, XD_FLOAT32, &f));
  CHECK(f == INFINITY);
  CHECK_OK(xd_accumulator_round_root(sum, XD_FLOAT64, &r));
  CHECK(r == sqrt(2) * 1e308);
  CHECK_OK(xd_accumulator_round_scaled(sum, &r, &exponent));
  CHECK(exponent == 2047 && r > 1 && r < 2);
  CHECK_OK(xd_accumulator_round_root_scaled(sum, &r, &exponent));
  CHECK(ldexp(r, (int)exponent) == sqrt(2) * 1e308);
  CHECK_OK(xd_accumulator_subtract_products(sum, &head, &head, NULL));
  CHECK_OK(xd_accumulator_subtract_products(sum, &tail, &tail, NULL));
  CHECK(rounded(sum) == 0);
  CHECK_OK(xd_accumulator_add_squares(sum, &last, NULL));
  CHECK(rounded(sum) == 9);
  CHECK_OK(xd_accumulator_round_quotient(sum, 4, XD_FLOAT64, &r));
  CHECK(r == 2.25);
  CHECK_OK(xd_accumulator_round_quotient(sum, 0, XD_FLOAT64, &r));
  CHECK(isnan(r));
  CHECK_OK(xd_accumulator_round_quotient_scaled(sum, 4, &r, &exponent));
  CHECK(r == 1.125 && exponent == 1);
  CHECK_OK(xd_accumulator_negate(sum));
  CHECK_OK(xd_accumulator_round_root(sum, XD_FLOAT64, &r));
  CHECK(isnan(r));
  xd_accumulator_destroy(sum);
}

/* Elements and sums of other types, comparisons, quotients. */
static void test_sums_of_two_types(void) {
  const double tenths[] = {.1, .1}, weights[] = {1, 2};
  const float floats[] = {.1f, 3};
  const int64_t integers[] = {INT64_MAX, -2};
  const xd_vector x = xd_contiguous(tenths, 2, XD_FLOAT64), w = xd_contiguous(weights, 2, XD_FLOAT64);
  const xd_vector f = xd_contiguous(floats, 2, XD_FLOAT32), i = xd_contiguous(integers, 2, XD_INT64);
  xd_accumulator* const sum = accumulator_of(XD_FLOAT64);
  xd_accumulator* const other = accumulator_of(XD_INT64);
  xd_accumulator* const narrow = accumulator_of(XD_FLOAT32);
  const double infinite = INFINITY;
  const xd_vector infinity = xd_contiguous(&infinite, 1, XD_FLOAT64);
  double r = 0;
  float g = 0;
  int64_t exponent = -1;
  int order = 42;
  CHECK_OK(xd_accumulator_add(sum, &f, NULL));
  CHECK_OK(xd_accumulator_add_products(sum, &f, &w, NULL));
  CHECK(rounded(sum) == (double).1f * 2 + 9);
  CHECK_OK(xd_accumulator_clear(sum));
  CHECK_OK(xd_accumulator_add(sum, &i, NULL));
  CHECK_OK(xd_accumulator_add(other, &i, NULL));
  CHECK(xd_accumulator_compare(sum, other, &order) == XD_OK && order == XD_EQUAL);
  CHECK_OK(xd_accumulator_merge(narrow, other));
  CHECK(xd_accumulator_compare(other, narrow, &order) == XD_OK && order == XD_EQUAL);
  CHECK_OK(xd_accumulator_subtract_sum(sum, other));
  CHECK(rounded(sum) == 0);
  CHECK(xd_accumulator_compare(sum, other, &order) == XD_OK && order == XD_LESS);
  CHECK(xd_accumulator_compare(other, sum, &order) == XD_OK && order == XD_GREATER);
  CHECK(xd_accumulator_quotient(other, sum, XD_FLOAT32, &g) == XD_OK && g == INFINITY);
  CHECK_OK(xd_accumulator_add_products(sum, &x, &w, NULL));
  CHECK_OK(xd_accumulator_clear(narrow));
  CHECK_OK(xd_accumulator_add(narrow, &f, NULL));
  CHECK_OK(xd_accumulator_clear(other));
  {
    const int64_t three = 3;
    const xd_vector one = xd_contiguous(&three, 1, XD_INT64);
    CHECK_OK(xd_accumulator_add(other, &one, NULL));
  }
  CHECK(xd_accumulator_quotient(sum, other, XD_FLOAT64, &r) == XD_OK && r == .1);
  CHECK(xd_accumulator_quotient(sum, sum, XD_FLOAT64, &r) == XD_OK && r == 1);
  CHECK(xd_accumulator_quotient_scaled(other, other, &r, &exponent) == XD_OK && r == 1 && exponent == 0);
  CHECK_OK(xd_accumulator_clear(narrow));
  CHECK_OK(xd_accumulator_negate(other));
  CHECK(xd_accumulator_quotient(narrow, other, XD_FLOAT64, &r) == XD_OK && r == 0 && signbit(r));
  CHECK_OK(xd_accumulator_clear(sum));
  CHECK_OK(xd_accumulator_subtract(sum, &infinity, NULL));
  CHECK(xd_accumulator_quotient(narrow, sum, XD_FLOAT64, &r) == XD_OK && r == 0 && signbit(r));
  CHECK_OK(xd_accumulator_add(sum, &infinity, NULL));
  CHECK(xd_accumulator_compare(sum, sum, &order) == XD_OK && order == XD_UNORDERED);
  CHECK(xd_accumulator_quotient(sum, other, XD_FLOAT64, &r) == XD_OK && isnan(r));
  xd_accumulator_destroy(sum);
  xd_accumulator_destroy(other);
  xd_accumulator_destroy(narrow);
}

void test_accumulators(void) {
  const int64_t integers[] = {INT64_MAX, INT64_MAX, 1};
  const xd_vector i = xd_contiguous(integers, 3, XD_INT64);
  xd_accumulator* const sum = accumulator_of(XD_INT64);
  int64_t whole = 0;
  uint64_t positive = 0;
  test_sums();
  test_products_and_roundings();
  test_sums_of_two_types();
  CHECK_OK(xd_accumulator_add(sum, &i, NULL));
  CHECK_OK(xd_accumulator_round(sum, XD_UINT64, &positive));
  CHECK(positive == UINT64_MAX);
  CHECK_ERROR(xd_accumulator_round(sum, XD_INT64, &whole), XD_OVERFLOW, "does not fit");
  CHECK(whole == 0);
  xd_accumulator_destroy(sum);
}

void test_accumulator_errors(void) {
  const double data[] = {1, 2};
  const float floats[] = {1, 2};
  const xd_vector x = xd_contiguous(data, 2, XD_FLOAT64), one = xd_contiguous(data, 1, XD_FLOAT64);
  const xd_vector f = xd_contiguous(floats, 2, XD_FLOAT32), null = xd_contiguous(NULL, 2, XD_FLOAT64);
  xd_accumulator* sum = accumulator_of(XD_FLOAT64);
  xd_accumulator* narrow = accumulator_of(XD_FLOAT32);
  xd_accumulator* untouched = NULL;
  int64_t words[138] = {0}, exponent = 42;
  double r = 42;
  int order = 42;
  xd_options options = {0};
  CHECK_OK(xd_accumulator_add(sum, &x, NULL));

  CHECK_ERROR(xd_accumulator_create(99, &untouched), XD_BAD_OPTION, "unknown element type 99");
  CHECK_ERROR(xd_accumulator_create(XD_FLOAT64, NULL), XD_NULL_POINTER, "accumulator");
  CHECK_ERROR(xd_accumulator_copy(NULL, &untouched), XD_NULL_POINTER, "accumulator");
  CHECK_ERROR(xd_accumulator_copy(sum, NULL), XD_NULL_POINTER, "copy");
  CHECK(untouched == NULL);
  CHECK_ERROR(xd_accumulator_clear(NULL), XD_NULL_POINTER, "accumulator");
  CHECK_ERROR(xd_accumulator_negate(NULL), XD_NULL_POINTER, "accumulator");
  CHECK_ERROR(xd_accumulator_add(NULL, &x, NULL), XD_NULL_POINTER, "accumulator");
  CHECK_ERROR(xd_accumulator_add(sum, NULL, NULL), XD_NULL_POINTER, "x is a null");
  CHECK_ERROR(xd_accumulator_add(sum, &null, NULL), XD_NULL_POINTER, "2 elements");
  CHECK_ERROR(xd_accumulator_add(narrow, &x, NULL), XD_BAD_OPTION, "float64, this accumulator float32");
  CHECK_ERROR(xd_accumulator_add_squares(sum, NULL, NULL), XD_NULL_POINTER, "x is a null");
  CHECK_ERROR(xd_accumulator_add_squares(NULL, &x, NULL), XD_NULL_POINTER, "accumulator");
  CHECK_ERROR(xd_accumulator_add_products(NULL, &x, &x, NULL), XD_NULL_POINTER, "accumulator");
  CHECK_ERROR(xd_accumulator_add_products(sum, &x, NULL, NULL), XD_NULL_POINTER, "b is a null");
  CHECK_ERROR(xd_accumulator_add_products(sum, &x, &one, NULL), XD_SIZE_MISMATCH, "2 and 1");
  CHECK_ERROR(xd_accumulator_add_products(narrow, &f, &x, NULL), XD_BAD_OPTION, "float64");
  CHECK_ERROR(xd_accumulator_subtract(narrow, &x, NULL), XD_BAD_OPTION, "float64");
  CHECK_ERROR(xd_accumulator_subtract(NULL, &x, NULL), XD_NULL_POINTER, "accumulator");
  CHECK_ERROR(xd_accumulator_subtract_products(sum, &x, &one, NULL), XD_SIZE_MISMATCH, "2 and 1");
  CHECK_ERROR(xd_accumulator_subtract_products(NULL, &x, &x, NULL), XD_NULL_POINTER, "accumulator");
  options.threads = -1;
  CHECK_ERROR(xd_accumulator_add(sum, &x, &options), XD_BAD_OPTION, "threads");
  CHECK_ERROR(xd_accumulator_merge(sum, NULL), XD_NULL_POINTER, "other");
  CHECK_ERROR(xd_accumulator_merge(NULL, sum), XD_NULL_POINTER, "accumulator");
  CHECK_ERROR(xd_accumulator_merge(narrow, sum), XD_BAD_OPTION, "float64 into one of float32");
  CHECK_ERROR(xd_accumulator_subtract_sum(narrow, sum), XD_BAD_OPTION, "float64 into one of float32");
  CHECK_ERROR(xd_accumulator_subtract_sum(sum, NULL), XD_NULL_POINTER, "other");
  CHECK_ERROR(xd_accumulator_compare(sum, NULL, &order), XD_NULL_POINTER, "other");
  CHECK_ERROR(xd_accumulator_compare(NULL, sum, &order), XD_NULL_POINTER, "accumulator");
  CHECK_ERROR(xd_accumulator_compare(sum, sum, NULL), XD_NULL_POINTER, "order");
  CHECK(order == 42);

  CHECK_ERROR(xd_accumulator_words(sum, words, 137), XD_SIZE_MISMATCH, "137 words, this state has 138");
  CHECK_ERROR(xd_accumulator_words(sum, NULL, 138), XD_NULL_POINTER, "words");
  CHECK_ERROR(xd_accumulator_words(NULL, words, 138), XD_NULL_POINTER, "accumulator");
  CHECK(words[137] == 0);
  CHECK_ERROR(xd_accumulator_load(sum, words, 138), XD_BAD_OPTION, "not a sum"); /* of no state */
  CHECK_ERROR(xd_accumulator_load(sum, words, 139), XD_SIZE_MISMATCH, "139");
  CHECK_ERROR(xd_accumulator_load(sum, NULL, 138), XD_NULL_POINTER, "words");
  CHECK_ERROR(xd_accumulator_load(NULL, words, 138), XD_NULL_POINTER, "accumulator");
  words[137] = 1;
  words[133] = INT64_MAX;
  CHECK_ERROR(xd_accumulator_load(sum, words, 138), XD_HEADROOM, "headroom");
  words[133] = (int64_t)1 << 40; /* a possible limb, beyond the promised sum */
  CHECK_ERROR(xd_accumulator_load(sum, words, 138), XD_HEADROOM, "headroom");
  CHECK(rounded(sum) == 3);

  CHECK_ERROR(xd_accumulator_round(sum, 99, &r), XD_BAD_OPTION, "unknown element type 99");
  CHECK_ERROR(xd_accumulator_round(sum, XD_INT64, &r), XD_BAD_OPTION, "int64");
  CHECK_ERROR(xd_accumulator_round(sum, XD_FLOAT64, NULL), XD_NULL_POINTER, "result");
  CHECK_ERROR(xd_accumulator_round(NULL, XD_FLOAT64, &r), XD_NULL_POINTER, "accumulator");
  CHECK_ERROR(xd_accumulator_round_root(sum, XD_UINT64, &r), XD_BAD_OPTION, "floating-point");
  CHECK_ERROR(xd_accumulator_round_quotient(sum, 2, XD_INT8, &r), XD_BAD_OPTION, "floating-point");
  CHECK_ERROR(xd_accumulator_round_scaled(sum, NULL, &exponent), XD_NULL_POINTER, "significand");
  CHECK_ERROR(xd_accumulator_round_root_scaled(sum, &r, NULL), XD_NULL_POINTER, "exponent");
  CHECK_ERROR(xd_accumulator_round_quotient_scaled(NULL, 1, &r, &exponent), XD_NULL_POINTER, "accumulator");
  CHECK_ERROR(xd_accumulator_quotient(sum, NULL, XD_FLOAT64, &r), XD_NULL_POINTER, "divisor");
  CHECK_ERROR(xd_accumulator_quotient(sum, sum, XD_INT64, &r), XD_BAD_OPTION, "floating-point");
  CHECK_ERROR(xd_accumulator_quotient(sum, sum, XD_FLOAT64, NULL), XD_NULL_POINTER, "result");
  CHECK_ERROR(xd_accumulator_quotient_scaled(sum, sum, NULL, &exponent), XD_NULL_POINTER, "significand");
  CHECK(r == 42 && exponent == 42);
  xd_accumulator_destroy(sum);
  xd_accumulator_destroy(narrow);
}

void test_moments(void) {
  const int8_t data[] = {3, -1, 2, 6};
  const xd_vector head = xd_contiguous(data, 2, XD_INT8), tail = xd_contiguous(data + 2, 2, XD_INT8);
  const xd_vector x = xd_contiguous(data, 1, XD_INT64);
  xd_moments *all = NULL, *second = NULL, *wide = NULL, *untouched = NULL;
  int64_t words[17], summed[17];
  uint64_t count = 42;
  double r = 42;
  CHECK_OK(xd_moments_create(XD_INT8, &all));
  CHECK_OK(xd_moments_create(XD_INT8, &second));
  CHECK_OK(xd_moments_create(XD_FLOAT64, &wide));
  CHECK(xd_moments_type(all) == XD_INT8 && xd_moments_type(NULL) == -1);
  CHECK_OK(xd_moments_mean(all, XD_FLOAT64, &r));
  CHECK(isnan(r));
  CHECK_OK(xd_moments_add(all, &head, NULL));
  CHECK_OK(xd_moments_add(second, &tail, NULL));
  CHECK(xd_moments_word_count(XD_INT8) == 17 && xd_moments_word_count(XD_FLOAT64) == 277);
  CHECK_OK(xd_moments_words(all, words, 17));
  CHECK_OK(xd_moments_words(second, summed, 17));
  CHECK(words[0] == 2 && words[1] == 2 && words[8] == 1 && words[9] == 10 && words[16] == 1);
  for (int k = 0; k < 17; ++k) summed[k] += words[k];
  CHECK_OK(xd_moments_merge(all, second));
  for (int loaded = 0; loaded < 2; ++loaded) {
    CHECK(xd_moments_count(all, &count) == XD_OK && count == 4);
    CHECK(xd_moments_mean(all, XD_FLOAT64, &r) == XD_OK && r == 2.5);
    CHECK(xd_moments_nrm2(all, XD_FLOAT64, &r) == XD_OK && r == sqrt(50.0));
    CHECK(xd_moments_variance(all, 0, XD_FLOAT64, &r) == XD_OK && r == 6.25);
    CHECK(xd_moments_variance(all, 1, XD_FLOAT64, &r) == XD_OK && r == 25.0 / 3);
    CHECK(xd_moments_stddev(all, 0, XD_FLOAT64, &r) == XD_OK && r == 2.5);
    CHECK_OK(xd_moments_load(all, summed, 17));
  }
  CHECK(xd_moments_variance(all, 4, XD_FLOAT64, &r) == XD_OK && isnan(r));
  CHECK_OK(xd_moments_merge(wide, all));
  CHECK_OK(xd_moments_add(wide, &head, NULL));
  CHECK(xd_moments_mean(wide, XD_FLOAT64, &r) == XD_OK && r == 2);

  r = 42;
  CHECK_ERROR(xd_moments_create(-1, &untouched), XD_BAD_OPTION, "unknown element type -1");
  CHECK_ERROR(xd_moments_create(XD_INT8, NULL), XD_NULL_POINTER, "moments");
  CHECK(untouched == NULL);
  CHECK_ERROR(xd_moments_add(NULL, &head, NULL), XD_NULL_POINTER, "moments");
  CHECK_ERROR(xd_moments_add(all, NULL, NULL), XD_NULL_POINTER, "x is a null");
  CHECK_ERROR(xd_moments_add(all, &x, NULL), XD_BAD_OPTION, "int64");
  CHECK_ERROR(xd_moments_merge(all, NULL), XD_NULL_POINTER, "other");
  CHECK_ERROR(xd_moments_merge(NULL, all), XD_NULL_POINTER, "moments");
  CHECK_ERROR(xd_moments_merge(all, wide), XD_BAD_OPTION, "float64 into one of int8");
  CHECK_ERROR(xd_moments_count(all, NULL), XD_NULL_POINTER, "count");
  CHECK_ERROR(xd_moments_count(NULL, &count), XD_NULL_POINTER, "moments");
  CHECK_ERROR(xd_moments_mean(all, XD_INT64, &r), XD_BAD_OPTION, "floating-point");
  CHECK_ERROR(xd_moments_mean(NULL, XD_FLOAT64, &r), XD_NULL_POINTER, "moments");
  CHECK_ERROR(xd_moments_nrm2(all, 77, &r), XD_BAD_OPTION, "unknown element type 77");
  CHECK_ERROR(xd_moments_variance(all, -1, XD_FLOAT64, &r), XD_BAD_OPTION, "ddof is -1");
  CHECK_ERROR(xd_moments_stddev(all, -2, XD_FLOAT64, &r), XD_BAD_OPTION, "ddof is -2");
  CHECK_ERROR(xd_moments_stddev(all, 0, XD_FLOAT64, NULL), XD_NULL_POINTER, "result");
  CHECK_ERROR(xd_moments_words(all, words, 18), XD_SIZE_MISMATCH, "18 words, this state has 17");
  CHECK_ERROR(xd_moments_words(all, NULL, 17), XD_NULL_POINTER, "words");
  CHECK_ERROR(xd_moments_load(all, words, 16), XD_SIZE_MISMATCH, "16 words, this state has 17");
  CHECK_ERROR(xd_moments_load(all, NULL, 17), XD_NULL_POINTER, "words");
  words[0] = -1;
  CHECK_ERROR(xd_moments_load(all, words, 17), XD_BAD_OPTION, "count is negative");
  words[0] = 0;
  CHECK_ERROR(xd_moments_load(all, words, 17), XD_BAD_OPTION, "count is 0, the sums are not");
  words[0] = 1;
  words[9] = 1;
  CHECK_ERROR(xd_moments_load(all, words, 17), XD_BAD_OPTION, "moments of no elements");
  words[0] = 1;
  words[16] = 0;
  CHECK_ERROR(xd_moments_load(all, words, 17), XD_BAD_OPTION, "not a sum");
  words[0] = INT64_MAX;
  words[16] = 1;
  CHECK_OK(xd_moments_load(second, words, 17));
  CHECK_ERROR(xd_moments_add(second, &head, NULL), XD_HEADROOM, "2^63 - 1");
  CHECK_ERROR(xd_moments_merge(second, all), XD_HEADROOM, "2^63 - 1");
  CHECK(r == 42 && xd_moments_count(all, &count) == XD_OK && count == 4);
  xd_moments_destroy(all);
  xd_moments_destroy(second);
  xd_moments_destroy(wide);
  xd_moments_destroy(NULL);
}

/* On a machine, or of a build, without a GPU: on_gpu_test.c has the rest. */
void test_workspace(void) {
  const double data[] = {1, 2};
  const xd_vector x = xd_contiguous(data, 2, XD_FLOAT64);
  xd_workspace* workspace = NULL;
  double r = 42;
  int64_t words[138] = {0};
  const xd_status status = xd_workspace_create(NULL, &workspace);
  if (status == XD_OK) {
    xd_workspace_destroy(workspace);
  } else {
    CHECK(status == XD_NO_DEVICE && workspace == NULL && strlen(xd_message()) > 10);
  }
  xd_workspace_destroy(NULL);
  CHECK(xd_workspace_check(NULL) == NULL_WORKSPACE);
  CHECK(xd_enqueue(NULL, XD_SUM, &x, NULL, XD_FLOAT64, &r, NULL) == NULL_WORKSPACE);
  CHECK(xd_enqueue_add(NULL, XD_SUM, &x, NULL, words) == NULL_WORKSPACE);
  CHECK(xd_enqueue_add_moments(NULL, &x, words) == NULL_WORKSPACE);
  CHECK(xd_enqueue_round(NULL, XD_SUM, NULL, XD_FLOAT64, words, 1, NULL) == NULL_WORKSPACE);
  CHECK(xd_enqueue_merge(NULL, NULL, NULL) == NULL_WORKSPACE);
  {
    const xd_state_format of = {XD_SUM, XD_FLOAT64, XD_FULL};
    CHECK(xd_enqueue_rows_into(NULL, of, NULL, NULL, words) == NULL_WORKSPACE);
    CHECK(xd_enqueue_segments_into(NULL, of, &x, NULL, NULL, 0, XD_INT64, words) == NULL_WORKSPACE);
    CHECK(xd_enqueue_groups_into(NULL, of, &x, NULL, NULL, 0, 0, words) == NULL_WORKSPACE);
  }
  CHECK(r == 42 && words[137] == 0);
}
