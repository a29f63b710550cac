// Launch configurations of lines (src/cuda/batch_kernel.cuh) that gpu_rows times beside those of the library.
#pragma once

#include <cuda/line_tuning.hpp>
#include <exactdot/cuda.hpp>

namespace experiment {

using exactdot::cuda_engine::line_config;

/// What is added up: a sum, or a dot product of rows, whose second matrix may repeat one row.
struct row_problem {
  const void *a, *b;
  std::size_t rows, length;
  bool repeats_b;
  void* results;  ///< of the element type
};

inline constexpr std::array row_variants = {
    line_config{1, 256, 2, 3, 16},   line_config{1, 128, 4, 4, 16},    line_config{2, 256, 2, 3, 16},
    line_config{2, 256, 1, 4, 16},   line_config{4, 256, 1, 4, 16},    line_config{4, 256, 2, 3, 16},
    line_config{4, 256, 2, 4, 16},   line_config{4, 256, 4, 3, 16},    line_config{4, 128, 2, 6, 16},
    line_config{8, 256, 1, 4, 16},   line_config{8, 256, 2, 3, 16},    line_config{8, 256, 2, 4, 16},
    line_config{8, 256, 4, 3, 16},   line_config{16, 256, 2, 3, 16},   line_config{16, 256, 2, 4, 16},
    line_config{32, 256, 1, 4, 16},  line_config{32, 256, 2, 3, 16},   line_config{32, 256, 2, 4, 16},
    line_config{32, 256, 4, 2, 16},  line_config{32, 256, 4, 3, 16},   line_config{32, 128, 4, 6, 16},
    line_config{4, 256, 2, 2, 16},   line_config{8, 256, 4, 2, 16},    line_config{128, 128, 4, 6, 16},
    line_config{256, 256, 2, 4, 12}, line_config{256, 256, 4, 3, 12},  line_config{512, 512, 2, 2, 8},
    line_config{512, 512, 4, 1, 8},  line_config{1024, 1024, 2, 1, 4},
};

/// Enqueues variant number `variant`, with at most so many blocks of a multiprocessor. One object per element type
/// and term.
template <class T, class Term>
void launch_variant(exactdot::cuda::workspace& on, std::size_t variant, unsigned blocks_per_multiprocessor,
                    const row_problem& problem);

}  // namespace experiment
