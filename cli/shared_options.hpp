// Options that several subcommands have, each declared here. Included by the two files that include CLI11 only.
#pragma once

#include <CLI/CLI.hpp>
#include <cli/file_filter.hpp>
#include <cli/option_checks.hpp>
#include <cli/reduction_command.hpp>
#include <cstdint>
#include <exactdot/element.hpp>
#include <io/data_source.hpp>
#include <io/type_names.hpp>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace exactdot::cli {

/// --seed, of a random generator of 32 bits.
inline void add_seed(CLI::App& app, std::uint32_t& seed, const std::string& meaning) {
  using limits = std::numeric_limits<std::uint32_t>;
  app.add_option("--seed", seed, meaning)->check(CLI::Range(limits::min(), limits::max()))->capture_default_str();
}

/// --device, of kernels that also run on the simulator.
inline void add_kernel_device(CLI::App& app, std::string& device) {
  app.add_option("--device", device,
                 "cuda: a GPU; simt: the simulator, on any machine; auto: cuda if there is a GPU, else simt")
      ->check(CLI::IsMember({"auto", "cuda", "simt"}))
      ->capture_default_str();
}

/// The types of generated vectors.
inline CLI::IsMember carrier_names() { return CLI::IsMember(io::type_names(is_carrier)); }

/// --dtype, of generated vectors.
inline void add_carrier(CLI::App& app, std::string& type) {
  app.add_option("--dtype", type, "type of the elements")->check(carrier_names())->capture_default_str();
}

/// --dtype, of the elements of files.
inline CLI::Option* add_file_dtype(CLI::App& app, std::string& type, io::npy_numbers numbers) {
  return app
      .add_option("--dtype", type,
                  "element type of raw little-endian files, and of .npy files of bfloat16 and float8_e4m3fn")
      ->check(CLI::IsMember(io::number_type_names(numbers)));
}

/// --data, a data set of `generate`.
inline void add_data_set(CLI::App& app, std::string& data, const std::string& meaning) {
  const std::vector<std::string> sets(std::begin(io::data_set_names), std::end(io::data_set_names));
  app.add_option("--data", data, meaning)->check(CLI::IsMember(sets))->capture_default_str();
}

/// --reduction: one of these commands, or an alias of one, which becomes the command.
inline CLI::Option* add_reduction(CLI::App& app, std::string& name, const std::vector<std::string>& commands,
                                  const std::string& meaning) {
  const auto to_command = [](std::string& word) {
    if (const auto what = reduction_named(word)) word = command_of(*what);
    return std::string();
  };
  return app.add_option("--reduction", name, meaning)
      ->check(CLI::IsMember(commands))
      ->transform(CLI::Validator(to_command, ""))
      ->capture_default_str();
}

/// --where and --skip-nan.
inline void add_filter(CLI::App& app, filter_arguments& filter, const std::string& values) {
  app.add_flag("--skip-nan", filter.skip_nan, "leave out NaNs, as if they were not there");
  app.add_option("--where", filter.where,
                 "leave out elements where this mask is 0: a .npy file of booleans or bytes of the shape of " + values +
                     ", or broadcast to it; or a raw file of bytes")
      ->check(check_file_name, "FILE");
}

/// --json
inline void add_json(CLI::App& app, bool& json) { app.add_flag("--json", json, "print one JSON object"); }

}  // namespace exactdot::cli
