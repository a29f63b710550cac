// The rows of rms_norm and layer_norm on the CPU, one after the other on each thread.
//
// A row costs the bounded sums that norms and variances begin with, a scale (core/normalisation.hpp), and its
// elements, a register at a time; all that while it lies in the cache, up to `normalised_chunk` elements. What is
// left open is computed by itself: from the same scale in two doubles, then from that of the exact sums, then in
// integers.
#pragma once

#include <exactdot/options.hpp>
#include <plan/normalise.hpp>

namespace exactdot::inline v0_3::cpu_engine {

/// Elements of a row that are in the cache at a time; longer rows are read twice.
inline constexpr std::size_t normalised_chunk = std::size_t{1} << 13;

/// Stores all results, by at most `threads` threads. Throws errc::cancelled.
void normalise(const engine::normalise_request& asked, int threads, monitor* monitor);

}  // namespace exactdot::inline v0_3::cpu_engine
