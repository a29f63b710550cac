/* Checks of the C tests: a failure prints its place and is counted. */
#ifndef EXACTDOT_TESTS_C_CHECK_H
#define EXACTDOT_TESTS_C_CHECK_H

#include <exactdot.h>

#define CHECK(condition) check((condition) != 0, #condition, __FILE__, __LINE__)
#define CHECK_OK(call) check_status((call), XD_OK, "", #call, __FILE__, __LINE__)
/* `phrase`: what the sentence contains. */
#define CHECK_ERROR(call, status, phrase) check_status((call), (status), (phrase), #call, __FILE__, __LINE__)

void check(int holds, const char* condition, const char* file, int line);
void check_status(xd_status found, xd_status expected, const char* phrase, const char* call, const char* file,
                  int line);

void test_names(void);
void test_reductions(void);
void test_typed_calls(void);
void test_reduction_errors(void);
void test_batches(void);
void test_norms(void);
void test_complex(void);
void test_missing(void);
void test_windows(void);
void test_accumulators(void);
void test_accumulator_errors(void);
void test_moments(void);
void test_states_of_many(void);
void test_bounded_sums(void);
void test_workspace(void);

#endif
