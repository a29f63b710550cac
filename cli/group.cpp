// The subcommand group; see group.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cli/available_memory.hpp>
#include <cli/complex_files.hpp>
#include <cli/element_count.hpp>
#include <cli/group.hpp>
#include <cli/interruption.hpp>
#include <cli/output.hpp>
#include <cli/progress.hpp>
#include <cli/reduction_command.hpp>
#include <cli/report.hpp>
#include <cli/result_array.hpp>
#include <cli/stopwatch.hpp>
#include <exactdot/batches.hpp>
#include <io/fault.hpp>
#include <io/npy_writer.hpp>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>

namespace exactdot::cli {
namespace {

constexpr const char* caller = "group";

std::optional<reduction> reduction_named(const std::string& name) {
  for (std::size_t i = 0; i < reduction_names.size(); ++i) {
    if (command_of(static_cast<reduction>(i)) == name) return static_cast<reduction>(i);
  }
  return std::nullopt;
}

/// The two open files, and what is computed of them. Without a reduction elements are counted.
struct group_call {
  io::vector_file values, keys;
  std::optional<reduction> what;
  std::vector<axis> axes;  // of the values
  any_keys by;
  file_filter filter;
  result_array results{};  // of zeros

  explicit group_call(const group_arguments& arguments)
      : values(arguments.values, number_type_named(arguments.raw_type), io::npy_shapes::any, io::npy_numbers::any),
        keys(arguments.keys, type_named(arguments.raw_type_of_keys)),
        what(reduction_named(arguments.reduction)),
        axes(values.axes()),
        by{keys.bytes().data(), keys.n(), keys.type(), keys.view().stride, 0, arguments.skip, keys.swapped()},
        filter(arguments.filter) {}

  [[nodiscard]] std::size_t bytes() const { return keys.bytes().size() + (what ? values.bytes().size() : 0); }
};

/// Throws errc::bad_option for options that the reduction does not have.
void check_arguments(const group_arguments& arguments, std::optional<reduction> what) {
  if (!arguments.result_type.empty() && (!what || !has_result_type(*what))) {
    throw error(errc::bad_option,
                fmt::format("--result: the type of {} is not a choice; omit it", arguments.reduction));
  }
  if (!what && arguments.filter.is_given()) {
    throw error(errc::bad_option, "--where and --skip-nan: count is that of the keys; omit them");
  }
  if (arguments.ddof && (!what || !has_ddof(*what))) {
    throw error(errc::bad_option,
                fmt::format("--ddof: {} has no such divisor; expected --reduction var, std or standard_error",
                            arguments.reduction));
  }
}

std::int64_t ddof_of(const group_arguments& arguments, reduction what) {
  return arguments.ddof.value_or(default_ddof(what));
}

/// Throws errc::file for values that the call does not take, and unless each index of their first axis has a key.
void check_files(const group_call& call) {
  if (call.what) require_numbers_of(*call.what, call.values);
  if (call.axes.empty()) io::fail(call.values.path(), "is a 0-D array; expected one key for each element");
  const element_type type = call.keys.type();
  if (!is_integer(type)) {
    io::fail(call.keys.path(), fmt::format("holds {}; keys are integers", name_of(type)));
  }
  if (call.keys.n() == call.axes[0].n) return;
  io::fail(call.keys.path(),
           fmt::format("has length {}, but the first axis of {} has length {}; expected a key each", call.keys.n(),
                       io::printable(call.values.path()), call.axes[0].n));
}

/// The number of groups that the keys need. Throws errc::file if they lie too far apart.
std::size_t derived_count(const group_call& call, const options& options) {
  try {
    return detail::groups_of_keys(call.by, options, caller);
  } catch (const error& fault) {
    if (fault.code() != errc::bad_option) throw;
    std::string sentence = fault.what();
    sentence.erase(0, sentence.find("the greatest key is ") + std::string("the greatest key is ").size());
    io::fail(call.keys.path(), "has the greatest key " + sentence.substr(0, sentence.find(';')) +
                                   "; number the keys that occur, or use --groups N");
  }
}

/// The number of groups that was given, or that the keys need. Throws errc::file if results exceed the address
/// space.
std::size_t group_count(const group_arguments& arguments, const group_call& call, const options& options) {
  const bool is_given = !arguments.groups.empty();
  const std::size_t groups =
      is_given ? parse_element_count(arguments.groups).value() : derived_count(call, options);
  std::size_t room = PTRDIFF_MAX / sizeof(double);
  for (std::size_t i = 1; i < call.axes.size(); ++i) room /= std::max<std::size_t>(call.axes[i].n, 1);
  if (groups <= room) return groups;
  if (is_given) throw error(errc::bad_option, "--groups " + arguments.groups + " exceeds the address space");
  io::fail(call.keys.path(), fmt::format("has the key {}, too large for an array of all groups; correct it, or use "
                                         "--groups and --skip",
                                         groups - 1));
}

/// Throws errc::file if memory cannot hold the results: most often one key is far greater than the others.
[[noreturn]] void fail_for_memory(const group_arguments& arguments, const group_call& call) {
  if (!arguments.groups.empty()) {
    throw error(errc::bad_option, "--groups " + arguments.groups + ": memory does not hold that many results");
  }
  io::fail(call.keys.path(), fmt::format("has the key {}, and memory does not hold the results of all groups up to "
                                         "it; correct it, or use --groups N and --skip",
                                         call.by.groups - 1));
}

void prepare(const group_arguments& arguments, const options& options, group_call& call) {
  check_files(call);
  call.by.groups = group_count(arguments, call, options);
  std::vector<std::size_t> shape = {call.by.groups};
  element_type type = element_type::int64;
  if (call.what) {
    for (std::size_t i = 1; i < call.axes.size(); ++i) shape.push_back(call.axes[i].n);
    type = result_type_of(*call.what, call.values.type(), call.values.type(), arguments.result_type);
  }
  std::size_t bytes = size_of(type);  // cannot overflow: group_count
  for (const std::size_t n : shape) bytes *= n;
  if (bytes > available_memory()) fail_for_memory(arguments, call);
  call.results = zeros(type, std::move(shape));
}

/// Throws errc::file for an error of the library that names a key, a group or a result; otherwise rethrows it.
[[noreturn]] void fail_with_file(const error& fault, const group_call& call) {
  std::string sentence = fault.what();
  const std::string start = std::string(caller) + ": ";
  if (sentence.starts_with(start)) sentence.erase(0, start.size());
  if (fault.code() == errc::bad_option && sentence.starts_with("key ")) {
    io::fail(call.keys.path(), sentence.substr(0, sentence.find(';')) +
                                   "; correct it, or leave such elements out "
                                   "with --skip");
  }
  if (fault.code() == errc::empty_input) {
    io::fail(sentence.starts_with("no element") ? call.values.path() : call.keys.path(), sentence.substr(0, sentence.find(';')));
  }
  if (fault.code() == errc::overflow) {
    io::fail(call.values.path(), sentence.substr(0, sentence.find(';')) + "; use --result float64");
  }
  throw;
}

void compute(const group_arguments& arguments, const options& options, group_call& call) {
  const std::vector<axis> places = axes_of(call.results);
  const any_results to{call.results.bytes.data(), call.results.type, places};
  const std::vector<axis> columns(call.axes.begin() + 1, call.axes.end());
  const any_grid values{
      call.values.bytes().data(), call.values.type(), columns, {call.axes.data(), 1}, call.values.swapped()};
  try {
    if (!call.what) return detail::group_sizes(call.by, to, options, caller);
    const std::int64_t ddof = ddof_of(arguments, *call.what);
    if (!arguments.filter.is_given()) {
      return detail::reduce_groups(*call.what, values, values, call.by, to, options, ddof, caller);
    }
    const std::vector<axis> mask = call.filter.axes_beside(call.values), of_columns(mask.begin() + 1, mask.end());
    detail::reduce_kept_groups(*call.what, values, values, call.by, call.filter.with(of_columns, {mask.data(), 1}), to,
                               options, ddof, caller);
  } catch (const error& fault) {
    fail_with_file(fault, call);
  } catch (const std::bad_alloc&) {
    fail_for_memory(arguments, call);
  }
}

nlohmann::ordered_json json_of(const group_arguments& arguments, const group_call& call, double seconds) {
  nlohmann::ordered_json object = {
      {"reduction", call.what ? std::string(name_of(*call.what)) : arguments.reduction}};
  object["groups"] = call.by.groups;
  put_results(object, call.results, arguments.out);
  object["n"] = call.values.n();
  object["mode"] = "exact";
  if (call.what && has_ddof(*call.what)) object["ddof"] = ddof_of(arguments, *call.what);
  call.filter.put(object);
  put_timing(object, seconds, call.bytes());
  return object;
}

}  // namespace

std::vector<std::string> group_reductions() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < reduction_names.size(); ++i) {
    const auto what = static_cast<reduction>(i);
    if (inputs_of(what) == 1 && !gives_index(what)) names.emplace_back(command_of(what));
  }
  names.emplace_back("count");
  return names;
}

void run_group(const group_arguments& arguments) {
  check_arguments(arguments, reduction_named(arguments.reduction));
  options options;
  options.threads = arguments.threads;
  options.monitor = &program_monitor();
  options.device = device::cpu;
  group_call call(arguments);
  prepare(arguments, options, call);
  std::optional<io::npy_writer> writer;  // opened first: an unwritable file must not cost a computation
  if (!arguments.out.empty()) {
    refuse_input(arguments.out, {&call.values, &call.keys, call.filter.file() ? &*call.filter.file() : &call.keys});
    writer.emplace(arguments.out, call.results.type, call.results.shape);
  }
  double seconds = 0;
  {
    const progress progress_line{"computing", *options.monitor, call.values.n()};
    seconds = seconds_of([&] { compute(arguments, options, call); });
  }
  call.values.check(), call.keys.check(), call.filter.check();
  if (writer) {
    writer->append_bytes(call.results.bytes);
    writer->commit();
  }
  if (arguments.json) return write_json(json_of(arguments, call, seconds));
  if (!writer) write_results(call.results);
}

}  // namespace exactdot::cli
