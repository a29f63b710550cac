// Level 1 of mode exact for vectors along several axes whose innermost stretches lie beside those of other vectors:
// the runs of some vectors, one after the other, in the order of memory. Run by run of one vector every run would
// begin with a wait for memory.
#pragma once

#include <cpu/batch_parts.hpp>

namespace exactdot::inline v0_3::cpu_engine {

class run_sums {
 public:
  explicit run_sums(const batch& of);

  /// Whether level 1 may decide the results of the batch, and reads its elements this way.
  [[nodiscard]] static bool suits(const batch& of);
  /// How many results a thread takes at a time.
  [[nodiscard]] static std::size_t results_of_share(const batch& of);
  static constexpr std::size_t max_results = 64;

  /// The results from `index` on, up to max_results; they are unspecified once the batch's monitor cancels.
  void reduce(std::size_t index, std::size_t count, result_sink& sink) noexcept;

 private:
  void add_run(std::size_t which, std::size_t first, const char* run, const void* next) noexcept;

  const batch& of_;
  batch_kernels kernels_;
  line_reducer lines_;  // for what is left open
  bool is_far_;         // the elements are in no cache near by
  std::vector<partial_result> partials_{max_results};
  std::vector<line> vectors_{max_results};
};

}  // namespace exactdot::inline v0_3::cpu_engine
