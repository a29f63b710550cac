// thrust/pair.h for programs that simtcc compiles.
#pragma once

#include <thrust/detail/iterators.h>
