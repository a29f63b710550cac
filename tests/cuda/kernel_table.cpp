// The table of kernels in docs/architecture.md, as the router of the CUDA engine chooses them for real batches:
// which threads take a vector, for each kind of call and some shapes.
//
//   kernel_table --check FILE   whether the part of the file between its marks is this table
//   kernel_table --write FILE   writes it there
#include <algorithm>
#include <array>
#include <cuda/core/line_tuning.hpp>
#include <cuda/core/normalised_rows.hpp>
#include <cuda/host/router.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

namespace {

using namespace exactdot;
using namespace exactdot::cuda_engine;

constexpr const char *first_mark = "<!-- begin kernels -->", *last_mark = "<!-- end kernels -->";
constexpr int multiprocessors = 132;  // of an H100

struct matrix_size {
  const char* name;
  std::size_t count, n;
};
constexpr std::array sizes = {matrix_size{"2^20 of 16", 1 << 20, 16}, matrix_size{"2^16 of 2^10", 1 << 16, 1 << 10},
                              matrix_size{"2^10 of 2^16", 1 << 10, 1 << 16}, matrix_size{"16 of 2^22", 16, 1 << 22},
                              matrix_size{"1 of 2^28", 1, std::size_t{1} << 28}};

enum class order { rows, columns, every_second, by_vector, by_vectors };

struct kind {
  reduction what;
  element_type element, result;
  order in;
  bool is_state = false;
};

const std::array kinds = [] {
  using enum reduction;
  using enum element_type;
  return std::array{kind{sum, float32, float32, order::rows},
                    kind{sum, float32, float64, order::rows},
                    kind{sum, float64, float64, order::rows},
                    kind{sum, bfloat16, float32, order::rows},
                    kind{sum, int64, int64, order::rows},
                    kind{sum, float32, float32, order::columns},
                    kind{sum, float64, float64, order::columns},
                    kind{sum, bfloat16, float32, order::columns},
                    kind{sum, float64, float64, order::every_second},
                    kind{sum, bfloat16, float32, order::every_second},
                    kind{dot, float64, float64, order::rows},
                    kind{dot, bfloat16, float32, order::rows},
                    kind{dot, int64, int64, order::rows},
                    kind{dot, bfloat16, float32, order::by_vector},
                    kind{dot, bfloat16, float32, order::by_vectors},
                    kind{dot, float64, float64, order::by_vectors},
                    kind{variance, float32, float32, order::rows},
                    kind{variance, float64, float64, order::rows},
                    kind{variance, float64, float64, order::columns},
                    kind{variance, int64, float64, order::rows},
                    kind{max, float32, float32, order::rows},
                    kind{max, float32, float32, order::columns},
                    kind{max, float32, float32, order::every_second},
                    kind{sum, float64, float64, order::rows, true}};
}();

/// What a user passes: nothing is read, so any address will do.
engine::batch batch_of(const kind& asked, const matrix_size& size) {
  const auto bytes = static_cast<std::ptrdiff_t>(size_of(asked.element));
  const auto n = static_cast<std::ptrdiff_t>(size.n), count = static_cast<std::ptrdiff_t>(size.count);
  const bool are_columns = asked.in == order::columns;
  const std::ptrdiff_t step = asked.in == order::every_second ? 2 : 1;
  const axis results{size.count, are_columns ? bytes : n * bytes * step},
      elements{size.n, (are_columns ? count : step) * bytes}, repeated{size.count, 0},
      out{size.count, static_cast<std::ptrdiff_t>(size_of(asked.result))};
  const auto at = [](std::uintptr_t address) { return reinterpret_cast<void*>(address << 40); };
  if (asked.in == order::by_vectors) {
    const axis of_a[]{{8, 0}, results}, of_b[]{{8, n * bytes}, repeated}, places[]{{8, count * out.stride}, out};
    options by_cpu;
    by_cpu.device = device::cpu;
    return engine::make_grid_batch({"table", asked.what, {at(3), asked.result, places}, 0},
                                   {at(1), asked.element, of_a, {&elements, 1}},
                                   {at(2), asked.element, of_b, {&elements, 1}}, by_cpu);
  }
  const any_grid a{at(1), asked.element, {&results, 1}, {&elements, 1}};
  const any_grid b{at(2), asked.element, {asked.in == order::by_vector ? &repeated : &results, 1}, {&elements, 1}};
  options on_cpu;
  on_cpu.device = device::cpu;
  return engine::make_grid_batch({"table", asked.what, {at(3), asked.result, {&out, 1}}, 0}, a, b, on_cpu);
}

std::string name_of_lanes(int lanes) {
  return lanes == 1 ? "1 lane" : lanes > 32 ? "block" : std::to_string(lanes) + " lanes";
}

template <class Rows>
std::string lanes_of(const Rows& rows, std::size_t bytes) {
  std::size_t row = 0;
  while (bytes > rows[row].max_bytes) ++row;
  return name_of_lanes(rows[row].config.lanes);
}

std::string lanes_of_lines(const vectors_of_call& call, input_layout layout) {
  const std::size_t bytes = call.n * call.bytes, of_carriers = (call.n << call.log2_parts) * call.carrier_bytes;
  const bool is_contiguous = layout == input_layout::contiguous;
  if (call.computes == line_work::state) return "block";
  if (call.computes == line_work::extremum) {
    return is_contiguous ? lanes_of(extremum_line_rows, bytes) : lanes_of(extremum_strided_rows, bytes);
  }
  if (call.computes == line_work::moments) return lanes_of(packed_moment_rows, bytes);
  if (is_contiguous) return lanes_of(line_rows, bytes);
  if (layout == input_layout::converted) return lanes_of(packed_line_rows, bytes);
  return layout == input_layout::strided ? lanes_of(strided_line_rows, bytes)
                                         : lanes_of(any_line_rows, of_carriers);
}

std::string cell_of(const vectors_of_call& call, const route& chosen) {
  switch (chosen.by) {
    case shape::vectors:
      return "grid";
    case shape::lines:
      return lanes_of_lines(call, chosen.layout);
    case shape::split_lines:
      return "shared";
    case shape::segments:
      return "by length";
    case shape::columns:
      return "columns";
    case shape::right_sides:
      return "tiles";
    default:
      return "thread";
  }
}

const char* name_of(order in) {
  constexpr std::array names = {"rows", "columns", "every second element", "rows, one vector", "rows, 8 vectors"};
  return names[static_cast<std::size_t>(in)];
}

/// Of norms, which have a result for each element.
std::string rows_of_norms() {
  std::string text;
  for (const element_type type : {element_type::bfloat16, element_type::float32, element_type::float64}) {
    text += "| norm of rows | " + std::string(name_of(type)) + " | " + std::string(name_of(type)) + " | rows |";
    for (const matrix_size& size : sizes) {
      const std::size_t chosen = config_for(normalise_configs, size.n * size_of(type), true);
      text += " " +
              name_of_lanes(type == element_type::float64 ? normalise_threads_of_doubles
                                                          : normalise_configs[chosen].lanes) +
              " |";
    }
    text += "\n";
  }
  return text;
}

std::string table() {
  std::string text = "| reduction | elements | result | order |", rule = "|---|---|---|---|";
  for (const matrix_size& size : sizes) text += " " + std::string(size.name) + " |", rule += "---|";
  text += "\n" + rule + "\n";
  for (const kind& each : kinds) {
    text += "| " + (each.is_state ? "state of a " : std::string()) + std::string(name_of(each.what)) + " | " +
            std::string(name_of(each.element)) + " | " +
            (each.is_state ? "words" : std::string(name_of(each.result))) + " | " + name_of(each.in) + " |";
    for (const matrix_size& size : sizes) {
      const engine::batch of = batch_of(each, size);
      const engine::shared_axis lines =
          of.results.empty() ? one_line : *std::ranges::max_element(of.results, {}, &engine::shared_axis::n);
      const vectors_of_call call = each.is_state ? describe_states(of, lines, of.each.term_info(), multiprocessors)
                                                 : describe(of, lines, multiprocessors);
      text += " " + cell_of(call, route_of(call)) + " |";
    }
    text += "\n";
  }
  return text + rows_of_norms();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string asked = argc == 3 ? argv[1] : "";
  if (asked != "--check" && asked != "--write") {
    std::cerr << "usage: kernel_table --check FILE | --write FILE\n";
    return 2;
  }
  std::ifstream in(argv[2]);
  if (!in) {
    std::cerr << "kernel_table: " << argv[2] << " cannot be read\n";
    return 2;
  }
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t first = text.find(first_mark), last = text.find(last_mark);
  if (first == std::string::npos || last == std::string::npos || last < first) {
    std::cerr << "kernel_table: " << argv[2] << " has no lines " << first_mark << " and " << last_mark << "\n";
    return 2;
  }
  const std::size_t begin = first + std::string(first_mark).size() + 1;  // and the end of its line
  const std::string made = table();
  if (text.substr(begin, last - begin) == made) return 0;
  if (asked == "--check") {
    std::cerr << "kernel_table: the table of " << argv[2] << " is not what the router chooses; write it with\n  "
              << argv[0] << " --write " << argv[2] << "\n"
              << made;
    return 1;
  }
  std::ofstream(argv[2]) << text.replace(begin, last - begin, made);
}
