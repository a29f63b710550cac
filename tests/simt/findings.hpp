// Assertions on the faults of a stream: a fault of one kind on one line, or no fault, for any of many seeds.
//
// A line with a planted fault ends in a comment with its name. The tests find the line by searching their source.
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

constexpr execution both_models[] = {execution::independent, execution::lock_step};

inline std::string base_name(const std::string& file) { return file.substr(file.rfind('/') + 1); }

/// Returns the number of the source line that ends in this comment; -1 if there is none. A relative path of the
/// compiler means nothing here, so the file is looked for in the tests' folder.
inline int line_of(const char* file, const std::string& comment) {
  std::ifstream source(EXACTDOT_SIMT_TESTS "/" + base_name(file));
  std::string line;
  for (int number = 1; std::getline(source, line); ++number) {
    if (line.ends_with("// " + comment)) return number;
  }
  return -1;
}

inline std::string faults_of(const gpu::stream& stream) {
  std::string text;
  for (const fault& found : stream.faults()) text += found.text() + "\n";
  return text;
}

/// Asserts that there is a fault of this kind and space with one of its sites on the line with the comment. Without
/// debug information, any line will do.
inline testing::AssertionResult has_fault(const gpu::stream& stream, fault_kind kind, const std::string& space,
                                          const std::string& comment, const char* file = __builtin_FILE()) {
  const int line = line_of(file, comment);
  if (line < 0) return testing::AssertionFailure() << file << " has no comment " << comment;
  const auto is_on_line = [&](const auto& site) {
    return site.line == line && base_name(file) == base_name(site.file);
  };
  const bool found = std::any_of(stream.faults().begin(), stream.faults().end(), [&](const fault& candidate) {
    return candidate.kind == kind && candidate.space == space &&
           (!EXACTDOT_HAS_LINES || is_on_line(candidate.site) || is_on_line(candidate.other_site));
  });
  if (found) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no " << exactdot::simt::name_of(kind) << " in line " << line << " but:\n"
                                     << faults_of(stream);
}

/// Runs the body with 50 seeds in both models. Asserts that there are no faults.
template <class Body>
void expect_no_faults(Body body) {
  for (const execution model : both_models) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      gpu::stream stream({.seed = seed, .model = model});
      body(stream);
      ASSERT_EQ(faults_of(stream), "") << "seed " << seed << (model == execution::lock_step ? ", lock step" : "");
    }
  }
}

/// Runs the body with 20 seeds in both models. Asserts that each run has a fault of this kind, as has_fault().
template <class Body>
void expect_fault_in_every_schedule(Body body, fault_kind kind, const std::string& space,
                                    const std::string& comment, const char* file = __builtin_FILE()) {
  for (const execution model : both_models) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      gpu::stream stream({.seed = seed, .model = model, .spin_budget = 20});
      body(stream);
      ASSERT_TRUE(has_fault(stream, kind, space, comment, file))
          << "seed " << seed << (model == execution::lock_step ? ", lock step" : "");
    }
  }
}

/// A buffer with n given elements, or n zeros.
template <class T>
struct filled : gpu::buffer<T> {
  filled(gpu::stream& stream, std::size_t n, const T* elements = nullptr) : gpu::buffer<T>(stream, n) {
    if (elements != nullptr) {
      this->copy_from(elements, n);
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
