// gpu_reduce.hpp, gpu_batches.hpp and gpu_results.hpp in a build without the CUDA engine: every function that needs
// a GPU throws errc::no_device. Arrays in GPU memory are still imported and checked, so other mistakes get their
// own messages.
#include <exactdot/error.hpp>
#include <python/src/gpu_batches.hpp>
#include <python/src/gpu_reduce.hpp>
#include <python/src/gpu_results.hpp>

namespace exactdot::python {
namespace {

constexpr const char* note =
    "this build of exactdot is for CPUs only; pip install 'exactdot[cu13]' adds the CUDA engine, and so does a build "
    "from the sources with -C cmake.define.EXACTDOT_BUILD_CUDA=ON";

[[noreturn]] void refuse(const std::string& asked = "exactdot: the vectors are in GPU memory") {
  throw error(errc::no_device, asked + ", but " + note);
}

}  // namespace

nb::dict gpu_info() {
  nb::dict info;
  info["built"] = false;
  info["toolkit"] = "";
  info["devices"] = nb::list();
  info["note"] = note;
  return info;
}

void require_gpu_engine(const std::string& asked) { refuse(asked); }
void find_device(imported_array&, const char*) { refuse(); }
void order_after_producer(const imported_array&, std::intptr_t) { refuse(); }
any_scalar gpu_reduce(const gpu_reduction&, element_type, const stream_choice&) { refuse(); }
void gpu_reduce_to(const gpu_reduction&, const imported_array&, const stream_choice&) { refuse(); }
std::vector<std::int64_t> gpu_words(const gpu_reduction&, const stream_choice&) { refuse(); }

void gpu_reduce_grid(const gpu_batch&, const stream_choice&) { refuse(); }
void gpu_reduce_segments(const gpu_batch&, const any_vector&, const any_vector&, const any_offsets&,
                         const stream_choice&) {
  refuse();
}
void gpu_reduce_groups(const gpu_batch&, const any_keys&, const stream_choice&) { refuse(); }
void gpu_count_groups(const gpu_batch&, const any_keys&, const stream_choice&) { refuse(); }
void gpu_grid_states(const gpu_states&, const any_grid&, const any_grid&, const stream_choice&) { refuse(); }
void gpu_segment_states(const gpu_states&, const any_vector&, const any_vector&, const any_offsets&,
                        const stream_choice&) {
  refuse();
}
void gpu_group_states(const gpu_states&, const any_grid&, const any_grid&, const any_keys&, const stream_choice&) {
  refuse();
}
any_scalar gpu_reduce_grid(const gpu_batch&, element_type, const stream_choice&) { refuse(); }
void gpu_reduce_list(const gpu_list&, const stream_choice&) { refuse(); }
any_scalar gpu_reduce_list(const gpu_list&, element_type, const stream_choice&) { refuse(); }
std::vector<std::int64_t> gpu_words_of_grid(reduction, const any_grid&, int, const stream_choice&) { refuse(); }

void gpu_normalise(const gpu_rows&, const stream_choice&) { refuse(); }
void gpu_gradients(const engine::gradient_request&, int, const stream_choice&) { refuse(); }

void gpu_check(int, const stream_choice&) { refuse(); }
void gpu_store(const any_scalar&, const imported_array&, const stream_choice&) { refuse(); }

nb::object new_gpu_memory(const std::vector<std::size_t>&, element_type, int, const stream_choice&) { refuse(); }
void bind_gpu_memory(nb::module_&) {}

}  // namespace exactdot::python
