# Installs a build of exactdot into a scratch folder, then configures, builds and runs the consumer project
# against that folder alone.
#
# cmake -DBUILD=<build folder> -DSCRATCH=<folder to use up> -DCONSUMER=<project> -DVERSION=<x.y.z>
#       [-DSOURCE=<exactdot's sources>: build a shared library from them first] -P install_and_consume.cmake
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
if(SOURCE)
  set(BUILD ${SCRATCH}/library)
  run(${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD} -DCMAKE_BUILD_TYPE=Debug -DBUILD_SHARED_LIBS=ON
    -DCMAKE_CXX_COMPILER=${COMPILER}
    -DEXACTDOT_BUILD_PROGRAM=OFF -DEXACTDOT_BUILD_TESTS=OFF -DEXACTDOT_BUILD_BENCH=OFF)
  run(${CMAKE_COMMAND} --build ${BUILD} --parallel 2)
endif()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)

# moved after the install: a package that remembers where it was built or installed does not work here
file(RENAME ${SCRATCH}/prefix ${SCRATCH}/moved)
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${SCRATCH}/consumer -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${SCRATCH}/moved -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
run(${CMAKE_COMMAND} --build ${SCRATCH}/consumer)
execute_process(COMMAND ${SCRATCH}/consumer/consumer OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output STREQUAL "exactdot ${VERSION} works from its package\n")
  message(FATAL_ERROR "the consumer printed: ${output}")
endif()
