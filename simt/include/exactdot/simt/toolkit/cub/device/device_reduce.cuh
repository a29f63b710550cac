// cub/device/device_reduce.cuh for programs that simtcc compiles.
#pragma once

#include <cub/detail/device.h>
