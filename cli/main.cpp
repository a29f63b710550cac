// The program: runs the subcommand; prints an error as one line.
//
// Exit status: 0; 1: an input, an output or a device cannot be used; 2: wrong usage; 128 + signal: interrupted.
#include <fmt/format.h>

#include <cli/command_line.hpp>
#include <cli/interruption.hpp>
#include <cstdio>
#include <exactdot/error.hpp>
#include <exception>
#include <new>
#include <string>

namespace {

using exactdot::errc;
namespace cli = exactdot::cli;

int print_error(const std::string& sentence, int status) {
  std::fputs(fmt::format("exactdot: {}\n", sentence).c_str(), stderr);  // fmt::print throws if stderr is closed
  return status;
}

int print_error(const exactdot::error& error) {
  if (error.code() == errc::cancelled) return print_error("interrupted", cli::interrupted_status());
  return print_error(error.what(), error.code() == errc::bad_option ? 2 : 1);
}

}  // namespace

int main(int argument_count, char** arguments) {
  try {
    cli::install_signal_handlers();
    cli::parse_command_line(argument_count, arguments)();
    return 0;
  } catch (const exactdot::error& error) {
    return print_error(error);
  } catch (const std::bad_alloc&) {
    return print_error("out of memory", 1);
  } catch (const std::exception& exception) {
    return print_error(exception.what(), 1);
  }
}
