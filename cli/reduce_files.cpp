// Reductions of files; see reduce_files.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cli/gpu_probe.hpp>
#include <cli/reduce_files.hpp>
#include <cli/reduction_command.hpp>
#include <cli/report.hpp>
#include <exactdot/error.hpp>
#include <exactdot/info.hpp>
#include <exactdot/reductions.hpp>
#include <io/fault.hpp>
#include <plan/thread_count.hpp>
#include <vector>

namespace exactdot::cli {

namespace {

void require_vector(const io::vector_file& file, bool takes_axes) {
  std::vector<std::size_t> shape;
  for (const axis& each : file.axes()) shape.push_back(each.n);
  if (shape.size() == 1) return;
  if (shape.empty()) io::fail(file.path(), "is a 0-D array, a single number; expected a vector (1-D)");
  std::string all = "0";
  for (std::size_t i = 1; i < shape.size(); ++i) all += "," + std::to_string(i);
  io::fail(
      file.path(),
      fmt::format("is a {}-D array of shape ({}); expected a vector (1-D); --axis N reduces an axis{}",
                  shape.size(), fmt::join(shape, ", "), takes_axes ? ", --axis " + all + " all elements" : ""));
}

}  // namespace

operands::operands(reduction what, const source& a, const source& b, io::npy_shapes shapes)
    : a_(a.path, a.raw_type, io::npy_shapes::any) {
  const bool vectors = shapes == io::npy_shapes::vectors;
  if (vectors) require_vector(a_, inputs_of(what) == 1 && !gives_index(what));
  if (inputs_of(what) == 1) return;
  b_.emplace(b.path, b.raw_type, io::npy_shapes::any);
  if (vectors) require_vector(*b_, false);
  if (!is_ratio(what)) io::check_types(a_, *b_);
  if (vectors) io::check_lengths(a_, *b_);
}

void operands::check() const {
  a_.check();
  if (b_) b_->check();
}

any_scalar reduce_files(reduction what, const operands& files, element_type type, const options& options,
                        std::int64_t ddof) {
  try {
    if (files.count() == 2) return reduce(what, files.a().view(), files.b().view(), type, options, ddof);
    return reduce(what, files.a().view(), type, options, ddof);
  } catch (const error& fault) {
    fail_with_file(fault, what, files, type);
  }
}

any_scalar reduce_files(reduction what, const operands& files, const file_filter& filter, element_type type,
                        const options& options, std::int64_t ddof) {
  const std::vector<axis> elements = files.a().axes(), of_b = files.b().axes(), mask = filter.axes_beside(files.a());
  const auto grid = [](const io::vector_file& file, const std::vector<axis>& axes) {
    return any_grid{file.bytes().data(), file.type(), {}, axes, file.swapped()};
  };
  any_scalar result{type, 0};
  try {
    detail::reduce_kept_grid(what, grid(files.a(), elements), grid(files.b(), of_b), filter.with({}, mask),
                             {&result.bits, type, {}}, options, ddof);
  } catch (const error& fault) {
    if (fault.code() == errc::empty_input) fail_with_nothing_left(fault, files.a().path());
    fail_with_file(fault, what, files, type);
  }
  return result;
}

void fail_with_file(const error& fault, reduction what, const operands& files, element_type type) {
  const std::string& path = files.a().path();
  if (fault.code() == errc::empty_input) {
    io::fail(path, fmt::format("has no elements; {} needs at least one", command_of(what)));
  }
  if (fault.code() == errc::overflow) {
    const std::string_view sentence = fault.what();  // names the result of several: "sum: result 3 does not …"
    const std::size_t start = sentence.find(": result ");
    const std::size_t end = sentence.find(" does not fit", start);
    const std::string_view which = start == sentence.npos || end == sentence.npos
                                       ? std::string_view("the result")
                                       : sentence.substr(start + 2, end - start - 2);
    io::fail(path, fmt::format("{}: {} does not fit into {}; use --result float64", command_of(what), which,
                               name_of(type)));
  }
  throw;
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
