// gemv, gemm in all transpositions, on a part of a matrix, in rows, and a batch, against plain loops.
// prints: ^0 wrong$
#include <cublas_v2.h>
#include <cmath>
#include <cstdio>
#include <vector>

int wrong = 0;
void expect(double found, double wanted) {
  if (std::fabs(found - wanted) > 1e-4 * (1 + std::fabs(wanted))) ++wrong;
}
template <class T>
T* on_device(const std::vector<T>& from) {
  T* to;
  cudaMalloc(&to, from.size() * sizeof(T));
  cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
  return to;
}
template <class T>
std::vector<T> on_host(const T* from, std::size_t n) {
  std::vector<T> to(n);
  cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost);
  return to;
}
template <class T>
std::vector<T> values(int n, int seed) {
  std::vector<T> x(n);
  for (int i = 0; i < n; ++i) x[i] = T((i * 7 + seed) % 11) - 5;
  return x;
}
cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t p, cublasOperation_t q, int m, int n, int k, float alpha, float* a,
                    int lda, float* b, int ldb, float beta, float* c, int ldc) {
  return cublasSgemm(h, p, q, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
}
cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t p, cublasOperation_t q, int m, int n, int k, double alpha,
                    double* a, int lda, double* b, int ldb, double beta, double* c, int ldc) {
  return cublasDgemm(h, p, q, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
}
template <class T>
void check_products(cublasHandle_t handle) {
  const int m = 5, n = 4, k = 3, ld = 8;
  const auto a = values<T>(ld * ld, 1), b = values<T>(ld * ld, 2), c = values<T>(ld * ld, 3);
  T *da = on_device(a), *db = on_device(b);
  for (int p = 0; p < 2; ++p) {
    for (int q = 0; q < 2; ++q) {
      T* dc = on_device(c);
      if (gemm(handle, cublasOperation_t(p), cublasOperation_t(q), m, n, k, T(2), da, ld, db, ld, T(3), dc, ld) !=
          CUBLAS_STATUS_SUCCESS)
        ++wrong;
      const auto found = on_host(dc, ld * ld);
      for (int j = 0; j < ld; ++j) {
        for (int i = 0; i < ld; ++i) {
          T sum = 0;
          for (int l = 0; l < k; ++l) sum += (p ? a[l + i * ld] : a[i + l * ld]) * (q ? b[j + l * ld] : b[l + j * ld]);
          expect(found[i + j * ld], i < m && j < n ? 2 * sum + 3 * c[i + j * ld] : c[i + j * ld]);
        }
      }
      cudaFree(dc);
    }
  }
  cudaFree(da), cudaFree(db);
}

int main() {
  cublasHandle_t handle;
  cublasCreate(&handle);
  check_products<float>(handle);
  check_products<double>(handle);

  // matrices in rows: C = A B is the transposed B' A'; C is unwritten, which beta = 0 allows
  const int m = 6, n = 3, k = 4;
  const auto a = values<float>(m * k, 4), b = values<float>(k * n, 5);
  float *da = on_device(a), *db = on_device(b), *dc;
  cudaMalloc(&dc, m * n * sizeof(float));
  const float one = 1, zero = 0;
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, db, n, da, k, &zero, dc, n);
  auto c = on_host(dc, m * n);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
      expect(c[i * n + j], sum);
    }
  }

  // a batch of products of 2 x 2
  float *dd = on_device(values<float>(12, 6)), *de = on_device(values<float>(12, 7)), *df;
  cudaMalloc(&df, 12 * sizeof(float));
  cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, dd, 2, 4, de, 2, 4, &zero, df, 2, 4, 3);
  const auto d = values<float>(12, 6), e = values<float>(12, 7), f = on_host(df, 12);
  for (int i = 0; i < 12; ++i) {
    const int at = i / 4 * 4, row = i % 2, column = i % 4 / 2;
    expect(f[i], d[at + row] * e[at + 2 * column] + d[at + 2 + row] * e[at + 2 * column + 1]);
  }

  // A x and A' x of a 6 x 4 matrix in columns
  const auto x = values<float>(6, 8), y = values<float>(12, 9);
  float *dx = on_device(x), *dy = on_device(y);
  const float two = 2;
  cublasSgemv(handle, CUBLAS_OP_N, m, k, &two, da, m, dx, 1, &one, dy, 2);
  auto found = on_host(dy, 12);
  for (int i = 0; i < 12; ++i) {
    float sum = 0;
    for (int l = 0; l < k; ++l) sum += i % 2 ? 0 : a[i / 2 + l * m] * x[l];
    expect(found[i], y[i] + 2 * sum);
  }
  cublasSgemv(handle, CUBLAS_OP_T, m, k, &two, da, m, dx, 1, &zero, dy, 1);
  found = on_host(dy, 4);
  for (int j = 0; j < k; ++j) {
    float sum = 0;
    for (int i = 0; i < m; ++i) sum += a[i + j * m] * x[i];
    expect(found[j], 2 * sum);
  }
  double *du = on_device(values<double>(4, 1)), *dv = on_device(values<double>(2, 2)), *dw = on_device(values<double>(2, 3));
  const double unit = 1;
  cublasDgemv(handle, CUBLAS_OP_C, 2, 2, &unit, du, 2, dv, -1, &unit, dw, 1);
  const auto u = values<double>(4, 1), v = values<double>(2, 2), w = values<double>(2, 3), sums = on_host(dw, 2);
  for (int j = 0; j < 2; ++j) expect(sums[j], w[j] + u[2 * j] * v[1] + u[2 * j + 1] * v[0]);

  // a matrix in managed memory, set and got in parts
  float* managed;
  cudaMallocManaged(&managed, 16 * sizeof(float));
  for (int i = 0; i < 16; ++i) managed[i] = 1;
  const float part[4] = {1, 2, 3, 4};
  float back[9] = {};
  cublasSetMatrix(2, 2, sizeof(float), part, 2, managed, 4);
  cublasGetMatrix(2, 2, sizeof(float), managed, 4, back, 3);
  expect(back[0], 1), expect(back[1], 2), expect(back[2], 0), expect(back[3], 3), expect(back[4], 4);
  cublasDestroy(handle);
  std::printf("%d wrong\n", wrong);
}
