# Builds exactdot within a project of other compiler options, the example that fetches it, and compares bits with those of this
# build.
#
# cmake -DSOURCE=<sources of exactdot> -DSCRATCH=<folder, removed first> -DCOMPILER=<C++ compiler> -DFLAGS=<options>
#       -DEXPECTED=<program of this build that prints the bits> [-DLIBRARY_OPTIONS=<list of -D for CMake>]
#       [-DCAMPAIGN=<file that names the objects of the campaign>: links them with that library and checks RESULTS of
#        its results] -P flags.cmake
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
set(ENV{CXXFLAGS})
run(${CMAKE_COMMAND} -S ${SOURCE}/examples/cmake/fetch_content -B ${SCRATCH} -DFETCHCONTENT_SOURCE_DIR_EXACTDOT=${SOURCE}
  -DCMAKE_PROJECT_fetch_content_INCLUDE=${CMAKE_CURRENT_LIST_DIR}/flags/options.cmake -DCMAKE_CXX_COMPILER=${COMPILER} "-DFLAGS=${FLAGS}" ${LIBRARY_OPTIONS})

# the options of the library come last
file(READ ${SCRATCH}/compile_commands.json commands)
string(JSON count LENGTH "${commands}")
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON command GET "${commands}" ${i} command)
  if(command MATCHES "/src/(cpu|plan|run)/" AND NOT command MATCHES " -O3 [^.]* -ffp-contract=off ((-Wno|-std)[^ ]* )*-o ")
    message(FATAL_ERROR "options of the project come after those of the library: ${command}")
  endif()
endforeach()

run(${CMAKE_COMMAND} --build ${SCRATCH} --parallel 2)
execute_process(COMMAND ${EXPECTED} OUTPUT_VARIABLE expected COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${SCRATCH}/bits OUTPUT_VARIABLE bits COMMAND_ERROR_IS_FATAL ANY)
if(NOT bits STREQUAL expected)
  file(WRITE ${SCRATCH}/bits.txt "${bits}")
  file(WRITE ${SCRATCH}/expected.txt "${expected}")
  execute_process(COMMAND diff ${SCRATCH}/expected.txt ${SCRATCH}/bits.txt)
  message(FATAL_ERROR "with ${FLAGS} the library gives other bits")
endif()

execute_process(COMMAND ${SCRATCH}/hello_dot OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "forwards .* exact: 1\nbackwards .* exact: 1\n$")
  message(FATAL_ERROR "hello_dot printed: ${output}")
endif()

if(CAMPAIGN)
  include(${CAMPAIGN})
  # without fast-math options: these would make the oracle flush subnormal numbers
  string(REGEX MATCHALL "-flto|-fuse-ld=[a-z]+" options "${FLAGS}")
  run(${COMPILER} ${options} ${campaign_objects} ${campaign_libraries} ${SCRATCH}/_deps/exactdot-build/src/libexactdot.a
    ${system_libraries} -o ${SCRATCH}/campaign)
  run(${SCRATCH}/campaign --results ${RESULTS})
endif()
