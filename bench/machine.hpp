// What the numbers were taken on: the part of the report that makes them worth reading.
#pragma once

#include <nlohmann/json.hpp>

namespace bench {

/// CPU model, caches, instruction set, kernel, compiler, date. No name of the machine and no path.
nlohmann::ordered_json describe_machine();

}  // namespace bench
