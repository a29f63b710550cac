// Names and help of the reductions; see reduction_command.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cli/complex_files.hpp>
#include <cli/reduction_command.hpp>
#include <exactdot/reductions.hpp>

namespace exactdot::cli {
namespace {

/// In the order of the enumerators.
constexpr std::array<std::string_view, reduction_names.size()> descriptions = {
    "Compute the dot product of two vectors in files",
    "Compute the sum of a vector in a file",
    "Compute the sum of the magnitudes of a vector",
    "Compute the sum of the squares of a vector",
    "Compute the Euclidean norm of a vector: the root of the exact sum of squares",
    "Compute the mean of a vector: the exact sum over its length",
    "Compute the variance of a vector: the exact quotient, rounded once",
    "Compute the standard deviation of a vector: the root of the exact variance",
    "Find the least element of a vector; NaN wins",
    "Find the greatest element of a vector; NaN wins",
    "Find the lowest index of the least element of a vector; NaN wins",
    "Find the lowest index of the greatest element of a vector; NaN wins",
    "Compute the mean of a vector with the weights of another: the exact quotient, rounded once",
    "Compute the cosine of the angle between two vectors, rounded once",
    "Compute the Euclidean distance of two points, rounded once",
    "Compute the covariance of two vectors: the exact quotient, rounded once",
    "Compute Pearson's correlation coefficient of two vectors, rounded once",
    "Compute the slope of the least-squares line B = slope*A + intercept, rounded once",
    "Compute the intercept of the least-squares line B = slope*A + intercept, rounded once",
    "Compute the standard error of the mean: the root of the variance over the length",
    "Compute the variance of a vector with the weights of another: the exact quotient, rounded once",
    "Compute the standard deviation of a vector with the weights of another, rounded once",
    "Compute the variance of a vector about known means: the mean of (A - B)^2, rounded once",
    "Compute the standard deviation of a vector about known means: the root of the mean of (A - B)^2, rounded once"};
static_assert(!descriptions.back().empty(), "a reduction has no description");

}  // namespace

std::string_view command_of(reduction what) {
  if (what == reduction::variance) return "var";
  if (what == reduction::covariance) return "cov";
  if (what == reduction::correlation) return "corr";
  if (what == reduction::weighted_variance) return "weighted_var";
  if (what == reduction::weighted_stddev) return "weighted_std";
  return what == reduction::stddev ? "std" : name_of(what);
}

std::vector<std::string> aliases_of(reduction what) {
  std::vector<std::string> others;
  const auto add = [&](std::string_view name) {
    if (name != command_of(what)) others.emplace_back(name);
  };
  add(name_of(what));
  for (const reduction_alias& alias : reduction_aliases) {
    if (alias.what == what) add(alias.name);
  }
  return others;
}

std::vector<std::string> reduction_commands() {
  std::vector<std::string> commands;
  for (std::size_t i = 0; i < reduction_names.size(); ++i)
    commands.emplace_back(command_of(static_cast<reduction>(i)));
  return commands;
}

std::string_view description_of(reduction what) { return descriptions[static_cast<std::size_t>(what)]; }

std::string examples_of(reduction what) {
  const std::string line = fmt::format("  exactdot {} ", command_of(what));
  const bool two = inputs_of(what) == 2;
  std::string text = "Examples:\n" + line + (two ? "a.npy b.npy\n" : "x.npy\n");
  if (has_comparison(what)) text += line + (two ? "a.npy b.npy --compare\n" : "x.npy --compare\n");
  if (has_ddof(what)) {
    text += line + fmt::format("{} --ddof {}\n", two ? "a.npy b.npy" : "x.npy", 1 - default_ddof(what));
  }
  if (what == reduction::dot) text += line + "a.npy b.npy --conjugate\n";
  text += line + (two ? "a.raw b.raw" : "x.raw") + " --dtype float32" +
          (has_result_type(what) ? " --result float64" : "") + " --json\n";
  return text + "Exit status: 0; 1: an input cannot be used, or no such device; 2: wrong usage.";
}

std::vector<std::string> result_type_names(reduction what, io::npy_numbers numbers) {
  const element_type of_integers = default_result_type(what, element_type::int8);
  std::vector<std::string> names = io::type_names([&](element_type type) {
    return !is_integer(type) || (is_integer(of_integers) && size_of(type) == size_of(of_integers));
  });
  if (numbers == io::npy_numbers::any && gives_complex(what)) {
    names.insert(names.end(), {"complex64", "complex128"});
  }
  return names;
}

std::string integer_result_names(reduction what) {
  const element_type with_sign = default_result_type(what, element_type::int8);
  const element_type without = default_result_type(what, element_type::uint8);
  return with_sign == without ? std::string(name_of(without))
                              : fmt::format("{} or {}", name_of(with_sign), name_of(without));
}

std::vector<std::string> mode_names(reduction what) {
  if (has_mode_fast(what)) return {"exact", "fast"};
  return {"exact"};
}

std::string commands_with_comparison() {
  std::vector<std::string_view> commands;
  for (std::size_t i = 0; i < reduction_names.size(); ++i) {
    if (const auto what = static_cast<reduction>(i); has_comparison(what)) commands.push_back(command_of(what));
  }
  return fmt::format("{}", fmt::join(commands, ", "));
}

}  // namespace exactdot::cli
