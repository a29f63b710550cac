// The exercises, taken apart: docs/exercises.md has the form of their files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace exactdot::simtcc::exercises {

struct exercise {
  std::string name;                // of the learner's file, without .cu
  std::string title, topic;        // in a few words
  std::string call;                // the function that the check calls, as it is declared
  std::string learnt;              // said when it is solved
  std::vector<std::string> hints;  // from vague to plain
  std::string text;                // the learner's file, without its first lines
  std::string solution;            // what replaces the hole or the fault, with the lines around it
  std::string check;               // the functions that harness.cuh calls
};

/// All of them, in their order.
const std::vector<exercise>& all_exercises();

/// Returns the place of an exercise; that of the end if there is none of this name.
std::size_t place_of(std::string_view name);

/// Returns the learner's file: what it is, the task, how to play and to check. `command`: "simtcc exercise".
std::string learner_file(const exercise& chosen, std::string_view command);

/// The text of a file of simt/exercises; written by cmake/embed.cmake.
std::string_view embedded_file(std::string_view name);

}  // namespace exactdot::simtcc::exercises
