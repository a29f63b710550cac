// Exact sums of magnitudes; see magnitudes.hpp.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <lab/magnitudes.hpp>
#include <span>
#include <vector>

namespace exactdot::lab {

template <element T>
void add_magnitudes(accumulator<T>& sum, const T* x, std::size_t n, const options& options) {
  constexpr std::size_t max_chunk = std::size_t{1} << 20;
  std::vector<T> magnitudes(std::min(max_chunk, n));
  for (std::size_t first = 0; first < n; first += magnitudes.size()) {
    const std::span<T> chunk = std::span<T>(magnitudes).first(std::min(magnitudes.size(), n - first));
    std::memcpy(chunk.data(), x + first, chunk.size_bytes());
    std::ranges::transform(chunk, chunk.begin(), [](T value) { return std::abs(value); });
    sum.add(std::span<const T>(chunk), options);
  }
}

template void add_magnitudes(accumulator<float>&, const float*, std::size_t, const options&);
template void add_magnitudes(accumulator<double>&, const double*, std::size_t, const options&);

}  // namespace exactdot::lab
