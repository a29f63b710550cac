// SPDX-License-Identifier: Apache-2.0
// Everything of exactdot that needs no GPU.
#pragma once

#include <exactdot/accumulator.hpp>
#include <exactdot/aliases.hpp>
#include <exactdot/batches.hpp>
#include <exactdot/bivariate_moments.hpp>
#include <exactdot/complex.hpp>
#include <exactdot/dot.hpp>
#include <exactdot/error.hpp>
#include <exactdot/extremes.hpp>
#include <exactdot/info.hpp>
#include <exactdot/missing.hpp>
#include <exactdot/moments.hpp>
#include <exactdot/normalise.hpp>
#include <exactdot/options.hpp>
#include <exactdot/ratios.hpp>
#include <exactdot/reduce.hpp>
#include <exactdot/requirements.hpp>
#include <exactdot/shapes.hpp>
#include <exactdot/states.hpp>
#include <exactdot/windows.hpp>
