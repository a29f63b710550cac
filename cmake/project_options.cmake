# Options of all targets of this project, as an interface target; of libraries, as a function; and the CUDA compiler.
#
# Results do not depend on the options of a surrounding project: exactdot_project_options undoes those that let a compiler
# change floating-point results, exactdot_library those that leave the library unoptimised. Both come last in a command line,
# each as one group: of single options CMake drops those that the project has, too. Contraction is off; the sources call
# fused multiply-adds explicitly. exactdot/core/ieee_arithmetic.hpp refuses what is not undone.
set(exactdot_arithmetic -fno-fast-math -fno-associative-math -fno-reciprocal-math -fno-finite-math-only -fsigned-zeros
  -fno-rounding-math)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")  # it warns of options that take one another back; traps would make it slow
  list(APPEND exactdot_arithmetic -fno-approx-func -fhonor-infinities -fhonor-nans -fdenormal-fp-math=ieee
    -fno-trapping-math -Wno-overriding-t-option)
else()
  list(APPEND exactdot_arithmetic -fno-unsafe-math-optimizations -ftrapping-math -fno-single-precision-constant)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND exactdot_arithmetic -mfpmath=sse)
  endif()
endif()
list(APPEND exactdot_arithmetic -ffp-contract=off)
list(JOIN exactdot_arithmetic " " arithmetic_options)
add_library(exactdot_project_options INTERFACE)
target_compile_options(exactdot_project_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
  $<$<BOOL:${EXACTDOT_WARNINGS_AS_ERRORS}>:-Werror> "SHELL:${arithmetic_options}")

# exactdot_library(target): the options of a library that programs link. Its symbols are hidden, so that a plugin which
# links it exports none of them.
function(exactdot_library target)
  set(options -fvisibility=hidden -fvisibility-inlines-hidden)
  if(NOT EXACTDOT_SANITIZE AND NOT EXACTDOT_UNOPTIMISED)
    list(APPEND options -O3)
  endif()
  list(JOIN options " " options)
  target_compile_options(${target} PRIVATE "SHELL:${options}")
endfunction()

# GCC 12 warns about operator+ of std::string (GCC bug 105651) and, with the sanitizers, about std::function
target_compile_options(exactdot_project_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(EXACTDOT_SANITIZE)
  target_compile_options(exactdot_project_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  if(EXACTDOT_SANITIZE STREQUAL "thread")
    set(sanitizers -fsanitize=thread)
  elseif(EXACTDOT_SANITIZE MATCHES "^(address|ON|TRUE|YES|1)$")
    set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all)
  else()
    message(FATAL_ERROR "EXACTDOT_SANITIZE is ${EXACTDOT_SANITIZE}; expected OFF, address or thread")
  endif()
  # Line tables only, and the presets' -O1: half the compile time; the sanitizers find the same faults and report their lines.
  target_compile_options(exactdot_project_options INTERFACE ${sanitizers} -fno-omit-frame-pointer -g1)
  target_link_options(exactdot_project_options INTERFACE ${sanitizers})
endif()

# exactdot_link_whole(library objects): every target that links the library links all of these objects. Objects that
# register themselves at program start need this: from an archive the linker takes only objects with requested symbols.
function(exactdot_link_whole library objects)
  target_link_libraries(${library} INTERFACE $<TARGET_OBJECTS:${objects}>)
  add_dependencies(${library} ${objects})
endfunction()

# kernels without optimisation; -G, for debuggers, takes twice as long
set(exactdot_kernel_options)
if(EXACTDOT_KERNELS STREQUAL unoptimised)
  set(exactdot_kernel_options -Xcicc=-O0 -Xptxas=-O0)
elseif(EXACTDOT_KERNELS STREQUAL checked)
  set(exactdot_kernel_options -fdevice-syntax-only)
elseif(NOT EXACTDOT_KERNELS STREQUAL optimised)
  message(FATAL_ERROR "EXACTDOT_KERNELS is ${EXACTDOT_KERNELS}; use optimised, unoptimised or checked")
endif()
if(EXACTDOT_BUILD_CUDA)
  include(CheckLanguage)
  check_language(CUDA)
else()
  set(CMAKE_CUDA_COMPILER "")  # here and below; a surrounding project keeps its own in the cache
endif()
if(CMAKE_CUDA_COMPILER)
  message(STATUS "CUDA compiler found: ${CMAKE_CUDA_COMPILER}")
  # All GPUs from compute capability 8.0 on: machine code of 8.0, which 8.x runs, 9.0, 10.0 and 12.0; PTX of 12.0, and of
  # 10.0, because 11.0 can run neither the machine code of 10.0 nor the PTX of 12.0.
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-arch OUTPUT_VARIABLE known_architectures)
  if(known_architectures MATCHES "compute_120")
    set(EXACTDOT_ALL_ARCHITECTURES 80-real 90-real 100 120)
  else()
    set(EXACTDOT_ALL_ARCHITECTURES 80-real 90)
  endif()
elseif(NOT EXACTDOT_BUILD_CUDA)
  message(STATUS "EXACTDOT_BUILD_CUDA is off: building for the CPU only")
else()
  message(STATUS "CUDA compiler not found: building for the CPU only")
endif()

# Programs that people start by name lie beside their objects; the folder bin of the build has a link to each, for PATH.
function(link_into_bin target)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/bin
    COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE:${target}> ${PROJECT_BINARY_DIR}/bin/$<TARGET_FILE_NAME:${target}>
    VERBATIM)
endfunction()
