# Configures a project that fetches exactdot, which is then its subproject. Installing that project must not install exactdot,
# unless it sets EXACTDOT_INSTALL. A project whose find_package is answered by the sources must compile kernels for the
# simulator, if it sets EXACTDOT_BUILD_SIMT. flags.cmake builds the library so.
#
# cmake -DSOURCE=<sources of exactdot> -DSCRATCH=<folder, removed first> -DCOMPILER=<C++ compiler>
#       [-DSIMT=ON: with the simulator too] -P fetch_content.cmake
set(options -G "Unix Makefiles" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${COMPILER}
  -DFETCHCONTENT_SOURCE_DIR_EXACTDOT=${SOURCE})
function(install_rules result)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE}/examples/cmake/fetch_content -B ${SCRATCH} ${options} ${ARGN}
    COMMAND_ERROR_IS_FATAL ANY)
  file(STRINGS ${SCRATCH}/_deps/exactdot-build/cmake_install.cmake rules REGEX "file\\(INSTALL")
  set(${result} "${rules}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
install_rules(rules)
if(rules)
  message(FATAL_ERROR "without EXACTDOT_INSTALL a project that fetches exactdot would install it: ${rules}")
endif()
install_rules(rules -DEXACTDOT_INSTALL=ON)
if(NOT rules)
  message(FATAL_ERROR "with EXACTDOT_INSTALL=ON there are no install rules")
endif()
file(READ ${SCRATCH}/Makefile targets)
if(targets MATCHES "exactdot_simt")
  message(FATAL_ERROR "the simulator is built although EXACTDOT_BUILD_SIMT is not set")
endif()

if(SIMT)
  file(WRITE ${SCRATCH}/declare.cmake "include(FetchContent)
FetchContent_Declare(exactdot SOURCE_DIR ${SOURCE} OVERRIDE_FIND_PACKAGE)\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE}/examples/own_kernel -B ${SCRATCH}/own_kernel ${options}
    -DEXACTDOT_BUILD_SIMT=ON -DCMAKE_CUDA_COMPILER= -DCMAKE_PROJECT_own_kernel_INCLUDE=${SCRATCH}/declare.cmake
    COMMAND_ERROR_IS_FATAL ANY)
  # only the object, by its Makefile rule: this does not build the simulator
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${SCRATCH}/own_kernel --target histogram.o COMMAND_ERROR_IS_FATAL ANY)
endif()
