# Included by the project of examples/cmake/fetch_content: gives it compiler options, and a program that prints bits of results.
# FLAGS: for all of its sources; as CMAKE_CXX_FLAGS (where the linker sees them, too) and as add_compile_options.
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
separate_arguments(options UNIX_COMMAND "${FLAGS}")
add_compile_options(${options})
string(APPEND CMAKE_CXX_FLAGS " ${FLAGS}")
function(add_bits)
  add_executable(bits ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/main.cpp)
  target_link_libraries(bits PRIVATE exactdot::exactdot)
endfunction()
cmake_language(DEFER CALL add_bits)  # at the end of the project
