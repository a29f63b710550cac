// cuda_awbarrier.h for programs that simtcc compiles: the primitives. nvcuda::experimental is not modelled.
#pragma once

#include <cuda_awbarrier_primitives.h>
