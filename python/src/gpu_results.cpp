// gpu_results.hpp with the CUDA engine.
//
// A deleter of DLPack may run on any thread, and in callbacks of a stream, where CUDA's functions are forbidden. So
// it only notes what is to be freed; the next allocation frees it, in the order of its own stream. By the protocol
// the importer's work on the memory has ended by then.
#include <cuda/host/driver.hpp>
#include <exactdot/cuda.hpp>
#include <memory>
#include <mutex>
#include <python/src/arguments.hpp>
#include <python/src/element_formats.hpp>
#include <python/src/gpu_results.hpp>
#include <python/src/gpu_streams.hpp>
#include <utility>

namespace exactdot::python {
namespace {

/// Memory that nobody uses any more, by device. Never destroyed: importers may release theirs at exit.
struct released_memory {
  std::mutex mutex;
  std::vector<std::pair<int, void*>> all;

  static released_memory& instance() {
    static auto* const only = new released_memory;
    return *only;
  }
  void add(int device, void* data) {
    const std::lock_guard lock(mutex);
    all.emplace_back(device, data);
  }
  /// Frees that of the current device, in the order of the stream.
  void free(int device, cudaStream_t stream) {
    const std::lock_guard lock(mutex);
    std::erase_if(all, [&](const std::pair<int, void*>& each) {
      return each.first == device && cudaFreeAsync(each.second, stream) == cudaSuccess;
    });
    static_cast<void>(cudaGetLastError());  // what could not be freed stays
  }
};

class gpu_memory {
 public:
  gpu_memory(const std::vector<std::size_t>& shape, element_type type, int device, std::intptr_t stream)
      : device_(device), stream_(stream), type_(type) {
    std::size_t bytes = size_of(type);
    for (const std::size_t n : shape) bytes *= n, shape_.push_back(static_cast<std::int64_t>(n));
    strides_.resize(shape_.size());
    std::int64_t next = 1;
    for (std::size_t i = shape_.size(); i-- != 0; next *= shape_[i]) strides_[i] = next;
    const cuda_engine::current_gpu current(device);
    if (!is_captured(stream)) released_memory::instance().free(device, as_stream(stream));
    cuda::check(cudaMallocAsync(&data_, std::max<std::size_t>(bytes, 1), as_stream(stream)), "allocating results");
  }
  ~gpu_memory() { released_memory::instance().add(device_, data_); }
  gpu_memory(const gpu_memory&) = delete;
  gpu_memory& operator=(const gpu_memory&) = delete;

  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] dlpack::tensor tensor() {
    return {data_,
            {dlpack::cuda, device_},
            static_cast<std::int32_t>(shape_.size()),
            dlpack_type_of(type_),
            shape_.data(),
            strides_.data(),
            0};
  }
  /// Later work on the stream waits for that queued on this memory's.
  void order_before(std::intptr_t stream) const {
    if (canonical_stream(stream) == stream_) return;
    const cuda_engine::current_gpu current(device_);
    const auto written = cuda_engine::make_event();
    cuda::check(cudaEventRecord(written.get(), as_stream(stream_)), "recording an event after the results");
    cuda::check(cudaStreamWaitEvent(as_stream(canonical_stream(stream)), written.get(), 0),
                "waiting for the results");
  }

 private:
  int device_;
  std::intptr_t stream_;
  element_type type_;
  void* data_ = nullptr;
  std::vector<std::int64_t> shape_, strides_;
};

/// What a capsule points to.
struct exported_memory {
  dlpack::managed managed;
  std::shared_ptr<gpu_memory> memory;
};

void delete_exported(dlpack::managed* managed) { delete static_cast<exported_memory*>(managed->context); }

/// Of a capsule that nobody has imported.
void delete_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor") == 0) return;
  delete_exported(static_cast<dlpack::managed*>(PyCapsule_GetPointer(capsule, "dltensor")));
}

struct gpu_result {
  std::shared_ptr<gpu_memory> memory;

  /// The protocol's __dlpack__: -1 for no order, None for the legacy default stream.
  [[nodiscard]] nb::object export_to(nb::handle stream) const {
    const std::int64_t handle = stream.is_none() ? 0 : read_integer(stream, "stream", "__dlpack__");
    if (handle != -1) memory->order_before(handle);
    auto exported = std::make_unique<exported_memory>();
    exported->memory = memory;
    exported->managed = {memory->tensor(), exported.get(), delete_exported};
    nb::object capsule = nb::steal(PyCapsule_New(&exported->managed, "dltensor", delete_capsule));
    if (!capsule.is_valid()) throw nb::python_error();
    static_cast<void>(exported.release());
    return capsule;
  }
};

}  // namespace

nb::object new_gpu_memory(const std::vector<std::size_t>& shape, element_type type, int device,
                          const stream_choice& stream) {
  return nb::cast(gpu_result{std::make_shared<gpu_memory>(shape, type, device, stream.handle)});
}

void bind_gpu_memory(nb::module_& module) {
  nb::class_<gpu_result>(module, "_GpuResult")
      .def(
          "__dlpack__",
          [](const gpu_result& self, nb::handle stream, const nb::kwargs&) { return self.export_to(stream); },
          nb::arg("stream").none() = nb::none(), nb::arg("kwargs"))
      .def("__dlpack_device__", [](const gpu_result& self) {
        return nb::make_tuple(static_cast<int>(dlpack::cuda), self.memory->device());
      });
}

}  // namespace exactdot::python
