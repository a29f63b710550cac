// Errors of CUDA and NCCL as exceptions, and one NCCL communicator per GPU of this machine.
#pragma once

#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

inline void check(ncclResult_t status, const char* what) {
  if (status == ncclSuccess) return;
  const char* const detail = ncclGetLastError(nullptr);
  throw std::runtime_error(std::string(what) + ": " + ncclGetErrorString(status) +
                           (detail != nullptr && *detail != 0 ? std::string(" (") + detail + ")" : ""));
}

/// What a communicator reports of work that has been enqueued: a peer that is gone, a link that failed.
inline void check_asynchronous(ncclComm_t communicator) {
  ncclResult_t found = ncclSuccess;
  check(ncclCommGetAsyncError(communicator, &found), "asking for NCCL's errors");
  check(found, "an allreduce");
}

/// GPUs that this process sees; 0 without a driver.
inline int visible_gpus() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  static_cast<void>(cudaGetLastError());
  return 0;
}

/// One communicator for each of the first `count` GPUs, in one process.
class communicators {
 public:
  explicit communicators(int count) : all_(static_cast<std::size_t>(count)) {
    // NVLink multicast (NVLS) is of no use to messages of a few kilobytes, and some shared machines forbid it.
    setenv("NCCL_NVLS_ENABLE", "0", 1);
    check(ncclCommInitAll(all_.data(), count, nullptr), "making communicators");
  }
  ~communicators() {
    for (ncclComm_t each : all_) static_cast<void>(ncclCommDestroy(each));
  }
  communicators(const communicators&) = delete;
  communicators& operator=(const communicators&) = delete;

  [[nodiscard]] ncclComm_t operator[](int gpu) const { return all_[static_cast<std::size_t>(gpu)]; }

 private:
  std::vector<ncclComm_t> all_;
};
