# Writes a C++ file with the source text of the rungs and of the headers that they share:
#   cmake -D OUTPUT=… -D FILES="…;…" -P embed.cmake
set(text "// Written by lab/embed.cmake.\n#include <lab/registry.hpp>\n\nnamespace exactdot::lab {\n\n")
string(APPEND text "std::string_view source_of(std::string_view file) {\n")
foreach(file IN LISTS FILES)
  file(READ ${file} source)
  cmake_path(GET file FILENAME name)
  string(APPEND text "  if (file == \"${name}\") return R\"source-text(${source})source-text\";\n")
endforeach()
string(APPEND text "  return {};\n}\n\n}  // namespace exactdot::lab\n")
file(WRITE ${OUTPUT} "${text}")
