// Checks and runs calls of prefix sums and moving windows (exactdot/windows.hpp), line after line on one thread.
#include <cpu/environment.hpp>
#include <cpu/rolling.hpp>
#include <exactdot/windows.hpp>
#include <plan/axes.hpp>
#include <plan/batch_checks.hpp>
#include <string>

namespace exactdot::inline v0_3::detail {
namespace {

[[noreturn]] void refuse(const rolling& how, const std::string& sentence, errc code = errc::bad_option) {
  engine::throw_error(code, how.caller, sentence);
}

void check_choices(const rolling& how, const options& options) {
  if (!is_known(how.what) || !core::info_of(how.what).adds_elements())
    refuse(how, std::string("windows have sum, mean, variance and stddev, not ") + name_of(how.what));
  if (options.mode == mode::fast) refuse(how, "mode fast has no windows; use mode exact");
  if (options.mode != mode::exact) refuse(how, "unknown mode; use exact");
  if (how.ddof < 0) refuse(how, "ddof is " + std::to_string(how.ddof) + "; use 0 or more");
  if (how.filter.where.data != nullptr || how.filter.initial) {
    refuse(how, "windows take skip_nan, no mask and no initial value");
  }
  if (how.are_prefixes) return;
  if (how.window.length == 0) refuse(how, "the window has no elements; use 1 or more");
  const bool is_negative = how.window.min_periods == moving_window::negative;
  if (is_negative && how.window.length != moving_window::negative)
    refuse(how, "min_periods is negative; use 0 or more");
  if (how.window.min_periods > how.window.length) {
    refuse(how, "min_periods is " + std::to_string(how.window.min_periods) + ", more than the window of " +
                    std::to_string(how.window.length));
  }
}

void check_result_type(const rolling& how, element_type elements, element_type result) {
  const bool may_be_whole = how.are_prefixes && is_integer(elements);
  const bool is_whole = result == element_type::int64 || result == element_type::uint64;
  if (!is_integer(result) || (may_be_whole && is_whole)) return;
  refuse(how, "the result type is " + std::string(name_of(result)) + "; use " +
                  (may_be_whole ? "int64, uint64 or a floating-point type" : "a floating-point type"));
}

}  // namespace

void refuse_results(const char* caller, std::size_t results, std::size_t elements) {
  engine::throw_error(errc::size_mismatch, caller,
                      std::to_string(results) + " results for " + std::to_string(elements) + " elements");
}

void roll(const rolling& how, const any_grid& x, const any_results& out, const options& options) {
  check_choices(how, options);
  const engine::batch_request asked{how.caller, how.what, out};
  engine::check_options(asked, options);
  engine::refuse_adding(asked);
  for (const element_type type : {x.type, out.type}) {
    if (!is_known(type)) refuse(how, "unknown element type " + std::to_string(static_cast<int>(type)));
  }
  check_result_type(how, x.type, out.type);
  if (x.elements.size() != 1) refuse(how, "windows move along one axis");
  std::vector<axis> axes(x.results.begin(), x.results.end());
  axes.push_back(x.elements[0]);
  engine::require_equal_axes(asked, axes, out.axes, "the shapes of the elements and of the results");
  const std::size_t count = engine::count_or_refuse(asked, axes, "elements");
  engine::check_results(asked, count);
  const std::size_t n = x.elements[0].n, lines = n == 0 ? 0 : count / n;
  engine::check_input(asked, "x", x, lines, n);
  if (count == 0) return;
  engine::keep_on_host(asked, x, x, options, "windows move");
  constexpr std::size_t unbounded = ~std::size_t{0} / 2;
  const cpu_engine::rolling_request each{how.caller,
                                         how.what,
                                         how.are_prefixes ? unbounded : how.window.length,
                                         how.are_prefixes ? 0 : how.window.min_periods,
                                         how.ddof,
                                         how.filter.skips_nan,
                                         options.monitor};
  const cpu_engine::standard_arithmetic environment;
  for (std::size_t line = 0; line < lines; ++line) {
    std::ptrdiff_t of_x = 0, of_out = 0;
    for (std::size_t k = x.results.size(), left = line; k-- != 0; left /= x.results[k].n) {
      const auto place = static_cast<std::ptrdiff_t>(left % x.results[k].n);
      of_x += place * x.results[k].stride, of_out += place * out.axes[k].stride;
    }
    cpu_engine::roll(each, {static_cast<const char*>(x.data) + of_x, n, x.type, x.elements[0].stride, x.swapped},
                     {static_cast<char*>(out.data) + of_out, n, out.type, out.axes.back().stride, out.swapped});
  }
}

}  // namespace exactdot::inline v0_3::detail
