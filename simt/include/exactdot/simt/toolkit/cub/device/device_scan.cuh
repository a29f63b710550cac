// cub/device/device_scan.cuh for programs that simtcc compiles.
#pragma once

#include <cub/detail/device.h>
