// cub/block/block_reduce.cuh for programs that simtcc compiles.
#pragma once

#include <cub/detail/collectives.h>
