// What the simulator's tests ask of a stream: a fault of one kind on one line, or no fault whatever the seed.
//
// Lines with a planted fault end in a comment that names it; the tests look those lines up in their own source.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <exactdot/simt/cuda.hpp>
#include <fstream>
#include <string>

namespace simt_test {

namespace gpu = exactdot::gpu;
using exactdot::simt::execution;
using exactdot::simt::fault;
using exactdot::simt::fault_kind;
using gpu::stream;

constexpr execution both_models[] = {execution::independent, execution::lock_step};

/// The line of a source file whose comment is this.
inline int line_of(const char* file, const std::string& comment) {
  std::ifstream source(file);
  std::string line;
  for (int number = 1; std::getline(source, line); ++number) {
    if (line.ends_with("// " + comment)) return number;
  }
  return -1;
}

inline std::string faults_of(const stream& on) {
  std::string text;
  for (const fault& one : on.faults()) text += one.text() + "\n";
  return text;
}

/// Whether there is a fault of this kind and space that has one of its two sides on the line with the comment;
/// where lines are not known, of this kind and space.
inline testing::AssertionResult has_fault(const stream& on, fault_kind kind, const std::string& space,
                                          const std::string& comment, const char* file = __builtin_FILE()) {
  const int line = line_of(file, comment);
  if (line < 0) return testing::AssertionFailure() << file << " has no comment " << comment;
  const bool found = std::any_of(on.faults().begin(), on.faults().end(), [&](const fault& one) {
    const auto there = [&](const auto& side) {
      return side.line == line && std::string(file).ends_with(side.file);
    };
    return one.kind == kind && one.space == space && (!EXACTDOT_HAS_LINES || there(one.here) || there(one.other));
  });
  if (found) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no " << exactdot::simt::name_of(kind) << " in line " << line << " but:\n"
                                     << faults_of(on);
}

/// Runs the body on 50 seeds in both models; it must leave no fault.
template <class Body>
void expect_silence(Body body) {
  for (const execution model : both_models) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      stream on({.seed = seed, .model = model});
      body(on);
      ASSERT_EQ(faults_of(on), "") << "seed " << seed << (model == execution::lock_step ? ", lock step" : "");
    }
  }
}

/// A buffer with these elements; with none given, n zeros.
template <class T>
struct filled : gpu::buffer<T> {
  filled(stream& on, std::size_t n, const T* from = nullptr) : gpu::buffer<T>(on, n) {
    if (from != nullptr) {
      this->copy_from(from, n);
    } else {
      this->fill_zero();
    }
  }
  [[nodiscard]] T operator[](std::size_t i) const {
    std::vector<T> all(this->size());
    this->copy_to(all.data(), all.size());
    return all[i];
  }
};

}  // namespace simt_test
