// Standard output; see output.hpp.
#include <cerrno>
#include <cli/output.hpp>
#include <cstdio>
#include <io/fault.hpp>
#include <nlohmann/json.hpp>

namespace exactdot::cli {

void write_output(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    io::fail_errno("standard output", "write", errno);
  }
}

void check_output() {
  if (std::fflush(stdout) != 0) io::fail_errno("standard output", "write", errno);
  if (std::ferror(stdout) != 0) io::fail("standard output", "cannot write all of the output");
}

void write_json(const nlohmann::ordered_json& object) {
  write_output(object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

}  // namespace exactdot::cli
