// cuda_pipeline.h for programs that simtcc compiles.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <cuda/pipeline>
