// Right, and nothing reads the last words: their indices come from data. A sparse product, whose last column is empty;
// a list of pointers; a permutation in bytes.
// prints: ^63 63 63
// silent: note:
#include <cstdio>
#include <vector>

__global__ void product(int rows, const int* start, const int* columns, const float* values, const float* x, float* y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int j = start[row]; j < start[row + 1]; ++j) sum += values[j] * x[columns[j]];
  y[row] = sum;
}
__global__ void follow(const float* const* places, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = *places[i];
}
__global__ void permute(const unsigned* offsets, const char* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = *reinterpret_cast<const float*>(x + offsets[i]);
}

template <class T>
T* on_device(const std::vector<T>& values) {
  T* copy;
  cudaMalloc(&copy, values.size() * sizeof(T));
  cudaMemcpy(copy, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return copy;
}

int main() {
  constexpr int n = 128;
  std::vector<int> start(n + 1), columns;
  std::vector<float> values, x(n);
  for (int row = 0; row < n; ++row) {
    for (const int column : {row - 1, row}) {
      if (column >= 0 && column < n - 1) columns.push_back(column), values.push_back(column == row ? 1.0f : 0.0f);
    }
    start[row + 1] = static_cast<int>(columns.size());
    x[row] = static_cast<float>(row);
  }
  float* const d_x = on_device(x);
  float *const d_x2 = on_device(x), *const d_x3 = on_device(x);
  std::vector<const float*> places;
  std::vector<unsigned> offsets;
  for (int i = 0; i < n - 1; ++i) places.push_back(d_x2 + i), offsets.push_back(4U * i);
  float* y;
  cudaMalloc(&y, n * sizeof(float));
  std::vector<float> result(n);
  const auto print = [&](const char* end) {
    cudaMemcpy(result.data(), y, (n - 1) * sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("%g%s", result[63], end);
  };
  product<<<2, 64>>>(n, on_device(start), on_device(columns), on_device(values), d_x, y);
  print(" ");
  follow<<<2, 64>>>(on_device(places), y, n - 1);
  print(" ");
  permute<<<2, 64>>>(on_device(offsets), reinterpret_cast<const char*>(d_x3), y, n - 1);
  print("\n");
}
