// cub/cub.cuh for programs that simtcc compiles.
#pragma once

#include <cub/detail/collectives.h>
#include <cub/detail/device.h>
