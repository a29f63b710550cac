// Errors that are planted in kernels and asked for by number (plant() in CMakeLists.txt): one compiled object has
// many.
#pragma once

namespace exactdot {

/// EXACTDOT_PLANTED of the environment; 0: none.
extern const int planted_error;
inline bool planted(int error) { return planted_error == error; }

}  // namespace exactdot
