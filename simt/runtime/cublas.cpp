// cuBLAS: its calls are work of their stream, which the host's BLAS does on copies of the operands.
//
// Operands are checked first, then copied, so a call with one that is too small changes nothing. Results in pointer
// mode host wait for the stream, as cuBLAS does. Values that BLAS does not read (C with beta 0, A and B with alpha
// 0) may be unwritten.
#include <cublas_v2.h>

#include <algorithm>
#include <new>
#include <set>

#include "cblas.hpp"
#include "cublas_operands.hpp"
#include "graphs.hpp"

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t mode = CUBLAS_POINTER_MODE_HOST;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
};

namespace exactdot::simt {
namespace {

std::set<cublasHandle_t>& live_handles() {
  static auto& handles = *new std::set<cublasHandle_t>;
  return handles;
}
bool is_live(cublasHandle_t handle) {
  const runtime_lock lock;
  return live_handles().contains(handle);
}

/// Checks all operands that a call reads, then copies them to the host.
template <class... Operands>
cudaError_t read_all(const cublas_call& call, Operands&... operands) {
  bool all = true;
  ((all = operands.check(false, call) && all), ...);
  cudaError_t error = all ? cudaSuccess : cudaErrorIllegalAddress;
  ((error = error == cudaSuccess ? operands.fetch(true, call) : error), ...);
  return error;
}
/// Of an operand that a call writes; `reads`: its values too.
template <class Operand>
cudaError_t begin_write(const cublas_call& call, bool reads, Operand& to) {
  return to.check(true, call) ? to.fetch(reads, call) : cudaErrorIllegalAddress;
}

/// Alpha or beta: of the host, read at the call; or of the device, read by the work.
template <class T>
class scalar {
 public:
  scalar(cublasHandle_t handle, const char* name, const T* address, const cublas_call& call)
      : name_(name), address_(address), on_device_(handle->mode == CUBLAS_POINTER_MODE_DEVICE) {
    if (on_device_ || address == nullptr) return;
    check_host_scalar(address, false, call);
    value_ = *address;
  }
  [[nodiscard]] bool is_missing() const { return address_ == nullptr; }
  cudaError_t read(const cublas_call& call, T& value) const {
    value = value_;
    if (!on_device_) return cudaSuccess;
    auto from = vector_operand(name_, address_, 1, 1);
    const cudaError_t error = read_all(call, from);
    if (error == cudaSuccess) value = from.values()[0];
    return error;
  }

 private:
  const char* name_;
  const T* address_;
  bool on_device_;
  T value_{};
};

template <class Work>
cublasStatus_t run(cublasHandle_t handle, Work work) try {
  return run_or_capture(handle->stream, work) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                             : CUBLAS_STATUS_EXECUTION_FAILED;
} catch (const std::bad_alloc&) {
  return CUBLAS_STATUS_ALLOC_FAILED;
}

/// A call with a result: `compute` sets it. In pointer mode host the call waits, which no capture allows.
template <class Result, class Compute>
cublasStatus_t run_with_result(cublasHandle_t handle, Result* result, const cublas_call& call, Compute compute) {
  const runtime_lock lock;
  if (!is_live(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (result == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const bool on_device = handle->mode == CUBLAS_POINTER_MODE_DEVICE;
  if (!on_device) {
    if (const cudaError_t refused = refuse_while_capturing(handle->stream); refused != cudaSuccess) {
      finish(refused);
      return CUBLAS_STATUS_EXECUTION_FAILED;
    }
    check_host_scalar(result, true, call);
  }
  const cublasStatus_t status = run(handle, [=] {
    Result value{};
    if (const cudaError_t error = compute(value); error != cudaSuccess) return error;
    if (!on_device) return *result = value, cudaSuccess;
    auto to = vector_operand("the result", result, 1, 1);
    if (const cudaError_t error = begin_write(call, false, to); error != cudaSuccess) return error;
    to.values()[0] = value;
    return to.store(call);
  });
  if (!on_device) runtime_context::instance().order.synchronise(handle->stream);
  return status;
}

/// A reduction of one vector; 0 without elements or with an increment below 1.
template <class T, class Result, class Compute>
cublasStatus_t reduce(cublasHandle_t handle, int n, const T* x, int incx, Result* result, const cublas_call& call,
                      Compute compute) {
  return run_with_result(handle, result, call, [=](Result& value) {
    if (n <= 0 || incx <= 0) return cudaSuccess;
    auto from = vector_operand("x", x, n, incx);
    const cudaError_t error = read_all(call, from);
    if (error == cudaSuccess) value = compute(from.values().data());
    return error;
  });
}
template <class T>
cublasStatus_t dot(cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy, T* result,
                   const cublas_call& call) {
  return run_with_result(handle, result, call, [=](T& value) {
    if (n <= 0) return cudaSuccess;
    auto left = vector_operand("x", x, n, incx), right = vector_operand("y", y, n, incy);
    const cudaError_t error = read_all(call, left, right);
    if (error == cudaSuccess)
      value = cblas<T>().dot(n, left.values().data(), increment_on_host(incx), right.values().data(),
                             increment_on_host(incy));
    return error;
  });
}
template <class T>
cublasStatus_t nrm2(cublasHandle_t handle, int n, const T* x, int incx, T* result, const cublas_call& call) {
  return reduce(handle, n, x, incx, result, call, [=](const T* values) { return cblas<T>().nrm2(n, values, 1); });
}
template <class T>
cublasStatus_t asum(cublasHandle_t handle, int n, const T* x, int incx, T* result, const cublas_call& call) {
  return reduce(handle, n, x, incx, result, call, [=](const T* values) { return cblas<T>().asum(n, values, 1); });
}
template <class T>
cublasStatus_t iamax(cublasHandle_t handle, int n, const T* x, int incx, int* result, const cublas_call& call) {
  return reduce(handle, n, x, incx, result, call,
                [=](const T* values) { return static_cast<int>(cblas<T>().iamax(n, values, 1)) + 1; });
}

template <class T>
cublasStatus_t axpy(cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y, int incy,
                    const cublas_call& call) {
  if (!is_live(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  const scalar<T> factor(handle, "alpha", alpha, call);
  if (factor.is_missing()) return CUBLAS_STATUS_INVALID_VALUE;
  return run(handle, [=] {
    T value;
    if (const cudaError_t error = factor.read(call, value); error != cudaSuccess) return error;
    if (n <= 0 || value == 0) return cudaSuccess;
    auto from = vector_operand("x", x, n, incx);
    auto to = vector_operand("y", y, n, incy);
    cudaError_t error = read_all(call, from);
    if (error == cudaSuccess) error = begin_write(call, true, to);
    if (error != cudaSuccess) return error;
    cblas<T>().axpy(n, value, from.values().data(), increment_on_host(incx), to.values().data(),
                    increment_on_host(incy));
    return to.store(call);
  });
}
template <class T>
cublasStatus_t scal(cublasHandle_t handle, int n, const T* alpha, T* x, int incx, const cublas_call& call) {
  if (!is_live(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  const scalar<T> factor(handle, "alpha", alpha, call);
  if (factor.is_missing()) return CUBLAS_STATUS_INVALID_VALUE;
  return run(handle, [=] {
    T value;
    if (const cudaError_t error = factor.read(call, value); error != cudaSuccess) return error;
    if (n <= 0 || incx <= 0) return cudaSuccess;
    auto to = vector_operand("x", x, n, incx);
    if (const cudaError_t error = begin_write(call, true, to); error != cudaSuccess) return error;
    cblas<T>().scal(n, value, to.values().data(), 1);
    return to.store(call);
  });
}

/// The elements of a vector in its own order: with a negative increment, from the end of its memory.
template <class T>
void reverse_if(bool differs, std::vector<T>& values) {
  if (differs) std::reverse(values.begin(), values.end());
}
/// y = x; `swaps`: and x = y.
template <class T>
cublasStatus_t move(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy, bool swaps,
                    const cublas_call& call) {
  if (!is_live(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  return run(handle, [=] {
    if (n <= 0) return cudaSuccess;
    auto left = vector_operand("x", x, n, incx), right = vector_operand("y", y, n, incy);
    cudaError_t error = swaps ? begin_write(call, true, left) : read_all(call, left);
    if (error == cudaSuccess) error = begin_write(call, swaps, right);
    if (error != cudaSuccess) return error;
    if (incx == 0) left.values().resize(right.values().size(), left.values()[0]);
    left.values().swap(right.values());
    const bool differs = (incx < 0) != (incy < 0);
    reverse_if(differs, left.values()), reverse_if(differs, right.values());
    error = right.store(call);
    return error == cudaSuccess && swaps ? left.store(call) : error;
  });
}

bool is_operation(cublasOperation_t transpose) { return transpose >= CUBLAS_OP_N && transpose <= CUBLAS_OP_C; }
cblas_transpose transpose_of(cublasOperation_t transpose) {
  return transpose == CUBLAS_OP_N ? cblas_as_it_is : cblas_transposed;
}

template <class T>
cublasStatus_t gemv(cublasHandle_t handle, cublasOperation_t transpose, int m, int n, const T* alpha, const T* a,
                    int lda, const T* x, int incx, const T* beta, T* y, int incy, const cublas_call& call) {
  if (!is_live(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (m < 0) return refuse(call, "m", m, 0);
  if (n < 0) return refuse(call, "n", n, 0);
  if (lda < std::max(1, m)) return refuse(call, "lda", lda, std::max(1, m));
  if (!is_operation(transpose) || incx == 0 || incy == 0) return CUBLAS_STATUS_INVALID_VALUE;
  const scalar<T> factor(handle, "alpha", alpha, call), addend(handle, "beta", beta, call);
  if (factor.is_missing() || addend.is_missing()) return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  return run(handle, [=] {
    T factor_value, addend_value;
    cudaError_t error = factor.read(call, factor_value);
    if (error == cudaSuccess) error = addend.read(call, addend_value);
    const bool multiplies = factor_value != 0;
    auto matrix = matrix_operand("A", a, m, n, lda);
    auto from = vector_operand("x", x, transpose == CUBLAS_OP_N ? n : m, incx);
    auto to = vector_operand("y", y, transpose == CUBLAS_OP_N ? m : n, incy);
    if (error == cudaSuccess && multiplies) error = read_all(call, matrix, from);
    if (error == cudaSuccess) error = begin_write(call, addend_value != 0, to);
    if (error != cudaSuccess) return error;
    if (multiplies) {
      cblas<T>().gemv(cblas_column_major, transpose_of(transpose), m, n, factor_value, matrix.values().data(), m,
                      from.values().data(), increment_on_host(incx), addend_value, to.values().data(),
                      increment_on_host(incy));
    } else {
      for (T& value : to.values()) value = addend_value == 0 ? 0 : addend_value * value;
    }
    return to.store(call);
  });
}

template <class T>
struct product {
  cublasOperation_t transpose_a, transpose_b;
  int m, n, k;
  const T* a;
  int lda;
  const T* b;
  int ldb;
  T* c;
  int ldc;
};

template <class T>
cudaError_t multiply(const product<T>& of, T alpha, T beta, const cublas_call& call) {
  const bool a_as_it_is = of.transpose_a == CUBLAS_OP_N, b_as_it_is = of.transpose_b == CUBLAS_OP_N;
  const int k = alpha == 0 ? 0 : of.k;
  const int a_rows = a_as_it_is ? of.m : k, b_rows = b_as_it_is ? k : of.n;
  auto a = matrix_operand("A", of.a, a_rows, a_as_it_is ? k : of.m, of.lda);
  auto b = matrix_operand("B", of.b, b_rows, b_as_it_is ? of.n : k, of.ldb);
  auto c = matrix_operand("C", of.c, of.m, of.n, of.ldc);
  cudaError_t error = k != 0 ? read_all(call, a, b) : cudaSuccess;
  if (error == cudaSuccess) error = begin_write(call, beta != 0, c);
  if (error != cudaSuccess) return error;
  cblas<T>().gemm(cblas_column_major, transpose_of(of.transpose_a), transpose_of(of.transpose_b), of.m, of.n, k,
                  alpha, a.values().data(), std::max(1, a_rows), b.values().data(), std::max(1, b_rows), beta,
                  c.values().data(), of.m);
  return c.store(call);
}

/// Products of `count` matrices, each so many elements after the last one.
template <class T>
cublasStatus_t gemm(cublasHandle_t handle, const product<T>& first, const T* alpha, const T* beta,
                    const cublas_call& call, int count = 1, long long stride_a = 0, long long stride_b = 0,
                    long long stride_c = 0) {
  if (!is_live(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!is_operation(first.transpose_a) || !is_operation(first.transpose_b)) return CUBLAS_STATUS_INVALID_VALUE;
  if (first.m < 0) return refuse(call, "m", first.m, 0);
  if (first.n < 0) return refuse(call, "n", first.n, 0);
  if (first.k < 0) return refuse(call, "k", first.k, 0);
  if (count < 0) return refuse(call, "the number of matrices", count, 0);
  const int min_lda = std::max(1, first.transpose_a == CUBLAS_OP_N ? first.m : first.k);
  const int min_ldb = std::max(1, first.transpose_b == CUBLAS_OP_N ? first.k : first.n);
  const int min_ldc = std::max(1, first.m);
  if (first.lda < min_lda) return refuse(call, "lda", first.lda, min_lda);
  if (first.ldb < min_ldb) return refuse(call, "ldb", first.ldb, min_ldb);
  if (first.ldc < min_ldc) return refuse(call, "ldc", first.ldc, min_ldc);
  const scalar<T> factor(handle, "alpha", alpha, call), addend(handle, "beta", beta, call);
  if (factor.is_missing() || addend.is_missing()) return CUBLAS_STATUS_INVALID_VALUE;
  if (first.m == 0 || first.n == 0) return CUBLAS_STATUS_SUCCESS;
  return run(handle, [=] {
    T factor_value, addend_value;
    cudaError_t error = factor.read(call, factor_value);
    if (error == cudaSuccess) error = addend.read(call, addend_value);
    product<T> each = first;
    for (int i = 0; i < count && error == cudaSuccess; ++i) {
      error = multiply(each, factor_value, addend_value, call);
      each.a += stride_a, each.b += stride_b, each.c += stride_c;
    }
    return error;
  });
}

}  // namespace
}  // namespace exactdot::simt

using namespace exactdot::simt;

cublasStatus_t cublasGetVersion(cublasHandle_t handle, int* version) {
  if (!is_live(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (version == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *version = 130000;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (const std::string& error = load_cblas(); !error.empty()) {
    constexpr int status_of_missing_library = 2;
    print_at({"cublasCreate", __builtin_return_address(0)}, error);
    std::exit(status_of_missing_library);
  }
  const runtime_lock lock;
  live_handles().insert(*handle = new cublasContext);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  const runtime_lock lock;
  if (live_handles().erase(handle) == 0) return CUBLAS_STATUS_NOT_INITIALIZED;
  delete handle;
  runtime_context::instance().order.synchronise();  // cuBLAS waits for the device
  return CUBLAS_STATUS_SUCCESS;
}

#define EXACTDOT_PROPERTY(Name, Type, member)                          \
  cublasStatus_t cublasSet##Name(cublasHandle_t handle, Type value) {  \
    if (!is_live(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;        \
    handle->member = value;                                            \
    return CUBLAS_STATUS_SUCCESS;                                      \
  }                                                                    \
  cublasStatus_t cublasGet##Name(cublasHandle_t handle, Type* value) { \
    if (!is_live(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;        \
    if (value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;          \
    *value = handle->member;                                           \
    return CUBLAS_STATUS_SUCCESS;                                      \
  }
EXACTDOT_PROPERTY(Stream, cudaStream_t, stream)
EXACTDOT_PROPERTY(PointerMode, cublasPointerMode_t, mode)
EXACTDOT_PROPERTY(MathMode, cublasMath_t, math)

#define EXACTDOT_FUNCTIONS(S, T)                                                                                   \
  cublasStatus_t cublas##S##dot(cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy,          \
                                T* result) {                                                                       \
    return dot(handle, n, x, incx, y, incy, result, {"cublas" #S "dot", __builtin_return_address(0)});             \
  }                                                                                                                \
  cublasStatus_t cublas##S##nrm2(cublasHandle_t handle, int n, const T* x, int incx, T* result) {                  \
    return nrm2(handle, n, x, incx, result, {"cublas" #S "nrm2", __builtin_return_address(0)});                    \
  }                                                                                                                \
  cublasStatus_t cublas##S##asum(cublasHandle_t handle, int n, const T* x, int incx, T* result) {                  \
    return asum(handle, n, x, incx, result, {"cublas" #S "asum", __builtin_return_address(0)});                    \
  }                                                                                                                \
  cublasStatus_t cublas##S##axpy(cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y,         \
                                 int incy) {                                                                       \
    return axpy(handle, n, alpha, x, incx, y, incy, {"cublas" #S "axpy", __builtin_return_address(0)});            \
  }                                                                                                                \
  cublasStatus_t cublas##S##scal(cublasHandle_t handle, int n, const T* alpha, T* x, int incx) {                   \
    return scal(handle, n, alpha, x, incx, {"cublas" #S "scal", __builtin_return_address(0)});                     \
  }                                                                                                                \
  cublasStatus_t cublas##S##copy(cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy) {             \
    return move(handle, n, const_cast<T*>(x), incx, y, incy, false,                                                \
                {"cublas" #S "copy", __builtin_return_address(0)});                                                \
  }                                                                                                                \
  cublasStatus_t cublas##S##swap(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy) {                   \
    return move(handle, n, x, incx, y, incy, true, {"cublas" #S "swap", __builtin_return_address(0)});             \
  }                                                                                                                \
  cublasStatus_t cublas##S##gemv(cublasHandle_t handle, cublasOperation_t transpose, int m, int n, const T* alpha, \
                                 const T* a, int lda, const T* x, int incx, const T* beta, T* y, int incy) {       \
    return gemv(handle, transpose, m, n, alpha, a, lda, x, incx, beta, y, incy,                                    \
                {"cublas" #S "gemv", __builtin_return_address(0)});                                                \
  }                                                                                                                \
  cublasStatus_t cublas##S##gemm(cublasHandle_t handle, cublasOperation_t transpose_a,                             \
                                 cublasOperation_t transpose_b, int m, int n, int k, const T* alpha, const T* a,   \
                                 int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {                     \
    return gemm(handle, {transpose_a, transpose_b, m, n, k, a, lda, b, ldb, c, ldc}, alpha, beta,                  \
                {"cublas" #S "gemm", __builtin_return_address(0)});                                                \
  }                                                                                                                \
  cublasStatus_t cublas##S##gemmStridedBatched(                                                                    \
      cublasHandle_t handle, cublasOperation_t transpose_a, cublasOperation_t transpose_b, int m, int n, int k,    \
      const T* alpha, const T* a, int lda, long long stride_a, const T* b, int ldb, long long stride_b,            \
      const T* beta, T* c, int ldc, long long stride_c, int count) {                                               \
    return gemm(handle, {transpose_a, transpose_b, m, n, k, a, lda, b, ldb, c, ldc}, alpha, beta,                  \
                {"cublas" #S "gemmStridedBatched", __builtin_return_address(0)}, count, stride_a, stride_b,        \
                stride_c);                                                                                         \
  }
EXACTDOT_FUNCTIONS(S, float)
EXACTDOT_FUNCTIONS(D, double)

cublasStatus_t cublasIsamax(cublasHandle_t handle, int n, const float* x, int incx, int* result) {
  return iamax(handle, n, x, incx, result, {"cublasIsamax", __builtin_return_address(0)});
}
cublasStatus_t cublasIdamax(cublasHandle_t handle, int n, const double* x, int incx, int* result) {
  return iamax(handle, n, x, incx, result, {"cublasIdamax", __builtin_return_address(0)});
}
