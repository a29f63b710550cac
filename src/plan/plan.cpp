// make_plan: all checks of arguments and all choices; see plan.hpp.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exactdot/core/ratio.hpp>
#include <limits>
#include <plan/gpu_engine.hpp>
#include <plan/plan.hpp>
#include <plan/thread_count.hpp>
#include <string>

namespace exactdot::inline v0_3::engine {

constinit std::atomic<const gpu_engine*> registered_gpu_engine{nullptr};
constinit std::atomic<bool> gpu_may_exist{false};

void throw_error(errc code, const char* caller, const std::string& sentence) {
  throw error(code, std::string(caller) + ": " + sentence);
}

namespace {

/// Whether |stride|·(n − 1) is the size of an object, and fits in the address space on that side of the address.
bool fits_address_space(const any_vector& x) {
  if (x.n <= 1 || x.stride == 0) return true;
  const auto address = reinterpret_cast<std::uintptr_t>(x.data);
  const auto step = static_cast<std::uint64_t>(x.stride < 0 ? -(x.stride + 1) : x.stride - 1) + 1;
  const std::uint64_t room = x.stride < 0 ? address : std::numeric_limits<std::uintptr_t>::max() - address;
  constexpr auto max_bytes = static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max());
  return (x.n - 1) <= std::min(room, max_bytes - size_of(x.type)) / step;
}

void check_input(const char* caller, const char* name, const any_vector& x) {
  if (x.n != 0 && x.data == nullptr) {
    throw_error(errc::null_pointer, caller, "a null pointer for a vector of " + std::to_string(x.n) + " elements");
  }
  check_extent(caller, name, x);
}

void check_options(const char* caller, const options& options) {
  if (options.threads < 0) {
    throw_error(errc::bad_option, caller,
                "threads is " + std::to_string(options.threads) + "; use 0 (automatic) or more");
  }
  if (options.device != device::cpu && options.device != device::automatic && options.device != device::cuda) {
    throw_error(errc::bad_option, caller, "unknown device; use automatic, cpu or cuda");
  }
}

operand to_operand(const any_vector& x, element_type carrier) {
  return {x.data, x.stride, x.type, x.swapped, is_contiguous(x) && x.type == carrier, {}};
}

/// Lets the GPU engine decide, if there is one to ask.
void choose_engine(plan& plan, const options& options) {
  plan.gpu_demanded = options.device == device::cuda;
  const gpu_engine* const engine = gpu_engine_to_ask(plan.caller, options, plan.n);
  if (engine != nullptr) engine->choose(plan, options);
  keep_ratio_on_host(plan);
}

std::string quoted(element_type type) { return std::string(name_of(type)); }

void check_result_type(const request& asked) {
  const element_type type = asked.a.type, result = asked.result;
  const auto refuse = [&](const std::string& allowed) {
    throw_error(errc::bad_option, asked.caller,
                "the result type is " + quoted(result) + "; use " + allowed + " for elements of " + quoted(type));
  };
  if (gives_index(asked.what)) {
    if (result != element_type::int64 && result != element_type::uint64) refuse("int64 or uint64");
  } else if (gives_element(asked.what)) {
    if (result != type) refuse(quoted(type));
  } else if (is_integer(result)) {
    const bool keeps_integers = core::info_of(asked.what).finish == core::finish::round;
    const bool is_64_bit = result == element_type::int64 || result == element_type::uint64;
    if (!is_integer(type) || !keeps_integers) refuse("a floating-point type");
    if (!is_64_bit) refuse("int64, uint64 or a floating-point type");
  }
}

void check_types(const request& asked) {
  if (static_cast<std::size_t>(asked.what) >= core::reduction_table.size()) {
    throw_error(errc::bad_option, asked.caller,
                "unknown reduction " + std::to_string(static_cast<int>(asked.what)));
  }
  const bool two = core::info_of(asked.what).inputs == 2;
  for (const element_type type : {asked.a.type, two ? asked.b.type : asked.a.type, asked.result}) {
    if (!is_known(type)) {
      throw_error(errc::bad_option, asked.caller,
                  is_complex(type) ? std::string(name_of(type)) + ": this call takes real numbers"
                                   : "unknown element type " + std::to_string(static_cast<int>(type)));
    }
  }
  if (two && asked.a.n != asked.b.n) {
    throw_error(errc::size_mismatch, asked.caller,
                "the vectors differ in length (" + std::to_string(asked.a.n) + " and " + std::to_string(asked.b.n) +
                    " elements)");
  }
  if (two && !core::info_of(asked.what).is_ratio && is_integer(asked.a.type) != is_integer(asked.b.type)) {
    throw_error(errc::bad_option, asked.caller,
                "one vector holds integers (" + quoted(is_integer(asked.a.type) ? asked.a.type : asked.b.type) +
                    "), the other floating-point numbers; convert one of them");
  }
}

}  // namespace

const gpu_engine* gpu_engine_to_ask(const char* caller, const options& options, std::size_t n) {
  const gpu_engine* const engine = registered_gpu_engine.load(std::memory_order_acquire);
  const bool demanded = options.device == device::cuda;
  if (demanded && engine == nullptr) {
    throw_error(
        errc::no_device, caller,
        "this program has no CUDA engine; link that of a build with a CUDA compiler, or use the device cpu or "
        "automatic");
  }
  const bool asks = demanded || (n != 0 && asks_gpu_engine(options.device, n));
  return asks ? engine : nullptr;
}

void keep_ratio_on_host(plan& plan) {
  if (!plan.info().is_ratio) return;
  const auto is_device = [](const operand& x) { return x.where.kind == memory_kind::device; };
  plan.on_gpu = false;
  if (!plan.gpu_demanded && !is_device(plan.a) && !is_device(plan.b)) return;
  throw_error(errc::bad_option, plan.caller,
              std::string(name_of(plan.what)) + " is computed on a CPU, of arrays in host memory; copy them there");
}

void check_extent(const char* caller, const char* name, const any_vector& x) {
  if (fits_address_space(x)) return;
  throw_error(errc::bad_option, caller,
              std::string(name) + ": " + std::to_string(x.n) + " elements with a stride of " +
                  std::to_string(x.stride) + " bytes exceed the address space");
}

void check_request(const request& asked, mode mode) {
  if (mode != mode::exact && mode != mode::fast) {
    throw_error(errc::bad_option, asked.caller, "unknown mode; use exact or fast");
  }
  check_types(asked);
  check_result_type(asked);
  if (asked.ddof < 0) {
    throw_error(errc::bad_option, asked.caller, "ddof is " + std::to_string(asked.ddof) + "; use 0 or more");
  }
  const core::reduction_info& info = core::info_of(asked.what);
  if ((info.needs_squares() || info.is_ratio) && mode == mode::fast) {
    throw_error(
        errc::bad_option, asked.caller,
        std::string("mode fast has no ") + (info.is_ratio ? name_of(asked.what) : "variance") + "; use mode exact");
  }
  if (info.is_ratio && !asked.takes_ratios) {
    throw_error(errc::bad_option, asked.caller,
                std::string(name_of(asked.what)) +
                    " is made of several sums; it is computed of arrays in host memory, by "
                    "the calls that return results");
  }
  if (asked.a.n == 0 && core::info_of(asked.what).is_extremum) {
    throw_error(errc::empty_input, asked.caller, "the vector is empty, so it has no least or greatest element");
  }
}

void check_output(const char* caller, const any_vector& x, const char* name, const void* result,
                  std::size_t bytes) {
  if (!exactdot::detail::overlaps(x, result, bytes)) return;
  throw_error(errc::bad_option, caller,
              std::string("the result lies within ") + name + "; pass memory outside the vector");
}

plan unplaced_plan(const request& asked, mode mode) {
  const core::reduction_info& info = core::info_of(asked.what);
  const any_vector& b = info.inputs == 2 ? asked.b : asked.a;
  plan made;
  made.caller = asked.caller;
  made.what = asked.what;
  made.mode = is_integer(asked.a.type) ? mode::exact : mode;  // sums of integers are exact in both
  made.carrier =
      info.is_extremum ? asked.a.type : core::wider(core::carrier_of(asked.a.type), core::carrier_of(b.type));
  if (info.is_ratio && core::has_cubes(info)) made.carrier = element_type::float64;
  made.term = info.term;
  made.result = {info.finish, core::format_of(asked.result)};
  made.result_type = asked.result;
  made.a = to_operand(asked.a, made.carrier);
  made.b = to_operand(b, made.carrier);
  made.n = asked.a.n;
  made.ddof = static_cast<std::uint64_t>(asked.ddof);
  made.contiguous = made.a.contiguous && made.b.contiguous;
  made.bounded_sum_can_decide =
      !info.is_extremum && !made.has_parts() && bounded_sum_can_decide(made.carrier, asked.result);
  if (!info.is_extremum) made.term = made.term_of(0);
  return made;
}

plan make_plan(const request& asked, const options& options) {
  check_request(asked, options.mode);
  const bool two = core::info_of(asked.what).inputs == 2;
  check_input(asked.caller, two ? "a" : "x", asked.a);
  if (two) check_input(asked.caller, "b", asked.b);
  check_options(asked.caller, options);
  plan made = unplaced_plan(asked, options.mode);
  made.monitor = options.monitor;
  made.threads = threads_for(made.n, options.threads);
  choose_engine(made, options);
  return made;
}

std::uint64_t result_of_nothing(const plan& plan) {
  std::int64_t words[2 * core::max_state_words] = {};
  return exact_result(plan, words);
}

template <class T>
std::uint64_t fast_result(const plan& plan, T sum) {
  if (plan.info().finish == core::finish::root) sum = std::sqrt(sum);
  if (plan.info().finish == core::finish::quotient) sum /= static_cast<T>(plan.n);
  return core::converted_word(plan.result, sum);
}
template std::uint64_t fast_result(const plan&, float);
template std::uint64_t fast_result(const plan&, double);

core::outcome outcome_of(const plan& plan, std::int64_t* words) noexcept {
  const core::state_layout layout = plan.layout();
  if (!plan.info().needs_squares()) return core::finish_state(plan.result, layout, words, plan.n);
  std::int64_t scratch[core::max_moment_limbs];
  return core::finish_moments(plan.result, layout, words, words + layout.words(), plan.n, plan.ddof, scratch);
}

std::uint64_t exact_result(const plan& plan, std::int64_t* words) { return word_of(plan, outcome_of(plan, words)); }

std::uint64_t word_of(const plan& plan, const core::outcome& found) {
  if (found.overflows) {
    throw_error(errc::overflow, plan.caller,
                "the result does not fit into " + quoted(plan.result_type) + "; use a floating-point result type");
  }
  return found.word;
}

}  // namespace exactdot::inline v0_3::engine
