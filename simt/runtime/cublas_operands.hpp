// Operands of cuBLAS in the device's memory: what is outside of it is named at the line of the call, and copies to
// and from the host have the checks of all copies.
#pragma once

#include <cublas_v2.h>

#include <cstdlib>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace exactdot::simt {

/// A call by the program, for its findings.
struct cublas_call {
  const char* name;
  const void* caller;
};

/// Prints a line to standard error that begins with the place and the name of the call.
void print_at(const cublas_call& call, const std::string& text);
/// Prints that an argument is below its least value. Returns CUBLAS_STATUS_INVALID_VALUE.
cublasStatus_t refuse(const cublas_call& call, const char* name, long long value, long long least);

/// A vector or matrix as rows of bytes: `width` bytes every `pitch`.
struct operand_rows {
  const void* first;
  std::size_t pitch, width, height;
  std::string text;  // "A, 3 x 4 with leading dimension 3"
};

/// Returns whether all of it is memory that a kernel may use. Else reports the first byte that is not.
bool check_operand(const operand_rows& operand, bool writes, const cublas_call& call);
/// Copies as work of the current stream; the host's rows are dense.
cudaError_t copy_operand(void* host, const operand_rows& from, const cublas_call& call);
cudaError_t copy_operand(const operand_rows& to, const void* host, const cublas_call& call);
/// In pointer mode host a scalar is the host's: reports one in the device's memory, which on a GPU crashes.
void check_host_scalar(const void* scalar, bool writes, const cublas_call& call);

template <class T>
class operand {
 public:
  explicit operand(operand_rows rows) : rows_(std::move(rows)) {}
  bool check(bool writes, const cublas_call& call) const { return check_operand(rows_, writes, call); }
  /// Makes room on the host; `copies`: for the values, which are read.
  cudaError_t fetch(bool copies, const cublas_call& call) {
    host_.resize(rows_.width / sizeof(T) * rows_.height);
    return copies && !host_.empty() ? copy_operand(host_.data(), rows_, call) : cudaSuccess;
  }
  cudaError_t store(const cublas_call& call) const {
    return host_.empty() ? cudaSuccess : copy_operand(rows_, host_.data(), call);
  }
  [[nodiscard]] std::vector<std::remove_const_t<T>>& values() { return host_; }

 private:
  operand_rows rows_;
  std::vector<std::remove_const_t<T>> host_;
};

/// n elements, |increment| apart; with increment 0 one element. On the host they are beside one another, in the
/// order of the memory: BLAS takes them with increment 1, 0 or -1.
template <class T>
operand<T> vector_operand(const char* name, T* x, int n, int increment) {
  const std::size_t pitch = static_cast<std::size_t>(std::abs(static_cast<long long>(increment))) * sizeof(T);
  const std::size_t count = n <= 0 ? 0 : increment == 0 ? 1 : static_cast<std::size_t>(n);
  std::string text = std::string(name) + ", " + std::to_string(count) + " elements";
  if (pitch > sizeof(T)) text += " with increment " + std::to_string(increment);
  if (pitch <= sizeof(T)) return operand<T>({x, count * sizeof(T), count * sizeof(T), 1, text});
  return operand<T>({x, pitch, sizeof(T), count, text});
}
inline int increment_on_host(int increment) { return (increment > 0) - (increment < 0); }

/// Columns `leading` elements apart. On the host they are beside one another.
template <class T>
operand<T> matrix_operand(const char* name, T* a, int rows, int columns, int leading) {
  const std::string text = std::string(name) + ", " + std::to_string(rows) + " x " + std::to_string(columns) +
                           " with leading dimension " + std::to_string(leading);
  return operand<T>({a, static_cast<std::size_t>(leading) * sizeof(T), static_cast<std::size_t>(rows) * sizeof(T),
                     static_cast<std::size_t>(columns), text});
}

}  // namespace exactdot::simt
