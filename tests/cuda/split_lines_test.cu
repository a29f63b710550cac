// Kernels of few long rows and columns, which blocks share.
#include "segment_launch.cuh"

namespace exactdot::cuda_engine {
namespace {

using split_lines = rows;

}  // namespace
}  // namespace exactdot::cuda_engine
