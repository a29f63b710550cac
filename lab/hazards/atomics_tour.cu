// atomics_tour: every CUDA atomic function with every element type, on edge values and from 256 threads on one
// word.
//
// Alone, each function must return the old value and store what its definition says: Inc wraps to 0, Dec wraps to
// its bound, CAS stores only on a match. Together, the word must end as if the threads had run in some order.
// Nothing here is wrong or racy. Atomics order only their own word, where they serialise.
#include <algorithm>
#include <lab/hazard_kernel.hpp>
#include <lab/hazards/atomic_functions.cuh>

namespace exactdot::lab {
namespace {

struct check_counts {
  int passed = 0, failed = 0;
  void add(bool correct) { (correct ? passed : failed) += 1; }
};

template <class Function, class T>
__global__ void apply_each(T* words, const T* values, T* old) {
  old[threadIdx.x] = Function::apply(&words[threadIdx.x], values[threadIdx.x]);
}

template <class Function, class T>
__global__ void apply_together(T* word, T* old) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  old[i] = Function::apply(word, static_cast<T>(i % 7 + 1));
}

/// Checks every pair of a word and a value at the edges of the type.
template <class Function, class T>
void check_alone(gpu::stream& stream, check_counts& checks) {
  const std::vector<T> edges = edges_of<T>();
  std::vector<T> words, values;
  for (const T word : edges) {
    for (const T value : edges) words.push_back(word), values.push_back(value);
  }
  const std::size_t n = words.size();
  gpu::buffer<T> on_device(stream, n), arguments(stream, n), old(stream, n);
  on_device.copy_from(words.data(), n);
  arguments.copy_from(values.data(), n);
  gpu::launch(apply_each<Function, T>, 1, static_cast<unsigned>(n), 0, stream, on_device.data(), arguments.data(),
              old.data());
  std::vector<T> after(n), returned(n);
  on_device.copy_to(after.data(), n);
  old.copy_to(returned.data(), n);
  for (std::size_t i = 0; i < n; ++i) {
    checks.add(returned[i] == words[i]);
    checks.add(after[i] == Function::next(words[i], values[i]));
  }
}

/// Checks 4 blocks of 64 threads on one word. In any order, each thread finds a value that another one stored: the
/// returned values and the final value together are the start value and all stored values.
template <class Function, class T>
void check_together(gpu::stream& stream, check_counts& checks) {
  constexpr unsigned blocks = 4, threads = 64, all = blocks * threads;
  const T start = 100;
  gpu::buffer<T> word(stream, 1), old(stream, all);
  word.copy_from(&start, 1);
  gpu::launch(apply_together<Function, T>, blocks, threads, 0, stream, word.data(), old.data());
  std::vector<T> found(all), stored;
  old.copy_to(found.data(), all);
  for (unsigned i = 0; i < all; ++i) stored.push_back(Function::next(found[i], static_cast<T>(i % 7 + 1)));
  found.push_back(only_value(word));
  stored.push_back(start);
  std::sort(found.begin(), found.end());
  std::sort(stored.begin(), stored.end());
  checks.add(found == stored);
  if constexpr (Function::any_order) {
    T in_order = start;
    for (unsigned i = 0; i < all; ++i) in_order = Function::next(in_order, static_cast<T>(i % 7 + 1));
    checks.add(only_value(word) == in_order);
  }
}

template <class Function, class... Types>
void visit(gpu::stream& stream, hazard_outcome& outcome, check_counts& total, types<Types...>) {
  check_counts checks;
  (check_alone<Function, Types>(stream, checks), ...);
  (check_together<Function, Types>(stream, checks), ...);
  total.passed += checks.passed, total.failed += checks.failed;
  std::string names;
  ((names += (names.empty() ? "" : ", ") + std::string(name_of_type<Types>)), ...);
  outcome.table.push_back(format_text("%-11s%4d of %4d   %s", Function::name, checks.passed,
                                      checks.passed + checks.failed, names.c_str()));
  outcome.figures.push_back({Function::name, static_cast<double>(checks.passed)});
}

template <class... Functions>
void visit_all(gpu::stream& stream, hazard_outcome& outcome, check_counts& total) {
  (visit<Functions>(stream, outcome, total, typename Functions::element_types{}), ...);
}

hazard_outcome run_tour(const hazard_request& request) {
  seeded_stream stream(request.seed);
  hazard_outcome outcome;
  check_counts total;
  visit_all<add, subtract, exchange, minimum, maximum, increment, decrement, compare_and_swap, bit_and, bit_or,
            bit_xor>(stream, outcome, total);
  outcome.detected = take_findings(stream);
  outcome.expected = "all checks pass";
  outcome.observed = format_text("%d of %d checks pass", total.passed, total.passed + total.failed);
  outcome.as_expected = total.failed == 0 && total.passed > 0 && outcome.detected.empty();
  outcome.figures.push_back({"passed", static_cast<double>(total.passed)});
  outcome.figures.push_back({"failed", static_cast<double>(total.failed)});
  return outcome;
}

const register_hazard registration{
    {.number = 4,
     .name = "atomics_tour",
     .file = "atomics_tour.cu",
     .mistake = false,
     .effect =
         "Calls atomicAdd, Sub, Exch, Min, Max, Inc, Dec, CAS, And, Or and Xor with every supported element type, "
         "on values at the edges of the type and from 256 threads on one word.",
     .cause =
         "Each reads and writes the word in one indivisible step and returns the old value. Inc stores old >= "
         "bound "
         "? 0 : old + 1; Dec stores old == 0 or old > bound ? bound : old - 1; CAS stores only if the word equals "
         "its second argument.",
     .fix =
         "Nothing needs fixing. An operation without its own function is built from a CAS loop, as in exactdot lab "
         "--op max."},
    run_tour};

}  // namespace
}  // namespace exactdot::lab
