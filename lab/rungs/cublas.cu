// cublas: NVIDIA's dot products, cublasSdot and cublasDdot; the baseline of the speed comparison.
//
// Before: cub reduces with building blocks.
// Idea: one library call. The library is loaded on first use, so that the program starts without it. The result
// stays on the device (CUBLAS_POINTER_MODE_DEVICE), as in every rung that finishes there. The rung provides the
// workspace, so that calls can be captured in a graph.
// Cost: reading the vectors, and a library of hundreds of megabytes. It promises the same bits only for one
// version, architecture and number of multiprocessors.
#include <cublas_v2.h>
#include <dlfcn.h>

#include <lab/rung.hpp>

namespace exactdot::lab {
namespace {

template <class Function>
Function* symbol(const char* name) {
  static void* const library = [] {
    for (const char* file : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"}) {
      if (void* const found = dlopen(file, RTLD_NOW | RTLD_LOCAL)) return found;
    }
    throw error(errc::no_device, "cublas: libcublas.so.13 or .12 cannot be loaded");
  }();
  if (void* const found = dlsym(library, name)) return reinterpret_cast<Function*>(found);
  throw error(errc::no_device, std::string("cublas: the library lacks ") + name);
}

void expect(cublasStatus_t status, const char* action) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw error(errc::device_failure,
                std::string("cublas: ") + action + " failed with status " + std::to_string(status));
  }
}

template <class T>
struct cublas {
  explicit cublas(const input<T>& given) : in(given) {
    expect(symbol<decltype(cublasCreate_v2)>("cublasCreate_v2")(&handle), "creating a handle");
    expect(symbol<decltype(cublasSetStream_v2)>("cublasSetStream_v2")(handle, in.stream.handle()),
           "setting the stream");
    expect(symbol<decltype(cublasSetWorkspace_v2)>("cublasSetWorkspace_v2")(handle, workspace.data(),
                                                                            workspace.size()),
           "setting the workspace");
    expect(symbol<decltype(cublasSetPointerMode_v2)>("cublasSetPointerMode_v2")(handle, CUBLAS_POINTER_MODE_DEVICE),
           "setting the pointer mode");
  }
  ~cublas() { symbol<decltype(cublasDestroy_v2)>("cublasDestroy_v2")(handle); }

  const input<T>& in;
  gpu::buffer<T> out{in.stream, 1};
  gpu::buffer<char> workspace{in.stream, std::size_t{32} << 20};
  cublasHandle_t handle = nullptr;

  void launch() {
    const auto n = static_cast<std::int64_t>(in.n);
    if constexpr (std::is_same_v<T, float>) {
      expect(symbol<decltype(cublasSdot_v2_64)>("cublasSdot_v2_64")(handle, n, in.a, 1, in.b, 1, out.data()),
             "sdot");
    } else {
      expect(symbol<decltype(cublasDdot_v2_64)>("cublasDdot_v2_64")(handle, n, in.a, 1, in.b, 1, out.data()),
             "ddot");
    }
  }
  T result() { return only_value(out); }
};

const register_sum_rung<cublas> registration{
    {.number = 18,
     .name = "cublas",
     .file = "cublas.cu",
     .summary = "NVIDIA's library",
     .roundings = [](const launch_config& config) -> std::uint64_t { return config.n + 1; }}};

}  // namespace
}  // namespace exactdot::lab
