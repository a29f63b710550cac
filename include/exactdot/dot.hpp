// SPDX-License-Identifier: Apache-2.0
// exactdot::dot; it lives in reductions.hpp.
#pragma once

#include <exactdot/requirements.hpp>

#include <exactdot/reductions.hpp>
