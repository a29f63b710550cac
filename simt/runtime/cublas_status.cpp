// The names of cuBLAS's results, and what they mean.
#include <cublas_v2.h>

const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
#define EXACTDOT_NAME(name) \
  case name:                \
    return #name;
    EXACTDOT_NAME(CUBLAS_STATUS_SUCCESS)
    EXACTDOT_NAME(CUBLAS_STATUS_NOT_INITIALIZED)
    EXACTDOT_NAME(CUBLAS_STATUS_ALLOC_FAILED)
    EXACTDOT_NAME(CUBLAS_STATUS_INVALID_VALUE)
    EXACTDOT_NAME(CUBLAS_STATUS_ARCH_MISMATCH)
    EXACTDOT_NAME(CUBLAS_STATUS_MAPPING_ERROR)
    EXACTDOT_NAME(CUBLAS_STATUS_EXECUTION_FAILED)
    EXACTDOT_NAME(CUBLAS_STATUS_INTERNAL_ERROR)
    EXACTDOT_NAME(CUBLAS_STATUS_NOT_SUPPORTED)
    EXACTDOT_NAME(CUBLAS_STATUS_LICENSE_ERROR)
#undef EXACTDOT_NAME
  }
  return "CUBLAS_STATUS_UNKNOWN";
}
const char* cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "the library was not initialized";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "the resource allocation failed";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "an invalid value was given";
    case CUBLAS_STATUS_MAPPING_ERROR:
      return "an access to memory failed";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "the call failed on the device";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "the functionality is not supported";
    default:
      return cublasGetStatusName(status);
  }
}
