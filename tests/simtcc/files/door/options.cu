// Options of nvcc that change nothing here, and those that say so.
// options: -O3 -lineinfo -G -rdc=true -fmad=false -keep -allow-unsupported-compiler -t 4 --threads=2 -Werror all-warnings -Xptxas -v,-O3 -maxrregcount 32 -res-usage -use_fast_math -ftz=true -prec-div=true -gencode arch=compute_80,code=sm_80 -gencode=arch=compute_86,code=sm_86 --extended-lambda --expt-relaxed-constexpr -diag-suppress 177 -cudart static -lcudart -m64 -std=c++14 -default-stream per-thread -Xcompiler -Wall,-O2 --compiler-options -Wextra -dlto -noprof -split-compile 2
// notes: note: -keep: ignored; no intermediate files are kept
// notes: note: -use_fast_math: ignored; every operation is rounded as without it
// notes: note: -ftz=true: ignored
// notes: note: --default-stream=per-thread: ignored; the default stream is the legacy one
// notes: note: -res-usage: ignored; registers are not modelled
// prints: ^860 201703$
#include <cstdio>
#ifdef __CUDA_ARCH__
#define CAPABILITY __CUDA_ARCH__
#endif
int main() { printf("%d %ld\n", CAPABILITY, __cplusplus); }
