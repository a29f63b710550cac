# Headers whose bits depend on the options of a program refuse those that change them, by an error that names the option;
# programs that only call the library may use any.
#
# cmake -DINCLUDES=<folders> -DCOMPILERS=<list> -DSCRATCH=<folder> -P flag_refusals.cmake
list(TRANSFORM INCLUDES PREPEND -I)
set(common "#include <exactdot/exactdot.hpp>\n#include <functional>\n#include <vector>\n")

# compile(expected source option...): `expected` is a regular expression for the error, or empty if there must be none
function(compile expected source)
  file(WRITE ${SCRATCH}/source.cpp "${source}")
  foreach(compiler IN LISTS COMPILERS)
    execute_process(COMMAND ${compiler} -std=c++20 -fsyntax-only ${INCLUDES} ${ARGN} ${SCRATCH}/source.cpp
      RESULT_VARIABLE status ERROR_VARIABLE output)
    if((expected STREQUAL "" AND NOT status EQUAL 0) OR (NOT expected STREQUAL "" AND (status EQUAL 0 OR
        NOT output MATCHES "${expected}")))
      message(SEND_ERROR "${compiler} ${ARGN} of\n${source}\nended with ${status}, expected: '${expected}'\n${output}")
    endif()
  endforeach()
endfunction()

set(calls "${common}double f(const std::vector<double>& x) { return exactdot::sum(x) + exactdot::variance(x); }
int g(const std::vector<int>& x) { return exactdot::reduce(x, std::plus<>(), 0); }\n")
set(callable "${common}double f(const std::vector<double>& x) { return exactdot::reduce(x, std::plus<>(), 0.0); }\n")
set(core "#include <exactdot/core/error_free.hpp>\n")
compile("" "${core}${callable}" -ffast-math -fno-fast-math)
compile("" "${calls}" -Ofast)
compile("reduce: -ffast-math" "${callable}" -ffast-math)
compile("-ffast-math .or -Ofast. changes" "${core}" -Ofast)
compile("-ffinite-math-only changes" "${core}" -ffinite-math-only)
list(FILTER COMPILERS EXCLUDE REGEX clang)  # which has no macros for the following
compile("-funsafe-math-optimizations" "${core}" -funsafe-math-optimizations)
compile("-fno-signed-zeros changes" "${core}" -fno-signed-zeros)
if(CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL "x86_64")
  compile("-mfpmath=387" "${core}" -mfpmath=387)
endif()
