// make_grid_batch and make_segment_batch (groups: group_batch.cpp): the choices of a call with many results, after
// its checks; see batch.hpp.
#include <algorithm>
#include <cstring>
#include <limits>
#include <plan/axes.hpp>
#include <plan/batch_checks.hpp>
#include <plan/batch_setup.hpp>
#include <plan/group_keys.hpp>
#include <plan/thread_count.hpp>
#include <string>

namespace exactdot::inline v0_3::engine {
namespace {

constexpr std::size_t max_axes = 64;  // as NumPy

/// Neighbours that one stride describes become one axis.
void simplify(std::vector<shared_axis>& axes) {
  std::size_t kept = 0;
  for (std::size_t i = 1; i < axes.size(); ++i) {
    const shared_axis inner = axes[i];
    shared_axis& outer = axes[kept];
    const auto n = static_cast<std::ptrdiff_t>(inner.n);
    if (outer.a == n * inner.a && outer.b == n * inner.b && outer.out == n * inner.out &&
        outer.index == n * inner.index) {
      outer = {outer.n * inner.n, inner.a, inner.b, inner.out, inner.index};
    } else {
      axes[++kept] = inner;
    }
  }
  if (!axes.empty()) axes.resize(kept + 1);
}

std::size_t magnitude_of(std::ptrdiff_t stride) {
  return stride < 0 ? std::size_t{0} - static_cast<std::size_t>(stride) : static_cast<std::size_t>(stride);
}

/// The axis with the greatest strides first.
void order_by_stride(std::vector<shared_axis>& axes) {
  if (axes.size() < 2) return;  // the sort allocates memory
  const auto span_of = [](const shared_axis& x) { return magnitude_of(x.a) + magnitude_of(x.b); };
  std::ranges::stable_sort(axes,
                           [&](const shared_axis& x, const shared_axis& y) { return span_of(x) > span_of(y); });
}

/// Element axes of a grid become a stride and outer axes of the plan's operands.
void set_elements(batch& made, const std::vector<shared_axis>& axes) {
  plan& each = made.each;
  for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
    made.outer_a.push_back({axes[i].n, axes[i].a});
    made.outer_b.push_back({axes[i].n, axes[i].b});
  }
  each.a.inner = each.b.inner = axes.empty() ? 1 : axes.back().n;
  if (!made.outer_a.empty()) each.a.contiguous = each.b.contiguous = false;
  each.a.outer = made.outer_a, each.b.outer = made.outer_b;
  each.contiguous = each.a.contiguous && each.b.contiguous;
}

const void* moved(const void* from, std::ptrdiff_t bytes) { return static_cast<const char*>(from) + bytes; }

}  // namespace

std::vector<shared_axis> shared_axes(std::span<const axis> a, std::span<const axis> b, std::span<const axis> out) {
  std::vector<shared_axis> axes;
  axes.reserve(a.size());
  std::ptrdiff_t index = out.empty() ? 0 : 1;
  for (std::size_t i = a.size(); i-- != 0;) {
    if (a[i].n > 1) axes.push_back({a[i].n, a[i].stride, b[i].stride, out.empty() ? 0 : out[i].stride, index});
    index *= static_cast<std::ptrdiff_t>(a[i].n);
  }
  std::ranges::reverse(axes);
  return axes;
}

batch unplaced_batch(const batch_request& asked, const any_vector& a, const any_vector& b, mode mode) {
  batch made;
  made.each = unplaced_plan({asked.caller, asked.what, a, b, asked.out.type, asked.ddof}, mode);
  made.out = static_cast<char*>(asked.out.data);
  made.out_swapped = asked.out.swapped, made.out_is_scratch = asked.out.is_scratch && !asked.out.is_added_to;
  made.adds_to_results = asked.out.is_added_to;
  made.states = asked.states;
  if (made.states != nullptr) made.each.bounded_sum_can_decide = false;  // what it would decide is no state
  return made;
}

void place(batch& made, const batch_request& asked, const options& options) {
  if (made.count == 0) return;
  choose_engine(asked, made, options);
  set_threads(made, options);
}

void set_threads(batch& made, const options& options) {
  made.monitor = options.monitor;
  made.threads = threads_for(std::max(made.elements, made.count), options.threads);
}

namespace {

[[gnu::noinline]] std::uint64_t any_offset_at(const any_offsets& offsets, const char* at) {
  return with_index_type(offsets.type, [&]<class T>(T) { return read_index<T>(at, offsets.swapped); });
}

}  // namespace

std::uint64_t offset_at(const any_offsets& offsets, std::size_t i) {
  const auto* const at = static_cast<const char*>(offsets.data) + static_cast<std::ptrdiff_t>(i) * offsets.stride;
  if (offsets.swapped) return any_offset_at(offsets, at);
  if (offsets.type == element_type::int64) return read_index<std::uint64_t>(at, false);  // one read for short segments
  return offsets.type == element_type::int32 ? read_index<std::int32_t>(at, false) : any_offset_at(offsets, at);
}

/// The first elements and the place of the i-th position along axes.
line batch::line_along(const std::vector<shared_axis>& axes, std::size_t i, std::size_t n) const {
  std::ptrdiff_t a = 0, b = 0, to = 0;
  for (std::size_t k = axes.size(); k-- != 0;) {
    const shared_axis& axis = axes[k];
    const auto index = static_cast<std::ptrdiff_t>(k == 0 ? i : i % axis.n);
    a += index * axis.a, b += index * axis.b, to += index * axis.out;
    if (k != 0) i /= axis.n;
  }
  return {moved(each.a.data, a), moved(each.b.data, b), n, out + to};
}

line batch::column_at(std::size_t column) const { return line_along(columns, column, keys.n); }

line batch::line_at(std::size_t i) const {
  if (!is_grid()) {
    const std::size_t of_column = column_count == 1 ? 0 : i / groups();  // a division takes as long as the rest
    const std::size_t group = i - of_column * (column_count == 1 ? 0 : groups());
    const line column = column_at(of_column);
    char* const to = place_of(column.out, group);
    if (has_keys()) return {column.a, column.b, group_sizes[group], to};
    // offsets have been checked, but a caller's thread may have overwritten them since
    const std::uint64_t max_offset = group_sizes.empty() ? each.n : ~std::uint64_t{0};
    const std::uint64_t begin = std::min(offset_at(offsets, group), max_offset);
    const std::uint64_t end = std::clamp(offset_at(offsets, group + 1), begin, max_offset);
    const auto first = static_cast<std::ptrdiff_t>(begin);
    return {moved(column.a, first * each.a.stride), moved(column.b, first * each.b.stride),
            static_cast<std::size_t>(end - begin), to};
  }
  return line_along(results, i, each.n);
}

std::size_t batch::index_of(std::size_t i) const {
  if (!is_grid()) {
    const std::size_t in_column = groups();
    return group_at(i % in_column) * column_count + i / in_column;
  }
  std::size_t index = 0;
  for (std::size_t k = results.size(); k-- != 0; i /= results[k].n) {
    index += i % results[k].n * static_cast<std::size_t>(results[k].index);
  }
  return index;
}

void batch::store(char* to, std::uint64_t word) const {
  const std::size_t size = size_of(each.result_type);
  if (!out_swapped && size == sizeof(double)) {  // of known sizes: one store
    std::memcpy(to, &word, sizeof(double));
    return;
  }
  if (!out_swapped && size == sizeof(float)) {
    std::memcpy(to, &word, sizeof(float));
    return;
  }
  if (out_swapped) word = __builtin_bswap64(word) >> (64 - 8 * size);
  std::memcpy(to, &word, size);  // the low bytes come first
}

std::uint64_t batch::load(const char* from) const {
  const std::size_t size = size_of(each.result_type);
  std::uint64_t word = 0;
  std::memcpy(&word, from, size);  // the low bytes come first
  return out_swapped ? __builtin_bswap64(word) >> (64 - 8 * size) : word;
}

void batch::store_all(char* first, std::size_t n, std::uint64_t word) const {
  const std::size_t size = size_of(each.result_type);
  const auto last = static_cast<std::ptrdiff_t>(n);
  if (word == 0 && out_stride == static_cast<std::ptrdiff_t>(size)) {
    std::memset(first, 0, n * size);
  } else if (!out_swapped && size == sizeof(double)) {
    for (std::ptrdiff_t i = 0; i < last; ++i) std::memcpy(first + i * out_stride, &word, sizeof(double));
  } else {
    for (std::ptrdiff_t i = 0; i < last; ++i) store(first + i * out_stride, word);
  }
}

bool batch::may_overflow() const {
  if (!is_integer(each.result_type) || each.info().is_extremum) return false;
  if (adds_to_results) return true;
  const element_type a = each.a.type, b = each.b.type;
  if (each.result_type == element_type::uint64 && (is_signed(a) || is_signed(b))) return true;
  const int bits =
      info_of(a).precision + (each.multiplies() ? info_of(b).precision : 0) + 2;  // of a term and its sign
  return bits >= 63 || each.n >> (63 - bits) != 0;
}

batch make_grid_batch(const batch_request& asked, const any_grid& a, const any_grid& given_b,
                      const options& options) {
  const any_grid& b = inputs_of(asked.what) == 2 ? given_b : a;
  refuse_adding(asked);
  check_options(asked, options);
  if (a.results.size() + a.elements.size() > max_axes) {
    throw_error(errc::bad_option, asked.caller,
                "an array of " + std::to_string(a.results.size() + a.elements.size()) + " axes; use at most 64");
  }
  require_equal_axes(asked, a.results, b.results, "the shapes of the batches");
  require_equal_axes(asked, a.elements, b.elements, "the lengths of the vectors");
  require_equal_axes(asked, a.results, asked.out.axes, "the shapes of the batch and of its results");
  const std::size_t count = count_or_refuse(asked, a.results, "results");
  const std::size_t n = count_or_refuse(asked, a.elements, "elements");
  // a vector's stride is that of the innermost axis, once the axes have been simplified
  const auto as_vector = [&](const any_grid& x, std::ptrdiff_t stride) {
    return any_vector{x.data, n, x.type, stride, x.swapped};
  };
  check_each(asked, as_vector(a, 0), as_vector(b, 0), count, options.mode);
  check_results(asked, count);
  check_input(asked, inputs_of(asked.what) == 2 ? "a" : "x", a, count, n);
  if (inputs_of(asked.what) == 2) check_input(asked, "b", b, count, n);

  std::vector<shared_axis> elements;
  if (count != 0 && n != 0) elements = shared_axes(a.elements, b.elements, {});
  const bool is_fast = options.mode == mode::fast && !is_integer(a.type) && !core::info_of(asked.what).is_extremum;
  if (!is_fast && !gives_index(asked.what)) order_by_stride(elements);
  simplify(elements);
  const shared_axis innermost = elements.empty() ? shared_axis{} : elements.back();
  batch made = unplaced_batch(asked, as_vector(a, innermost.a), as_vector(b, innermost.b), options.mode);
  set_elements(made, elements);
  if (count != 0) made.results = shared_axes(a.results, b.results, asked.out.axes);
  if (n == 0) {
    for (shared_axis& each : made.results) each.a = each.b = 0;  // no element is read
  }
  order_by_stride(made.results);
  simplify(made.results);
  made.count = count;
  if (__builtin_mul_overflow(count, n, &made.elements)) made.elements = std::numeric_limits<std::size_t>::max();
  place(made, asked, options);
  return made;
}

batch make_segment_batch(const batch_request& asked, const any_vector& a, const any_vector& given_b,
                         const any_offsets& offsets, const options& options) {
  const bool two = inputs_of(asked.what) == 2;
  const any_vector& b = two ? given_b : a;
  refuse_adding(asked);
  const axis places[] = {{offsets.count, asked.out.axes.empty() ? 0 : asked.out.axes[0].stride}};
  require_equal_axes(asked, places, asked.out.axes, "the numbers of segments and of results");
  check_options(asked, options);
  check_each(asked, a, b, a.n == 0 ? 0 : offsets.count, options.mode);
  check_results(asked, offsets.count);
  const bool on_gpu = are_on_gpu(asked, offsets, options);
  check_offsets(asked, offsets, a.n, on_gpu);
  check_vector(asked, two ? "a" : "x", a, offsets.count);
  if (two) check_vector(asked, "b", b, offsets.count);
  batch made = unplaced_batch(asked, a, b, options.mode);
  made.offsets = offsets;
  made.out_stride = places[0].stride;
  made.count = offsets.count;
  made.elements = on_gpu ? a.n : made.count == 0 ? 0 : offset_at(offsets, made.count) - offset_at(offsets, 0);
  place(made, asked, options);
  return made;
}

}  // namespace exactdot::inline v0_3::engine
