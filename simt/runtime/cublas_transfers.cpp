// cuBLAS's copies of vectors and matrices between the host and the device: of elements of any size, as rows of bytes.
#include <algorithm>
#include <string>

#include "cublas_operands.hpp"
#include "graphs.hpp"
#include "row_copies.hpp"

namespace exactdot::simt {
namespace {

/// `height` rows of `width` bytes.
struct transfer {
  void* to;
  std::size_t to_pitch;
  const void* from;
  std::size_t from_pitch, width, height;
};
cublasStatus_t run_transfer(const transfer& of, bool to_device, const char* text, const cublas_call& call) {
  const runtime_lock lock;
  const operand_rows on_device{to_device ? of.to : of.from, to_device ? of.to_pitch : of.from_pitch, of.width,
                               of.height, text};
  if (!check_operand(on_device, to_device, call)) return CUBLAS_STATUS_MAPPING_ERROR;
  const cudaError_t error =
      copy_rows(of.to, of.to_pitch, of.from, of.from_pitch, of.width, of.height,
                to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, call.name, call.caller);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

cublasStatus_t transfer_vector(int n, int bytes, const void* x, int incx, void* y, int incy, bool to_device,
                               const cublas_call& call) {
  if (n < 0 || bytes <= 0 || incx <= 0 || incy <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  const auto size = static_cast<std::size_t>(bytes), count = static_cast<std::size_t>(n);
  const bool dense = incx == 1 && incy == 1;
  const transfer rows{y,
                      size * (dense ? count : incy),
                      x,
                      size * (dense ? count : incx),
                      size * (dense ? count : 1),
                      dense ? 1 : count};
  const std::string text = std::to_string(n) + " elements of " + std::to_string(bytes) + " bytes";
  return run_transfer(rows, to_device, text.c_str(), call);
}
cublasStatus_t transfer_matrix(int rows, int columns, int bytes, const void* a, int lda, void* b, int ldb,
                               bool to_device, const cublas_call& call) {
  if (rows < 0 || columns < 0 || bytes <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (lda < std::max(1, rows)) return refuse(call, "lda", lda, std::max(1, rows));
  if (ldb < std::max(1, rows)) return refuse(call, "ldb", ldb, std::max(1, rows));
  if (rows == 0 || columns == 0) return CUBLAS_STATUS_SUCCESS;
  const auto size = static_cast<std::size_t>(bytes);
  const std::string text = std::to_string(rows) + " x " + std::to_string(columns) + " elements of " +
                           std::to_string(bytes) + " bytes with leading dimension " +
                           std::to_string(to_device ? ldb : lda);
  return run_transfer({b, size * ldb, a, size * lda, size * rows, static_cast<std::size_t>(columns)}, to_device,
                      text.c_str(), call);
}

}  // namespace
}  // namespace exactdot::simt

using namespace exactdot::simt;

cublasStatus_t cublasSetVector(int n, int element_bytes, const void* x, int incx, void* device, int incy) {
  return transfer_vector(n, element_bytes, x, incx, device, incy, true,
                         {"cublasSetVector", __builtin_return_address(0)});
}
cublasStatus_t cublasGetVector(int n, int element_bytes, const void* device, int incx, void* y, int incy) {
  return transfer_vector(n, element_bytes, device, incx, y, incy, false,
                         {"cublasGetVector", __builtin_return_address(0)});
}
cublasStatus_t cublasSetMatrix(int rows, int columns, int element_bytes, const void* a, int lda, void* device,
                               int ldb) {
  return transfer_matrix(rows, columns, element_bytes, a, lda, device, ldb, true,
                         {"cublasSetMatrix", __builtin_return_address(0)});
}
cublasStatus_t cublasGetMatrix(int rows, int columns, int element_bytes, const void* device, int lda, void* b,
                               int ldb) {
  return transfer_matrix(rows, columns, element_bytes, device, lda, b, ldb, false,
                         {"cublasGetMatrix", __builtin_return_address(0)});
}
