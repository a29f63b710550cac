# Configures a project that adds exactdot by add_subdirectory: installing that project installs nothing of exactdot,
# unless it asks for it by EXACTDOT_INSTALL; with EXACTDOT_BUILD_SIMT it compiles kernels for the simulator.
#
# cmake -DSOURCE=<exactdot's sources> -DSCRATCH=<folder to use up> -DPROJECT=<project> -DCOMPILER=<C++ compiler>
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
  message(FATAL_ERROR "a project that only uses exactdot would install it: ${rules}")
endif()
install_rules(rules -DEXACTDOT_INSTALL=ON)
if(NOT rules)
  message(FATAL_ERROR "EXACTDOT_INSTALL=ON leaves the install rules out")
endif()
if(SIMT)
  execute_process(COMMAND ${CMAKE_COMMAND} ${SCRATCH} -DEXACTDOT_BUILD_SIMT=ON COMMAND_ERROR_IS_FATAL ANY)
  # the object alone, by its rule of a Makefile: the simulator itself need not be built for it
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${SCRATCH} --target empty.o COMMAND_ERROR_IS_FATAL ANY)
endif()
