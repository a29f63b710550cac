// Mode exact for double: its instances, compiled beside those for float (launch_exact.cuh says why two files).
#include <cuda/launch_exact.cuh>

namespace exactdot::cuda {

using cuda_engine::rounded_result;
using cuda_engine::state_words;
using memory = workspace::memory;
template void launch_exact(const memory&, const double*, const double*, std::size_t, rounded_result<float>);
template void launch_exact(const memory&, const double*, const double*, std::size_t, rounded_result<double>);
template void launch_exact(const memory&, const double*, const double*, std::size_t, state_words);

}  // namespace exactdot::cuda
