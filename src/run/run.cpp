// The entries of the library behind every face (run.hpp, exactdot/reductions.hpp).
#include <algorithm>
#include <cpu/batch.hpp>
#include <cpu/environment.hpp>
#include <cpu/levels.hpp>
#include <cpu/ratios.hpp>
#include <cpu/reduce.hpp>
#include <cpu/shared_rows.hpp>
#include <exactdot/batches.hpp>
#include <exactdot/complex.hpp>
#include <exactdot/ratios.hpp>
#include <exactdot/reductions.hpp>
#include <plan/batch_checks.hpp>
#include <plan/gpu_engine.hpp>
#include <plan/group_batch.hpp>
#include <plan/group_keys.hpp>
#include <plan/thread_count.hpp>
#include <run/run.hpp>
#include <string>
#include <utility>

namespace exactdot::inline v0_3 {
namespace engine {

std::uint64_t run(const plan& plan) {
  if (plan.on_gpu) return registered_gpu_engine.load(std::memory_order_acquire)->reduce(plan);
  return cpu_engine::reduce(plan);
}

void add(const plan& plan, std::int64_t* words) {
  if (plan.on_gpu) return registered_gpu_engine.load(std::memory_order_acquire)->add(plan, words);
  cpu_engine::add(plan, words);
}

plan for_cpu(plan plan) {
  plan.on_gpu = false;
  return plan;
}

}  // namespace engine

namespace detail {
namespace {

[[gnu::noinline]] std::uint64_t reduce_by_plan(reduction what, const any_vector& a, const any_vector& b,
                                               element_type result, const options& options, std::int64_t ddof) {
  const cpu_engine::standard_arithmetic environment;
  const engine::request asked{name_of(what), what, a, b, result, ddof, true};
  const engine::plan plan = engine::make_plan(asked, options);
  return engine::run(plan);
}

/// Whether the reduction has one sum that its result is made of, so that a short call can skip the plan.
bool needs_no_plan(reduction what, mode mode) {
  const auto& info = core::info_of(what);
  return info.sums == 1 && (mode == mode::exact || info.finish == core::finish::round);
}

/// The results of calls on contiguous carriers that need no plan. Six arguments: the calls pass them on in
/// registers. In another environment than the standard one they call themselves in that, by functions of their own:
/// an object to destroy would cost every call some nanoseconds.
std::uint64_t exact_in_standard(reduction what, element_type carrier, element_type result, const void* a,
                                const void* b, std::size_t n);
std::uint64_t fast_in_standard(reduction what, element_type carrier, element_type result, const void* a,
                               const void* b, std::size_t n);

[[gnu::noinline]] std::uint64_t exact_without_plan(reduction what, element_type carrier, element_type result,
                                                   const void* a, const void* b, std::size_t n) {
  if (!cpu_engine::arithmetic_is_standard()) [[unlikely]] {
    return exact_in_standard(what, carrier, result, a, b, n);
  }
  const auto& info = core::info_of(what);
  return cpu_engine::reduce_short(cpu_engine::current_kernels(carrier, info.term), info.finish, carrier, result, a,
                                  b, n);
}
[[gnu::noinline]] std::uint64_t fast_without_plan(reduction what, element_type carrier, element_type result,
                                                  const void* a, const void* b, std::size_t n) {
  if (!cpu_engine::arithmetic_is_standard()) [[unlikely]] {
    return fast_in_standard(what, carrier, result, a, b, n);
  }
  const std::uint64_t sum = cpu_engine::current_kernels(carrier, core::info_of(what).term).fast(a, b, n);
  const core::result_rule rule(core::finish::round, core::format_of(result));
  return with_carrier(carrier, [&]<class T>(T) { return core::converted_word(rule, core::from_word<T>(sum)); });
}
[[gnu::noinline]] std::uint64_t exact_in_standard(reduction what, element_type carrier, element_type result,
                                                  const void* a, const void* b, std::size_t n) {
  const cpu_engine::standard_arithmetic environment;
  return exact_without_plan(what, carrier, result, a, b, n);
}
[[gnu::noinline]] std::uint64_t fast_in_standard(reduction what, element_type carrier, element_type result,
                                                 const void* a, const void* b, std::size_t n) {
  const cpu_engine::standard_arithmetic environment;
  return fast_without_plan(what, carrier, result, a, b, n);
}
std::uint64_t reduce_without_plan(reduction what, element_type carrier, element_type result, const void* a,
                                  const void* b, std::size_t n, mode mode) {
  return mode == mode::exact ? exact_without_plan(what, carrier, result, a, b, n)
                             : fast_without_plan(what, carrier, result, a, b, n);
}

/// Narrow vectors up to this length are converted on the stack: a plan takes longer than their reduction.
constexpr std::size_t longest_on_stack = 1024;

/// How to convert elements for reduce_converted; null if a call on so many of them needs a plan.
engine::widening widening_without_plan(element_type elements, element_type result, std::size_t n) {
  const bool suits = is_known(elements) && is_known(result) && !is_integer(result) && n <= longest_on_stack;
  return suits ? cpu_engine::current_widening(elements) : nullptr;
}

/// The result of a call on contiguous narrow elements that needs no plan.
[[gnu::noinline]] std::uint64_t reduce_converted(reduction what, element_type elements, element_type result,
                                                 const void* a, const void* b, std::size_t n, mode mode,
                                                 engine::widening widen) {
  alignas(64) std::byte x[longest_on_stack * sizeof(double)], other[longest_on_stack * sizeof(double)];
  widen(a, n, x);
  if (b != a) widen(b, n, other);
  if (is_integer(elements)) mode = mode::exact;  // as in a plan
  return reduce_without_plan(what, core::carrier_of(elements), result, x, b == a ? x : other, n, mode);
}

}  // namespace

void require_one_input(reduction what) {
  if (!is_known(what) || inputs_of(what) == 1) return;
  engine::throw_error(errc::bad_option, "reduce",
                      std::string(name_of(what)) + " takes two vectors; call " + name_of(what) + "(a, b)");
}

void require_two_inputs(reduction what) {
  if (!is_known(what) || inputs_of(what) == 2) return;
  engine::throw_error(errc::bad_option, "reduce", std::string(name_of(what)) + " takes one vector");
}

namespace {
/// A dot that needs its elements converted, or a plan.
[[gnu::noinline]] std::uint64_t other_dot(element_type elements, element_type result, const void* a, const void* b,
                                          std::size_t n, const options& options) {
  const engine::widening widen = widening_without_plan(elements, result, n);
  if (widen != nullptr && engine::is_short_call(a, b, n, options)) {
    return reduce_converted(reduction::dot, elements, result, a, b, n, options.mode, widen);
  }
  const auto stride = static_cast<std::ptrdiff_t>(is_known(elements) ? size_of(elements) : 0);
  return reduce_by_plan(reduction::dot, {a, n, elements, stride, false}, {b, n, elements, stride, false}, result,
                        options, 0);
}
}  // namespace

std::uint64_t dot(element_type elements, element_type result, const void* a, const void* b, std::size_t n,
                  const options& options) {
  if (is_carrier(elements) && !is_integer(result) && engine::is_short_call(a, b, n, options)) {
    return reduce_without_plan(reduction::dot, elements, result, a, b, n, options.mode);
  }
  return other_dot(elements, result, a, b, n, options);
}

std::uint64_t reduce_to_bits(reduction what, const any_vector& a, const any_vector& b, element_type result,
                             const options& options, std::int64_t ddof) {
  return reduce_by_plan(what, a, b, result, options, ddof);
}

std::uint64_t reduce_to_bits(reduction what, const any_vector& x, element_type result, const options& options,
                             std::int64_t ddof) {
  const bool of_one_sum = is_known(what) && inputs_of(what) == 1 && needs_no_plan(what, options.mode) && ddof >= 0;
  if (of_one_sum && is_known(x.type) && is_contiguous(x) && is_known(result) && !is_integer(result) &&
      engine::is_short_call(x.data, x.data, x.n, options)) {
    if (is_carrier(x.type)) return reduce_without_plan(what, x.type, result, x.data, x.data, x.n, options.mode);
    const engine::widening widen = widening_without_plan(x.type, result, x.n);
    if (widen != nullptr) {
      return reduce_converted(what, x.type, result, x.data, x.data, x.n, options.mode, widen);
    }
  }
  return reduce_by_plan(what, x, x, result, options, ddof);
}

namespace {
void run_batch(engine::batch batch) {
  const cpu_engine::standard_arithmetic environment;
  if (!batch.each.on_gpu) return cpu_engine::reduce(std::move(batch));
  engine::registered_gpu_engine.load(std::memory_order_acquire)->reduce_batch(batch);
}

bool has_complex(element_type a, element_type b, element_type result) {
  return is_complex(a) || is_complex(b) || is_complex(result);
}

/// Whether bytes [a, a + n) and [b, b + m) have none in common.
bool are_apart(const void* a, std::size_t n, const void* b, std::size_t m) {
  const auto first = reinterpret_cast<std::uintptr_t>(a), second = reinterpret_cast<std::uintptr_t>(b);
  return first + n <= second || second + m <= first;
}

/// Computes the product of a small matrix and a vector without a batch, whose checks it all passes. False if this
/// is another call, or one that a batch computes in less time.
bool multiplied_without_batch(const engine::batch_request& asked, const any_grid& a, const any_grid& b,
                              const options& options) {
  const any_results& out = asked.out;
  if (!is_known(asked.what) || asked.ddof < 0 || options.mode != mode::exact) return false;
  const core::reduction_info& info = core::info_of(asked.what);
  if (info.inputs != 2 || !info.is_sum()) return false;
  for (const std::size_t axes : {a.results.size(), a.elements.size(), b.results.size(), b.elements.size()}) {
    if (axes != 1) return false;
  }
  if (out.axes.size() != 1 || !is_carrier(a.type) || a.type != b.type || !is_carrier(out.type)) return false;
  const std::size_t count = a.results[0].n, n = a.elements[0].n, size = size_of(a.type);
  const std::ptrdiff_t step = a.results[0].stride;
  constexpr std::size_t longest = 2 * engine::elements_per_thread, always = ~std::size_t{0};
  if (engine::asks_gpu_engine(options.device, always)) return false;  // arrays may lie in its memory
  if (count > longest || n > longest || !engine::is_short_call(a.data, b.data, count * n, options)) return false;
  if (b.results[0].n != count || out.axes[0].n != count || b.elements[0].n != n) return false;
  const auto in_order = [](const axis& x, std::size_t bytes) {
    return x.n == 1 || x.stride == static_cast<std::ptrdiff_t>(bytes);
  };
  const bool is_plain = !a.swapped && !b.swapped && !out.swapped && in_order(a.elements[0], size) &&
                        in_order(b.elements[0], size) && in_order(out.axes[0], size_of(out.type));
  constexpr std::ptrdiff_t farthest = std::ptrdiff_t{1} << 32;  // no address wraps around
  if (!is_plain || b.results[0].stride != 0 || step < 0 || step > farthest) return false;
  const std::size_t of_out = count * size_of(out.type);
  const std::size_t of_a = (count - 1) * static_cast<std::size_t>(step) + n * size;
  const bool is_apart = are_apart(out.data, of_out, a.data, of_a) && are_apart(out.data, of_out, b.data, n * size);
  if (out.data == nullptr || !is_apart || !engine::bounded_sum_can_decide(a.type, out.type)) return false;
  const cpu_engine::standard_arithmetic environment;
  return cpu_engine::reduce_short_rows({a.type, out.type, info.term, a.data, step, count, b.data, n, out.data});
}
}  // namespace

void reduce_grid(reduction what, const any_grid& a, const any_grid& b, const any_results& out,
                 const options& options, std::int64_t ddof, const char* caller) {
  const engine::batch_request asked{caller != nullptr ? caller : name_of(what), what, out, ddof, nullptr, true};
  if (has_complex(a.type, b.type, out.type)) return reduce_complex_grid(what, a, b, out, options, asked.caller);
  if (multiplied_without_batch(asked, a, b, options)) return;
  run_batch(engine::make_grid_batch(asked, a, b, options));
}

void reduce_matrix(reduction what, const any_grid& x, const any_results& out, const options& options,
                   std::int64_t ddof, const char* caller) {
  const auto differ = [&](const std::string& shape) {
    engine::throw_error(errc::size_mismatch, caller, "the matrix of all pairs has " + shape);
  };
  if (x.results.size() != 1) differ("rows and columns, the vectors lie along one axis");
  const axis along = x.results[0];
  const std::size_t m = along.n;
  std::size_t count = 0;
  const bool fits = !__builtin_mul_overflow(m, m, &count);
  axis places[2];
  if (out.axes.size() == 1) {
    const auto stride = out.axes[0].stride;
    if (!fits || out.axes[0].n != count) {
      differ("a result for each of " + std::to_string(m) + " x " + std::to_string(m) + " pairs, not " +
             std::to_string(out.axes[0].n));
    }
    places[0] = {m, static_cast<std::ptrdiff_t>(m) * stride}, places[1] = {m, stride};
  } else {
    if (out.axes.size() != 2 || out.axes[0].n != m || out.axes[1].n != m) {
      differ(std::to_string(m) + " rows and columns, the results another shape");
    }
    places[0] = out.axes[0], places[1] = out.axes[1];
  }
  const axis rows[] = {along, {m, 0}}, columns[] = {{m, 0}, along};
  const any_results to{out.data, out.type, places, out.swapped};
  const engine::batch_request asked{caller, what, to, ddof, nullptr, true};
  const engine::batch pairs = engine::make_grid_batch(asked, {x.data, x.type, rows, x.elements, x.swapped},
                                                      {x.data, x.type, columns, x.elements, x.swapped}, options);
  const cpu_engine::standard_arithmetic environment;
  if (m != 0) cpu_engine::ratio_matrix(pairs, m);
}

void reduce_segments(reduction what, const any_vector& a, const any_vector& b, const any_offsets& offsets,
                     const any_results& out, const options& options, std::int64_t ddof, const char* caller) {
  const engine::batch_request asked{caller != nullptr ? caller : name_of(what), what, out, ddof, nullptr, true};
  if (has_complex(a.type, b.type, out.type)) {
    return reduce_complex_segments(what, a, b, offsets, out, options, asked.caller);
  }
  run_batch(engine::make_segment_batch(asked, a, b, offsets, options));
}

void reduce_groups(reduction what, const any_grid& a, const any_grid& b, const any_keys& keys,
                   const any_results& out, const options& options, std::int64_t ddof, const char* caller) {
  const engine::batch_request asked{caller != nullptr ? caller : name_of(what), what, out, ddof, nullptr, true};
  if (has_complex(a.type, b.type, out.type)) return reduce_complex_groups(what, a, b, keys, out, options, asked.caller);
  run_batch(engine::make_group_batch(asked, a, b, keys, options));
}

void group_sizes(const any_keys& keys, const any_results& out, const options& options, const char* caller) {
  engine::store_group_sizes({caller, reduction::sum, out, 0}, keys, options);
}

std::size_t groups_of_keys(const any_keys& keys, const options& options, const char* caller) {
  engine::check_keys({caller, reduction::max, {}}, keys, 0, keys.n);
  if (keys.n == 0) return 0;
  const element_line line({keys.data, keys.n, keys.type, keys.stride, keys.swapped});
  any_scalar greatest{keys.type, 0};
  reduce_grid(reduction::max, line.view(), line.view(), {&greatest.bits, keys.type, {}, false}, options, 0, caller);
  return with_element(keys.type, [&]<class Key>(Key) -> std::size_t {
    if constexpr (std::is_integral_v<Key>) {
      const auto key = greatest.as<Key>();
      const std::size_t most = engine::most_derived_groups(keys.n);
      if (std::cmp_less(key, most)) return std::cmp_less(key, 0) ? 0 : static_cast<std::size_t>(key) + 1;
      engine::throw_error(errc::bad_option, caller,
                          "the greatest key is " + std::to_string(key) + ", and " + std::to_string(keys.n) +
                              " keys make at most " + std::to_string(most) +
                              " groups; number the keys that occur, or pass the number of groups");
    }
    return 0;
  });
}

}  // namespace detail
}  // namespace exactdot::inline v0_3
