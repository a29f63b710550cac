// Names of the program that begin like those of a library whose header it includes.
// prints: ^1 2 3 4 5 6$
#include <cublas_v2.h>
#include <cufft.h>
#include <nccl.h>
#include <npp.h>
#include <cstdio>
enum class backend { own, cublas, npp };
struct times {
  float cublas_ms;
  int cufftCount;
};
void print(float cublasTime, double& ncclTime) { printf("%g %g ", cublasTime, ncclTime); }
int main() {
  float own_ms = 0, cublas_ms = 1;
  double ncclTime = 2;
  times t = {};
  t.cublas_ms += cublas_ms * 3, t.cufftCount = 4;
  print(cublas_ms > 0 ? cublas_ms : own_ms, ncclTime);
  const int nppResult(5);
  printf("%g %d %d ", t.cublas_ms, t.cufftCount, nppResult);
  const auto cufft_plan = [](backend b) { return b == backend::cublas ? 6 : 0; };
  printf("%d\n", cufft_plan(backend::cublas));
}
