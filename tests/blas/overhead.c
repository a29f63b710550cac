/* Times ddot of libexactdot_blas beside that of another BLAS library, call by call in turns, and prints JSON.

   usage: blas_overhead LIBRARY OTHER. A sample is the mean time of as many calls as take about 50 µs; the libraries
   take turns, one sample each; a row has the medians of the samples and of their differences, in nanoseconds. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef double dot(const int*, const double*, const int*, const double*, const int*);

enum { samples = 401, max_n = 1000000 };
static const int lengths[] = {10, 100, 1000, 10000, 100000, max_n};
static double x[max_n], y[max_n];
static volatile double kept;

static dot* load(const char* library) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  dot* const found = handle == NULL ? NULL : (dot*)dlsym(handle, "ddot_");
  if (found == NULL) fprintf(stderr, "blas_overhead: %s\n", dlerror());
  return found;
}

static double nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static double sample(dot* ddot, int n) {
  const int one = 1, calls = n < 50000 ? 1 + 200000 / (n + 40) : 1;
  const double start = nanoseconds();
  for (int i = 0; i < calls; ++i) kept = ddot(&n, x, &one, y, &one);
  return (nanoseconds() - start) / calls;
}

static int by_value(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

static double median(double* values) {
  qsort(values, samples, sizeof *values, by_value);
  return values[samples / 2];
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  dot *const ours = load(arguments[1]), *const other = load(arguments[2]);
  if (ours == NULL || other == NULL) return 1;
  for (int i = 0; i < max_n; ++i) x[i] = rand() / (double)RAND_MAX - 0.5, y[i] = rand() / (double)RAND_MAX - 0.5;
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; ++k) {
    double exact[samples], usual[samples], more[samples];
    for (int i = 0; i < samples; ++i) {
      exact[i] = sample(ours, lengths[k]);
      usual[i] = sample(other, lengths[k]);
      more[i] = exact[i] - usual[i];
    }
    printf("%s{\"n\": %d, \"exactdot\": %.2f, \"other\": %.2f, \"difference\": %.2f}", k == 0 ? "[" : ",\n ",
           lengths[k], median(exact), median(usual), median(more));
  }
  puts("]");
  return 0;
}
