// Parses the command line with CLI11, and declares the subcommands about files; see command_line.hpp.
//
// CLI11 takes seconds to compile, so only this file and experiment_commands.cpp include it, and for them
// shared_options.hpp and help_words.hpp.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cli/command_line.hpp>
#include <cli/complex_files.hpp>
#include <cli/exercise.hpp>
#include <cli/experiment_commands.hpp>
#include <cli/generate.hpp>
#include <cli/group.hpp>
#include <cli/help_words.hpp>
#include <cli/info.hpp>
#include <cli/minmax.hpp>
#include <cli/option_checks.hpp>
#include <cli/output.hpp>
#include <cli/reduce.hpp>
#include <cli/reduction_command.hpp>
#include <cli/run_program.hpp>
#include <cli/shared_options.hpp>
#include <cli/usage_error.hpp>
#include <cli/windows.hpp>
#include <exactdot/info.hpp>
#include <exactdot/reduction.hpp>
#include <io/type_names.hpp>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace exactdot::cli {
namespace {

action declare_reduction(CLI::App& app, reduction what) {
  const auto arguments = std::make_shared<reduction_arguments>();
  arguments->what = what;
  arguments->ddof = default_ddof(what);
  const bool two = inputs_of(what) == 2;
  app.add_option(two ? "A" : "FILE", arguments->a,
                 std::string(two ? "first vector" : "vector") +
                     " of " + (takes_complex(what) ? "real or complex" : "real") +
                     " numbers: a .npy file, or a raw file with --dtype; with --axis an array")
      ->required()
      ->check(check_file_name, "");
  if (two) {
    app.add_option("B", arguments->b,
                   has_weights(what) ? "weights, as many as A has elements"
                   : is_ratio(what)  ? "second vector, of equal length"
                                     : "second vector, of equal length; both of integers, or both of floating-point or "
                                       "complex numbers")
        ->required()
        ->check(check_file_name, "");
  }
  const std::string exact = "exact: the real value, rounded once";
  app.add_option("--mode", arguments->mode,
                 has_mode_fast(what) ? exact + "; fast: fused multiply-adds in a fixed order" : exact)
      ->check(CLI::IsMember(mode_names(what)))
      ->capture_default_str();
  app.add_option("--device", arguments->device,
                 "auto: cpu, since files are in host memory; cpu; cuda or cuda:N: a GPU")
      ->check(check_device, "DEVICE")
      ->capture_default_str();
  app.add_option("--threads", arguments->threads, "CPU threads; 0: automatic; result unaffected")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  if (has_result_type(what)) {
    app.add_option("--result", arguments->result_type,
                   fmt::format("type of the result; default: that of the elements, of integers {}{}",
                               integer_result_names(what),
                               takes_complex(what) && !gives_complex(what) ? ", of complex numbers that of a part" : ""))
        ->check(CLI::IsMember(result_type_names(what, io::npy_numbers::any)));
  }
  if (has_ddof(what)) {
    app.add_option("--ddof", arguments->ddof, has_weights(what) ? "delta degrees of freedom: the divisor is the sum of the weights - ddof"
                                     : "delta degrees of freedom: the divisor is n - ddof")
        ->transform(whole_ddof, "")
        ->check(check_ddof, "INTEGER")
        ->capture_default_str();
  }
  add_file_dtype(app, arguments->raw_type, numbers_of(what));
  if (two) {
    app.add_option("--dtype-b", arguments->raw_type_of_b, "the same of B, if it differs from that of A")
        ->check(CLI::IsMember(io::number_type_names(numbers_of(what))));
  }
  app.add_option("--axis", arguments->axis,
                 two ? "the axis of the vectors in arrays of several axes: 0, 1, -1; B may be one vector"
                     : "reduce over these axes of an array: 0, -1 or 0,2; one result for each index of the others")
      ->check(check_axes, "AXES");
  app.add_option("--out", arguments->out, "with --axis: write the results to a .npy file, do not print them")
      ->check(check_file_name, "FILE");
  add_filter(app, arguments->filter, two ? "A" : "FILE");
  if (what == reduction::dot) {
    app.add_flag("--conjugate", arguments->conjugate,
                 "multiply the conjugates of complex numbers in A, as NumPy's vdot does");
  }
  CLI::Option* const compare = app.add_flag("--compare", arguments->compare,
                                            "also print a table of other methods with value, error and time");
  if (!has_comparison(what)) compare->group("");  // hidden: its error says which reductions have it
  add_json(app, arguments->json);
  app.footer(examples_of(what));
  return [arguments] { run_reduction(*arguments); };
}

action declare_minmax(CLI::App& app) {
  const auto arguments = std::make_shared<minmax_arguments>();
  app.add_option("FILE", arguments->file, "vector or array: a .npy file, or a raw file with --dtype")
      ->required()
      ->check(check_file_name, "");
  add_filter(app, arguments->filter, "FILE");
  app.add_option("--threads", arguments->threads, "CPU threads; 0: automatic; result unaffected")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  add_file_dtype(app, arguments->raw_type, io::npy_numbers::real);
  add_json(app, arguments->json);
  app.footer(
      "Examples:\n"
      "  exactdot minmax x.npy\n"
      "  exactdot minmax x.raw --dtype float32 --skip-nan --json\n"
      "Exit status: 0; 1: an input cannot be used, or is empty; 2: wrong usage.");
  return [arguments] { run_minmax(*arguments); };
}

action declare_group(CLI::App& app) {
  const auto arguments = std::make_shared<group_arguments>();
  app.add_option("VALUES", arguments->values,
                 "elements: a .npy file, or a raw file with --dtype; of an array of several axes keys go along the "
                 "first, and each column has its own results")
      ->required()
      ->check(check_file_name, "");
  app.add_option("KEYS", arguments->keys, "the group of each element: integers of any width, in any order")
      ->required()
      ->check(check_file_name, "");
  add_reduction(app, arguments->reduction, group_reductions(),
                "what is computed for each group, exactly and rounded once; count: the number of elements");
  app.add_option("--groups", arguments->groups, "number of groups; default: the greatest key plus 1")
      ->check(check_length, "NUMBER");
  add_filter(app, arguments->filter, "VALUES");
  app.add_flag("--skip", arguments->skip,
               "leave out elements whose key is negative or not below --groups; default: an error");
  app.add_option(
         "--result", arguments->result_type,
         "type of the results; default: that of the elements, of integers that of the subcommand of a vector")
      ->check(CLI::IsMember(result_type_names(reduction::sum, io::npy_numbers::any)));
  app.add_option(
         "--ddof", arguments->ddof,
         "of var, std (default: 0) and standard_error (1), delta degrees of freedom: the divisor is n - ddof")
      ->transform(whole_ddof, "")
      ->check(check_ddof, "INTEGER");
  app.add_option("--threads", arguments->threads, "CPU threads; 0: automatic; results unaffected")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  add_file_dtype(app, arguments->raw_type, io::npy_numbers::any);
  app.add_option("--dtype-keys", arguments->raw_type_of_keys, "the type of raw little-endian keys")
      ->check(CLI::IsMember(io::type_names([](element_type type) { return is_integer(type); })));
  app.add_option("--out", arguments->out, "write the results to a .npy file, do not print them")
      ->check(check_file_name, "FILE");
  add_json(app, arguments->json);
  app.footer(
      "Examples:\n"
      "  exactdot group prices.npy customer.npy\n"
      "  exactdot group x.npy keys.npy --reduction var --ddof 1 --groups 1000 --skip --out variances.npy\n"
      "  exactdot group x.npy keys.npy --reduction count --json\n"
      "Exit status: 0; 1: an input cannot be used, or a key is out of range; 2: wrong usage.");
  return [arguments] { run_group(*arguments); };
}

action declare_windows(CLI::App& app, bool are_prefixes) {
  const auto arguments = std::make_shared<window_arguments>();
  arguments->are_prefixes = are_prefixes;
  app.add_option("FILE", arguments->file,
                 "vector: a .npy file, or a raw file with --dtype; with --axis an array of several axes")
      ->required()
      ->check(check_file_name, "");
  if (!are_prefixes) {
    app.add_option("--window", arguments->window, "the number of elements of a window; more than there are: prefixes")
        ->required()
        ->check(check_positive_length, "NUMBER");
    add_reduction(app, arguments->reduction, {"sum", "mean", "var", "std"},
                  "what is computed of each window, exactly and rounded once");
    app.add_option("--min-periods", arguments->min_periods,
                   "windows of fewer elements are NaN: those at the beginning and, with --skip-nan, those with NaNs; "
                   "default: the window")
        ->check(check_length, "NUMBER");
    app.add_flag("--skip-nan", arguments->skip_nan, "leave out NaNs, as if they were not there");
    app.add_option("--ddof", arguments->ddof, "of var and std, delta degrees of freedom: the divisor is n - ddof")
        ->transform(whole_ddof, "")
        ->check(check_ddof, "INTEGER")
        ->capture_default_str();
  }
  const reduction like = are_prefixes ? reduction::sum : reduction::mean;
  app.add_option("--result", arguments->result_type,
                 fmt::format("type of the results; default: that of the elements, of integers {}",
                             integer_result_names(like)))
      ->check(CLI::IsMember(result_type_names(like, io::npy_numbers::real)));
  app.add_option("--axis", arguments->axis, "the axis of an array along which to go: 0, 1, -1");
  add_file_dtype(app, arguments->raw_type, io::npy_numbers::real);
  app.add_option("--out", arguments->out, "write the results to a .npy file, do not print them")
      ->check(check_file_name, "FILE");
  add_json(app, arguments->json);
  app.footer(are_prefixes ? "Examples:\n"
                            "  exactdot cumsum x.npy\n"
                            "  exactdot cumsum table.npy --axis 0 --out sums.npy\n"
                            "Exit status: 0; 1: an input cannot be used; 2: wrong usage."
                          : "Examples:\n"
                            "  exactdot rolling prices.npy --window 20 --reduction mean\n"
                            "  exactdot rolling x.npy --window 20 --min-periods 5 --skip-nan --reduction std --ddof 1\n"
                            "Exit status: 0; 1: an input cannot be used; 2: wrong usage.");
  return [arguments] { run_windows(*arguments); };
}

action declare_generate(CLI::App& app) {
  const auto arguments = std::make_shared<generate_arguments>();
  app.add_option("A", arguments->a,
                 "first file to write; an existing file is replaced after both are complete; of a symbolic link, "
                 "the target is replaced")
      ->required()
      ->check(check_file_name, "");
  app.add_option("B", arguments->b, "second file to write")->required()->check(check_file_name, "");
  add_data_set(app, arguments->data,
               "uniform: in (-1, 1); ones: 1, 1; halves: 0.5, 2; ramp: i, 2i; ill: of condition number --cond; "
               "wide: exponents over the whole range of the type");
  app.add_option("--n", arguments->n, "length: 1000, 2^20, 1e6, 1k, 64Ki; default: depends on --data")
      ->check(check_length, "LENGTH");
  add_carrier(app, arguments->type);
  app.add_option("--cond", arguments->condition,
                 "condition number 2 sum|a b| / |sum a b| of --data ill; default: 1e16")
      ->check(check_condition, "NUMBER");
  add_seed(app, arguments->seed, "seed of random data sets; the same seed gives the same files");
  add_json(app, arguments->json);
  app.footer(
      "Examples:\n"
      "  exactdot generate a.npy b.npy\n"
      "  exactdot generate a.npy b.npy --data ill --cond 1e20 --n 2^16 --dtype float64\n"
      "Exit status: 0; 1: a file cannot be written, existing files are unchanged; 2: wrong usage.");
  return [arguments] { run_generate(*arguments); };
}

action declare_info(CLI::App& app) {
  const auto json = std::make_shared<bool>(false);
  add_json(app, *json);
  app.footer("Examples:\n  exactdot info\n  exactdot info --json");
  return [json] { run_info(*json); };
}

action declare_run(CLI::App& app, std::vector<std::string> program) {
  const auto arguments = std::make_shared<run_arguments>();
  arguments->program = std::move(program);
  app.add_option("--mode", arguments->mode,
                 "exact (default): the real value, rounded once; fast: fused multiply-adds in a fixed order")
      ->check(CLI::IsMember({"exact", "fast"}));
  app.add_option("--threads", arguments->threads, "CPU threads of a call (default: 1); 0: automatic")
      ->check(CLI::Range(0, 4096));
  app.add_flag("--gemv", arguments->gemv, "matrices times vectors, too: each result an exact dot product");
  app.add_option("--report", arguments->report,
                 "print a table of the calls on stderr at exit; --report=FILE: append it to a file")
      ->expected(0, 1)
      ->default_str("1")
      ->option_text("[=FILE]");
  app.footer(
      "Examples:\n"
      "  exactdot run -- python3 script.py\n"
      "  exactdot run --report -- octave script.m\n"
      "  exactdot run --mode fast --threads 0 --report=calls.txt -- ./solver input\n"
      "Exit status: that of the program; 1: it cannot be run with the library; 2: wrong usage.");
  return [arguments] {
    if (arguments->program.empty()) {
      refuse_usage("a program is missing; expected exactdot run [OPTIONS] -- PROGRAM [ARGUMENTS]...",
                   "exactdot run");
    }
    run_program(*arguments);
  };
}

/// Takes words that are for another program from the command line: of `exactdot run` those behind --, of `exactdot
/// exercise` all.
std::vector<std::string> take_program(int& argument_count, char** arguments) {
  const std::string_view command = argument_count < 2 ? "" : arguments[1];
  if (command != "run" && command != "exercise") return {};
  char** const end = arguments + argument_count;
  char** const mark = command == "exercise" ? arguments + 2 : std::find(arguments + 2, end, std::string_view("--"));
  argument_count = static_cast<int>(mark - arguments);
  return {mark + (mark == end || command == "exercise" ? 0 : 1), end};
}

std::vector<std::string> subcommand_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* app : program.get_subcommands({})) names.push_back(app->get_name());
  return names;
}

std::vector<std::string> subcommand_aliases(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* app : program.get_subcommands({})) {
    names.insert(names.end(), app->get_aliases().begin(), app->get_aliases().end());
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_lnames().empty()) names.push_back("--" + option->get_lnames().front());
  }
  return names;
}

/// Throws errc::bad_option with a sentence for what CLI11 refused.
[[noreturn]] void refuse_arguments(const CLI::App& program, const CLI::ParseError& parse_error) {
  check_options(program.remaining(), option_names(program), "exactdot");
  std::string command = "exactdot";
  for (const CLI::App* app : program.get_subcommands()) {
    command += " " + app->get_name();
    check_options(app->remaining(), option_names(*app), command);
  }
  refuse_usage(sentence_of(parse_error), command);
}

}  // namespace

std::function<void()> parse_command_line(int argument_count, char** arguments) {
  const std::vector<std::string> program_words = take_program(argument_count, arguments);
  CLI::App program{
      "Reductions of vectors in files, such as sums and dot products: the exact value, rounded once, with the same "
      "bits on every machine",
      "exactdot"};
  program.formatter(std::make_shared<short_help>());
  program.set_version_flag("--version", std::string("exactdot ") + version());
  program.require_subcommand(1);
  program.footer(
      "Examples:\n"
      "  exactdot generate a.npy b.npy --data ill\n"
      "  exactdot dot a.npy b.npy --compare\n"
      "  exactdot sum a.npy\n"
      "exactdot COMMAND --help prints options and examples.");
  action chosen;
  const auto add = [&](std::string_view name, std::string_view description, auto declare) -> CLI::App& {
    CLI::App& app = *program.add_subcommand(std::string(name), std::string(description));
    app.parse_complete_callback([&chosen, run = declare(app)] { chosen = run; });
    return app;
  };
  for (std::size_t i = 0; i < reduction_names.size(); ++i) {
    const auto what = static_cast<reduction>(i);
    CLI::App& app =
        add(command_of(what), description_of(what), [what](CLI::App& to) { return declare_reduction(to, what); });
    for (const std::string& alias : aliases_of(what)) app.alias(alias);
  }
  add("minmax", "Find the least and the greatest element of a vector by one read; NaN wins", declare_minmax);
  add("group", "Compute a reduction for each group of elements with the same key", declare_group);
  add("cumsum", "Compute the sum of the elements up to each one of a vector",
      [](CLI::App& to) { return declare_windows(to, true); });
  add("rolling", "Compute a reduction of every window of a vector", [](CLI::App& to) { return declare_windows(to, false); });
  add("generate", "Write two vectors of a data set to .npy files", declare_generate);
  add("lab", "Run, check, measure and explain classic dot products and sums, on a GPU or a simulator", declare_lab);
  add("hazards", "Run and explain classic mistakes of parallel sums, on a GPU or a simulator", declare_hazards);
  add("bench", "Measure reductions of exactdot beside those of other libraries", declare_bench);
  add("run", "Run a program whose BLAS calls for dot products, sums and norms exactdot computes",
      [&](CLI::App& to) { return declare_run(to, program_words); });
  add("exercise", "Write CUDA kernels without a GPU: small exercises, which a simulator checks", [&](CLI::App&) -> action {
    return [program_words] { run_exercise(program_words); };
  });
  add("info", "Print instruction sets, GPUs and libraries of this build and this machine", declare_info);
  check_subcommand(argument_count > 1 ? arguments[1] : "", subcommand_names(program), subcommand_aliases(program));
  try {
    program.parse(argument_count, arguments);
  } catch (const CLI::ParseError& parse_error) {
    if (parse_error.get_exit_code() != 0) refuse_arguments(program, parse_error);
    std::ostringstream text;
    program.exit(parse_error, text, text);
    return [text = text.str()] { write_output(text); };
  }
  return chosen;
}

}  // namespace exactdot::cli
