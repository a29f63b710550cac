// exactdot's two modes, and cuBLAS, as the benchmark calls them.
//
// cuBLAS is loaded when it is asked for, so that the program starts where it is missing. Its workspace is ours, so
// that its calls can be captured.
#include <cublas_v2.h>

#include <bench/library.hpp>
#include <bench/on_gpu/peer.cuh>
#include <exactdot/cuda.hpp>
#include <exactdot/info.hpp>
#include <memory>
#include <stdexcept>

namespace bench {
namespace {

namespace cuda = exactdot::cuda;
using exactdot::mode;

void expect(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string("cublas: ") + what + " fails with status " + std::to_string(status));
}

library load_cublas() {
  for (const char* file : {"libcublas.so.13", "libcublas.so.12"}) {
    try {
      return library(file);
    } catch (const std::runtime_error&) {
    }
  }
  return library("libcublas.so");
}

class cublas {
 public:
  explicit cublas(stream& on) : file_(load_cublas()), workspace_(on, std::size_t{32} << 20) {
    expect(call<decltype(cublasCreate_v2)>("cublasCreate_v2")(&handle_), "creating a handle");
    expect(call<decltype(cublasSetStream_v2)>("cublasSetStream_v2")(handle_, on.handle()), "setting the stream");
    expect(call<decltype(cublasSetWorkspace_v2)>("cublasSetWorkspace_v2")(handle_, workspace_.data(),
                                                                          workspace_.size()),
           "setting the workspace");
    set_mode_ = call<decltype(cublasSetPointerMode_v2)>("cublasSetPointerMode_v2");
    sdot_ = call<decltype(cublasSdot_v2_64)>("cublasSdot_v2_64");
    ddot_ = call<decltype(cublasDdot_v2_64)>("cublasDdot_v2_64");
  }
  ~cublas() { call<decltype(cublasDestroy_v2)>("cublasDestroy_v2")(handle_); }
  cublas(const cublas&) = delete;
  cublas& operator=(const cublas&) = delete;

  [[nodiscard]] std::string version() const {
    int number = 0;
    expect(call<decltype(cublasGetVersion_v2)>("cublasGetVersion_v2")(handle_, &number), "asking its version");
    return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
           std::to_string(number % 100);
  }
  /// `result` is a pointer of the device's, or of the host's: then the call waits.
  void dot(const float* a, const float* b, std::size_t n, float* result, cublasPointerMode_t where) const {
    set_mode_(handle_, where);
    expect(sdot_(handle_, static_cast<std::int64_t>(n), a, 1, b, 1, result), "sdot");
  }
  void dot(const double* a, const double* b, std::size_t n, double* result, cublasPointerMode_t where) const {
    set_mode_(handle_, where);
    expect(ddot_(handle_, static_cast<std::int64_t>(n), a, 1, b, 1, result), "ddot");
  }

 private:
  template <class Function>
  [[nodiscard]] Function* call(const char* name) const {
    if (auto* const found = file_.find<Function>(name)) return found;
    throw std::runtime_error(std::string("the library lacks ") + name);
  }

  library file_;
  exactdot::on_gpu::buffer<char> workspace_;
  cublasHandle_t handle_ = nullptr;
  decltype(cublasSetPointerMode_v2)* set_mode_ = nullptr;
  decltype(cublasSdot_v2_64)* sdot_ = nullptr;
  decltype(cublasDdot_v2_64)* ddot_ = nullptr;
};

}  // namespace

template <class T>
void add_our_peers(std::vector<gpu_peer<T>>& to, stream& on, peer_remarks& remarks) {
  const auto workspace = std::make_shared<cuda::workspace>(on.handle());
  for (const mode which : {mode::exact, mode::fast}) {
    const std::string name = which == mode::exact ? "exact" : "fast";
    const exactdot::options how{.mode = which};
    to.push_back(
        {name,
         [=](const T* a, const T* b, std::size_t n, T* result) { cuda::dot<T>(*workspace, a, b, n, result, how); },
         [=](const T* a, const T* b, std::size_t n) { return cuda::dot<T>(*workspace, a, b, n, how); }});
    remarks.how.emplace_back(name, std::string("exactdot ") + exactdot::version() + ", exactdot::cuda::dot, mode " +
                                       name + "; host: its overload that waits");
  }
}

template <class T>
void add_cublas(std::vector<gpu_peer<T>>& to, stream& on, peer_remarks& remarks) {
  try {
    const auto library = std::make_shared<cublas>(on);
    to.push_back({"cublas",
                  [=](const T* a, const T* b, std::size_t n, T* result) {
                    library->dot(a, b, n, result, CUBLAS_POINTER_MODE_DEVICE);
                  },
                  [=](const T* a, const T* b, std::size_t n) {
                    T result{};
                    library->dot(a, b, n, &result, CUBLAS_POINTER_MODE_HOST);
                    return result;
                  }});
    remarks.how.emplace_back("cublas",
                             "cuBLAS " + library->version() +
                                 ", cublasSdot and cublasDdot (64-bit lengths), CUBLAS_POINTER_MODE_DEVICE, "
                                 "a workspace of 32 MiB; host: CUBLAS_POINTER_MODE_HOST");
  } catch (const std::runtime_error& fault) {
    remarks.missing.push_back(std::string("cublas: ") + fault.what());
  }
}

template void add_our_peers(std::vector<gpu_peer<float>>&, stream&, peer_remarks&);
template void add_our_peers(std::vector<gpu_peer<double>>&, stream&, peer_remarks&);
template void add_cublas(std::vector<gpu_peer<float>>&, stream&, peer_remarks&);
template void add_cublas(std::vector<gpu_peer<double>>&, stream&, peer_remarks&);

}  // namespace bench
