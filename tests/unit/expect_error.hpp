// Expects an action to throw an error with this code, whose sentence contains a phrase.
#pragma once

#include <gtest/gtest.h>

#include <exactdot/error.hpp>
#include <functional>
#include <string>

namespace unit {

inline void expect_error(exactdot::errc code, const std::string& phrase, const std::function<void()>& action) {
  try {
    action();
    ADD_FAILURE() << "nothing was thrown: " << phrase;
  } catch (const exactdot::error& thrown) {
    EXPECT_EQ(thrown.code(), code) << thrown.what();
    EXPECT_NE(std::string(thrown.what()).find(phrase), std::string::npos) << thrown.what();
  }
}

}  // namespace unit
