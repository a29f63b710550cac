// A function of the device in a header of two files is defined twice, as with nvcc, unless it is inline.
// with: second.cu
// refused: multiple definition of .doubled
#include "function_in_header/doubled.h"
__global__ void first(int* out) { *out = doubled(*out); }
int main() {}
