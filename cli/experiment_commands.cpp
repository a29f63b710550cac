// Declares the options of lab, hazards and bench; see experiment_commands.hpp.
#include <CLI/CLI.hpp>
#include <cli/bench.hpp>
#include <cli/experiment_commands.hpp>
#include <cli/hazards.hpp>
#include <cli/lab.hpp>
#include <cli/option_checks.hpp>
#include <cli/shared_options.hpp>
#include <exactdot/reduction.hpp>
#include <iterator>
#include <lab/registry.hpp>
#include <memory>
#include <string>
#include <vector>

namespace exactdot::cli {

namespace {

/// --html and --schedule: a page instead of a report.
void add_page(CLI::App& app, std::string& html, std::vector<unsigned>& schedule) {
  CLI::Option* const page = app.add_option("--html", html,
                                           "write a page that plays each kernel step by step, on the simulator, "
                                           "instead of a report")
                                ->check(check_file_name, "FILE");
  app.add_option_function<std::string>(
         "--schedule", [&schedule](const std::string& text) { schedule = parse_schedule(text).value(); },
         "with --html: threads of the first steps, by their number in the grid: 0,1,0,1; later ones follow the "
         "seed")
      ->check(check_schedule, "LIST")
      ->needs(page);
}

}  // namespace

action declare_lab(CLI::App& app) {
  const auto arguments = std::make_shared<lab_arguments>();
  const std::vector<std::string> operations(std::begin(lab::operation_names), std::end(lab::operation_names));
  CLI::Option* const names =
      app.add_option("name", arguments->names, "rungs to run; default: all")->type_name("NAME");
  app.add_option("--rung", arguments->rungs, "a rung to run, by name; may be given several times")->take_all();
  CLI::Option* const workload =
      app.add_option("--workload", arguments->workload,
                     "what the rungs compute: dot, rows (sums of the rows of a matrix) or groups (sums by unsorted "
                     "keys); default: that of the named rungs, else dot")
          ->type_name("NAME");
  app.add_option("--row-length", arguments->row_length,
                 "elements of a row of --workload rows; the last row has the rest")
      ->check(check_positive_length, "LENGTH")
      ->default_str(std::to_string(lab::division{}.row_length));
  app.add_option("--groups", arguments->groups, "number of groups of --workload groups; keys are uniform")
      ->check(CLI::Range(1, 1 << 24))
      ->default_str(std::to_string(lab::division{}.groups));
  CLI::Option* const list = app.add_flag("--list", arguments->list, "print the rungs; runs nothing");
  CLI::Option* const explain = app.add_option("--explain", arguments->explain,
                                              "print idea, cost, promises and source of one rung, named here or "
                                              "before; runs nothing")
                                   ->expected(0, 1)
                                   ->type_name("[NAME]");
  add_kernel_device(app, arguments->device);
  app.add_option("--n", arguments->n, "length: 1000, 2^20, 64Ki; default: depends on --data and the device")
      ->check(check_length, "LENGTH");
  add_data_set(app, arguments->data, "content of the vectors; exactdot generate --help describes it");
  app.add_option("--cond", arguments->condition, "condition number of --data ill; default: 1e16")
      ->check(check_condition, "NUMBER");
  add_carrier(app, arguments->type);
  app.add_option("--op", arguments->op,
                 "operation that combines the products; some rungs, and those of rows and groups, support only sum")
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
  CLI::Option* const data = app.get_option("--data");
  data->default_str("uniform");
  add_seed(app, arguments->seed, "seed of the data, and of the simulator's schedules");
  app.add_option("--model", arguments->model,
                 "execution of simulated warps: independent (default; as since Volta), lock_step (as before)")
      ->check(CLI::IsMember({"independent", "lock_step"}));
  add_page(app, arguments->html, arguments->schedule);
  add_json(app, arguments->json);
  app.get_option("--html")->excludes(app.get_option("--json"))->excludes(app.get_option("--runs"));
  for (CLI::Option* const other : app.get_options()) {
    if (other == app.get_help_ptr()) continue;
    if (other != explain && other != names) explain->excludes(other);
    if (other != list && other != workload) list->excludes(other);
  }
  app.footer(
      "Examples:\n"
      "  exactdot lab\n"
      "  exactdot lab racy atomic_per_element --device simt --n 1000\n"
      "  exactdot lab --data ill --cond 1e10 --json\n"
      "  exactdot lab --list\n"
      "  exactdot lab --workload rows --n 2^16 --row-length 100\n"
      "  exactdot lab --workload groups --groups 1000\n"
      "  exactdot lab single_pass --explain\n"
      "  exactdot lab --rung shared_host_sum --html tree.html\n"
      "Exit status: 0; 1: a rung broke a promise, no such device, not enough memory, or a page that cannot be "
      "written; 2: wrong usage.");
  return [arguments] { run_lab(*arguments); };
}

action declare_hazards(CLI::App& app) {
  const auto arguments = std::make_shared<hazards_arguments>();
  CLI::Option* const names =
      app.add_option("name", arguments->names, "hazards to run; default: all")->type_name("NAME");
  CLI::Option* const explain = app.add_flag("--explain", arguments->explain,
                                            "print cause, fix and source of the named hazards; runs nothing");
  CLI::Option* const list = app.add_flag("--list", arguments->list, "print the hazards; runs nothing");
  add_kernel_device(app, arguments->device);
  add_seed(app, arguments->seed, "seed of the simulator's schedules");
  add_page(app, arguments->html, arguments->schedule);
  app.add_option("--model", arguments->model,
                 "with --html: execution of simulated warps; default: each hazard's own")
      ->check(CLI::IsMember({"independent", "lock_step"}))
      ->needs("--html");
  add_json(app, arguments->json);
  app.get_option("--html")->excludes(app.get_option("--json"));
  explain->needs(names)->excludes(list)->excludes(app.get_option("--json"));
  list->excludes(names)->excludes(app.get_option("--json"));
  app.add_flag(
      "--no-watchdog", arguments->no_watchdog,
      "run hazards that may hang on a GPU, or end its context, in this process; default: in a process with a time "
      "limit of 30 s");
  app.footer(
      "Examples:\n"
      "  exactdot hazards\n"
      "  exactdot hazards race_condition race_condition_fixed --device simt --seed 7\n"
      "  exactdot hazards step_by_step --json\n"
      "  exactdot hazards --list\n"
      "  exactdot hazards lost_half --explain\n"
      "  exactdot hazards race_condition --schedule 0,1,0,1 --html race.html\n"
      "Exit status: 0; 1: a hazard had an unexpected outcome, no such device, or a page that cannot be written; 2: "
      "wrong usage.");
  return [arguments] { run_hazards(*arguments); };
}

action declare_bench(CLI::App& app) {
  const auto arguments = std::make_shared<bench_arguments>();
  std::vector<std::string> sets = bench_data_names();
  sets.emplace_back("none");
  app.add_option("--device", arguments->device, "cpu; cuda: a GPU; auto: cuda if there is a GPU, else cpu")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  add_reduction(app, arguments->reduction, reduction_commands(), "what is measured");
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

}  // namespace exactdot::cli
