// The sentence of the errc::file that a function throws.
#pragma once

#include <gtest/gtest.h>

#include <exactdot/error.hpp>
#include <functional>
#include <string>

namespace cli_test {

/// Empty if it throws nothing.
inline std::string fault_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const exactdot::error& error) {
    EXPECT_EQ(error.code(), exactdot::errc::file);
    return error.what();
  }
  return {};
}

}  // namespace cli_test
