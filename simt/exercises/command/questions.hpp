// What to think about, for each kind of finding and for errors that CUDA reports.
#pragma once

#include <exactdot/simt/simulator.hpp>
#include <string_view>

namespace exactdot::simtcc::exercises {

std::string_view question_of(simt::fault_kind kind);

/// Of a finding, whose text begins with the name of its kind; "" of other lines.
std::string_view question_of(std::string_view finding);

/// Of an error that CUDA reports, by the text of cudaGetErrorString; "" of others.
std::string_view question_of_error(std::string_view error);

}  // namespace exactdot::simtcc::exercises
