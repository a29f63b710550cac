// Description of the machine, for the report.
#pragma once

#include <nlohmann/json.hpp>

namespace bench {

/// Returns CPU model, caches, instruction set, kernel, compiler and date; no host name and no path.
nlohmann::ordered_json describe_machine();

}  // namespace bench
