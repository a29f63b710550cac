// exactdot generate; see generate.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cli/element_count.hpp>
#include <cli/generate.hpp>
#include <cli/interruption.hpp>
#include <cli/output.hpp>
#include <cli/progress.hpp>
#include <filesystem>
#include <io/data_source.hpp>
#include <io/fault.hpp>
#include <io/npy_writer.hpp>
#include <io/output_file.hpp>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace exactdot::cli {
namespace {

io::data_request make_request(const generate_arguments& arguments) {
  io::data_request request;
  const auto* const found = std::find(std::begin(io::data_set_names), std::end(io::data_set_names), arguments.data);
  request.data = static_cast<io::data_set>(found - std::begin(io::data_set_names));
  request.n = arguments.n.empty() ? io::default_length(request.data) : *parse_element_count(arguments.n);
  request.seed = arguments.seed;
  request.condition = arguments.condition.value_or(request.condition);
  request.monitor = &program_monitor();
  if (arguments.condition && request.data != io::data_set::ill) {
    throw error(errc::bad_option, "--cond: requires --data ill, not " + arguments.data);
  }
  std::error_code ignored;
  const auto canonical = [&](const std::string& file) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(io::link_target(file)), ignored);
  };
  if (canonical(arguments.a) == canonical(arguments.b) ||
      std::filesystem::equivalent(arguments.a, arguments.b, ignored)) {
    throw error(errc::bad_option, io::printable(arguments.a) + ": A and B are the same file; expected two files");
  }
  return request;
}

/// Throws errc::file, before anything is written, if the free space of the disk does not suffice.
void require_space(const generate_arguments& arguments, std::size_t n, std::size_t item_size) {
  std::error_code unknown;
  const auto folder = std::filesystem::absolute(arguments.a, unknown).parent_path();
  const std::filesystem::space_info space = std::filesystem::space(folder, unknown);
  const double needed = 2.0 * static_cast<double>(n) * static_cast<double>(item_size);
  if (!unknown && needed > static_cast<double>(space.available)) {
    throw error(
        errc::file,
        fmt::format("{}: not enough space for two vectors of {} elements: {:.3g} GB needed, {:.3g} GB free",
                    io::printable(arguments.a), n, needed * 1e-9, static_cast<double>(space.available) * 1e-9));
  }
}

template <element T>
void write_pair(const generate_arguments& arguments, const io::data_request& request) {
  require_space(arguments, request.n, sizeof(T));
  constexpr std::size_t max_chunk = std::size_t{1} << 16;
  io::npy_writer a_file{arguments.a, type_of<T>, request.n};
  io::npy_writer b_file{arguments.b, type_of<T>, request.n};
  const progress progress_line{"generating", *request.monitor, request.n};
  io::data_source<T> source{request};
  std::vector<T> a(std::min(max_chunk, request.n));
  std::vector<T> b(a.size());
  for (std::size_t first = 0; first < request.n; first += a.size()) {
    const std::size_t length = std::min(a.size(), request.n - first);
    source.next(std::span(a).first(length), std::span(b).first(length));
    a_file.append(std::span<const T>(a).first(length));
    b_file.append(std::span<const T>(b).first(length));
  }
  a_file.commit();
  b_file.commit();
}

}  // namespace

void run_generate(const generate_arguments& arguments) {
  const io::data_request request = make_request(arguments);
  with_carrier(*type_named(arguments.type), [&]<class T>(T) { write_pair<T>(arguments, request); });
  if (!arguments.json) {
    write_output(fmt::format("{} and {}: {}, {} x {} each\n", io::printable(arguments.a),
                             io::printable(arguments.b), arguments.data, request.n, arguments.type));
    return;
  }
  nlohmann::ordered_json object = {{"a", arguments.a}, {"b", arguments.b},        {"data", arguments.data},
                                   {"n", request.n},   {"dtype", arguments.type}, {"seed", request.seed}};
  if (request.data == io::data_set::ill) object["cond"] = request.condition;
  write_json(object);
}

}  // namespace exactdot::cli
