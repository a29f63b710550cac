# Builds the program C_EXAMPLE with the C interface that is installed in SCRATCH/moved, and runs it: with the compiler
# and pkg-config, and as a CMake project without C++. Included by install_and_consume.cmake.
function(expect_output)
  execute_process(COMMAND ${ARGV} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  set(expected "sum        1.5\nnorm       5e+300\ndot        4\nmean       0.375\ntwo halves 1.5\n")
  string(APPEND expected "XD_BAD_OPTION: sum: the result type is int8; use a floating-point type for elements of float64\n")
  if(NOT output STREQUAL expected)
    message(FATAL_ERROR "${C_EXAMPLE} printed: ${output}")
  endif()
endfunction()

flags_of(exactdot_c)
run(${C_COMPILER} -std=c99 -Wall -Wextra -pedantic -Werror ${C_EXAMPLE} ${flags} -Wl,-rpath,${library_dir}
  -o ${SCRATCH}/c_example)  # the line of docs/c.md
expect_output(${CMAKE_COMMAND} -E env --unset=LD_LIBRARY_PATH ${SCRATCH}/c_example)

set(c_options -DLANGUAGES=C -DCMAKE_C_COMPILER=${C_COMPILER} -DCOMPONENTS=c -DLIBRARY=c -DSOURCE=${C_EXAMPLE})
consume(c_consumer ${c_options})
expect_output(${SCRATCH}/c_consumer/consumer)

# the C++ components need a project with C++
execute_process(COMMAND ${CMAKE_COMMAND} -S ${CONSUMER} -B ${SCRATCH}/c_consumer_with_cuda ${package_options} ${c_options}
  -DCOMPONENTS=cuda RESULT_VARIABLE status ERROR_VARIABLE output OUTPUT_QUIET)
if(status EQUAL 0 OR NOT output MATCHES "needs a project with the language CXX")
  message(FATAL_ERROR "a C project that asks for CUDA: ${output}")
endif()
