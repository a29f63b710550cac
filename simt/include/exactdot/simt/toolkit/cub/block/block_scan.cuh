// cub/block/block_scan.cuh for programs that simtcc compiles.
#pragma once

#include <cub/detail/collectives.h>
