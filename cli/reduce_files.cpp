// Reductions of files; see reduce_files.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cli/complex_files.hpp>
#include <cli/gpu_probe.hpp>
#include <cli/reduce_files.hpp>
#include <cli/reduction_command.hpp>
#include <cli/report.hpp>
#include <exactdot/batches.hpp>
#include <exactdot/complex.hpp>
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

any_number reduce_complex_files(reduction what, const operands& files, element_type type, const options& options) {
  const element_type part = part_of(type);
  const detail::complex_words words =
      detail::reduce_complex_vectors(what, files.view_of_a(), files.b().view(), type, options);
  if (!is_complex(type)) return {{part, words.real}};
  return {{part, words.real}, any_scalar{part, words.imaginary}};
}

any_grid grid_of(const io::vector_file& file, std::span<const axis> results, std::span<const axis> elements) {
  return {file.bytes().data(), file.type(), results, elements, file.swapped()};
}

}  // namespace

operands::operands(reduction what, const source& a, const source& b, bool conjugates, io::npy_shapes shapes)
    : a_(a.path, a.raw_type, io::npy_shapes::any, io::npy_numbers::any), conjugates_(conjugates) {
  require_numbers_of(what, a_);
  const bool vectors = shapes == io::npy_shapes::vectors;
  if (vectors) require_vector(a_, inputs_of(what) == 1 && !gives_index(what));
  if (inputs_of(what) == 1) return;
  b_.emplace(b.path, b.raw_type, io::npy_shapes::any, io::npy_numbers::any);
  require_numbers_of(what, *b_);
  if (vectors) require_vector(*b_, false);
  if (!is_ratio(what)) io::check_types(a_, *b_);
  if (vectors) io::check_lengths(a_, *b_);
}

any_grid operands::grid_of_a(std::span<const axis> results, std::span<const axis> elements) const {
  any_grid grid = grid_of(a_, results, elements);
  grid.conjugated = conjugates_ && is_complex(a_.type());
  return grid;
}

any_grid operands::grid_of_b(std::span<const axis> results, std::span<const axis> elements) const {
  return grid_of(b(), results, elements);
}

any_vector operands::view_of_a() const {
  any_vector view = a_.view();
  view.conjugated = conjugates_ && is_complex(a_.type());
  return view;
}

void operands::check() const {
  a_.check();
  if (b_) b_->check();
}

any_number reduce_files(reduction what, const operands& files, element_type type, const options& options,
                        std::int64_t ddof) {
  try {
    if (files.has_complex()) return reduce_complex_files(what, files, type, options);
    if (files.count() == 2) return {reduce(what, files.a().view(), files.b().view(), type, options, ddof)};
    return {reduce(what, files.a().view(), type, options, ddof)};
  } catch (const error& fault) {
    fail_with_file(fault, what, files, type);
  }
}

any_number reduce_files(reduction what, const operands& files, const file_filter& filter, element_type type,
                        const options& options, std::int64_t ddof) {
  const std::vector<axis> elements = files.a().axes(), of_b = files.b().axes(), mask = filter.axes_beside(files.a());
  std::byte result[2 * sizeof(double)];
  try {
    detail::reduce_kept_grid(what, files.grid_of_a({}, elements), files.grid_of_b({}, of_b), filter.with({}, mask),
                             {result, type, {}}, options, ddof);
  } catch (const error& fault) {
    if (fault.code() == errc::empty_input) fail_with_nothing_left(fault, files.a().path());
    fail_with_file(fault, what, files, type);
  }
  return number_at(type, result);
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
