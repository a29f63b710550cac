/* States of rows, segments and groups, and what is done with their words. */
#include <math.h>
#include <string.h>

#include "check.h"

static const float small_table[] = {1, 2, 3, 4, 5, 6}; /* 2 rows of 3 */
static const xd_state_format of_sums = {XD_SUM, XD_FLOAT32, XD_FULL},
                             of_compact_sums = {XD_SUM, XD_FLOAT32, XD_COMPACT},
                             of_moments = {XD_VARIANCE, XD_FLOAT32, XD_COMPACT},
                             of_dots = {XD_DOT, XD_FLOAT32, XD_FULL};

static void test_sizes_of_states(void) {
  const xd_state_format unknown = {XD_SUM, 99, XD_FULL}, extremum = {XD_MAX, XD_FLOAT32, XD_FULL},
                        other_form = {XD_SUM, XD_FLOAT32, 2}, no_reduction = {-1, XD_FLOAT32, XD_FULL};
  CHECK(xd_state_words(of_sums) == xd_accumulator_word_count(XD_FLOAT32));
  CHECK(xd_state_words(of_compact_sums) == 16 && xd_state_words(of_moments) == 41 && xd_state_words(of_dots) == 24);
  CHECK(xd_state_words(unknown) == 0 && xd_state_words(extremum) == 0 && xd_state_words(other_form) == 0);
  CHECK(xd_state_words(no_reduction) == 0);
}

static void test_values_of_states(void) {
  const xd_rows rows = xd_matrix_rows(small_table, 2, 3, XD_FLOAT32),
                columns = xd_matrix_columns(small_table, 2, 3, XD_FLOAT32);
  const xd_vector x = xd_contiguous(small_table, 6, XD_FLOAT32);
  const int32_t offsets[] = {0, 1, 6}, numbers[] = {1, 0, 1, 0, 1, 7};
  const xd_vector keys = xd_contiguous(numbers, 6, XD_INT32);
  int64_t words[48] = {0}, others[48] = {0}, small[32] = {0}, all[3 * 41] = {0};
  double out[3] = {7, 7, 7};
  CHECK_OK(xd_rows_into(of_sums, &rows, NULL, words, 48, NULL));
  CHECK_OK(xd_segments_into(of_sums, &x, NULL, offsets, 2, XD_INT32, others, 48, NULL));
  for (int i = 0; i < 48; ++i) words[i] += others[i];
  CHECK_OK(xd_round_states(of_sums, XD_SUM, words, 48, XD_FLOAT64, out, 0));
  CHECK(out[0] == 7 && out[1] == 35 && out[2] == 7);
  CHECK_OK(xd_merge_states(of_sums, others, words, 48));
  CHECK_OK(xd_normalise_states(of_sums, words, 48));
  CHECK(words[23] == 1 && words[47] == 1);
  CHECK_OK(xd_convert_states(of_sums, words, 48, XD_COMPACT, small, 32));
  CHECK_OK(xd_groups_into(of_compact_sums, &x, NULL, &keys, 2, 1, small, 32, NULL));
  CHECK_OK(xd_round_states(of_compact_sums, XD_SUM, small, 32, XD_FLOAT64, out, 0));
  CHECK(out[0] == 8 + 6 && out[1] == 55 + 9);
  CHECK_OK(xd_rows_into(of_moments, &columns, NULL, all, 3 * 41, NULL));
  CHECK_OK(xd_round_states(of_moments, XD_MEAN, all, 3 * 41, XD_FLOAT64, out, 0));
  CHECK(out[0] == 2.5 && out[2] == 4.5);
  CHECK_OK(xd_round_states(of_moments, XD_VARIANCE, all, 3 * 41, XD_FLOAT64, out, 1));
  CHECK(out[1] == 4.5);
  memset(words, 0, sizeof words);
  CHECK_OK(xd_rows_into(of_dots, &rows, &rows, words, 48, NULL));
  CHECK_OK(xd_round_states(of_dots, XD_DOT, words, 48, XD_FLOAT64, out, 0));
  CHECK(out[0] == 14 && out[1] == 77);
}

static void test_errors_of_states(void) {
  const xd_rows rows = xd_matrix_rows(small_table, 2, 3, XD_FLOAT32);
  const xd_vector x = xd_contiguous(small_table, 6, XD_FLOAT32);
  const int32_t offsets[] = {0, 3, 2}, numbers[] = {0, 0, 0, 9, 0, 0};
  const xd_vector keys = xd_contiguous(numbers, 6, XD_INT32);
  const xd_state_format extremum = {XD_MIN, XD_FLOAT32, XD_FULL}, other = {XD_SUM, XD_FLOAT64, XD_FULL},
                        wrong_form = {XD_SUM, XD_FLOAT32, 5};
  int64_t words[48] = {0}, zero[48] = {0};
  float out[2] = {7, 7};
  CHECK_ERROR(xd_rows_into(of_sums, NULL, NULL, words, 48, NULL), XD_NULL_POINTER, "a is a null pointer");
  CHECK_ERROR(xd_rows_into(of_sums, &rows, NULL, NULL, 48, NULL), XD_NULL_POINTER, "48 words");
  CHECK_ERROR(xd_rows_into(of_sums, &rows, NULL, words, 47, NULL), XD_SIZE_MISMATCH, "47 words given for 2 states");
  CHECK_ERROR(xd_rows_into(of_sums, &rows, &rows, words, 48, NULL), XD_BAD_OPTION, "a second array");
  CHECK_ERROR(xd_rows_into(of_dots, &rows, NULL, words, 48, NULL), XD_NULL_POINTER, "b is a null pointer");
  CHECK_ERROR(xd_rows_into(extremum, &rows, NULL, words, 48, NULL), XD_BAD_OPTION, "min has no states");
  CHECK_ERROR(xd_rows_into(other, &rows, NULL, words, 48, NULL), XD_BAD_OPTION, "float32, the states float64");
  CHECK_ERROR(xd_rows_into(wrong_form, &rows, NULL, words, 48, NULL), XD_BAD_OPTION, "unknown form 5");
  CHECK_ERROR(xd_segments_into(of_sums, &x, NULL, offsets, 2, XD_INT32, words, 48, NULL), XD_BAD_OPTION,
              "offset 2 is 2, below");
  CHECK_ERROR(xd_groups_into(of_sums, &x, NULL, &keys, 2, 0, words, 48, NULL), XD_BAD_OPTION, "key 3 is 9");
  CHECK(memcmp(words, zero, sizeof words) == 0);
  words[5] = -3;
  CHECK_ERROR(xd_rows_into(of_sums, &rows, NULL, words, 48, NULL), XD_BAD_OPTION, "state 0");
  CHECK_ERROR(xd_merge_states(of_sums, words, zero, 48), XD_BAD_OPTION, "state 0");
  CHECK_ERROR(xd_merge_states(of_sums, words, words + 1, 24), XD_BAD_OPTION, "overlap");
  CHECK_ERROR(xd_normalise_states(of_sums, words, 48), XD_BAD_OPTION, "state 0");
  CHECK_ERROR(xd_convert_states(of_sums, words, 48, XD_COMPACT, zero, 48), XD_SIZE_MISMATCH, "for 2 states of 16");
  CHECK_ERROR(xd_convert_states(of_sums, words, 48, 7, zero, 32), XD_BAD_OPTION, "unknown form 7");
  CHECK_ERROR(xd_round_states(of_sums, XD_SUM, words, 48, XD_FLOAT32, out, 0), XD_BAD_OPTION, "state 0");
  CHECK_ERROR(xd_round_states(of_sums, XD_NRM2, zero, 48, XD_FLOAT32, out, 0), XD_BAD_OPTION, "have no nrm2");
  CHECK_ERROR(xd_round_states(of_sums, XD_SUM, zero, 48, XD_FLOAT32, NULL, 0), XD_NULL_POINTER, "2 results");
  CHECK_ERROR(xd_round_states(of_sums, XD_SUM, zero, 47, XD_FLOAT32, out, 0), XD_SIZE_MISMATCH, "47 words");
  CHECK(out[0] == 7 && out[1] == 7);
}

void test_states_of_many(void) {
  test_sizes_of_states();
  test_values_of_states();
  test_errors_of_states();
}
