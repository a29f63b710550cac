// thrust/version.h for programs that simtcc compiles.
#pragma once

#include <thrust/detail/memory.h>
