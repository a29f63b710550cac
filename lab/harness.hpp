// Harness: checks a rung's promises, then times it.
//
// A rung must be exact on integers at many lengths and alignments, stay within its proved bound on the data, return
// the same bits where it promises so, and cause no finding in the simulator. Comparisons have the form
// `if (!(error <= bound)) fail`, so that NaN fails. Rungs that are wrong on purpose are reported, not failed.
#pragma once

#include <lab/executor.hpp>
#include <lab/workload.hpp>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace exactdot::lab {

/// How a rung is run and checked.
struct run_options {
  int runs = 5;            ///< of the whole vectors, to detect bits that change
  std::uint64_t seed = 1;  ///< of the simulator's schedules
  operation op = operation::sum;
  unsigned block = 0, grid = 0;  ///< 0: the rung's default
};

/// Everything measured for one rung; null if it does not apply.
struct measurement {
  rung_info info;
  launch_config config;
  double value = 0;             ///< the first result of the first run
  std::vector<double> values;   ///< its results
  std::optional<bool> correct;  ///< null if no promise covers these data
  std::string fault;            ///< the first broken promise; empty if none
  long double error_ulps = std::numeric_limits<long double>::quiet_NaN();  ///< the largest error of any run
  long double allowed_ulps = 0;
  int runs = 0, distinct_results = 0;
  int grids = 0, distinct_over_grids = 0;  ///< over all grids tried, including the first
  std::optional<bool> deterministic;       ///< as observed over the runs
  counters counts;
  bool within_tree_bound = true;       ///< of a rung that is wrong on purpose: as a tree of additions would be
  bool on_host = false;                ///< the rung has no kernels and runs on the host
  std::optional<double> seconds;       ///< of the kernels, or of a host rung's loop
  std::optional<finish_times> finish;  ///< if the host completes the result
  std::vector<finding> findings;
};

/// The vectors of a workload, on the host and on the device, with the references of its results.
template <element T>
class problem {
 public:
  /// Refers to the vectors.
  problem(executor& device, const vector_views<T>& vectors, operation op,
          const workload& kind = find_workload("dot"), const division& parts = {});

  /// Returns input and launch for `user` on n elements; the first `skip_a` and `skip_b` elements are skipped.
  [[nodiscard]] rung_input<T> input_for(const rung& user, executor& device, const run_options& options,
                                        std::size_t n, std::size_t skip_a = 0, std::size_t skip_b = 0) const;
  [[nodiscard]] rung_input<T> input_for(const rung& user, executor& device, const run_options& options) const {
    return input_for(user, device, options, n());
  }
  [[nodiscard]] std::size_t n() const { return vectors_.a.size(); }
  [[nodiscard]] const std::vector<reference<T>>& references() const { return references_; }
  [[nodiscard]] const vector_views<T>& vectors() const { return vectors_; }
  [[nodiscard]] const T* device_a() const { return static_cast<const T*>(a_copy_->data()); }
  [[nodiscard]] const T* device_b() const { return static_cast<const T*>(b_copy_->data()); }

 private:
  vector_views<T> vectors_;
  std::unique_ptr<device_memory> a_copy_, b_copy_, keys_copy_;
  std::size_t (*results_)(std::size_t n, const division&);
  division parts_;
  std::vector<reference<T>> references_;
};

/// Runs, checks and times one rung.
template <element T>
[[nodiscard]] measurement measure(const rung& tested, executor& device, const problem<T>& data,
                                  const run_options& options);

/// Returns the seconds of the rung's kernels alone, unchecked; null if the device has no clock.
template <element T>
[[nodiscard]] std::optional<double> kernel_seconds(const rung& timed, executor& device, const problem<T>& data,
                                                   const run_options& options);

}  // namespace exactdot::lab
