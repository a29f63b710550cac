// Stand-in for the header of this name that comes with NVIDIA's samples: options of a command line.
#pragma once

#include <strings.h>

#include <cstdlib>
#include <cstring>
#include <string>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#define STRCASECMP strcasecmp
#define STRNCASECMP strncasecmp

/// Returns the text after `name` and an optional `=` in the first option --name, -name; null if there is none.
inline const char* simtcc_option(int count, const char** values, const char* name) {
  for (int i = 1; i < count; ++i) {
    const char* text = values[i];
    while (*text == '-') ++text;
    const std::size_t length = std::strlen(name);
    if (text == values[i] || strncasecmp(text, name, length) != 0) continue;
    if (text[length] == '=') return text + length + 1;
    if (text[length] == '\0') return text + length;
  }
  return nullptr;
}
inline bool checkCmdLineFlag(int count, const char** values, const char* name) {
  return simtcc_option(count, values, name) != nullptr;
}
inline int getCmdLineArgumentInt(int count, const char** values, const char* name) {
  const char* const text = simtcc_option(count, values, name);
  return text == nullptr ? 0 : std::atoi(text);
}
inline float getCmdLineArgumentFloat(int count, const char** values, const char* name) {
  const char* const text = simtcc_option(count, values, name);
  return text == nullptr ? 0.0F : static_cast<float>(std::atof(text));
}
inline bool getCmdLineArgumentString(int count, const char** values, const char* name, char** found) {
  const char* const text = simtcc_option(count, values, name);
  *found = const_cast<char*>(text);
  return text != nullptr;
}
template <class T>
bool getCmdLineArgumentValue(int count, const char** values, const char* name, T* found) {
  const char* const text = simtcc_option(count, values, name);
  if (text != nullptr) *found = static_cast<T>(std::atof(text));
  return text != nullptr;
}
/// The name itself: a sample's data lies where it is named.
inline char* sdkFindFilePath(const char* name, const char*) { return strdup(name); }
