/* Every function of exactdot.h and its errors, called from C. */
#include <stdio.h>
#include <string.h>

#include "check.h"

static int failures = 0;

void check(int holds, const char* condition, const char* file, int line) {
  if (holds) return;
  printf("%s:%d: %s does not hold\n", file, line, condition);
  ++failures;
}

/* Whether the last message begins with the name of the function of this call. Asked of functions with a state only;
 * other sentences may begin with the reduction's name. */
static int names_function(const char* call) {
  const size_t length = strcspn(call, "(");
  const int has_state = strncmp(call, "xd_accumulator_", 15) == 0 || strncmp(call, "xd_moments_", 11) == 0 ||
                        strstr(call, "_into(") != NULL || strstr(call, "_states(") != NULL;
  return !has_state || (strncmp(xd_message(), call, length) == 0 && xd_message()[length] == ':');
}

void check_status(xd_status found, xd_status expected, const char* phrase, const char* call, const char* file,
                  int line) {
  const int right_sentence =
      found == XD_OK || (strstr(xd_message(), phrase) != NULL && strlen(xd_message()) > 10 && names_function(call));
  if (found == expected && right_sentence) return;
  printf("%s:%d: %s is %s (%s), not %s (%s)\n", file, line, call, xd_status_name(found), xd_message(),
         xd_status_name(expected), phrase);
  ++failures;
}

int main(void) {
  test_names(); /* first: it expects no message */
  test_reductions();
  test_typed_calls();
  test_reduction_errors();
  test_batches();
  test_norms();
  test_complex();
  test_missing();
  test_windows();
  test_accumulators();
  test_accumulator_errors();
  test_moments();
  test_states_of_many();
  test_bounded_sums();
  test_workspace();
  if (failures != 0) printf("%d checks failed\n", failures);
  return failures == 0 ? 0 : 1;
}
