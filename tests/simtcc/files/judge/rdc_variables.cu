// With -rdc=true a variable is one of the program.
// options: -rdc=true
// with: second.cu
// prints: ^5$
#include <cstdio>
__device__ int counter = 5;
int read_counter();
int main() { printf("%d\n", read_counter()); }
