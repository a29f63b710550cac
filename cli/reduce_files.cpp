// Dot products of files; see dot_files.hpp.
#include <cli/dot_files.hpp>
#include <cli/gpu_probe.hpp>
#include <exactdot/info.hpp>
#include <exactdot/reductions.hpp>
#include <plan/thread_count.hpp>

namespace exactdot::cli {

rounded_value dot_files(const io::vector_file& a, const io::vector_file& b, element_type type,
                        const options& options) {
  return {dot(a.view(), b.view(), type, options).to_double(), type};
}

int thread_count(std::size_t n, const options& options) { return engine::threads_for(n, options.threads); }

std::string device_text(const options& options) {
  return options.device == device::cuda ? "cuda:" + std::to_string(options.device_index) : "cpu";
}

std::string engine_text(std::size_t n, const options& options) {
  if (options.device == device::cuda) return gpu_names().at(static_cast<std::size_t>(options.device_index));
  return cpu().instruction_set + ", " + thread_text(thread_count(n, options));
}

}  // namespace exactdot::cli
