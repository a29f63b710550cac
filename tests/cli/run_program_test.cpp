// exactdot run: which programs it runs and with what in their environment; tests/blas has what they then compute.
#include <elf.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "support/process.hpp"
#include "support/program_fixture.hpp"

namespace {

class run_program : public cli_test::program {
 protected:
  std::string write_program(const std::string& name, const std::string& bytes, mode_t mode = 0755) {
    const std::string file = write(name, bytes);
    EXPECT_EQ(chmod(file.c_str(), mode), 0);
    return file;
  }
};

std::string bytes_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST_F(run_program, sets_the_environment) {
  const std::string print = "echo \"$LD_PRELOAD $EXACTDOT_BLAS_MODE $EXACTDOT_BLAS_THREADS $EXACTDOT_BLAS_REPORT\"";
  const std::string plain = run_well({"run", "--", "sh", "-c", print});
  EXPECT_NE(plain.find("/libexactdot_blas.so   \n"), std::string::npos) << plain;
  const std::string with_options =
      run_well({"run", "--mode", "fast", "--threads", "3", "--gemv", "--report", "--", "sh", "-c", print});
  EXPECT_NE(with_options.find("/libexactdot_blas_gemv.so fast 3 1\n"), std::string::npos) << with_options;
  const std::string file = folder / "calls";
  const std::string to_file = run_well({"run", "--report=" + file, "--", "sh", "-c", print});
  EXPECT_NE(to_file.find(" " + file + "\n"), std::string::npos) << to_file;
}

TEST_F(run_program, keeps_what_is_preloaded) {
  const std::string out = run_well({"run", "--", "env", "LD_PRELOAD=libm.so.6", EXACTDOT_TESTED_PROGRAM, "run",
                                    "--", "sh", "-c", "echo $LD_PRELOAD"});
  EXPECT_NE(out.find("/libexactdot_blas.so:libm.so.6\n"), std::string::npos) << out;
}

TEST_F(run_program, passes_words_and_status) {
  EXPECT_EQ(run_well({"run", "--", "printf", "%s|", "--mode", "", "--", "[a,b]", "run", "-h"}),
            "--mode||--|[a,b]|run|-h|");
  EXPECT_EQ(run({"run", "--", "sh", "-c", "exit 7"}).status, 7);
}

/// The program itself ignores both, and exec would keep that.
TEST_F(run_program, signals_are_those_of_the_caller) {
  const std::vector<std::string> mask = {
      "run", "--", "sed", "-n", "s/^SigIgn:[[:space:]]*//p", "/proc/self/status"};
  for (const auto& [handler, ignored] : {std::pair{SIG_DFL, false}, std::pair{SIG_IGN, true}}) {
    cli_test::process_settings settings;
    settings.in_child = [handler = handler] {
      for (const int number : {SIGPIPE, SIGXFSZ}) signal(number, handler);
    };
    const cli_test::outcome done = start(mask, settings).wait();
    ASSERT_EQ(done.status, 0) << done.err;
    const unsigned long long found = std::stoull(done.out, nullptr, 16);
    for (const int number : {SIGPIPE, SIGXFSZ}) EXPECT_EQ((found >> (number - 1) & 1) != 0, ignored) << number;
  }
}

TEST_F(run_program, a_script_is_run_by_its_interpreter) {
  EXPECT_EQ(run_well({"run", "--", write_program("script", "#!/bin/sh\necho \"$1\"\n"), "x"}), "x\n");
}

TEST_F(run_program, a_script_without_a_first_line_is_run_by_the_shell) {
  EXPECT_EQ(run_well({"run", "--", write_program("script", "echo \"$0|$1|$2\"\n"), "x", "y z"}),
            std::string(folder / "script") + "|x|y z\n");
  EXPECT_EQ(run_well({"run", "--", write_program("empty", "")}), "");
}

TEST_F(run_program, the_loader_is_a_program) {
  const std::string bytes = bytes_of("/bin/sh");
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::string loader;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, &bytes[header.e_phoff + i * header.e_phentsize], sizeof segment);
    if (segment.p_type == PT_INTERP) loader = bytes.substr(segment.p_offset, segment.p_filesz - 1);
  }
  ASSERT_FALSE(loader.empty());
  const std::string out = run_well({"run", "--", loader, "/bin/sh", "-c", "echo $LD_PRELOAD"});
  EXPECT_NE(out.find("/libexactdot_blas.so\n"), std::string::npos) << out;
}

TEST_F(run_program, refuses_wrong_usage) {
  expect_usage_fault({"run"}, {"a program is missing", "-- PROGRAM", "exactdot run --help"});
  expect_usage_fault({"run", "--"}, {"a program is missing"});
  expect_usage_fault({"run", "sh"}, {"sh", "exactdot run --help"});
  expect_usage_fault({"run", "--mode", "quick", "--", "sh"}, {"--mode", "quick", "exact", "fast"});
  expect_usage_fault({"run", "--threads", "-1", "--", "sh"}, {"--threads"});
  expect_usage_fault({"run", "--reprot", "--", "sh"}, {"did you mean --report?"});
  EXPECT_NE(run_well({"run", "--help"}).find("exactdot run [OPTIONS] -- PROGRAM [ARGUMENTS]..."),
            std::string::npos);
}

TEST_F(run_program, refuses_programs_that_are_not_there) {
  const std::string absent = folder / "absent", plain = write("plain", std::string("echo\n"));
  expect_fault({"run", "--", "no-such-program-in-path"}, "no-such-program-in-path", {"no such program", "PATH"});
  expect_fault({"run", "--", absent}, absent, {"no such program"});
  expect_fault({"run", "--", plain}, plain, {"is not executable"});
  expect_fault({"run", "--", "/usr"}, "/usr", {"folder"});
}

/// Programs to which the loader gives no library. Where one would run, it would print nothing and end with status
/// 0.
TEST_F(run_program, refuses_programs_that_take_no_library) {
  std::string bytes = bytes_of("/bin/true");
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::string twin = write_program("twin", bytes);
  EXPECT_EQ(run({"run", "--", twin}).status, 0);

  std::string other = bytes;
  other[offsetof(Elf64_Ehdr, e_machine)] ^= 1;
  const std::string foreign = write_program("foreign", other);
  expect_fault({"run", "--", foreign}, foreign, {"another processor"});

  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const std::size_t at = header.e_phoff + i * header.e_phentsize;
    Elf64_Phdr segment;
    std::memcpy(&segment, &bytes[at], sizeof segment);
    if (segment.p_type == PT_INTERP) segment.p_type = PT_NULL;
    std::memcpy(&bytes[at], &segment, sizeof segment);
  }
  const std::string fixed = write_program("static", bytes);  // which does not run without its loader
  const std::string script = write_program("script", "#! " + fixed + " -x\n");
  for (const std::string& each : {fixed, script}) {
    const std::string err = run({"run", "--", each}).err;
    EXPECT_NE(err.find(fixed + ": is statically linked"), std::string::npos) << err;
  }

  if (chown(twin.c_str(), 65534, static_cast<gid_t>(-1)) != 0 || chmod(twin.c_str(), 04755) != 0) {
    GTEST_SKIP() << "only root makes a file another user's";
  }
  expect_fault({"run", "--", twin}, twin, {"set-uid"});
}

}  // namespace
