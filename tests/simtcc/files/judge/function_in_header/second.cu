#include "doubled.h"
__global__ void second(int* out) { *out = doubled(*out); }
