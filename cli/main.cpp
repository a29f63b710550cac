// The program: runs what the command line asks for, turns every fault into one line and a status.
//
// Status 0; 1: bad input or output; 2: wrong usage; 128 + signal when interrupted.
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

int complain(const std::string& sentence, int status) {
  std::fputs(fmt::format("exactdot: {}\n", sentence).c_str(),
             stderr);  // fmt::print would throw where stderr is closed
  return status;
}

int complain(const exactdot::error& error) {
  if (error.code() == errc::cancelled) return complain("interrupted", cli::interrupted_status());
  return complain(error.what(), error.code() == errc::bad_option ? 2 : 1);
}

}  // namespace

int main(int argument_count, char** arguments) {
  try {
    cli::install_signal_handlers();
    cli::parse_command_line(argument_count, arguments)();
    return 0;
  } catch (const exactdot::error& error) {
    return complain(error);
  } catch (const std::bad_alloc&) {
    return complain("out of memory", 1);
  } catch (const std::exception& exception) {
    return complain(exception.what(), 1);
  }
}
