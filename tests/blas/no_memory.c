/* Every routine with increments 1 and 2 where malloc fails from before the first call on: BLAS has no error to
   return, so the library needs no memory. */
#include <stddef.h>
#include <stdio.h>

static int fails = 0, refused = 0;

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
static int has_memory(void) { return fails ? (++refused, 0) : 1; }
void* malloc(size_t size) { return has_memory() ? __libc_malloc(size) : NULL; }
void* calloc(size_t n, size_t size) { return has_memory() ? __libc_calloc(n, size) : NULL; }
void* realloc(void* old, size_t size) { return has_memory() ? __libc_realloc(old, size) : NULL; }
void* memalign(size_t alignment, size_t size) { return has_memory() ? __libc_memalign(alignment, size) : NULL; }
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

double cblas_ddot(int, const double*, int, const double*, int);
double cblas_dsdot(int, const float*, int, const float*, int);
float cblas_sdot(int, const float*, int, const float*, int);
float cblas_sdsdot(int, float, const float*, int, const float*, int);
void cblas_zdotc_sub(int, const void*, int, const void*, int, void*);
double cblas_dasum(int, const double*, int);
double cblas_dzasum(int, const void*, int);
double cblas_dnrm2(int, const double*, int);
double cblas_dznrm2(int, const void*, int);
size_t cblas_idamax(int, const double*, int);
void cblas_dgemv(int, int, int, int, double, const double*, int, const double*, int, double, double*, int);
void cblas_zgemv(int, int, int, int, const void*, const void*, int, const void*, int, const void*, void*, int);

enum { n = 2500 };
static double x[4 * n], y[4 * n], a[4 * n];
static float narrow[4 * n];
static int faults = 0;

static void check(const char* name, int step, double found, double expected) {
  if (found == expected) return;
  ++faults;
  fails = 0;
  printf("%s, increment %d: %g, expected %g\n", name, step, found, expected);
  fails = 1;
}

int main(void) {
  for (int i = 0; i < 4 * n; ++i) x[i] = y[i] = narrow[i] = 2, a[i] = -3;
  fails = 1;
  for (int step = 1; step <= 2; ++step) {
    double z[2];
    check("ddot", step, cblas_ddot(n, x, step, y, 1), 4.0 * n);
    check("sdot", step, cblas_sdot(n, narrow, step, narrow, 1), 4.0 * n);
    check("dsdot", step, cblas_dsdot(n, narrow, step, narrow, 1), 4.0 * n);
    check("sdsdot", step, cblas_sdsdot(n, 3, narrow, step, narrow, 1), 4.0 * n + 3);
    cblas_zdotc_sub(n, x, step, y, step, z);
    check("zdotc", step, z[0], 8.0 * n);
    check("zdotc", step, z[1], 0);
    check("dasum", step, cblas_dasum(n, a, step), 3.0 * n);
    check("dzasum", step, cblas_dzasum(n, a, step), 6.0 * n);
    check("dnrm2", step, cblas_dnrm2(n, x, step), 100);
    check("dznrm2", step, cblas_dznrm2(n / 2, x, step), 100);
    check("idamax", step, (double)cblas_idamax(n, x, step), 0);
    double out[4] = {1, 1, 1, 1}, unit[2] = {1, 0};
    cblas_dgemv(101, 111, 2, n, 1, a, n, x, step, 5, out, 1);
    check("dgemv", step, out[0] + out[1], 2 * (-6.0 * n + 5));
    cblas_zgemv(101, 111, 2, n / 2, unit, a, n / 2, x, step, unit, out + 2, 1);
    check("zgemv", step, out[3], -6.0 * n + 1);
  }
  fails = 0;
  if (refused == 0) printf("no memory was asked for: the test shows nothing\n");
  return faults > 0 || refused == 0;
}
