# Configures a project that adds exactdot by add_subdirectory: installing that project installs nothing of exactdot,
# unless it asks for it by EXACTDOT_INSTALL.
#
# cmake -DSOURCE=<exactdot's sources> -DSCRATCH=<folder to use up> -DPROJECT=<project> -DCOMPILER=<C++ compiler>
#       -P add_subdirectory.cmake
function(install_rules result)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${PROJECT} -B ${SCRATCH} -DEXACTDOT_SOURCE=${SOURCE}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${COMPILER} ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
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
