// thrust/unique.h for programs that simtcc compiles.
#pragma once

#include <thrust/detail/algorithms.h>
