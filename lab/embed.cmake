# Writes a C++ file with a function that returns the text of each file by its name, by default source_of of registry.hpp,
# for the rungs and the headers that they share:
#   cmake -D OUTPUT=… -D FILES="…;…" [-D FUNCTION=… -D HEADER=…] -P embed.cmake
if(NOT DEFINED FUNCTION)
  set(FUNCTION source_of)
  set(HEADER lab/registry.hpp)
endif()
set(text "// Written by lab/embed.cmake.\n#include <${HEADER}>\n\nnamespace exactdot::lab {\n\n")
string(APPEND text "std::string_view ${FUNCTION}(std::string_view file) {\n")
foreach(file IN LISTS FILES)
  file(READ ${file} source)
  cmake_path(GET file FILENAME name)
  string(APPEND text "  if (file == \"${name}\") return R\"source-text(${source})source-text\";\n")
endforeach()
string(APPEND text "  return {};\n}\n\n}  // namespace exactdot::lab\n")
file(WRITE ${OUTPUT} "${text}")
