// make_plan: all checks of arguments and all choices; see plan.hpp.
#include <cstdint>
#include <limits>
#include <plan/gpu_engine.hpp>
#include <plan/plan.hpp>
#include <plan/thread_count.hpp>
#include <string>

namespace exactdot::engine {

constinit std::atomic<const gpu_engine*> registered_gpu_engine{nullptr};
constinit std::atomic<bool> gpu_may_exist{false};

void throw_error(errc code, const char* caller, const std::string& sentence) {
  throw error(code, std::string(caller) + ": " + sentence);
}

namespace {

/// Whether |stride|·(n − 1) fits in the address space, on either side of the address.
bool fits_address_space(const any_vector& x) {
  if (x.n <= 1 || x.stride == 0) return true;
  const auto address = reinterpret_cast<std::uintptr_t>(x.data);
  const auto step = static_cast<std::uint64_t>(x.stride < 0 ? -(x.stride + 1) : x.stride - 1) + 1;
  const std::uint64_t room = x.stride < 0 ? address : std::numeric_limits<std::uintptr_t>::max() - address;
  return (x.n - 1) <= room / step;
}

void check_input(const char* caller, const char* name, const any_vector& x) {
  if (x.n != 0 && x.data == nullptr) {
    throw_error(errc::null_pointer, caller, "a null pointer for a vector of " + std::to_string(x.n) + " elements");
  }
  if (!fits_address_space(x)) {
    throw_error(errc::bad_option, caller,
                std::string(name) + ": " + std::to_string(x.n) + " elements with a stride of " +
                    std::to_string(x.stride) + " bytes exceed the address space");
  }
}

void check_options(const char* caller, const options& options) {
  if (options.mode != mode::exact && options.mode != mode::fast) {
    throw_error(errc::bad_option, caller, "unknown mode; use mode::exact or mode::fast");
  }
  if (options.threads < 0) {
    throw_error(errc::bad_option, caller,
                "threads is " + std::to_string(options.threads) + "; use 0 (automatic) or more");
  }
  if (options.device != device::cpu && options.device != device::automatic && options.device != device::cuda) {
    throw_error(errc::bad_option, caller, "unknown device; use device::automatic, device::cpu or device::cuda");
  }
}

operand to_operand(const any_vector& x) { return {x.data, x.stride, x.swapped, is_contiguous(x), {}}; }

/// Lets the GPU engine decide, if there is one to ask.
void choose_engine(plan& plan, const options& options) {
  const gpu_engine* const engine = registered_gpu_engine.load(std::memory_order_acquire);
  plan.gpu_demanded = options.device == device::cuda;
  if (plan.gpu_demanded && engine == nullptr) {
    throw_error(errc::no_device, plan.caller,
                "this program has no CUDA engine; link exactdot::cuda, of a build with a CUDA compiler, or use "
                "device::cpu or device::automatic");
  }
  if (engine == nullptr) return;
  if (plan.gpu_demanded || (plan.n != 0 && asks_gpu_engine(options.device, plan.n))) engine->choose(plan, options);
}

}  // namespace

void check_types_and_lengths(const request& asked) {
  if (static_cast<std::size_t>(asked.what) >= core::reduction_table.size()) {
    throw_error(errc::bad_option, asked.caller,
                "unknown reduction " + std::to_string(static_cast<int>(asked.what)));
  }
  for (const element_type type : {asked.a.type, asked.b.type, asked.result}) {
    if (!is_known(type)) {
      throw_error(errc::bad_option, asked.caller, "unknown element type " + std::to_string(static_cast<int>(type)));
    }
  }
  if (asked.a.n != asked.b.n) {
    throw_error(errc::size_mismatch, asked.caller,
                "the vectors differ in length (" + std::to_string(asked.a.n) + " and " + std::to_string(asked.b.n) +
                    " elements)");
  }
  if (asked.a.type != asked.b.type) {
    throw_error(errc::bad_option, asked.caller,
                "the vectors differ in type (" + std::string(name_of(asked.a.type)) + " and " +
                    std::string(name_of(asked.b.type)) + ")");
  }
}

plan unplaced_plan(const request& asked, mode mode) {
  const core::reduction_info& info = core::info_of(asked.what);
  plan made;
  made.caller = asked.caller;
  made.mode = mode;
  made.element = asked.a.type;
  made.term = info.term;
  made.result = {info.finish, core::format_of(asked.result)};
  made.result_type = asked.result;
  made.a = to_operand(asked.a);
  made.b = to_operand(asked.b);
  made.n = asked.a.n;
  made.contiguous = made.a.contiguous && made.b.contiguous;
  made.bounded_sum_can_decide = bounded_sum_can_decide(asked.a.type, asked.result);
  return made;
}

plan make_plan(const request& asked, const options& options) {
  check_types_and_lengths(asked);
  check_input(asked.caller, "a", asked.a);
  check_input(asked.caller, "b", asked.b);
  check_options(asked.caller, options);
  plan made = unplaced_plan(asked, options.mode);
  made.monitor = options.monitor;
  made.threads = threads_for(made.n, options.threads);
  choose_engine(made, options);
  return made;
}

}  // namespace exactdot::engine
