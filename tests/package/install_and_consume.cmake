# Installs a build of exactdot into a scratch folder, then configures, builds and runs the consumer project with the
# installed package.
#
# cmake -DBUILD=<build folder> -DSCRATCH=<folder, removed first> -DCONSUMER=<project> -DEXAMPLES=<folder> -DVERSION=<x.y.z>
#       [-DSOURCE=<sources of exactdot>: build a shared library from them first, without the simulator and CUDA]
#       [-DCUDA=ON: BUILD has the CUDA engine; default: it must not have it]
#       [-DOWN_KERNEL=<project>: copy it out of the tree, build it with the installed simulator and run it]
#       [-DC_EXAMPLE=<program> -DC_COMPILER=<C compiler> -DPKG_CONFIG=<pkg-config>: build and run it with the installed
#        C interface, by pkg-config and by CMake]
#       [-DMPI_LANGUAGES=<list of C, CXX, Fortran>: build and run the MPI examples, too]
#       -P install_and_consume.cmake
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# consume(<folder> <options of CMake>…): builds the project CONSUMER with the installed package
function(consume folder)
  run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${SCRATCH}/${folder} ${package_options} ${ARGN})
  run(${CMAKE_COMMAND} --build ${SCRATCH}/${folder})
endfunction()

function(expect_missing component sentence)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${CONSUMER} -B ${SCRATCH}/without_${component} ${package_options}
    -DLANGUAGES=CXX -DCOMPONENTS=${component} RESULT_VARIABLE status ERROR_VARIABLE output OUTPUT_QUIET)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  string(FIND "${output}" "${sentence}" found)
  if(status EQUAL 0 OR found EQUAL -1)
    message(FATAL_ERROR "the message for the missing component ${component} is: ${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
if(SOURCE)
  set(BUILD ${SCRATCH}/library)
  # the least that compiles: one instruction set, no optimisation, no debug information
  run(${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD} -DCMAKE_BUILD_TYPE=Debug -DBUILD_SHARED_LIBS=ON -DCMAKE_UNITY_BUILD=ON
    -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -DHWY_COMPILE_ONLY_STATIC"
    -DEXACTDOT_BUILD_PROGRAM=OFF -DEXACTDOT_BUILD_TESTS=OFF -DEXACTDOT_BUILD_BENCH=OFF
    -DEXACTDOT_BUILD_SIMT=OFF -DEXACTDOT_BUILD_CUDA=OFF -DEXACTDOT_UNOPTIMISED=ON)
  run(${CMAKE_COMMAND} --build ${BUILD} --parallel 2)
endif()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)

# moved after the installation, so that absolute paths in the package are errors
file(RENAME ${SCRATCH}/prefix ${SCRATCH}/moved)
set(package_options -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${SCRATCH}/moved
  -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
consume(consumer -DLANGUAGES=CXX -DLIBRARY=exactdot -DSOURCE=main.cpp)
execute_process(COMMAND ${SCRATCH}/consumer/consumer OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
set(expected_output "^exactdot ${VERSION}([.]dev0)?([+]g[0-9a-f]+([.]d[0-9a-f]+)?)? works from its package\n$")
if(NOT output MATCHES "${expected_output}")
  message(FATAL_ERROR "the consumer printed: ${output}")
endif()

run(${CMAKE_COMMAND} -S ${EXAMPLES}/cmake/find_package -B ${SCRATCH}/example ${package_options})
run(${CMAKE_COMMAND} --build ${SCRATCH}/example)
execute_process(COMMAND ${SCRATCH}/example/hello_dot OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "backwards loop: 0  fast: 0  exact: 1\n$")
  message(FATAL_ERROR "the example printed: ${output}")
endif()

# by pkg-config: flags_of(package) sets flags
file(GLOB_RECURSE description ${SCRATCH}/moved/exactdot.pc)
cmake_path(GET description PARENT_PATH pkgconfig_dir)
cmake_path(GET pkgconfig_dir PARENT_PATH library_dir)
set(ENV{PKG_CONFIG_PATH} ${pkgconfig_dir})
macro(flags_of package)
  execute_process(COMMAND ${PKG_CONFIG} --modversion ${package} OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
  if(NOT version STREQUAL "${VERSION}\n")
    message(FATAL_ERROR "pkg-config has the version ${version} of ${package}")
  endif()
  execute_process(COMMAND ${PKG_CONFIG} --cflags --libs ${package} OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND ${flags})
endmacro()
if(PKG_CONFIG)
  flags_of(exactdot)
  run(${COMPILER} -std=c++20 ${CONSUMER}/main.cpp ${flags} -Wl,-rpath,${library_dir} -o ${SCRATCH}/consumer_by_pkg_config)
  execute_process(COMMAND ${SCRATCH}/consumer_by_pkg_config OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  if(NOT output MATCHES "${expected_output}")
    message(FATAL_ERROR "the consumer by pkg-config printed: ${output}")
  endif()
endif()

# the CUDA engine is a component; requesting it from a package without it is an error
if(CUDA)
  consume(with_cuda -DLANGUAGES=CXX -DCOMPONENTS=cuda -DLIBRARY=cuda -DSOURCE=main.cpp)
  run(${SCRATCH}/with_cuda/consumer)
else()
  expect_missing(cuda "installed without its CUDA engine; a build with a CUDA compiler has it")
endif()

include(${CMAKE_CURRENT_LIST_DIR}/symbols.cmake)

if(C_EXAMPLE)
  include(${CMAKE_CURRENT_LIST_DIR}/consume_from_c.cmake)
endif()

if(MPI_LANGUAGES)
  include(${CMAKE_CURRENT_LIST_DIR}/consume_mpi.cmake)
endif()

if(OWN_KERNEL)
  file(COPY ${OWN_KERNEL}/ DESTINATION ${SCRATCH}/own_kernel)
  run(${CMAKE_COMMAND} -S ${SCRATCH}/own_kernel -B ${SCRATCH}/own_kernel/build ${package_options} -DCMAKE_CUDA_COMPILER=)
  run(${CMAKE_COMMAND} --build ${SCRATCH}/own_kernel/build)
  execute_process(COMMAND ${SCRATCH}/own_kernel/build/own_kernel OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  if(NOT output MATCHES "data_race in shared memory .*corrected: 3500 of 3500 letters\n$")
    message(FATAL_ERROR "own_kernel printed: ${output}")
  endif()
  # the installed simtcc finds its headers and libraries beside itself
  run(${SCRATCH}/moved/bin/simtcc -std=c++20 ${OWN_KERNEL}/../programs/racy.cu -o ${SCRATCH}/racy)
  execute_process(COMMAND ${SCRATCH}/racy RESULT_VARIABLE status ERROR_VARIABLE output)
  if(NOT status EQUAL 66 OR NOT output MATCHES "simtcc: data_race in global memory .*racy\\.cu:")
    message(FATAL_ERROR "racy exited with ${status} and printed: ${output}")
  endif()
  # and the headers for kernels, exactdot/block.cuh
  run(${SCRATCH}/moved/bin/simtcc -std=c++20 ${OWN_KERNEL}/../force_histogram.cu -o ${SCRATCH}/force_histogram)
  run(${SCRATCH}/force_histogram)
  # a project with a CUDA program: its tests pass, and fail without a barrier
  file(COPY ${OWN_KERNEL}/../simtcc_project/ DESTINATION ${SCRATCH}/simtcc_project)
  foreach(options "" -DWITHOUT_BARRIER)
    set(folder ${SCRATCH}/simtcc_project/build${options})
    run(${CMAKE_COMMAND} -S ${SCRATCH}/simtcc_project -B ${folder} ${package_options} -DCMAKE_CUDA_COMPILER=
      -DSIMTCC_OPTIONS=${options})
    run(${CMAKE_COMMAND} --build ${folder})
    execute_process(COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${folder} --output-on-failure -R independent
      RESULT_VARIABLE status OUTPUT_VARIABLE output)
    if(options STREQUAL "")
      set(expected "100% tests passed, 0 tests failed out of 1")
    else()
      set(expected "data_race in shared memory .partial.*\n0% tests passed, 1 tests failed out of 1")
    endif()
    if(NOT output MATCHES "${expected}")
      message(FATAL_ERROR "the tests of simtcc_project (${options}) ended with ${status} and printed: ${output}")
    endif()
  endforeach()
endif()

# requesting the simulator from a package without it is an error
if(SOURCE)
  expect_missing(simt "installed without its simulator; a build with -DEXACTDOT_BUILD_SIMT=ON has it")
endif()
