// device_launch_parameters.h for programs that simtcc compiles: threadIdx and the like.
#pragma once

#include <exactdot/simt/kernel.hpp>
