// Implementation of exactdot/missing.hpp: reductions of some of the elements.
//
// The elements that stay are copied, line after line, and reduced as a vector or as segments, whose results have
// the bits of the call on these elements alone; those of groups with the keys that stay. Cost: a copy of what
// stays, 8 bytes a result, of groups also 8 bytes an element, of indices 8 bytes an element.
#include <cpu/environment.hpp>
#include <exactdot/complex.hpp>
#include <exactdot/missing.hpp>
#include <new>
#include <plan/axes.hpp>
#include <plan/batch_checks.hpp>
#include <plan/group_keys.hpp>
#include <run/complex_call.hpp>
#include <run/kept_lines.hpp>
#include <run/run.hpp>
#include <string>
#include <utility>
#include <vector>

namespace exactdot::inline v0_3::detail {
namespace {

/// Calls visit(offset of a, of b, of the mask) for every position along axes of one shape, the last one fastest.
template <class Visit>
void for_positions(std::span<const axis> a, std::span<const axis> b, std::span<const axis> mask,
                   const Visit& visit) {
  const std::size_t count = engine::positions_of(a).value_or(0);
  std::vector<std::size_t> index(a.size());
  std::ptrdiff_t offsets[3] = {};
  for (std::size_t i = 0; i < count; ++i) {
    visit(offsets[0], offsets[1], offsets[2]);
    for (std::size_t k = a.size(); k-- != 0;) {
      const std::ptrdiff_t steps[3] = {a[k].stride, b[k].stride, mask[k].stride};
      const bool carries = ++index[k] == a[k].n;
      const auto times = carries ? 1 - static_cast<std::ptrdiff_t>(a[k].n) : 1;
      for (int of = 0; of < 3; ++of) offsets[of] += times * steps[of];
      if (!carries) break;
      index[k] = 0;
    }
  }
}

const char* data_of(const any_grid& x) { return static_cast<const char*>(x.data); }

/// All elements along axes: the last one in runs.
struct element_runs {
  std::span<const axis> a, b, mask;

  template <class Visit>
  void for_runs(const Visit& visit) const {
    if (a.empty()) return visit(0, 0, 0, axis{1, 0}, axis{1, 0}, axis{1, 0});
    const auto outer = [](std::span<const axis> axes) { return axes.first(axes.size() - 1); };
    for_positions(outer(a), outer(b), outer(mask),
                  [&](std::ptrdiff_t of_a, std::ptrdiff_t of_b, std::ptrdiff_t of_mask) {
                    visit(of_a, of_b, of_mask, a.back(), b.back(), mask.back());
                  });
  }
};

/// The axes of the mask; without one those of the first input, at no distance.
struct mask_axes {
  std::vector<axis> results, elements;

  explicit mask_axes(const kept_call& call) {
    const bool has_mask = call.filter.where.data != nullptr;
    const auto set = [&](std::vector<axis>& to, std::span<const axis> of_mask, std::span<const axis> of_input) {
      if (has_mask) return to.assign(of_mask.begin(), of_mask.end());
      for (const axis& each : of_input) to.push_back({each.n, 0});
    };
    set(results, call.filter.where.results, call.a.results);
    set(elements, call.filter.where.elements, call.a.elements);
  }
};

const char* mask_data(const kept_call& call) { return static_cast<const char*>(call.filter.where.data); }

constexpr const char* host_only = "elements are left out of arrays";

[[noreturn]] void refuse(const kept_call& call, const std::string& sentence, errc code = errc::bad_option) {
  engine::throw_error(code, call.asked.caller, sentence);
}

void check_mask(const kept_call& call, std::size_t lines, std::size_t n) {
  if (call.filter.where.data == nullptr) return;
  const engine::batch_request& asked = call.asked;
  engine::require_equal_axes(asked, call.a.results, call.filter.where.results,
                             "the shapes of the array and of its mask");
  engine::require_equal_axes(asked, call.a.elements, call.filter.where.elements,
                             "the lengths of the vectors and of their mask");
  engine::check_input(asked, "where", call.mask(), lines, n);
}

void check_complex(const kept_call& call, std::size_t results, std::size_t lines, std::size_t n);

/// The checks of the call without a filter, but that a vector may be empty, and those of the filter. n: elements of
/// a result.
void check(const kept_call& call, std::size_t results, std::size_t lines, std::size_t n) {
  if (call.has_complex()) return check_complex(call, results, lines, n);
  const engine::batch_request& asked = call.asked;
  engine::check_options(asked, call.options);
  const auto one = [](const any_grid& x) { return any_vector{x.data, 1, x.type, 0, x.swapped}; };
  engine::check_each(asked, one(call.a), one(call.b), 1, call.options.mode);
  engine::check_results(asked, results);
  const std::size_t read = results != 0 ? lines : 0;
  engine::check_input(asked, call.has_two() ? "a" : "x", call.a, read, n);
  if (call.has_two()) engine::check_input(asked, "b", call.b, read, n);
  check_mask(call, read, n);
  if (call.filter.initial) {
    if (!gives_element(call.what())) refuse(call, "an initial value is for min and max");
    if (call.filter.initial->type != call.a.type) {
      refuse(call, "the initial value is " +
                       std::string(is_known(call.filter.initial->type) ? name_of(call.filter.initial->type)
                                                                       : "of an unknown type") +
                       ", the elements are " + std::string(name_of(call.a.type)));
    }
  }
  if (results == 0 || lines == 0 || n == 0) return;
  engine::keep_on_host(asked, call.a, call.b, call.options, host_only);
  if (call.filter.where.data != nullptr) engine::keep_on_host(asked, call.a, call.mask(), call.options, host_only);
}

/// The same of complex numbers: the checks of their parts, and of the memory of whole results.
void check_complex(const kept_call& call, std::size_t results, std::size_t lines, std::size_t n) {
  const engine::complex_call numbers{call.what(), call.asked.out, call.options, call.asked.caller};
  engine::check_complex_types(numbers, call.a, call.b);
  check({call.what(), engine::part_of_grid(call.a), engine::part_of_grid(call.b), call.filter,
         numbers.part_of_results(0), call.options, call.asked.ddof, call.asked.caller},
        results, lines, n);
  engine::require_apart(numbers, call.a, call.b);
  check_mask(call, results != 0 ? lines : 0, n);
}

/// Runs `reduce`; of results that have no element left it throws what that means.
template <class Reduce>
void with_elements_left(const kept_call& call, const Reduce& reduce) {
  try {
    reduce();
  } catch (const error& failure) {
    if (failure.code() != errc::empty_input) throw;
    refuse(call,
           std::string("no element is left of a result, which has no least or greatest one then") +
               (gives_index(call.what()) ? "" : "; pass initial"),
           errc::empty_input);
  }
}

/// Stores a result, whose word has the bytes of its type first.
void store(const kept_call& call, std::byte* word, std::ptrdiff_t offset) {
  const any_results& to = call.asked.out;
  const std::size_t size = size_of(to.type), part = is_complex(to.type) ? size / 2 : size;
  for (std::size_t i = 0; to.swapped && i < size; i += part) std::reverse(word + i, word + i + part);
  std::memcpy(static_cast<char*>(to.data) + offset, word, size);
}

/// Replaces an index among the elements that stay by that in the caller's vector.
void to_place(std::byte* word, const kept_lines& kept, std::size_t first) {
  std::uint64_t index = 0;
  std::memcpy(&index, word, sizeof index);
  index = kept.place(first + index);
  std::memcpy(word, &index, sizeof index);
}

/// The results of lines, which are stored at their places.
template <class Reduce>
void compute_and_store(const kept_call& call, std::size_t count, const Reduce& reduce, const kept_lines& kept,
                       const std::vector<std::int64_t>* offsets) {
  const any_results& to = call.asked.out;
  const std::size_t size = size_of(to.type);
  std::vector<std::byte> found(count * size + 1);
  const axis place{count, static_cast<std::ptrdiff_t>(size)};
  with_elements_left(call, [&] { reduce(any_results{found.data(), to.type, {&place, 1}}); });
  std::size_t i = 0;
  for_positions(to.axes, to.axes, to.axes, [&](std::ptrdiff_t offset, std::ptrdiff_t, std::ptrdiff_t) {
    std::byte* const word = &found[i * size];
    if (gives_index(call.what())) to_place(word, kept, static_cast<std::size_t>((*offsets)[i]));
    store(call, word, offset);
    ++i;
  });
}

/// The one result of all complex numbers that stay.
void reduce_as_numbers(const kept_call& call, const kept_lines& kept, const exactdot::options& on_cpu) {
  const element_type result = call.asked.out.type, part = part_of(result);
  const complex_words words =
      reduce_complex_vectors(call.what(), kept.a(), kept.b(), result, on_cpu, call.asked.caller);
  std::byte number[2 * sizeof(std::uint64_t)];
  std::memcpy(number, &words.real, size_of(part));
  std::memcpy(number + size_of(part), &words.imaginary, size_of(part));
  store(call, number, 0);
}

/// The one result of all elements that stay.
void reduce_as_vector(const kept_call& call, const kept_lines& kept) {
  const cpu_engine::standard_arithmetic environment;
  with_elements_left(call, [&] {
    exactdot::options on_cpu = call.options;
    on_cpu.device = device::cpu;
    if (call.has_complex()) return reduce_as_numbers(call, kept, on_cpu);
    std::uint64_t bits = engine::run(engine::make_plan(
        {call.asked.caller, call.what(), kept.a(), kept.b(), call.asked.out.type, call.asked.ddof, true}, on_cpu));
    std::byte word[sizeof bits];
    std::memcpy(word, &bits, sizeof bits);
    if (gives_index(call.what())) to_place(word, kept, 0);
    store(call, word, 0);
  });
}

void reduce_as_segments(const kept_call& call, const kept_lines& kept, const std::vector<std::int64_t>& offsets) {
  const std::size_t count = offsets.size() - 1;
  const any_offsets lines{offsets.data(), count, element_type::int64, sizeof(std::int64_t)};
  compute_and_store(
      call, count,
      [&](const any_results& out) {
        reduce_segments(call.what(), kept.a(), kept.b(), lines, out, call.options, call.asked.ddof,
                        call.asked.caller);
      },
      kept, &offsets);
}

/// Elements of all lines, with the initial ones. Throws std::bad_alloc for more than memory can hold: arrays with a
/// stride of 0 may have any number.
std::size_t room_for(const kept_call& call, std::size_t lines, std::size_t each, std::size_t results) {
  constexpr std::size_t most = PTRDIFF_MAX / (4 * sizeof(double));
  const std::size_t initial = call.filter.initial ? results : 0;
  std::size_t room = 0;
  if (__builtin_mul_overflow(lines, each, &room) || room > most || initial > most) throw std::bad_alloc();
  return room + initial;
}

constexpr auto keep_all = [](std::size_t, std::size_t, std::uint8_t*) {};

}  // namespace

void refuse_mask(std::size_t flags, std::size_t elements) {
  engine::throw_error(
      errc::size_mismatch, "where",
      "the mask has " + std::to_string(flags) + " flags for " + std::to_string(elements) + " elements");
}

void reduce_kept_grid(reduction what, const any_grid& a, const any_grid& b, const element_filter& filter,
                      const any_results& out, const options& options, std::int64_t ddof, const char* caller) {
  const kept_call call(what, a, b, filter, out, options, ddof, caller);
  engine::require_equal_axes(call.asked, call.a.results, call.b.results, "the shapes of the batches");
  engine::require_equal_axes(call.asked, call.a.elements, call.b.elements, "the lengths of the vectors");
  engine::require_equal_axes(call.asked, call.a.results, out.axes, "the shapes of the batch and of its results");
  const std::size_t lines = engine::count_or_refuse(call.asked, call.a.results, "results");
  const std::size_t each = engine::count_or_refuse(call.asked, call.a.elements, "elements");
  engine::refuse_adding(call.asked);
  check(call, lines, lines, each);
  kept_lines kept(call, room_for(call, lines, each, lines));
  std::vector<std::int64_t> offsets{0};
  const mask_axes mask(call);
  const element_runs runs{call.a.elements, call.b.elements, mask.elements};
  for_positions(call.a.results, call.b.results, mask.results,
                [&](std::ptrdiff_t of_a, std::ptrdiff_t of_b, std::ptrdiff_t of_mask) {
                  std::size_t place = 0;
                  runs.for_runs([&](std::ptrdiff_t in_a, std::ptrdiff_t in_b, std::ptrdiff_t in_mask,
                                    const axis& along_a, const axis& along_b, const axis& along_mask) {
                    if (each == 0) return;
                    kept.append({data_of(call.a) + of_a + in_a, along_a.stride},
                                {data_of(call.b) + of_b + in_b, along_b.stride},
                                {mask_data(call) + of_mask + in_mask, along_mask.stride}, place, along_a.n,
                                keep_all);
                    place += along_a.n;
                  });
                  kept.append_initial();
                  offsets.push_back(static_cast<std::int64_t>(kept.count()));
                });
  if (out.axes.empty()) return reduce_as_vector(call, kept);
  reduce_as_segments(call, kept, offsets);
}

void reduce_kept_segments(reduction what, const any_vector& a, const any_vector& b, const any_offsets& segments,
                          const element_filter& filter, const any_results& out, const options& options,
                          std::int64_t ddof, const char* caller) {
  const element_line line_a(a), line_b(b);
  const kept_call call(what, line_a.view(), line_b.view(), filter, out, options, ddof, caller);
  const axis places[] = {{segments.count, out.axes.empty() ? 0 : out.axes[0].stride}};
  engine::require_equal_axes(call.asked, places, out.axes, "the numbers of segments and of results");
  engine::require_equal_axes(call.asked, call.a.elements, call.b.elements, "the lengths of the vectors");
  engine::refuse_adding(call.asked);
  check(call, segments.count, 1, a.n);
  engine::batch_request of_sums = call.asked;  // an empty segment has a sum
  of_sums.what = reduction::sum;
  if (engine::are_on_gpu(call.asked, segments, options)) refuse(call, std::string(host_only) + " in host memory");
  engine::check_offsets(of_sums, segments, a.n, false);
  if (segments.count == 0) return;
  const auto at = [&](std::size_t i) { return static_cast<std::size_t>(engine::offset_at(segments, i)); };
  kept_lines kept(call, room_for(call, 1, at(segments.count) - at(0), segments.count));
  const mask_axes mask(call);
  const std::ptrdiff_t of_mask = mask.elements[0].stride;
  std::vector<std::int64_t> offsets{0};
  for (std::size_t i = 0; i < segments.count; ++i) {
    const auto start = static_cast<std::ptrdiff_t>(at(i));
    const element_run of_a{static_cast<const char*>(a.data) + start * a.stride, a.stride};
    const element_run of_b{data_of(call.b) + start * call.b.elements[0].stride, call.b.elements[0].stride};
    kept.append(of_a, of_b, {mask_data(call) + start * of_mask, of_mask}, 0, at(i + 1) - at(i), keep_all);
    kept.append_initial();
    offsets.push_back(static_cast<std::int64_t>(kept.count()));
  }
  reduce_as_segments(call, kept, offsets);
}

void reduce_kept_groups(reduction what, const any_grid& a, const any_grid& b, const any_keys& keys,
                        const element_filter& filter, const any_results& out, const options& options,
                        std::int64_t ddof, const char* caller) {
  const kept_call call(what, a, b, filter, out, options, ddof, caller);
  engine::require_equal_axes(call.asked, call.a.results, call.b.results, "the shapes of the batches");
  engine::require_equal_axes(call.asked, call.a.elements, call.b.elements, "the lengths of the vectors");
  if (call.a.elements.size() != 1) refuse(call, "groups have one axis of elements");
  std::vector<axis> wanted{{keys.groups, 0}};
  wanted.insert(wanted.end(), call.a.results.begin(), call.a.results.end());
  engine::require_equal_axes(call.asked, wanted, out.axes, "the shapes of the groups and of their results");
  const std::size_t results = engine::count_or_refuse(call.asked, wanted, "results");
  const std::size_t columns = engine::count_or_refuse(call.asked, call.a.results, "results");
  if (out.is_added_to) refuse(call, "elements that are left out are not added to results; give them the key -1");
  check(call, results, columns, call.a.elements[0].n);
  engine::check_keys(call.asked, keys, results, call.a.elements[0].n);
  if (keys.n != 0) {
    const any_grid as_input{keys.data, keys.type, {}, {}};
    engine::keep_on_host(call.asked, as_input, as_input, options, host_only);
  }
  if (!keys.skips_out_of_range) {  // for its errors
    std::vector<std::int64_t> sizes(keys.groups);
    const axis place{keys.groups, sizeof(std::int64_t)};
    group_sizes(keys, {sizes.data(), element_type::int64, {&place, 1}}, options, call.asked.caller);
  }
  const std::size_t room = room_for(call, columns, keys.n, results);
  kept_lines kept(call, room);
  std::vector<std::int64_t> new_keys, of_chunk(kept_chunk);
  new_keys.reserve(room);
  kept.keys = &new_keys, kept.keys_of_chunk = of_chunk.data();
  const mask_axes mask(call);
  std::size_t column = 0;
  for_positions(call.a.results, call.b.results, mask.results,
                [&](std::ptrdiff_t of_a, std::ptrdiff_t of_b, std::ptrdiff_t of_mask) {
                  const auto number_keys = [&](std::size_t first, std::size_t count, std::uint8_t* keep) {
                    engine::for_keys(keys, first, count, [&](std::size_t i, std::uint64_t key) {
                      if (key >= keys.groups) keep[i] = 0;
                      of_chunk[i] = static_cast<std::int64_t>(key * columns + column);
                    });
                  };
                  kept.append({data_of(call.a) + of_a, call.a.elements[0].stride},
                              {data_of(call.b) + of_b, call.b.elements[0].stride},
                              {mask_data(call) + of_mask, mask.elements[0].stride}, 0, keys.n, number_keys);
                  for (std::size_t group = 0; call.filter.initial && group < keys.groups; ++group) {
                    kept.append_initial();
                    new_keys.push_back(static_cast<std::int64_t>(group * columns + column));
                  }
                  ++column;
                });
  const any_keys numbered{new_keys.data(), new_keys.size(), element_type::int64, sizeof(std::int64_t), results};
  const element_line line_a(kept.a()), line_b(kept.b());
  compute_and_store(
      call, results,
      [&](const any_results& to) {
        reduce_groups(what, line_a.view(), line_b.view(), numbered, to, options, ddof, call.asked.caller);
      },
      kept, nullptr);
}

}  // namespace exactdot::inline v0_3::detail
