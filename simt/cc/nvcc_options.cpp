// Names and values as `nvcc --help` of CUDA 13.0 lists them, and some of earlier toolkits.
#include "nvcc_options.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace exactdot::simtcc {
namespace {

constexpr std::string_view not_kept = "no intermediate files are kept; --rewrite shows the source that is compiled";
constexpr std::string_view other_output =
    "simtcc makes a program, or with -c objects; --rewrite shows the source that is compiled";
constexpr std::string_view exact_math =
    "every operation is rounded as without it: a GPU's results may differ by the errors of its fast functions";
constexpr std::string_view kind_of_warning = "this warning is nvcc's own";

std::span<const nvcc_option> all_options() {
  using enum nvcc_effect;
  static constexpr nvcc_option table[] = {
      {"--cuda", "-cuda", false, refused, other_output},
      {"--cubin", "-cubin", false, refused, other_output},
      {"--fatbin", "-fatbin", false, refused, other_output},
      {"--ptx", "-ptx", false, refused, other_output},
      {"--optix-ir", "-optix-ir", false, refused, other_output},
      {"--ltoir", "-ltoir", false, refused, other_output},
      {"--preprocess", "-E", false, refused, other_output},
      {"--assembly", "-S", false, refused, other_output},
      {"--generate-dependencies", "-M", false, refused,
       "simtcc makes a program; -MD writes the dependencies beside it"},
      {"--generate-nonsystem-dependencies", "-MM", false, refused,
       "simtcc makes a program; -MMD writes the dependencies beside it"},
      {"--generate-dependencies-with-compile", "-MD", false, read, ""},
      {"--generate-nonsystem-dependencies-with-compile", "-MMD", false, read, ""},
      {"--dependency-output", "-MF", true, read, ""},
      {"--generate-dependency-targets", "-MP", false, read, ""},
      {"--dependency-target-name", "-MT", true, read, ""},
      {"--compile", "-c", false, read, ""},
      {"--device-c", "-dc", false, read, ""},
      {"--device-w", "-dw", false, read, ""},
      {"--device-link", "-dlink", false, refused, "device code is linked with the program: leave this step out"},
      {"--link", "-link", false, ignored, ""},
      {"--lib", "-lib", false, refused, "simtcc makes a program, or with -c objects, which ar puts into a library"},
      {"--run", "-run", false, read, ""},
      {"--run-args", "-run-args", true, read, ""},
      {"--output-file", "-o", true, read, ""},
      {"--pre-include", "-include", true, passed, "-include"},
      {"--objdir-as-tempdir", "-objtemp", false, ignored, ""},
      {"--library", "-l", true, read, ""},
      {"--define-macro", "-D", true, passed, "-D"},
      {"--undefine-macro", "-U", true, passed, "-U"},
      {"--include-path", "-I", true, read, ""},
      {"--system-include", "-isystem", true, read, ""},
      {"--library-path", "-L", true, read, ""},
      {"--output-directory", "-odir", true, read, ""},
      {"--compiler-bindir", "-ccbin", true, read, ""},
      {"--allow-unsupported-compiler", "-allow-unsupported-compiler", false, ignored, ""},
      {"--archiver-binary", "-arbin", true, ignored, ""},
      {"--cudart", "-cudart", true, ignored, ""},
      {"--cudadevrt", "-cudadevrt", true, ignored, ""},
      {"--libdevice-directory", "-ldir", true, ignored, ""},
      {"--target-directory", "-target-dir", true, ignored, ""},
      {"--use-local-env", "-use-local-env", false, ignored, ""},
      {"--force-cl-env-setup", "-force-cl-env-setup", false, ignored, ""},
      {"", "-pg", false, noted, "programs of simtcc are not profiled; --profile counts what each line costs"},
      {"--debug", "-g", false, passed, "-g"},
      {"--device-debug", "-G", false, ignored, ""},
      {"--generate-line-info", "-lineinfo", false, ignored, ""},
      {"--optimization-info", "-opt-info", true, ignored, ""},
      {"--optimize", "-O", true, ignored, ""},
      {"--Ofast-compile", "-Ofc", true, ignored, ""},
      {"--dopt", "-dopt", true, ignored, ""},
      {"--dlink-time-opt", "-dlto", false, ignored, ""},
      {"--lto", "-lto", false, ignored, ""},
      {"--gen-opt-lto", "-gen-opt-lto", false, ignored, ""},
      {"--ftemplate-backtrace-limit", "-ftemplate-backtrace-limit", true, passed, "-ftemplate-backtrace-limit="},
      {"--ftemplate-depth", "-ftemplate-depth", true, passed, "-ftemplate-depth="},
      {"--no-exceptions", "-noeh", false, ignored, ""},
      {"--shared", "-shared", false, refused, "simtcc makes a program, or with -c objects"},
      {"--x", "-x", true, read, ""},
      {"--std", "-std", true, read, ""},
      {"--no-host-device-initializer-list", "-nohdinitlist", false, ignored, ""},
      {"--no-host-device-move-forward", "-nohdmoveforward", false, ignored, ""},
      {"--expt-relaxed-constexpr", "-expt-relaxed-constexpr", false, ignored, ""},
      {"--extended-lambda", "-extended-lambda", false, ignored, ""},
      {"--expt-extended-lambda", "-expt-extended-lambda", false, ignored, ""},
      {"--machine", "-m", true, read, ""},
      {"--m64", "-m64", false, ignored, ""},
      {"--compiler-options", "-Xcompiler", true, read, ""},
      {"--linker-options", "-Xlinker", true, read, ""},
      {"--archive-options", "-Xarchive", true, ignored, ""},
      {"--ptxas-options", "-Xptxas", true, ignored, ""},
      {"--nvlink-options", "-Xnvlink", true, ignored, ""},
      {"--cudafe-options", "-Xcudafe", true, ignored, ""},
      {"--static-global-template-stub", "-static-global-template-stub", true, ignored, ""},
      {"--device-entity-has-hidden-visibility", "-device-entity-has-hidden-visibility", true, ignored, ""},
      {"--forward-unknown-to-host-compiler", "-forward-unknown-to-host-compiler", false, read, ""},
      {"--forward-unknown-to-host-linker", "-forward-unknown-to-host-linker", false, read, ""},
      {"--forward-unknown-opts", "-forward-unknown-opts", false, read, ""},
      {"--dont-use-profile", "-noprof", false, ignored, ""},
      {"--dryrun", "-dryrun", false, read, ""},
      {"--verbose", "-v", false, read, ""},
      {"--threads", "-t", true, ignored, ""},
      {"--split-compile", "-split-compile", true, ignored, ""},
      {"--split-compile-extended", "-split-compile-extended", true, ignored, ""},
      {"--fdevice-syntax-only", "-fdevice-syntax-only", false, noted, "the program is compiled"},
      {"--fdevice-time-trace", "-fdevice-time-trace", true, noted, "no times are written"},
      {"--keep", "-keep", false, noted, not_kept},
      {"--keep-dir", "-keep-dir", true, noted, not_kept},
      {"--save-temps", "-save-temps", false, noted, not_kept},
      {"--clean-targets", "-clean", false, refused, "simtcc leaves nothing but the program"},
      {"--time", "-time", true, noted, "no times are written"},
      {"--input-drive-prefix", "-idp", true, ignored, ""},
      {"--dependency-drive-prefix", "-ddp", true, ignored, ""},
      {"--drive-prefix", "-dp", true, ignored, ""},
      {"--no-align-double", "", false, ignored, ""},
      {"--no-device-link", "-nodlink", false, ignored, ""},
      {"--gpu-architecture", "-arch", true, read, ""},
      {"--gpu-code", "-code", true, ignored, ""},
      {"--generate-code", "-gencode", true, read, ""},
      {"--relocatable-device-code", "-rdc", true, read, ""},
      {"--entries", "-e", true, noted, "every kernel is compiled"},
      {"--maxrregcount", "-maxrregcount", true, ignored, ""},
      {"--use_fast_math", "-use_fast_math", false, noted, exact_math},
      {"--ftz", "-ftz", true, read, exact_math},
      {"--prec-div", "-prec-div", true, read, exact_math},
      {"--prec-sqrt", "-prec-sqrt", true, read, exact_math},
      {"--fmad", "-fmad", true, ignored, ""},
      {"--extra-device-vectorization", "-extra-device-vectorization", false, ignored, ""},
      {"--default-stream", "-default-stream", true, read,
       "the default stream is the legacy one, for which blocking streams wait"},
      {"--disable-warnings", "-w", false, passed, "-w"},
      {"--keep-device-functions", "-keep-device-functions", false, ignored, ""},
      {"--source-in-ptx", "-src-in-ptx", false, ignored, ""},
      {"--restrict", "-restrict", false, ignored, ""},
      {"--Wreorder", "-Wreorder", false, passed, "-Wreorder"},
      {"--Wdefault-stream-launch", "-Wdefault-stream-launch", false, noted, kind_of_warning},
      {"--Wmissing-launch-bounds", "-Wmissing-launch-bounds", false, noted, kind_of_warning},
      {"--Wext-lambda-captures-this", "-Wext-lambda-captures-this", false, noted, kind_of_warning},
      {"--Wno-deprecated-declarations", "-Wno-deprecated-declarations", false, passed,
       "-Wno-deprecated-declarations"},
      {"--Wno-deprecated-gpu-targets", "-Wno-deprecated-gpu-targets", false, ignored, ""},
      {"--Werror", "-Werror", true, read, ""},
      {"--resource-usage", "-res-usage", false, noted, "registers are not modelled"},
      {"--extensible-whole-program", "-ewp", false, ignored, ""},
      {"--no-compress", "-no-compress", false, ignored, ""},
      {"--qpp-config", "-qpp-config", true, ignored, ""},
      {"--compile-as-tools-patch", "-astoolspatch", false, refused, other_output},
      {"--list-gpu-code", "-code-ls", false, read, ""},
      {"--list-gpu-arch", "-arch-ls", false, read, ""},
      {"--display-error-number", "-err-no", false, ignored, ""},
      {"--no-display-error-number", "-no-err-no", false, ignored, ""},
      {"--diag-error", "-diag-error", true, ignored, ""},
      {"--diag-suppress", "-diag-suppress", true, ignored, ""},
      {"--diag-warn", "-diag-warn", true, ignored, ""},
      {"--host-linker-script", "-hls", true, ignored, ""},
      {"--augment-host-linker-script", "-aug-hls", false, ignored, ""},
      {"--relocatable-link", "-r", false, refused, "simtcc makes a program, or with -c objects"},
      {"--brief-diagnostics", "-brief-diag", true, ignored, ""},
      {"--jump-table-density", "-jtd", true, ignored, ""},
      {"--relocatable-ptx", "-reloc-ptx", false, ignored, ""},
      {"--device-stack-protector", "-device-stack-protector", true, ignored, ""},
      {"--compress-mode", "-compress-mode", true, ignored, ""},
      {"--frandom-seed", "-frandom-seed", true, ignored, ""},
      {"--sanitize", "-sanitize", true, noted, "the simulator checks every access anyway"},
      {"--jobserver", "-jobserver", false, ignored, ""},
      {"--help", "-h", false, read, ""},
      {"--version", "-V", false, read, ""},
      {"--options-file", "-optf", true, read, ""}};
  return table;
}

constexpr std::string_view simtcc_options[] = {"--seed",    "--seeds",        "--model",        "--json",
                                               "--profile", "--steps",        "--no-cuda-arch", "--compiler",
                                               "--rewrite", "--show-commands"};

/// The number of characters to insert, remove or replace (V. Levenshtein, 1966).
std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t replaced = diagonal + (left[i] == right[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

const nvcc_option* find_nvcc_option(std::string_view argument) {
  const std::string_view name = argument.substr(0, argument.find('='));
  if (name.size() < 2) return nullptr;
  for (const nvcc_option& option : all_options()) {
    if (name == option.long_name || name == option.short_name) return &option;
  }
  return nullptr;
}

std::string_view nearest_word(std::string_view unknown, const std::vector<std::string_view>& words) {
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(unknown.size() / 4, 1) + 1;
  for (const std::string_view word : words) {
    if (word.empty() || distance(unknown, word) >= least) continue;
    least = distance(unknown, word);
    nearest = word;
  }
  return nearest;
}

std::string_view similar_option(std::string_view argument) {
  std::vector<std::string_view> names(std::begin(simtcc_options), std::end(simtcc_options));
  for (const nvcc_option& option : all_options()) {
    names.push_back(option.long_name);
    names.push_back(option.short_name);
  }
  return nearest_word(argument.substr(0, argument.find('=')), names);
}

}  // namespace exactdot::simtcc
