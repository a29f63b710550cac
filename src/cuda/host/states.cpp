// The calls of exactdot/cuda/states.hpp: checks and launches.
#include <cuda/host/launch.hpp>
#include <exactdot/cuda/states.hpp>
#include <string>

namespace exactdot::inline v0_3::cuda {
namespace {

constexpr const char* caller = "cuda";

std::size_t stride_of(const state_rows& states) {
  return states.stride == 0 ? states.format.words() : states.stride;
}

/// Words from the first of all rows to the last.
std::size_t extent_of(const state_rows& states) {
  return states.rows == 0 ? 0 : (states.rows - 1) * stride_of(states) + states.format.words();
}

void check_words(const workspace::storage& storage, const state_rows& states, const std::int64_t* words,
                 std::size_t stride, const char* name) {
  if (states.rows == 0) return;
  if (stride < states.format.words()) {
    engine::throw_error(errc::bad_option, caller,
                        "rows of " + std::to_string(states.format.words()) + " words cannot be " +
                            std::to_string(stride) + " words apart");
  }
  constexpr auto max_words = static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(std::int64_t);
  if (states.rows > max_words / stride) {
    engine::throw_error(errc::bad_option, caller, std::string(name) + " exceed the address space");
  }
  const auto step = static_cast<std::ptrdiff_t>(stride * sizeof(std::int64_t));
  require_reachable(storage, words, states.rows, step, sizeof(std::int64_t), name);
}

void check_type(element_type type) {
  if (is_known(type)) return;
  engine::throw_error(errc::bad_option, caller, "unknown element type " + std::to_string(static_cast<int>(type)));
}

void check_format(const state_format& format) {
  check_type(format.type);
  if (format.words() != 0) return;
  const std::string name = is_known(format.what) ? name_of(format.what) : "an unknown reduction";
  engine::throw_error(errc::bad_option, caller, "there are no states of " + name + " in this form");
}

/// Whether states of a format have this result.
bool has_result(const state_format& format, reduction what) {
  const core::reduction_info &state = core::info_of(format.what), &result = core::info_of(what);
  if (state.sums == 1 && !state.counts_elements()) return result.sums == 1;  // an accumulator's, of any terms
  return state.provides(result);
}

/// Throws unless the states have this result in this type.
void check_result(const state_rows& states, reduction what, element_type type, const finish_options& options) {
  check_type(type);
  const auto refuse = [&](const std::string& sentence) { engine::throw_error(errc::bad_option, caller, sentence); };
  if (!is_known(what)) refuse("unknown reduction " + std::to_string(static_cast<int>(what)));
  const core::reduction_info& info = core::info_of(what);
  const std::string name = name_of(what);
  if (info.is_extremum) refuse(name + " is no sum; states of sums give no " + name);
  if (!has_result(states.format, what)) {
    refuse("states of " + std::string(name_of(states.format.what)) + " give no " + name +
           (info.needs_squares() ? "; use those of a variance (moments_into)" : ""));
  }
  const bool is_sum_of_integers = is_integer(states.format.type) && info.finish == core::finish::round;
  if (is_integer(type) && (!is_sum_of_integers || size_of(type) != 8)) {
    refuse("a " + name + " of " + std::string(name_of(states.format.type)) + " cannot be rounded to " +
           std::string(name_of(type)));
  }
  if (options.ddof < 0) refuse("ddof is " + std::to_string(options.ddof) + "; use 0 or more");
}

/// Throws if `bytes` bytes at `first` overlap the words.
void check_apart(const state_rows& states, const void* first, std::size_t bytes, const char* name) {
  const auto begin = reinterpret_cast<std::uintptr_t>(first);
  const auto words = reinterpret_cast<std::uintptr_t>(states.words);
  const std::uintptr_t end = words + extent_of(states) * sizeof(std::int64_t);
  if (bytes == 0 || begin >= end || begin + bytes <= words) return;
  engine::throw_error(errc::bad_option, caller, std::string(name) + " overlap the words");
}

cuda_engine::word_rows rows_of(const state_rows& states) {
  return {engine::stored_state(states.format), states.words, stride_of(states), states.rows};
}

}  // namespace

checked_rounding check_rounding(const workspace::storage& storage, const state_rows& states, reduction what,
                                element_type type, void* results, const finish_options& options) {
  check_format(states.format);
  check_result(states, what, type, options);
  check_words(storage, states, states.words, stride_of(states), "words");
  const std::size_t bytes = size_of(type);
  require_reachable(storage, results, states.rows, static_cast<std::ptrdiff_t>(bytes), bytes, "results");
  check_apart(states, results, states.rows * bytes, "the results");
  cuda_engine::destination to;
  to.value = results, to.status = storage.status, to.count = options.count;
  to.rule = {core::info_of(what).finish, core::format_of(type)};
  const core::reduction_info& state = core::info_of(states.format.what);
  const int sum = state.sums == 2 && core::info_of(what).sums == 1 ? state.sum_of(core::info_of(what).term) : 0;
  return {rows_of(states), {sum, static_cast<std::uint64_t>(options.ddof)}, to};
}

void detail::round(workspace& on, const state_rows& states, reduction what, element_type type, void* results,
                   const finish_options& options) {
  workspace::storage& storage = on.library_storage();
  const workspace_lock lock(storage);
  require_device(storage);
  const checked_rounding asked = check_rounding(storage, states, what, type, results, options);
  if (states.rows != 0) round_rows(storage, asked.rows, asked.finish, asked.to);
}

void detail::merge(workspace& on, const state_rows& states, const std::int64_t* others, std::size_t other_stride) {
  workspace::storage& storage = on.library_storage();
  const workspace_lock lock(storage);
  require_device(storage);
  check_format(states.format);
  check_words(storage, states, states.words, stride_of(states), "words");
  if (others != nullptr) {
    check_words(storage, states, others, other_stride, "the other words");
    const std::size_t words = states.rows == 0 ? 0 : (states.rows - 1) * other_stride + states.format.words();
    check_apart(states, others, words * sizeof(std::int64_t), "the other words");
  }
  if (states.rows != 0) merge_rows(storage, rows_of(states), others, other_stride);
}

void detail::add_moments_into(workspace& on, const any_vector& x, std::int64_t* words) {
  if (words == nullptr) engine::throw_error(errc::null_pointer, caller, "words are null");
  add_into(on, reduction::sum, x, x, words + 1);
  const auto state = static_cast<std::size_t>(core::layout_of(x.type).words());
  add_into(on, reduction::sum_of_squares, x, x, words + 1 + state);
  workspace::storage& storage = on.library_storage();
  const workspace_lock lock(storage);
  add_count(storage, words, static_cast<std::int64_t>(x.n));
}

}  // namespace exactdot::inline v0_3::cuda
