// Dot products of files; see dot_files.hpp.
//
// In mode fast the pieces are subtrees of order v1: each holds a power of two of tiles, so its value is a
// node of the tree over all tiles, and the nodes combine to the bits that one call would give.
#include <algorithm>
#include <bit>
#include <cli/dot_files.hpp>
#include <cli/gpu_probe.hpp>
#include <cmath>
#include <core/order_v1.hpp>
#include <cpu/team.hpp>
#include <exactdot/dot.hpp>
#include <exactdot/info.hpp>
#include <limits>
#include <vector>

namespace exactdot::cli {
namespace {

template <element T>
inline constexpr std::size_t piece_length = core::order_v1<T>::tile * 1024;

/// Calls function(a_piece, b_piece, length) over all pieces, in this machine's byte order.
template <element T, class Function>
void for_each_piece(const io::vector_file& a, const io::vector_file& b, Function&& function) {
  const std::size_t longest = std::min(a.n(), piece_length<T>);
  std::vector<T> a_piece(longest);
  std::vector<T> b_piece(longest);
  for (std::size_t first = 0; first < a.n(); first += longest) {
    const std::size_t length = std::min(longest, a.n() - first);
    const std::span<T> a_part{a_piece.data(), length};
    const std::span<T> b_part{b_piece.data(), length};
    a.read(first, a_part);
    b.read(first, b_part);
    function(a_part, b_part);
  }
}

template <element T>
double fast_by_pieces(const io::vector_file& a, const io::vector_file& b, io::dtype type, const options& options) {
  core::tile_tree<T> tree;
  for_each_piece<T>(a, b, [&](std::span<T> a_part, std::span<T> b_part) {
    tree.push(dot<T, T>(a_part.data(), b_part.data(), a_part.size(), options));
  });
  const T sum = tree.root();
  if (std::isnan(sum)) return std::numeric_limits<double>::quiet_NaN();
  return type == io::dtype::float32 ? static_cast<float>(sum) : static_cast<double>(sum);
}

template <element R, element T>
double in_place(const io::vector_file& a, const io::vector_file& b, const options& options) {
  return dot<R, T>(a.data<T>(), b.data<T>(), a.n(), options);
}

template <element T>
double compute(const io::vector_file& a, const io::vector_file& b, io::dtype type, const options& options) {
  if (!a.swapped() && !b.swapped()) {
    return type == io::dtype::float32 ? in_place<float, T>(a, b, options) : in_place<double, T>(a, b, options);
  }
  if (options.mode == mode::fast) return fast_by_pieces<T>(a, b, type, options);
  const accumulator<T> sum = accumulate_files<T>(a, b, options);
  return type == io::dtype::float32 ? sum.template round<float>() : sum.template round<double>();
}

}  // namespace

rounded_value dot_files(const io::vector_file& a, const io::vector_file& b, io::dtype type,
                        const options& options) {
  const double value = io::visit(a.type(), [&](auto zero) { return compute<decltype(zero)>(a, b, type, options); });
  return {value, type};
}

template <element T>
accumulator<T> accumulate_files(const io::vector_file& a, const io::vector_file& b, const options& options) {
  accumulator<T> sum;
  if (a.swapped() || b.swapped()) {
    for_each_piece<T>(
        a, b, [&](std::span<const T> a_part, std::span<const T> b_part) { sum.add(a_part, b_part, options); });
  } else {
    sum.add(std::span(a.data<T>(), a.n()), std::span(b.data<T>(), b.n()), options);
  }
  return sum;
}

template accumulator<float> accumulate_files(const io::vector_file&, const io::vector_file&, const options&);
template accumulator<double> accumulate_files(const io::vector_file&, const io::vector_file&, const options&);

int thread_count(std::size_t n, const options& options) { return cpu_engine::threads_for(n, options); }

std::string device_text(const options& options) {
  return options.device == device::cuda ? "cuda:" + std::to_string(options.device_index) : "cpu";
}

std::string engine_text(std::size_t n, const options& options) {
  if (options.device == device::cuda) return gpu_names().at(static_cast<std::size_t>(options.device_index));
  return cpu().instruction_set + ", " + thread_text(thread_count(n, options));
}

}  // namespace exactdot::cli
