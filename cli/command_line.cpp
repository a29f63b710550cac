// Declares subcommands and options with CLI11, in one file because CLI11 is slow to compile. See command_line.hpp.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cli/bench.hpp>
#include <cli/command_line.hpp>
#include <cli/generate.hpp>
#include <cli/hazards.hpp>
#include <cli/info.hpp>
#include <cli/lab.hpp>
#include <cli/option_checks.hpp>
#include <cli/output.hpp>
#include <cli/reduce.hpp>
#include <cli/reduction_command.hpp>
#include <cli/usage_error.hpp>
#include <exactdot/info.hpp>
#include <exactdot/reduction.hpp>
#include <io/data_source.hpp>
#include <io/type_names.hpp>
#include <iterator>
#include <lab/registry.hpp>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace exactdot::cli {
namespace {

using action = std::function<void()>;

CLI::IsMember carrier_names() { return CLI::IsMember(io::type_names(is_carrier)); }

action declare_reduction(CLI::App& app, reduction what) {
  const auto arguments = std::make_shared<reduction_arguments>();
  arguments->what = what;
  const bool two = inputs_of(what) == 2;
  app.add_option(two ? "A" : "FILE", arguments->a,
                 std::string(two ? "first vector" : "vector") + ": a .npy file, or a raw file with --dtype")
      ->required()
      ->check(check_file_name, "");
  if (two) {
    app.add_option("B", arguments->b, "second vector, of equal length; both floating-point or both integers")
        ->required()
        ->check(check_file_name, "");
  }
  app.add_option("--mode", arguments->mode,
                 "exact: the real value, rounded once; fast: fused multiply-adds in a fixed order")
      ->check(CLI::IsMember({"exact", "fast"}))
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
                   fmt::format("type of the result; default: that of the elements, of integers {}",
                               integer_result_names(what)))
        ->check(CLI::IsMember(result_type_names(what)));
  }
  if (has_ddof(what)) {
    app.add_option("--ddof", arguments->ddof, "delta degrees of freedom: the divisor is n - ddof")
        ->check(check_ddof, "INTEGER")
        ->capture_default_str();
  }
  app.add_option("--dtype", arguments->raw_type,
                 "element type of raw little-endian files, and of .npy files of bfloat16")
      ->check(CLI::IsMember(io::type_names()));
  if (two) {
    app.add_option("--dtype-b", arguments->raw_type_of_b, "the same of B, if it differs from that of A")
        ->check(CLI::IsMember(io::type_names()));
  }
  CLI::Option* const compare = app.add_flag("--compare", arguments->compare,
                                            "also print a table of other methods with value, error and time");
  if (!has_comparison(what)) compare->group("");  // hidden: its error says which reductions have it
  app.add_flag("--json", arguments->json, "print one JSON object");
  app.footer(examples_of(what));
  return [arguments] { run_reduction(*arguments); };
}

action declare_generate(CLI::App& app) {
  const auto arguments = std::make_shared<generate_arguments>();
  const std::vector<std::string> sets(std::begin(io::data_set_names), std::end(io::data_set_names));
  app.add_option("A", arguments->a,
                 "first file to write; an existing file is replaced after both are complete; of a symbolic link, "
                 "the target is replaced")
      ->required()
      ->check(check_file_name, "");
  app.add_option("B", arguments->b, "second file to write")->required()->check(check_file_name, "");
  app.add_option("--data", arguments->data,
                 "uniform: in (-1, 1); ones: 1, 1; halves: 0.5, 2; ramp: i, 2i; ill: of condition number --cond; "
                 "wide: exponents over the whole range of the type")
      ->check(CLI::IsMember(sets))
      ->capture_default_str();
  app.add_option("--n", arguments->n, "length: 1000, 2^20, 1e6, 1k, 64Ki; default: depends on --data")
      ->check(check_length, "LENGTH");
  app.add_option("--dtype", arguments->type, "type of the elements")->check(carrier_names())->capture_default_str();
  app.add_option("--cond", arguments->condition,
                 "condition number 2 sum|a b| / |sum a b| of --data ill; default: 1e16")
      ->check(check_condition, "NUMBER");
  app.add_option("--seed", arguments->seed, "seed of random data sets; the same seed gives the same files")
      ->check(CLI::Range(std::numeric_limits<std::uint32_t>::min(), std::numeric_limits<std::uint32_t>::max()))
      ->capture_default_str();
  app.add_flag("--json", arguments->json, "print one JSON object");
  app.footer(
      "Examples:\n"
      "  exactdot generate a.npy b.npy\n"
      "  exactdot generate a.npy b.npy --data ill --cond 1e20 --n 2^16 --dtype float64\n"
      "Exit status: 0; 1: a file cannot be written, existing files are unchanged; 2: wrong usage.");
  return [arguments] { run_generate(*arguments); };
}

action declare_lab(CLI::App& app) {
  const auto arguments = std::make_shared<lab_arguments>();
  const std::vector<std::string> sets(std::begin(io::data_set_names), std::end(io::data_set_names));
  const std::vector<std::string> operations(std::begin(lab::operation_names), std::end(lab::operation_names));
  app.add_option("--rung", arguments->rungs, "rungs to run, by name; default: all")->take_all();
  CLI::Option* const explain = app.add_option("--explain", arguments->explain,
                                              "print idea, cost, promises and source of one rung; runs nothing");
  app.add_option("--device", arguments->device,
                 "cuda: a GPU; simt: the simulator, on any machine; auto: cuda if there is a GPU, else simt")
      ->check(CLI::IsMember({"auto", "cuda", "simt"}))
      ->capture_default_str();
  app.add_option("--n", arguments->n, "length: 1000, 2^20, 64Ki; default: depends on --data and the device")
      ->check(check_length, "LENGTH");
  app.add_option("--data", arguments->data, "content of the vectors; exactdot generate --help describes it")
      ->check(CLI::IsMember(sets))
      ->capture_default_str();
  app.add_option("--cond", arguments->condition, "condition number of --data ill; default: 1e16")
      ->check(check_condition, "NUMBER");
  app.add_option("--dtype", arguments->type, "type of the elements")->check(carrier_names())->capture_default_str();
  app.add_option("--op", arguments->op, "operation that combines the products; some rungs support only sum")
      ->check(CLI::IsMember(operations))
      ->capture_default_str();
  app.add_option("--block", arguments->block, "threads per block; default: chosen by each rung")
      ->check(CLI::Range(1, 1024));
  app.add_option("--grid", arguments->grid,
                 "number of blocks, for rungs that support it; default: chosen by each rung")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--runs", arguments->runs,
                 "runs of each rung, to detect bits that change; default: 5, or 20 on a GPU")
      ->check(CLI::Range(1, 100000));
  app.add_option("--seed", arguments->seed, "seed of the data, and of the simulator's schedules")
      ->check(CLI::Range(std::numeric_limits<std::uint32_t>::min(), std::numeric_limits<std::uint32_t>::max()))
      ->capture_default_str();
  app.add_option("--model", arguments->model,
                 "execution of simulated warps: independent (default; as since Volta), lock_step (as before)")
      ->check(CLI::IsMember({"independent", "lock_step"}));
  app.add_flag("--json", arguments->json, "print one JSON object");
  for (CLI::Option* const other : app.get_options()) {
    if (other != explain && other != app.get_help_ptr()) explain->excludes(other);
  }
  app.footer(
      "Examples:\n"
      "  exactdot lab\n"
      "  exactdot lab --rung racy --rung atomic_per_element --device simt --n 1000\n"
      "  exactdot lab --data ill --cond 1e10 --json\n"
      "  exactdot lab --explain single_pass\n"
      "Exit status: 0; 1: a rung broke a promise, no such device, or not enough memory; 2: wrong usage.");
  return [arguments] { run_lab(*arguments); };
}

action declare_hazards(CLI::App& app) {
  const auto arguments = std::make_shared<hazards_arguments>();
  app.add_option("name", arguments->names, "hazards to run; default: all")->type_name("NAME");
  app.add_option("--device", arguments->device,
                 "cuda: a GPU; simt: the simulator, on any machine; auto: cuda if there is a GPU, else simt")
      ->check(CLI::IsMember({"auto", "cuda", "simt"}))
      ->capture_default_str();
  app.add_option("--seed", arguments->seed, "seed of the simulator's schedules")
      ->check(CLI::Range(std::numeric_limits<std::uint32_t>::min(), std::numeric_limits<std::uint32_t>::max()))
      ->capture_default_str();
  app.add_flag("--json", arguments->json, "print one JSON object");
  app.add_flag(
      "--no-watchdog", arguments->no_watchdog,
      "run hazards that may hang on a GPU in this process; default: in a process with a time limit of 30 s");
  app.footer(
      "Examples:\n"
      "  exactdot hazards\n"
      "  exactdot hazards race_condition race_condition_fixed --device simt --seed 7\n"
      "  exactdot hazards step_by_step --json\n"
      "Exit status: 0; 1: a hazard had an unexpected outcome, or no such device; 2: wrong usage.");
  return [arguments] { run_hazards(*arguments); };
}

action declare_bench(CLI::App& app) {
  const auto arguments = std::make_shared<bench_arguments>();
  std::vector<std::string> sets = bench_data_names();
  sets.emplace_back("none");
  app.add_option("--device", arguments->device, "cpu; cuda: a GPU; auto: cuda if there is a GPU, else cpu")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  app.add_option("--reduction", arguments->reduction, "what is measured")
      ->check(CLI::IsMember(std::vector<std::string>(reduction_names.begin(), reduction_names.end())))
      ->capture_default_str();
  app.add_option("--sizes", arguments->sizes,
                 "lengths: 1000, 2^20, 64Ki; default: 16 to 5e7 on a CPU, 2^10 to 2^29 on a GPU")
      ->check(check_positive_length, "LENGTH");
  app.add_option("--types", arguments->types, "types of the elements")
      ->check(carrier_names())
      ->capture_default_str();
  app.add_option("--threads", arguments->threads, "thread counts, CPU only; default: 1 and 2")
      ->check(CLI::Range(1, 1024));
  app.add_option(
         "--data", arguments->data,
         "hostile data for exact only, or none; default: all on a GPU; on a CPU wide, subnormal, alternating, ill, "
         "ill_deep; none for reductions other than dot")
      ->check(CLI::IsMember(sets));
  app.add_option("--alignment", arguments->alignment,
                 "CPU only; 64 (default): vectors start at a cache line; vector: as in std::vector")
      ->check(CLI::IsMember({"64", "vector"}));
  app.add_option("--rounds", arguments->rounds,
                 "samples per measurement; default: 25 on a CPU, 11 on a GPU, fewer with --quick")
      ->check(CLI::Range(1, 10'000));
  app.add_option("--json", arguments->json,
                 "print JSON instead of the table; with FILE, print the table and write JSON to FILE")
      ->option_text("[FILE]")
      ->expected(0, 1)
      ->default_str("-")
      ->check(check_json_file);
  app.add_flag("--quick", arguments->quick, "fewer and shorter samples, for an estimate");
  app.footer(
      "Examples:\n"
      "  exactdot bench --device cpu --quick --sizes 1000 1e6 --types float64 --threads 1\n"
      "  exactdot bench --device cuda --json results.json\n"
      "  exactdot bench --reduction nrm2 --quick --json norms.json\n"
      "  exactdot bench --quick --json > results.json\n"
      "Exit status: 0; 1: no such device, not enough memory, or bits that differ from the CPU's; 2: wrong usage.");
  return [arguments] { run_bench(*arguments); };
}

action declare_info(CLI::App& app) {
  const auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "print one JSON object");
  app.footer("Examples:\n  exactdot info\n  exactdot info --json");
  return [json] { run_info(*json); };
}

std::vector<std::string> subcommand_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* app : program.get_subcommands({})) names.push_back(app->get_name());
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
  refuse_usage(parse_error.what(), command);
}

}  // namespace

std::function<void()> parse_command_line(int argument_count, char** arguments) {
  CLI::App program{"Exact, reproducible reductions", "exactdot"};
  program.set_version_flag("--version", std::string("exactdot ") + version());
  program.require_subcommand(1);
  program.footer("exactdot COMMAND --help prints options and examples.");
  action chosen;
  const auto add = [&](std::string_view name, std::string_view description, auto declare) {
    CLI::App& app = *program.add_subcommand(std::string(name), std::string(description));
    app.parse_complete_callback([&chosen, run = declare(app)] { chosen = run; });
  };
  for (std::size_t i = 0; i < reduction_names.size(); ++i) {
    const auto what = static_cast<reduction>(i);
    add(command_of(what), description_of(what), [what](CLI::App& app) { return declare_reduction(app, what); });
  }
  add("generate", "Write two vectors of a data set to .npy files", declare_generate);
  add("lab", "Run, check, measure and explain classic dot products on a GPU", declare_lab);
  add("hazards", "Run and explain classic mistakes of parallel sums", declare_hazards);
  add("bench", "Measure reductions of exactdot and of other libraries", declare_bench);
  add("info", "Print instruction sets, GPUs and libraries of this build and this machine", declare_info);
  check_subcommand(argument_count > 1 ? arguments[1] : "", subcommand_names(program));
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
