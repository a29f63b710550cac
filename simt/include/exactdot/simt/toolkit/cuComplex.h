// cuComplex.h for programs that simtcc compiles: complex numbers of C, as pairs. Names: CUDA's header of this name.
#pragma once

#include <cuda_runtime.h>

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

inline cuFloatComplex make_cuFloatComplex(float re, float im) { return {re, im}; }
inline cuDoubleComplex make_cuDoubleComplex(double re, double im) { return {re, im}; }
inline cuComplex make_cuComplex(float re, float im) { return {re, im}; }
inline float cuCrealf(cuFloatComplex z) { return z.x; }
inline float cuCimagf(cuFloatComplex z) { return z.y; }
inline double cuCreal(cuDoubleComplex z) { return z.x; }
inline double cuCimag(cuDoubleComplex z) { return z.y; }
inline cuFloatComplex cuConjf(cuFloatComplex z) { return {z.x, -z.y}; }
inline cuDoubleComplex cuConj(cuDoubleComplex z) { return {z.x, -z.y}; }
inline cuFloatComplex cuCaddf(cuFloatComplex a, cuFloatComplex b) { return {a.x + b.x, a.y + b.y}; }
inline cuDoubleComplex cuCadd(cuDoubleComplex a, cuDoubleComplex b) { return {a.x + b.x, a.y + b.y}; }
inline cuFloatComplex cuCsubf(cuFloatComplex a, cuFloatComplex b) { return {a.x - b.x, a.y - b.y}; }
inline cuDoubleComplex cuCsub(cuDoubleComplex a, cuDoubleComplex b) { return {a.x - b.x, a.y - b.y}; }
inline cuFloatComplex cuCmulf(cuFloatComplex a, cuFloatComplex b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
inline cuDoubleComplex cuCmul(cuDoubleComplex a, cuDoubleComplex b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
inline float cuCabsf(cuFloatComplex z) { return std::hypot(z.x, z.y); }
inline double cuCabs(cuDoubleComplex z) { return std::hypot(z.x, z.y); }
/// The divisor is scaled by the sum of its parts' magnitudes, against overflow.
inline cuDoubleComplex cuCdiv(cuDoubleComplex a, cuDoubleComplex b) {
  const double scale = 1 / (std::fabs(b.x) + std::fabs(b.y));
  const double ar = a.x * scale, ai = a.y * scale, br = b.x * scale, bi = b.y * scale,
               norm = 1 / (br * br + bi * bi);
  return {(ar * br + ai * bi) * norm, (ai * br - ar * bi) * norm};
}
inline cuFloatComplex cuCdivf(cuFloatComplex a, cuFloatComplex b) {
  const float scale = 1 / (std::fabs(b.x) + std::fabs(b.y));
  const float ar = a.x * scale, ai = a.y * scale, br = b.x * scale, bi = b.y * scale,
              norm = 1 / (br * br + bi * bi);
  return {(ar * br + ai * bi) * norm, (ai * br - ar * bi) * norm};
}
inline cuFloatComplex cuCfmaf(cuFloatComplex a, cuFloatComplex b, cuFloatComplex c) {
  return cuCaddf(cuCmulf(a, b), c);
}
inline cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c) {
  return cuCadd(cuCmul(a, b), c);
}
