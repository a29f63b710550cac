// What `simtcc --help` prints.
#pragma once

namespace exactdot::simtcc {

inline constexpr const char* help =
    R"(simtcc: compiles CUDA source files for the CPU. The program runs on a simulator of a GPU, prints what is
wrong with its kernels at its end, and exits with status 66 if that is anything.

usage: simtcc FILE.cu... [-o PROGRAM] [options]
       simtcc exercise list|next|check|hint     small kernels to write; simtcc exercise --help

  -o FILE            the program, or with -c the object; default: a.out. It replaces a file of that name, as any
                     compiler does, but never an input, a header that one includes, or a folder
  -c                 compile only; simtcc links the objects too
  --seed N           first seed of the order in which threads run; default: 1
  --seeds K          run the program K times, with consecutive seeds; default: 1
  --model NAME       independent (Volta and later; default) or lock_step (before Volta)
  --json FILE        write the findings to FILE too
  --html FILE        write a page to FILE that plays the kernels step by step; open it in a browser
  --html-launch N    which launches it shows, such as 2 or 1,4; default: the first, and those with findings
  --html-blocks N    which blocks it shows, such as 0,3; default: those of the first finding
  --profile          count what each line costs: sectors, bank conflicts, active lanes, queues of atomics
  --steps N          maximum number of steps of a launch; default: 1000000000
  -arch sm_NN        compute capability, for __CUDA_ARCH__ and the limits of launches; default: sm_90
  --no-cuda-arch     do not define __CUDA_ARCH__
  --compiler NAME    host compiler, g++ or clang++; default: $SIMTCC_CXX, or the one that
                     built simtcc, or g++ or clang++
  --rewrite          print the rewritten source, or write it to -o FILE, instead of compiling it
  --show-commands    print the commands that run
  -run, -dryrun      as nvcc: run the program too, with --run-args A,B as its arguments; print the commands only
  --help, --version

--seed, --seeds, --model, --json, --html, --html-launch, --html-blocks, --profile and --steps are defaults of the
program: the environment variables SIMTCC_SEED, SIMTCC_SEEDS, SIMTCC_MODEL, SIMTCC_JSON, SIMTCC_HTML,
SIMTCC_HTML_LAUNCH, SIMTCC_HTML_BLOCKS, SIMTCC_PROFILE=1 and SIMTCC_STEPS change them when it runs.
Every option of nvcc 13.0 is taken; those that choose machine code do nothing, and what has no effect on a simulator
is said. Options of the host compiler (-I, -D, -W, -f, -g, -l, ...) go to it. Kernels are compiled with -O1, as C++17
or as a later -std says. Names of files after -- may begin with -.
)";

}  // namespace exactdot::simtcc
