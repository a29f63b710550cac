// GPU peers: exactdot's two modes and cuBLAS.
//
// cuBLAS is loaded on first use, so that the program starts without it. The benchmark provides its workspace, so
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

void expect(cublasStatus_t status, const char* action) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string("cublas: ") + action + " failed with status " + std::to_string(status));
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
  explicit cublas(stream& gpu_stream) : file_(load_cublas()), workspace_(gpu_stream, std::size_t{32} << 20) {
    expect(call<decltype(cublasCreate_v2)>("cublasCreate_v2")(&handle_), "creating a handle");
    expect(call<decltype(cublasSetStream_v2)>("cublasSetStream_v2")(handle_, gpu_stream.handle()),
           "setting the stream");
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
    expect(call<decltype(cublasGetVersion_v2)>("cublasGetVersion_v2")(handle_, &number), "querying the version");
    return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
           std::to_string(number % 100);
  }
  /// Computes into device memory or, after waiting, into host memory, as `result_mode` says.
  void dot(const float* a, const float* b, std::size_t n, float* result, cublasPointerMode_t result_mode) const {
    set_mode_(handle_, result_mode);
    expect(sdot_(handle_, static_cast<std::int64_t>(n), a, 1, b, 1, result), "sdot");
  }
  void dot(const double* a, const double* b, std::size_t n, double* result, cublasPointerMode_t result_mode) const {
    set_mode_(handle_, result_mode);
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
void add_exactdot(std::vector<gpu_peer<T>>& peers, stream& gpu_stream, peer_remarks& remarks) {
  const auto workspace = std::make_shared<cuda::workspace>(gpu_stream.handle());
  for (const mode selected : {mode::exact, mode::fast}) {
    const std::string name = selected == mode::exact ? "exact" : "fast";
    const exactdot::options options{.mode = selected};
    peers.push_back(
        {name,
         [=](const T* a, const T* b, std::size_t n, T* result) {
           cuda::dot<T>(*workspace, a, b, n, result, options);
         },
         [=](const T* a, const T* b, std::size_t n) { return cuda::dot<T>(*workspace, a, b, n, options); }});
    remarks.descriptions.emplace_back(name, std::string("exactdot ") + exactdot::version() +
                                                ", exactdot::cuda::dot, mode " + name +
                                                "; host: its overload that waits");
  }
}

template <class T>
void add_cublas(std::vector<gpu_peer<T>>& peers, stream& gpu_stream, peer_remarks& remarks) {
  try {
    const auto library = std::make_shared<cublas>(gpu_stream);
    peers.push_back({"cublas",
                     [=](const T* a, const T* b, std::size_t n, T* result) {
                       library->dot(a, b, n, result, CUBLAS_POINTER_MODE_DEVICE);
                     },
                     [=](const T* a, const T* b, std::size_t n) {
                       T result{};
                       library->dot(a, b, n, &result, CUBLAS_POINTER_MODE_HOST);
                       return result;
                     }});
    remarks.descriptions.emplace_back(
        "cublas", "cuBLAS " + library->version() +
                      ", cublasSdot and cublasDdot (64-bit lengths), CUBLAS_POINTER_MODE_DEVICE, "
                      "a workspace of 32 MiB; host: CUBLAS_POINTER_MODE_HOST");
  } catch (const std::runtime_error& fault) {
    remarks.missing.push_back(std::string("cublas: ") + fault.what());
  }
}

template void add_exactdot(std::vector<gpu_peer<float>>&, stream&, peer_remarks&);
template void add_exactdot(std::vector<gpu_peer<double>>&, stream&, peer_remarks&);
template void add_cublas(std::vector<gpu_peer<float>>&, stream&, peer_remarks&);
template void add_cublas(std::vector<gpu_peer<double>>&, stream&, peer_remarks&);

}  // namespace bench
