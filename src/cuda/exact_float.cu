// Mode exact for float: its instances, compiled beside those for double (launch_exact.cuh says why two files).
#include <cuda/launch_exact.cuh>

namespace exactdot::cuda {

using cuda_engine::rounded_result;
using cuda_engine::state_words;
using memory = workspace::memory;
template void launch_exact(const memory&, const float*, const float*, std::size_t, rounded_result<float>);
template void launch_exact(const memory&, const float*, const float*, std::size_t, rounded_result<double>);
template void launch_exact(const memory&, const float*, const float*, std::size_t, state_words);

}  // namespace exactdot::cuda
