/*
 * exactdot from C: a sum, a norm, a dot product, an accumulator merged from two halves, and an error.
 *
 * With an installation in P:
 *   export PKG_CONFIG_PATH=P/lib/pkgconfig
 *   cc -std=c99 exact_sums.c $(pkg-config --cflags --libs exactdot_c) -Wl,-rpath,P/lib -o exact_sums
 */
#include <exactdot.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program after a failed call. */
static void check(xd_status status) {
  if (status == XD_OK) return;
  fprintf(stderr, "%s: %s\n", xd_status_name(status), xd_message());
  exit(1);
}

int main(void) {
  const double x[] = {1e100, 1, -1e100, 3e300, 4e300, -3e300, -4e300, 0.5};
  const double y[] = {1, 2, 1, 1, 1, 1, 1, 4};
  const xd_vector halves[] = {xd_contiguous(x, 4, XD_FLOAT64), xd_contiguous(x + 4, 4, XD_FLOAT64)};
  xd_accumulator *sum = NULL, *other = NULL;
  double result = 0;

  check(xd_dsum(8, x, 1, &result));
  printf("sum        %g\n", result);
  check(xd_dnrm2(2, x + 3, 1, &result)); /* 3e300 and 4e300, whose squares no double holds */
  printf("norm       %g\n", result);
  check(xd_ddot(8, x, 1, y, 1, &result));
  printf("dot        %g\n", result);
  check(xd_dmean(4, x + 7, -2, &result)); /* x[7], x[5], x[3], x[1] */
  printf("mean       %g\n", result);

  check(xd_accumulator_create(XD_FLOAT64, &sum));
  check(xd_accumulator_create(XD_FLOAT64, &other));
  check(xd_accumulator_add(sum, &halves[0], NULL));
  check(xd_accumulator_add(other, &halves[1], NULL));
  check(xd_accumulator_merge(sum, other)); /* the halves may come from two threads or machines */
  check(xd_accumulator_round(sum, XD_FLOAT64, &result));
  printf("two halves %g\n", result);
  xd_accumulator_destroy(sum);
  xd_accumulator_destroy(other);

  const xd_status status = xd_reduce(XD_SUM, &halves[0], NULL, XD_INT8, &result, NULL);
  printf("%s: %s\n", xd_status_name(status), xd_message());
  return 0;
}
