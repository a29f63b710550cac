// nvToolsExt.h for programs that simtcc compiles: NVTX, as nothing at all.
#pragma once

#include "../nvToolsExt.h"
