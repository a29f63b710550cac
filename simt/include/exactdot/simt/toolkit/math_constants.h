// math_constants.h for programs that simtcc compiles: constants of arithmetic, under CUDA's names.
#pragma once

#include <limits>

inline constexpr float CUDART_INF_F = std::numeric_limits<float>::infinity();
inline constexpr float CUDART_NAN_F = std::numeric_limits<float>::quiet_NaN();
inline constexpr float CUDART_MIN_DENORM_F = std::numeric_limits<float>::denorm_min();
inline constexpr float CUDART_MAX_NORMAL_F = std::numeric_limits<float>::max();
inline constexpr float CUDART_NEG_ZERO_F = -0.0F, CUDART_ZERO_F = 0.0F, CUDART_ONE_F = 1.0F;
inline constexpr float CUDART_PI_F = 3.14159265358979323846F, CUDART_PIO2_F = 1.57079632679489661923F,
                       CUDART_SQRT_TWO_F = 1.41421356237309504880F, CUDART_L2E_F = 1.44269504088896340736F,
                       CUDART_LN2_F = 0.69314718055994530942F;
inline constexpr double CUDART_INF = std::numeric_limits<double>::infinity();
inline constexpr double CUDART_NAN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double CUDART_PI = 3.14159265358979323846, CUDART_PIO2 = 1.57079632679489661923,
                        CUDART_SQRT_TWO = 1.41421356237309504880, CUDART_L2E = 1.44269504088896340736,
                        CUDART_LN2 = 0.69314718055994530942;
