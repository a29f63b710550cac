# Flags that every target of the house shares, as one interface target.
#
# Contraction is off: a fused multiply-add is written where it is meant, so that the bits do not depend
# on the compiler.
add_library(exactdot_house INTERFACE)
target_compile_options(exactdot_house INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
  -ffp-contract=off $<$<BOOL:${EXACTDOT_WARNINGS_AS_ERRORS}>:-Werror>)
# GCC 12 warns of std::string's own operator+ (its bug 105651), and of std::function under the sanitizers
target_compile_options(exactdot_house INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(EXACTDOT_SANITIZE)
  target_compile_options(exactdot_house INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  # -O1 and line tables alone: half the time to compile, the same faults found, with their lines
  target_compile_options(exactdot_house INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
    -fno-omit-frame-pointer -O1 -g1)
  target_link_options(exactdot_house INTERFACE -fsanitize=address,undefined)
endif()

# exactdot_link_whole(library objects): whoever links the library gets these objects whole, as what enlists while the
# program starts must be: from an archive the linker takes only what is asked for by name.
function(exactdot_link_whole library objects)
  target_link_libraries(${library} INTERFACE $<TARGET_OBJECTS:${objects}>)
  add_dependencies(${library} ${objects})
endfunction()

if(EXACTDOT_BUILD_CUDA)
  include(CheckLanguage)
  check_language(CUDA)
else()
  unset(CMAKE_CUDA_COMPILER)
  unset(CMAKE_CUDA_COMPILER CACHE)
endif()
if(CMAKE_CUDA_COMPILER)
  message(STATUS "CUDA compiler found: ${CMAKE_CUDA_COMPILER}")
  # every GPU from 8.0 on: real code for those that others of their generation run too, and PTX of the newest; of 10.0
  # too, for 11.0 runs neither its real code nor the PTX of 12.0
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-arch OUTPUT_VARIABLE known_architectures)
  if(known_architectures MATCHES "compute_120")
    set(EXACTDOT_ALL_ARCHITECTURES 80-real 90-real 100 120)
  else()
    set(EXACTDOT_ALL_ARCHITECTURES 80-real 90)
  endif()
else()
  message(STATUS "No CUDA compiler: building for the CPU only")
endif()
