// See minmax.hpp.
#include <fmt/format.h>

#include <cli/interruption.hpp>
#include <cli/minmax.hpp>
#include <cli/output.hpp>
#include <cli/progress.hpp>
#include <cli/report.hpp>
#include <cli/stopwatch.hpp>
#include <exactdot/extremes.hpp>
#include <io/fault.hpp>
#include <nlohmann/json.hpp>
#include <vector>

namespace exactdot::cli {
namespace {

struct found_pair {
  any_scalar least, greatest;
};

found_pair find(const io::vector_file& file, const options& options) {
  const detail::found_extremes found =
      detail::find_extremes(file.view(), options, detail::with_indices::no, "minmax");
  return {{file.type(), found.least}, {file.type(), found.greatest}};
}

/// By two reductions of what the filter leaves.
found_pair find(const io::vector_file& file, const file_filter& filter, const options& options) {
  const std::vector<axis> elements = file.axes(), mask = filter.axes_beside(file);
  const any_grid x{file.bytes().data(), file.type(), {}, elements, file.swapped()};
  found_pair found{{file.type(), 0}, {file.type(), 0}};
  for (const reduction what : {reduction::min, reduction::max}) {
    any_scalar& to = what == reduction::min ? found.least : found.greatest;
    detail::reduce_kept_grid(what, x, x, filter.with({}, mask), {&to.bits, to.type, {}}, options);
  }
  return found;
}

}  // namespace

void run_minmax(const minmax_arguments& arguments) {
  const io::vector_file file(arguments.file, type_named(arguments.raw_type), io::npy_shapes::any);
  const file_filter filter(arguments.filter);
  options options;
  options.threads = arguments.threads;
  options.monitor = &program_monitor();
  options.device = device::cpu;
  found_pair found{};
  double seconds = 0;
  try {
    const progress progress_line{"computing", *options.monitor, file.n()};
    seconds = seconds_of(
        [&] { found = arguments.filter.is_given() ? find(file, filter, options) : find(file, options); });
  } catch (const error& fault) {
    if (fault.code() != errc::empty_input) throw;
    if (arguments.filter.is_given()) fail_with_nothing_left(fault, file.path());
    io::fail(file.path(), "has no elements; minmax needs at least one");
  }
  file.check(), filter.check();
  if (!arguments.json) return write_output(value_text(found.least) + '\n' + value_text(found.greatest) + '\n');
  nlohmann::ordered_json object = {{"reduction", "minmax"}};
  for (const auto& [name, value] : {std::pair{"min", found.least}, {"max", found.greatest}}) {
    nlohmann::ordered_json one;
    put_value(one, value);
    object[name] = one["value"];
  }
  object["dtype"] = std::string(name_of(file.type()));
  object["n"] = file.n();
  filter.put(object);
  put_timing(object, seconds, file.bytes().size());
  write_json(object);
}

}  // namespace exactdot::cli
