# Makes Debian packages of builds that exist and installs them into an empty root (debian_packages).
#
# cmake -DSOURCE=<sources of exactdot> -DSTATIC_BUILD=<…> -DSHARED_BUILD=<…> -DSCRATCH=<folder, removed first>
#       -P debian_packages.cmake
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
foreach(tool dpkg-shlibdeps file help2man)
  find_program(FOUND_${tool} ${tool})
  if(NOT FOUND_${tool})
    message("debian_packages: skipped: ${tool} not found; the Debian packages dpkg-dev, file and help2man have it")
    return()
  endif()
endforeach()
file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} -E env STATIC_BUILD=${STATIC_BUILD} SHARED_BUILD=${SHARED_BUILD} ${CMAKE_CPACK_COMMAND}
  --config ${SOURCE}/packaging/debian/packages.cmake -B ${SCRATCH}/packages)
run(${CMAKE_CURRENT_LIST_DIR}/debian_packages ${SCRATCH}/packages ${SCRATCH}/root ${SOURCE})
