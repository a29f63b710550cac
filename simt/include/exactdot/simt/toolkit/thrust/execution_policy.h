// thrust/execution_policy.h for programs that simtcc compiles.
#pragma once

#include <thrust/detail/execution.h>
