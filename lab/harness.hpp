// The harness: holds a rung to its promises, and only then times it.
//
// A rung has to be exact on integers at awkward lengths and starts, within its proved bound on the data, the same
// in every bit where it says so, and without a fault where the simulator looks on. `if (!(error <= bound)) fail`: a
// NaN is no pass. Rungs that are wrong on purpose are shown, not failed.
#pragma once

#include <lab/bench.hpp>
#include <lab/reference.hpp>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace exactdot::lab {

struct conditions {
  int runs = 5;
  std::uint64_t seed = 1;  ///< of the schedules
  operation op = operation::sum;
  unsigned block = 0, grid = 0;  ///< 0: the rung's own
};

/// One rung's line of the report. What does not exist is null.
struct row {
  rung_info info;
  shape size;
  double value = 0;             ///< of the first run
  std::optional<bool> correct;  ///< null where nothing is promised for these data
  std::string fault;            ///< which promise was broken, and how; empty when none was
  long double ulps = std::numeric_limits<long double>::quiet_NaN(), allowed = 0;  ///< the largest error of any run
  int runs = 0, distinct_results = 0;
  int grids = 0, distinct_over_grids = 0;  ///< over other grids, the first included
  std::optional<bool> deterministic;       ///< as observed, over the runs
  tally counted;
  std::optional<double> seconds;         ///< of the kernels, or of a host rung's loop
  std::optional<double> finish_seconds;  ///< of copying partial results to the host and adding them there
  std::vector<finding> found;
};

/// The vectors, on the host and on the bench.
template <element T>
class problem {
 public:
  problem(bench& on, std::span<const T> a, std::span<const T> b, operation op);

  /// What `one` is to do, with a launch for it; `skip_a` and `skip_b` elements are left out at the start.
  [[nodiscard]] task<T> task_for(const rung& one, bench& on, const conditions& how, std::size_t n,
                                 std::size_t skip_a = 0, std::size_t skip_b = 0) const;
  [[nodiscard]] task<T> task_for(const rung& one, bench& on, const conditions& how) const {
    return task_for(one, on, how, a_.size());
  }
  [[nodiscard]] std::size_t n() const { return a_.size(); }
  [[nodiscard]] const reference<T>& right() const { return right_; }
  [[nodiscard]] std::span<const T> a() const { return a_; }
  [[nodiscard]] std::span<const T> b() const { return b_; }
  [[nodiscard]] const T* device_a() const { return static_cast<const T*>(a_copy_->data()); }
  [[nodiscard]] const T* device_b() const { return static_cast<const T*>(b_copy_->data()); }

 private:
  std::span<const T> a_, b_;
  std::unique_ptr<device_memory> a_copy_, b_copy_;
  reference<T> right_;
};

/// Runs, checks and times one rung.
template <element T>
[[nodiscard]] row measure(const rung& one, bench& on, const problem<T>& data, const conditions& how);

/// The kernels' time alone, of a rung that was checked; null where the bench has no clock.
template <element T>
[[nodiscard]] std::optional<double> time_of(const rung& one, bench& on, const problem<T>& data,
                                            const conditions& how);

}  // namespace exactdot::lab
