// Batches on a GPU: which ones it computes, and how its kernels are given their lines.
//
// One result axis, the longest, is the lines of a launch; further ones, which nearly no array has after its axes
// have been simplified, are a launch each. Which kernels: router.hpp.
#include <cuda/host/driver.hpp>
#include <cuda/host/engines.hpp>
#include <cuda/host/operands.hpp>
#include <cuda/host/resources.hpp>
#include <string>
#include <utility>

namespace exactdot::inline v0_3::cuda_engine {
namespace {

using engine::batch;
using engine::shared_axis;

std::string text_of(int gpu) { return "cuda:" + std::to_string(gpu); }

[[noreturn]] void refuse(const batch& of, const std::string& sentence, errc code = errc::bad_option) {
  engine::throw_error(code, of.each.caller, sentence);
}

/// Sums in mode fast of what is not one vector.
bool is_fast_shape(const batch& of) {
  if (of.each.mode != mode::fast || of.each.info().is_extremum) return false;
  return of.offsets.data != nullptr || of.count > 1 || has_element_axes(of);
}

/// Throws for a batch that GPUs do not compute.
void require_support(const batch& of) {
  if (of.has_keys()) return require_group_support(of);
  if (is_fast_shape(of)) {
    refuse(of,
           "in a GPU's memory mode fast sums vectors only: for rows, columns, axes and segments mode exact takes "
           "the same time; use mode exact");
  }
  const auto refuse_if = [&](bool missing, const char* what) {
    if (!missing) return;
    refuse(
        of,
        std::string(what) +
            " is not there yet for arrays in a GPU's memory: copy them with cudaMemcpy, or call once per vector");
  };
  refuse_if(of.out_swapped, "an array of results with swapped bytes");
  if (of.outer_a.size() < max_element_axes) return;
  refuse(of, "elements lie along " + std::to_string(of.outer_a.size() + 1) +
                 " axes that no one stride describes, a GPU takes up to " + std::to_string(max_element_axes) +
                 ": copy the array to a contiguous one, or reduce in two calls");
}

/// Throws unless elements of `bytes` bytes lie at multiples of their size.
void require_alignment(const batch& of, const array_of_call& array, std::size_t bytes, std::ptrdiff_t stride,
                       std::ptrdiff_t shared_axis::*of_axis, std::span<const axis> outer = {}) {
  const auto size = static_cast<std::ptrdiff_t>(bytes);
  bool aligned = reinterpret_cast<std::uintptr_t>(array.data) % bytes == 0 && stride % size == 0;
  for (const shared_axis& each : of.results) aligned = aligned && each.*of_axis % size == 0;
  for (const axis& each : outer) aligned = aligned && each.stride % size == 0;
  if (aligned) return;
  refuse(of, std::string(array.name) + " is not aligned to its elements of " + std::to_string(bytes) +
                 " bytes, as a GPU needs it");
}

/// Calls work(first), `first` being the line with index 0 along the axis `lines`, and along `more`, for all indices
/// of the others.
template <class Work>
void for_each_first_line(const batch& of, std::size_t lines, std::size_t more, Work work) {
  const auto is_of_launch = [&](std::size_t k) { return k == lines || k == more; };
  std::size_t launches = 1;
  for (std::size_t k = 0; k < of.results.size(); ++k) launches *= is_of_launch(k) ? 1 : of.results[k].n;
  for (std::size_t i = 0; i < launches; ++i) {
    engine::line first{of.each.a.data, of.each.b.data, of.each.n, of.out};
    std::size_t rest = i;
    for (std::size_t k = of.results.size(); k-- != 0;) {
      if (is_of_launch(k)) continue;
      const shared_axis& axis = of.results[k];
      const auto index = static_cast<std::ptrdiff_t>(rest % axis.n);
      rest /= axis.n;
      first.a = static_cast<const char*>(first.a) + index * axis.a;
      first.b = static_cast<const char*>(first.b) + index * axis.b;
      first.out += index * axis.out;
    }
    work(first);
  }
}

void launch_vectors(const cuda::workspace::storage& storage, const batch& of) {
  for (std::size_t i = 0; i < of.count; ++i) {
    const engine::line line = of.line_at(i);
    engine::plan one = of.each;
    one.a.data = line.a, one.b.data = line.b;
    cuda::run(storage, one, line.out);
  }
}

/// The result axis that is the lines of a launch: its position, and the axis.
std::pair<std::size_t, shared_axis> longest_axis(const batch& of) {
  if (of.results.empty()) return {0, one_line};
  const auto longest = std::ranges::max_element(of.results, {}, &shared_axis::n);
  return {static_cast<std::size_t>(longest - of.results.begin()), *longest};
}

/// Calls f(bytes) with the constant of an element's bytes.
template <class F>
void with_element_bytes(element_type type, F f) {
  switch (size_of(type)) {
    case 1:
      return f(std::integral_constant<int, 1>{});
    case 2:
      return f(std::integral_constant<int, 2>{});
    case 4:
      return f(std::integral_constant<int, 4>{});
    default:
      return f(std::integral_constant<int, 8>{});
  }
}

void launch_segment_extrema(const cuda::workspace::storage& storage, const batch& of, input_layout layout) {
  const engine::plan& each = of.each;
  element_source in;
  in.lines = {static_cast<const char*>(each.a.data), each.a.stride, of.count, each.a.swapped};
  in.offsets = offsets_of(of.offsets), in.length = each.n;
  const rank_rule rule = rank_rule_of(each.a.type, selects_greatest(each.what));
  const extremum_request asked{rule, is_integer(each.a.type) ? 0 : rule.of_nan, storage.empty_segment};
  const extremum_results out{of.out, of.out_stride, gives_index(each.what)};
  with_element_bytes(each.a.type, [&](auto bytes) {
    cuda::launch_extremum_segments<bytes.value>(storage, layout, in, asked, out);
  });
}

void launch_line_extrema(const cuda::workspace::storage& storage, const batch& of, const route& chosen,
                         const engine::line& first, const shared_axis& lines) {
  const engine::plan& each = of.each;
  element_lines in;
  in.first = static_cast<const char*>(first.a), in.next = lines.a, in.count = lines.n;
  in.stride = each.a.stride, in.n = each.n, in.swapped = each.a.swapped, in.axes = element_axes_of(of);
  const rank_rule rule = rank_rule_of(each.a.type, selects_greatest(each.what));
  const extremum_results out{first.out, lines.out, gives_index(each.what)};
  with_element_bytes(each.a.type,
                     [&](auto bytes) { cuda::launch_line_extrema<bytes.value>(storage, chosen, in, rule, out); });
}

}  // namespace

bool takes_gpu(const char* caller, std::span<const array_of_call> arrays, const options& options) {
  const auto found = std::ranges::find(arrays, memory_kind::device, [](const auto& x) { return x.where.kind; });
  if (found != arrays.end() && options.device == device::cpu) {
    engine::throw_error(errc::bad_option, caller,
                        std::string(found->name) + " lies in the memory of " + text_of(found->where.gpu) +
                            ", which the CPU cannot read; use the device automatic, or copy it with cudaMemcpy");
  }
  return found != arrays.end() || options.device == device::cuda;
}

int gpu_for(const char* caller, std::span<const array_of_call> arrays, const options& options) {
  int gpu = options.device == device::cuda ? options.device_index : -1;
  for (const array_of_call& each : arrays) {
    if (!each.where.on_gpu()) {
      engine::throw_error(errc::bad_option, caller,
                          std::string(each.name) +
                              " lies in host memory, where many vectors are computed by the CPU only: copy it to "
                              "the GPU with cudaMemcpy, or use arrays in host memory and the device cpu");
    }
    if (each.where.kind != memory_kind::device) continue;
    if (gpu >= 0 && each.where.gpu != gpu) {
      engine::throw_error(errc::bad_option, caller,
                          std::string(each.name) + " lies on " + text_of(each.where.gpu) + ", not on " +
                              text_of(gpu) + "; copy it with cudaMemcpyPeer");
    }
    gpu = each.where.gpu;
  }
  return gpu >= 0 ? gpu : std::max(arrays.front().where.gpu, 0);
}

void choose_batch(batch& of, const options& options) {
  engine::plan& each = of.each;
  each.gpu_demanded = options.device == device::cuda;
  if (!each.gpu_demanded && !driver_is_loaded()) return;
  std::vector<array_of_call> arrays;
  const auto add = [&](const void* data, const char* name) {
    if (data != nullptr) arrays.push_back({data, name, locate(data)});
  };
  const bool two = each.info().inputs == 2;
  if (each.n != 0 || !of.is_grid()) add(each.a.data, two ? "a" : "x");
  if (two && (each.n != 0 || !of.is_grid())) add(each.b.data, "b");
  if (of.group_sizes.empty()) add(of.offsets.data, "the array of offsets");
  add(of.keys.data, "the array of keys");
  add(of.out, "the array of results");
  if (!takes_gpu(each.caller, arrays, options)) return;
  require_support(of);
  each.gpu = gpu_for(each.caller, arrays, options);
  each.on_gpu = true;
  if (each.n != 0) {
    require_alignment(of, {each.a.data, two ? "a" : "x"}, size_of(each.a.type), each.a.stride, &shared_axis::a,
                      of.outer_a);
    require_alignment(of, {each.b.data, "b"}, size_of(each.b.type), each.b.stride, &shared_axis::b, of.outer_b);
  }
  require_alignment(of, {of.out, "the array of results"}, size_of(each.result_type), of.out_stride,
                    &shared_axis::out);
  const any_offsets& offsets = of.offsets;
  if (offsets.data != nullptr) {
    require_alignment(of, {offsets.data, "the array of offsets"}, size_of(offsets.type), offsets.stride,
                      &shared_axis::index);
  }
}

void enqueue_batch(cuda::workspace::storage& storage, const batch& of) {
  if (of.count == 0) return;
  const engine::plan& each = of.each;
  const bool is_extremum = each.info().is_extremum;
  if (of.has_keys()) return enqueue_groups(storage, of);
  if (of.offsets.data != nullptr) {
    const shared_axis segments{of.count, 0, 0, of.out_stride, 0};
    const route chosen = route_of(describe(of, segments, storage.multiprocessors));
    if (is_extremum) return launch_segment_extrema(storage, of, chosen.layout);
    return enqueue_lines(storage, of, chosen, {each.a.data, each.b.data, each.n, of.out}, segments);
  }
  if (each.mode == mode::fast && !is_extremum) return launch_vectors(storage, of);  // one: require_support
  const auto [position, lines] = longest_axis(of);
  const route chosen = route_of(describe(of, lines, storage.multiprocessors));
  if (chosen.by == shape::vectors) return launch_vectors(storage, of);
  if (chosen.by == shape::right_sides) {
    const right_sides_axis right = *right_sides_of(of, lines);
    return for_each_first_line(of, position, right.position, [&, lines = lines](const engine::line& first) {
      enqueue_right_sides(storage, of, first, lines, right);
    });
  }
  for_each_first_line(of, position, position, [&, lines = lines](const engine::line& first) {
    if (is_extremum) return launch_line_extrema(storage, of, chosen, first, lines);
    enqueue_lines(storage, of, chosen, first, lines);
  });
}

void reduce_batch(const batch& of) {
  if (of.monitor != nullptr && of.monitor->cancel.load()) refuse(of, "cancelled", errc::cancelled);
  const current_gpu current(of.each.gpu);
  auto workspace = pool<cuda::workspace>::instance().acquire(of.each.gpu);
  if (workspace == nullptr) workspace = std::make_unique<cuda::workspace>();
  cuda::require_device(workspace->library_storage());
  if (of.states != nullptr) {
    add_states(workspace->library_storage(), of);
    cuda::check(cudaStreamSynchronize(workspace->stream()), "waiting for the states");
  } else if (of.has_keys()) {
    reduce_groups(workspace->library_storage(), of);
  } else {
    if (of.offsets.data != nullptr) {
      require_valid_offsets(workspace->library_storage(), of);
      if (of.each.info().is_extremum) require_no_empty_segment(workspace->library_storage(), of);
    }
    enqueue_batch(workspace->library_storage(), of);
    cuda::check(cudaStreamSynchronize(workspace->stream()), "waiting for the results");
    if (of.each.result.is_integer() && !of.each.info().is_extremum)
      cuda::check_status(workspace->library_storage());
  }
  pool<cuda::workspace>::instance().release(of.each.gpu, std::move(workspace));
  if (of.monitor != nullptr) of.monitor->done += of.elements;
}

}  // namespace exactdot::inline v0_3::cuda_engine

namespace exactdot::inline v0_3::cuda {
namespace {

/// Enqueues the batch that make(options) returns; the options place it on the workspace's device.
template <class Make>
void enqueue_placed(workspace& on, mode mode, Make make) {
  workspace::storage& storage = on.library_storage();
  const workspace_lock lock(storage);
  require_device(storage);
  options placed;
  placed.mode = mode, placed.device = device::cuda, placed.device_index = storage.device;
  cuda_engine::enqueue_batch(storage, make(placed));
}

}  // namespace

void detail::enqueue_grid(workspace& on, reduction what, const any_grid& a, const any_grid& b,
                          const any_results& out, const options& options, std::int64_t ddof) {
  enqueue_placed(on, options.mode, [&](const exactdot::options& placed) {
    return engine::make_grid_batch({"cuda", what, out, ddof}, a, b, placed);
  });
}

void detail::enqueue_segments(workspace& on, reduction what, const any_vector& a, const any_vector& b,
                              const any_offsets& offsets, const any_results& out, const options& options,
                              std::int64_t ddof) {
  enqueue_placed(on, options.mode, [&](const exactdot::options& placed) {
    return engine::make_segment_batch({"cuda", what, out, ddof}, a, b, offsets, placed);
  });
}

void detail::enqueue_groups(workspace& on, reduction what, const any_grid& a, const any_grid& b,
                            const any_keys& keys, const any_results& out, const options& options,
                            std::int64_t ddof) {
  enqueue_placed(on, options.mode, [&](const exactdot::options& placed) {
    return engine::make_group_batch({"cuda", what, out, ddof}, a, b, keys, placed);
  });
}

void detail::enqueue_group_sizes(workspace& on, const any_keys& keys, const any_results& out) {
  enqueue_placed(on, mode::exact, [&](const exactdot::options& placed) {
    return engine::make_count_batch({"cuda", reduction::sum, out, 0}, keys, placed);
  });
}

}  // namespace exactdot::inline v0_3::cuda
