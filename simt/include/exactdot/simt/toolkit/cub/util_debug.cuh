// cub/util_debug.cuh for programs that simtcc compiles.
#pragma once

#include <cub/detail/operations.h>
