// The kernels of the CUDA engine under test, on the simulator or on a GPU (cuda/kernels.cu).
#include "cuda/kernels.hpp"
#include "table/engines.hpp"

namespace table {

suite engines_under_test() {
  static constexpr std::array<std::size_t, 14> lengths = {0,   1,   2,    3,    5,    31,   64,
                                                          129, 511, 1000, 2047, 2049, 4097, 20000};
  const bool simulated = kernels_under_test::is_simulated();
  suite all;
  engine kernels;
  kernels.name = simulated ? "simulator" : "GPU";
  kernels.reads_misaligned = false;
  kernels.run = kernels_under_test::run;
  kernels.words_of_two_additions = kernels_under_test::words_of_two_launches;
  kernels.take_faults = kernels_under_test::take_faults;
  kernels.every_type = simulated ? 3 : 1;
  all.engines.push_back(kernels);
  all.lengths = lengths;
  all.every = simulated ? 41 : 1;  // coprime to the number of lengths
  if (simulated) all.every_of_others = 9, all.longest_of_others = 200;
  all.unavailable = kernels_under_test::unavailable_reason();
  return all;
}

}  // namespace table
