//! title: Two dimensions in one memory
//! topic: indices
//! call: void transpose(const int* a, int* b, int rows, int columns)
//! fails: Wrong result for 2 rows, 3 columns: b\[
//! hint: The function is right for square matrices. What differs between rows and columns if they are not as many?
//! hint: A row of a has `columns` elements, so row r begins at r * columns. How long is a row of b?
//! learnt: element (r, c) of a matrix in memory, row after row, is at r * (length of a row) + c.
// b is a transposed: row r of a becomes column r of b. Both are in memory row after row; a has `rows` rows and `columns`
// columns, b the other way round. Correct the indices.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void transpose_elements(const int* a, int* b, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
#ifdef SOLUTION
  if (row < rows && column < columns) b[column * rows + row] = a[row * columns + column];
#else
  if (row < rows && column < columns) b[column * columns + row] = a[row * rows + column];
#endif
}

// a and b are in the device's memory
void transpose(const int* a, int* b, int rows, int columns) {
  const dim3 block(8, 8), grid(columns / 8 + 1, rows / 8 + 1);
  transpose_elements<<<grid, block>>>(a, b, rows, columns);
}

int main() {
  const int rows = 2, columns = 2;
  int *a, *b;
  cudaMallocManaged(&a, rows * columns * sizeof(int));
  cudaMallocManaged(&b, rows * columns * sizeof(int));
  for (int i = 0; i < rows * columns; ++i) a[i] = i + 1;
  transpose(a, b, rows, columns);
  cudaDeviceSynchronize();
  for (int i = 0; i < rows * columns; ++i) std::printf(i % rows == rows - 1 ? "%d\n" : "%d ", b[i]);
  cudaFree(a);
  cudaFree(b);
}

#ifdef CHECK
void exercise::check() {
  const int shapes[][2] = {{1, 1}, {8, 8}, {2, 3}, {3, 2}, {1, 20}, {17, 1}, {9, 16}};
  for (const auto& [rows, columns] : shapes) {
    begin_case(std::to_string(rows) + " rows, " + std::to_string(columns) + " columns");
    const auto numbers = some_numbers(rows * columns, 1000);
    std::vector<int> expected;
    for (int column = 0; column < columns; ++column) {
      for (int row = 0; row < rows; ++row) expected.push_back(numbers[row * columns + column]);
    }
    const device_array<int> a(numbers), b(numbers.size());
    transpose(a, b, rows, columns);
    expect_equal("b", b.values(), expected);
  }
}
#endif
