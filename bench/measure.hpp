// Timing of several peers against each other on the same data.
//
// A round times every contender once; rounds are repeated, each in another order, so that a change of clock, a
// noisy neighbour or what the one before left in the caches meets all of them. A sample is a run of calls that
// lasts long enough for the clock; the median of a contender's samples counts.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "peer.hpp"
#include "vectors.hpp"

namespace bench {

struct effort {
  int rounds = 25;
  std::chrono::nanoseconds sample{200'000};  ///< the least that a sample lasts
};

struct row {
  std::string type;
  std::size_t n;
  int threads;
  std::string data;
  std::string peer;
  double nanoseconds;  ///< median time of a call
  double spread;       ///< (third quartile - first) / median
  double error_ulps;   ///< |value - exact result| in units of the last place of the correctly rounded result
  unsigned a_modulo_64, b_modulo_64;  ///< where the vectors lie
};

/// Peers on uniform data, and the first of them on each of the hostile data sets too.
template <class T>
std::vector<row> measure(const std::vector<peer>& peers, const std::vector<vectors<T>>& data, int threads,
                         const effort& how);

extern template std::vector<row> measure(const std::vector<peer>&, const std::vector<vectors<float>>&, int,
                                         const effort&);
extern template std::vector<row> measure(const std::vector<peer>&, const std::vector<vectors<double>>&, int,
                                         const effort&);

}  // namespace bench
