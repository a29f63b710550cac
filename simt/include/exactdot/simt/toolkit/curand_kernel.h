// curand_kernel.h for programs that simtcc compiles: the device generators XORWOW and Philox4x32-10.
//
// The integers and uniform numbers are those of cuRAND, bit by bit, for each seed, subsequence and offset; normal
// numbers may differ in their last bits, since a GPU's sine is a fast one. XORWOW: G. Marsaglia, "Xorshift RNGs"
// (2003); Philox: J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011). Constants of seeds and of
// conversions: cuRAND.
#pragma once

#include <cuda_runtime.h>

// Without padding, so that programs may copy them in any way. `extra`: the second normal number of a pair.
struct curandStateXORWOW {
  unsigned d, v[5], has_extra, has_extra_double;
  double extra_double;
  float extra, unused;
};
struct curandStatePhilox4_32_10 {
  unsigned counter[4], output[4], key[2], used, has_extra;  // used: how many of the output
  double extra_double;
  float extra;
  unsigned has_extra_double;
};
using curandStateXORWOW_t = curandStateXORWOW;
using curandState = curandStateXORWOW;
using curandState_t = curandStateXORWOW;
using curandStatePhilox4_32_10_t = curandStatePhilox4_32_10;

namespace exactdot::simt::detail {

struct xorwow_words {
  unsigned v[5];
};
/// The words of XORWOW after 2^shift * count steps. In the runtime (random.cpp), for its tables.
xorwow_words skip_xorwow(xorwow_words from, unsigned long long count, bool by_subsequences);

template <class State>
inline constexpr bool is_generator =
    std::is_same_v<State, curandStateXORWOW> || std::is_same_v<State, curandStatePhilox4_32_10>;

inline void skip_words(curandStateXORWOW* state, unsigned long long count, bool by_subsequences) {
  xorwow_words words;
  for (int i = 0; i < 5; ++i) words.v[i] = state->v[i];
  words = skip_xorwow(words, count, by_subsequences);
  for (int i = 0; i < 5; ++i) state->v[i] = words.v[i];
}

/// Ten rounds of Philox on the counter.
inline void fill_output(curandStatePhilox4_32_10* state) {
  unsigned c[4], k[2] = {state->key[0], state->key[1]};
  for (int i = 0; i < 4; ++i) c[i] = state->counter[i];
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xD2511F53ULL * c[0], b = 0xCD9E8D57ULL * c[2];
    const unsigned next[4] = {static_cast<unsigned>(b >> 32) ^ c[1] ^ k[0], static_cast<unsigned>(b),
                              static_cast<unsigned>(a >> 32) ^ c[3] ^ k[1], static_cast<unsigned>(a)};
    for (int i = 0; i < 4; ++i) c[i] = next[i];
    k[0] += 0x9E3779B9U, k[1] += 0xBB67AE85U;
  }
  for (int i = 0; i < 4; ++i) state->output[i] = c[i];
}
/// Adds to the counter's words from `first` on.
inline void add_to_counter(curandStatePhilox4_32_10* state, unsigned long long n, int first) {
  for (int i = first; i < 4 && n != 0; ++i) {
    const unsigned long long sum = (n & 0xffffffffU) + state->counter[i];
    state->counter[i] = static_cast<unsigned>(sum);
    n = (n >> 32) + (sum >> 32);
  }
}

// Pairs of normal numbers (G. Box, M. Muller 1958).
inline float2 normal_pair(unsigned x, unsigned y) {
  const float unit = 2.3283064e-10F, turn = 2.3283064e-10F * 6.2831855F;
  const float u = static_cast<float>(x) * unit + unit / 2, angle = static_cast<float>(y) * turn + turn / 2;
  const float radius = std::sqrt(-2.0F * std::log(u));
  return {radius * std::sin(angle), radius * std::cos(angle)};
}
inline double to_unit(unsigned x, unsigned y) {
  const unsigned long long z = x ^ static_cast<unsigned long long>(y) << 21;
  return static_cast<double>(z) * 0x1p-53 + 0x1p-54;
}
inline double2 normal_pair(unsigned x0, unsigned x1, unsigned y0, unsigned y1) {
  const double radius = std::sqrt(-2.0 * std::log(to_unit(x0, x1))),
               angle = 2 * to_unit(y0, y1) * 3.1415926535897932;
  return {radius * std::sin(angle), radius * std::cos(angle)};
}

}  // namespace exactdot::simt::detail

// XORWOW.
inline unsigned curand(curandStateXORWOW* state) {
  const unsigned t = state->v[0] ^ state->v[0] >> 2;
  for (int i = 0; i < 4; ++i) state->v[i] = state->v[i + 1];
  state->v[4] = state->v[4] ^ state->v[4] << 4 ^ t ^ t << 1;
  state->d += 362437;
  return state->v[4] + state->d;
}
inline void skipahead(unsigned long long n, curandStateXORWOW* state) {
  exactdot::simt::detail::skip_words(state, n, false);
  state->d += 362437 * static_cast<unsigned>(n);
}
/// By n * 2^67 numbers.
inline void skipahead_sequence(unsigned long long n, curandStateXORWOW* state) {
  exactdot::simt::detail::skip_words(state, n, true);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                        curandStateXORWOW* state) {
  const unsigned low = static_cast<unsigned>(seed) ^ 0xaad26b49U,
                 high = static_cast<unsigned>(seed >> 32) ^ 0xf7dcefddU;
  const unsigned a = 1099087573U * low, b = 2591861531U * high;
  state->d = 6615241U + b + a;
  state->v[0] = 123456789U + a;
  state->v[1] = 362436069U ^ a;
  state->v[2] = 521288629U + b;
  state->v[3] = 88675123U ^ b;
  state->v[4] = 5783321U + a;
  state->extra = state->unused = 0, state->extra_double = 0, state->has_extra = state->has_extra_double = 0;
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}

// Philox4x32-10.
inline unsigned curand(curandStatePhilox4_32_10* state) {
  const unsigned value = state->output[state->used];
  if (++state->used == 4) {
    exactdot::simt::detail::add_to_counter(state, 1, 0);
    exactdot::simt::detail::fill_output(state);
    state->used = 0;
  }
  return value;
}
inline uint4 curand4(curandStatePhilox4_32_10* state) {
  uint4 r;
  r.x = curand(state), r.y = curand(state), r.z = curand(state), r.w = curand(state);
  return r;
}
inline void skipahead(unsigned long long n, curandStatePhilox4_32_10* state) {
  state->used += static_cast<unsigned>(n & 3);
  exactdot::simt::detail::add_to_counter(state, n / 4 + state->used / 4, 0);
  state->used %= 4;
  exactdot::simt::detail::fill_output(state);
}
/// By n * 2^66 numbers.
inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10* state) {
  exactdot::simt::detail::add_to_counter(state, n, 2);
  exactdot::simt::detail::fill_output(state);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                        curandStatePhilox4_32_10* state) {
  *state = {
      {0, 0, 0, 0}, {0, 0, 0, 0}, {static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32)}, 0, 0, 0, 0, 0};
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}

// Numbers in (0, 1].
inline float curand_uniform(curandStateXORWOW* state) {
  return static_cast<float>(curand(state)) * 2.3283064e-10F + 2.3283064e-10F / 2;
}
inline float curand_uniform(curandStatePhilox4_32_10* state) {
  return static_cast<float>(curand(state)) * 2.3283064e-10F + 2.3283064e-10F / 2;
}
inline double curand_uniform_double(curandStateXORWOW* state) {
  const unsigned x = curand(state), y = curand(state);
  return exactdot::simt::detail::to_unit(x, y);
}
inline double curand_uniform_double(curandStatePhilox4_32_10* state) { return curand(state) * 0x1p-32 + 0x1p-32; }
inline float4 curand_uniform4(curandStatePhilox4_32_10* state) {
  float4 r;
  r.x = curand_uniform(state), r.y = curand_uniform(state), r.z = curand_uniform(state),
  r.w = curand_uniform(state);
  return r;
}
inline double2 curand_uniform2_double(curandStatePhilox4_32_10* state) {
  const uint4 x = curand4(state);
  return {exactdot::simt::detail::to_unit(x.x, x.y), exactdot::simt::detail::to_unit(x.z, x.w)};
}

// Normal numbers: mean 0, standard deviation 1.
template <class State, std::enable_if_t<exactdot::simt::detail::is_generator<State>, int> = 0>
float2 curand_normal2(State* state) {
  const unsigned x = curand(state), y = curand(state);
  return exactdot::simt::detail::normal_pair(x, y);
}
template <class State, std::enable_if_t<exactdot::simt::detail::is_generator<State>, int> = 0>
float curand_normal(State* state) {
  state->has_extra ^= 1U;
  if (state->has_extra == 0) return state->extra;
  const float2 pair = curand_normal2(state);
  state->extra = pair.y;
  return pair.x;
}
template <class State, std::enable_if_t<exactdot::simt::detail::is_generator<State>, int> = 0>
double2 curand_normal2_double(State* state) {
  const unsigned x0 = curand(state), x1 = curand(state), y0 = curand(state), y1 = curand(state);
  return exactdot::simt::detail::normal_pair(x0, x1, y0, y1);
}
template <class State, std::enable_if_t<exactdot::simt::detail::is_generator<State>, int> = 0>
double curand_normal_double(State* state) {
  state->has_extra_double ^= 1U;
  if (state->has_extra_double == 0) return state->extra_double;
  const double2 pair = curand_normal2_double(state);
  state->extra_double = pair.y;
  return pair.x;
}
inline float4 curand_normal4(curandStatePhilox4_32_10* state) {
  const float2 first = curand_normal2(state), second = curand_normal2(state);
  return {first.x, first.y, second.x, second.y};
}
template <class State, std::enable_if_t<exactdot::simt::detail::is_generator<State>, int> = 0>
float curand_log_normal(State* state, float mean, float deviation) {
  return std::exp(mean + deviation * curand_normal(state));
}
template <class State, std::enable_if_t<exactdot::simt::detail::is_generator<State>, int> = 0>
double curand_log_normal_double(State* state, double mean, double deviation) {
  return std::exp(mean + deviation * curand_normal_double(state));
}
