// The program: parses the command line, runs one subcommand, turns every fault into one line and a status.
//
// Status 0; 1: bad input or output; 2: wrong usage; 128 + signal when interrupted.
#include <fmt/format.h>

#include <array>
#include <cli/commands.hpp>
#include <cli/interruption.hpp>
#include <cli/output.hpp>
#include <cstdio>
#include <exactdot/error.hpp>
#include <exactdot/info.hpp>
#include <exception>
#include <new>
#include <sstream>
#include <string>

namespace {

using exactdot::errc;
namespace cli = exactdot::cli;

int complain(const std::string& sentence, int status) {
  fmt::print(stderr, "exactdot: {}\n", sentence);
  return status;
}

/// Help and version are answers, everything else the parser throws is wrong usage.
int answer(const CLI::App& program, const CLI::ParseError& parse_error) {
  if (parse_error.get_exit_code() != 0) {
    return complain(fmt::format("{} (exactdot --help tells more)", parse_error.what()), 2);
  }
  std::ostringstream text;
  program.exit(parse_error, text, text);
  cli::write_output(text.str());
  return 0;
}

int run(int argument_count, char** arguments) {
  CLI::App program{"Exact, reproducible dot products at the speed of memory", "exactdot"};
  program.set_version_flag("--version", std::string("exactdot ") + exactdot::version());
  program.require_subcommand(1);
  program.footer("exactdot COMMAND --help says more, with examples.");
  const std::array commands = {cli::add_dot(program), cli::add_generate(program), cli::add_info(program)};
  try {
    program.parse(argument_count, arguments);
  } catch (const CLI::ParseError& parse_error) {
    return answer(program, parse_error);
  }
  for (const cli::command& command : commands) {
    if (command.app->parsed()) command.run();
  }
  return 0;
}

int status_of(errc code) {
  if (code == errc::cancelled) return cli::interrupted_status();
  return code == errc::bad_option ? 2 : 1;
}

}  // namespace

int main(int argument_count, char** arguments) {
  try {
    cli::install_signal_handlers();
    return run(argument_count, arguments);
  } catch (const exactdot::error& error) {
    return complain(error.code() == errc::cancelled ? "interrupted" : error.what(), status_of(error.code()));
  } catch (const std::bad_alloc&) {
    return complain("out of memory", 1);
  } catch (const std::exception& exception) {
    return complain(exception.what(), 1);
  }
}
