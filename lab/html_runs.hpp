// Runs of rungs and hazards under a recorder, for the page with the stepper (docs/stepper.md).
#pragma once

#include <cstddef>
#include <exactdot/simt/recording.hpp>
#include <io/data_source.hpp>
#include <lab/hazard.hpp>
#include <lab/registry.hpp>
#include <optional>
#include <simt/page/page.hpp>
#include <string>
#include <vector>

namespace exactdot::lab {

/// A rung or a hazard, with its recorded launches.
using html_subject = simt::page_subject;

/// Returns the text of a file with kernels, by its path; "" if unknown.
[[nodiscard]] std::string kernel_source(const std::string& path);

/// How a rung runs. Empty fields have a default that fits a page.
struct html_rung_request {
  std::optional<std::size_t> n;
  unsigned block = 0, grid = 0;
  io::data_request data;  ///< but for n
  element_type type = element_type::float32;
  operation op = operation::sum;
};

/// Throws errc::bad_option for a block or operation that the rung does not support, and for a schedule that names
/// threads or steps that the first launch does not have.
[[nodiscard]] html_subject record_rung(const rung& recorded, const html_rung_request& request, std::uint64_t seed,
                                       const simt::recorder_settings& settings);
[[nodiscard]] html_subject record_hazard(const hazard& recorded, std::uint64_t seed,
                                         const simt::recorder_settings& settings);

}  // namespace exactdot::lab
