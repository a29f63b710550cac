// Times several peers on the same data.
//
// Each round takes one sample per peer and data set, in a new random order. Changes of clock rate, other processes
// and cache contents thus affect all of them alike. A sample is a sequence of calls that is long enough for the
// clock. The result is the median of the samples.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "peer.hpp"
#include "vectors.hpp"

namespace bench {

struct sampling {
  int rounds = 25;
  std::chrono::nanoseconds min_sample{200'000};  ///< minimum duration of a sample
};

struct measurement {
  std::string type;
  std::size_t n;
  int threads;
  std::string data;
  std::string peer;
  double nanoseconds;                 ///< median time per call
  double spread;                      ///< (third quartile - first) / median
  double error_ulps;                  ///< |value - exact result| in ulps of the correctly rounded result; NaN: no result
  unsigned a_modulo_64, b_modulo_64;  ///< addresses of the vectors modulo 64
  int vectors = 2;                    ///< vectors that the reduction reads
};

/// Measures all peers of a reduction on data[0], and the first peer on the other data sets.
template <class T>
std::vector<measurement> measure(reduction what, const std::vector<peer>& peers,
                                 const std::vector<vectors<T>>& data, int threads, const sampling& settings);

extern template std::vector<measurement> measure(reduction, const std::vector<peer>&,
                                                 const std::vector<vectors<float>>&, int, const sampling&);
extern template std::vector<measurement> measure(reduction, const std::vector<peer>&,
                                                 const std::vector<vectors<double>>&, int, const sampling&);

}  // namespace bench
