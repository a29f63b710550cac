# Writes a C++ file with a function that returns the text of a source file by its name:
#   cmake -D OUTPUT=… -D HEADER=lab/registry.hpp -D FUNCTION=source_of -D FILES="…;…" [-D NAMESPACE=…] -P embed.cmake
if(NOT NAMESPACE)
  set(NAMESPACE exactdot::lab)
endif()
set(text "// Written by cmake/embed.cmake.\n#include <${HEADER}>\n\nnamespace ${NAMESPACE} {\n\n")
string(APPEND text "std::string_view ${FUNCTION}(std::string_view file) {\n")
foreach(file IN LISTS FILES)
  file(READ ${file} source)
  cmake_path(GET file FILENAME name)
  string(APPEND text "  if (file == \"${name}\") return R\"source-text(${source})source-text\";\n")
endforeach()
string(APPEND text "  return {};\n}\n\n}  // namespace ${NAMESPACE}\n")
file(WRITE ${OUTPUT} "${text}")
