// GPU peers: exactdot's two modes and cuBLAS.
//
// cuBLAS is loaded on first use, so that the program starts without it. The benchmark provides its workspace, so
// that its calls can be captured.
#include <cublas_v2.h>

#include <bench/blas.hpp>
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

/// One function of cuBLAS for elements of type T.
template <class T>
class cublas {
 public:
  /// Throws std::runtime_error if the library is missing or lacks the function.
  cublas(reduction what, stream& gpu_stream)
      : file_(load_cublas()), workspace_(gpu_stream, std::size_t{32} << 20), what_(what) {
    expect(find<decltype(cublasCreate_v2)>("cublasCreate_v2")(&handle_), "creating a handle");
    expect(find<decltype(cublasSetStream_v2)>("cublasSetStream_v2")(handle_, gpu_stream.handle()),
           "setting the stream");
    expect(find<decltype(cublasSetWorkspace_v2)>("cublasSetWorkspace_v2")(handle_, workspace_.data(),
                                                                          workspace_.size()),
           "setting the workspace");
    set_mode_ = find<decltype(cublasSetPointerMode_v2)>("cublasSetPointerMode_v2");
    const std::string name = std::string("cublas") + (sizeof(T) == sizeof(float) ? "S" : "D") + name_in_blas(what);
    if (calls_dot()) {
      dot_ = find<two_vector_function>((name + "_v2_64").c_str());
    } else {
      one_vector_ = find<one_vector_function>((name + "_v2_64").c_str());
    }
  }
  ~cublas() { find<decltype(cublasDestroy_v2)>("cublasDestroy_v2")(handle_); }
  cublas(const cublas&) = delete;
  cublas& operator=(const cublas&) = delete;

  [[nodiscard]] std::string version() const {
    int number = 0;
    expect(find<decltype(cublasGetVersion_v2)>("cublasGetVersion_v2")(handle_, &number), "querying the version");
    return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
           std::to_string(number % 100);
  }
  /// Computes into device memory or, after waiting, into host memory, as `result_mode` says.
  void reduce(const T* a, const T* b, std::size_t n, T* result, cublasPointerMode_t result_mode) const {
    set_mode_(handle_, result_mode);
    const auto length = static_cast<std::int64_t>(n);
    expect(calls_dot() ? dot_(handle_, length, a, 1, what_ == reduction::dot ? b : a, 1, result)
                       : one_vector_(handle_, length, a, 1, result),
           exactdot::name_of(what_));
  }

 private:
  using two_vector_function = cublasStatus_t(cublasHandle_t, std::int64_t, const T*, std::int64_t, const T*,
                                             std::int64_t, T*);
  using one_vector_function = cublasStatus_t(cublasHandle_t, std::int64_t, const T*, std::int64_t, T*);

  [[nodiscard]] bool calls_dot() const { return what_ == reduction::dot || what_ == reduction::sum_of_squares; }
  template <class Function>
  [[nodiscard]] Function* find(const char* name) const {
    if (auto* const found = file_.find<Function>(name)) return found;
    throw std::runtime_error(std::string("the library lacks ") + name);
  }

  library file_;
  exactdot::on_gpu::buffer<char> workspace_;
  reduction what_;
  cublasHandle_t handle_ = nullptr;
  decltype(cublasSetPointerMode_v2)* set_mode_ = nullptr;
  two_vector_function* dot_ = nullptr;
  one_vector_function* one_vector_ = nullptr;
};

/// exactdot::cuda::dot for a dot, so that its overhead is that of the typed call.
template <class T>
gpu_peer<T> exactdot_peer(reduction what, const std::shared_ptr<cuda::workspace>& workspace,
                          const std::string& name, const exactdot::options& options) {
  if (what == reduction::dot) {
    return {
        name,
        [=](const T* a, const T* b, std::size_t n, std::uint64_t* result) {
          cuda::dot<T>(*workspace, a, b, n, reinterpret_cast<T*>(result), options);
        },
        [=](const T* a, const T* b, std::size_t n) { return word_of(cuda::dot<T>(*workspace, a, b, n, options)); }};
  }
  return {name,
          [=](const T* a, const T*, std::size_t n, std::uint64_t* result) {
            cuda::reduce(*workspace, what, exactdot::to_any(a, n), result_type<T>(what), result, options);
          },
          [=](const T* a, const T*, std::size_t n) {
            return cuda::reduce(*workspace, what, exactdot::to_any(a, n), result_type<T>(what), options).bits;
          }};
}

}  // namespace

template <class T>
void add_exactdot(reduction what, std::vector<gpu_peer<T>>& peers, stream& gpu_stream, peer_remarks& remarks) {
  const auto workspace = std::make_shared<cuda::workspace>(gpu_stream.handle());
  for (const mode selected : {mode::exact, mode::fast}) {
    if (selected == mode::fast && !has_fast(what)) continue;
    const std::string name = selected == mode::exact ? "exact" : "fast";
    peers.push_back(exactdot_peer<T>(what, workspace, name, {.mode = selected}));
    remarks.descriptions.emplace_back(name, std::string("exactdot ") + exactdot::version() +
                                                ", exactdot::cuda::" + (what == reduction::dot ? "dot" : "reduce") +
                                                ", mode " + name + "; host: its overload that waits");
  }
}

template <class T>
void add_cublas(reduction what, std::vector<gpu_peer<T>>& peers, stream& gpu_stream, peer_remarks& remarks) {
  const std::string name = name_in_blas(what);
  if (name.empty()) return;
  try {
    const auto library = std::make_shared<cublas<T>>(what, gpu_stream);
    peers.push_back({"cublas",
                     [=](const T* a, const T* b, std::size_t n, std::uint64_t* result) {
                       library->reduce(a, b, n, reinterpret_cast<T*>(result), CUBLAS_POINTER_MODE_DEVICE);
                     },
                     [=](const T* a, const T* b, std::size_t n) {
                       T result{};
                       library->reduce(a, b, n, &result, CUBLAS_POINTER_MODE_HOST);
                       return word_of(result);
                     }});
    remarks.descriptions.emplace_back(
        "cublas", "cuBLAS " + library->version() + ", cublasS" + name + " and cublasD" + name + " (64-bit lengths" +
                      (what == reduction::sum_of_squares ? "; of a vector with itself" : "") +
                      "), CUBLAS_POINTER_MODE_DEVICE, a workspace of 32 MiB; host: CUBLAS_POINTER_MODE_HOST");
  } catch (const std::runtime_error& fault) {
    remarks.missing.push_back(std::string("cublas: ") + fault.what());
  }
}

template void add_exactdot(reduction, std::vector<gpu_peer<float>>&, stream&, peer_remarks&);
template void add_exactdot(reduction, std::vector<gpu_peer<double>>&, stream&, peer_remarks&);
template void add_cublas(reduction, std::vector<gpu_peer<float>>&, stream&, peer_remarks&);
template void add_cublas(reduction, std::vector<gpu_peer<double>>&, stream&, peer_remarks&);

}  // namespace bench
