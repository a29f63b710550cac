# Configures a project that adds exactdot by add_subdirectory. Installing that project must not install exactdot, unless
# it sets EXACTDOT_INSTALL. With EXACTDOT_BUILD_SIMT it must compile kernels for the simulator.
#
# cmake -DSOURCE=<sources of exactdot> -DSCRATCH=<folder, removed first> -DPROJECT=<project> -DCOMPILER=<C++ compiler>
#       [-DSIMT=ON: with the simulator too] -P add_subdirectory.cmake
function(install_rules result)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${PROJECT} -B ${SCRATCH} -DEXACTDOT_SOURCE=${SOURCE}
    -G "Unix Makefiles" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${COMPILER} ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
  file(STRINGS ${SCRATCH}/exactdot/cmake_install.cmake rules REGEX "file\\(INSTALL")
  set(${result} "${rules}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
install_rules(rules)
if(rules)
  message(FATAL_ERROR "without EXACTDOT_INSTALL a project that adds exactdot would install it: ${rules}")
endif()
install_rules(rules -DEXACTDOT_INSTALL=ON)
if(NOT rules)
  message(FATAL_ERROR "with EXACTDOT_INSTALL=ON there are no install rules")
endif()
if(SIMT)
  execute_process(COMMAND ${CMAKE_COMMAND} ${SCRATCH} -DEXACTDOT_BUILD_SIMT=ON COMMAND_ERROR_IS_FATAL ANY)
  # only the object, by its Makefile rule: this does not build the simulator
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${SCRATCH} --target empty.o COMMAND_ERROR_IS_FATAL ANY)
endif()
