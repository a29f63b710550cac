// cub/device/device_radix_sort.cuh for programs that simtcc compiles.
#pragma once

#include <cub/detail/device.h>
