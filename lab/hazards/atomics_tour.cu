// atomics_tour: every atomic function of CUDA with every type it takes, at the edges and with 256 threads at one
// word.
//
// Alone, each must return the old value and leave what its definition says: Inc wraps to 0, Dec to its bound, CAS
// stores only on a match. Together, the word must end as if the threads had come one after the other. Neither wrong
// nor racy: atomics order nothing but their own word, and cost a queue there.
#include <algorithm>
#include <lab/hazard_kernel.hpp>
#include <lab/hazards/atomic_functions.cuh>

namespace exactdot::lab {
namespace {

struct tally_of_checks {
  int passed = 0, failed = 0;
  void count(bool right) { (right ? passed : failed) += 1; }
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

/// Words and values at the edges of the type, each with each.
template <class Function, class T>
void check_alone(gpu::stream& stream, tally_of_checks& checks) {
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
    checks.count(returned[i] == words[i]);
    checks.count(after[i] == Function::next(words[i], values[i]));
  }
}

/// 4 blocks of 64 threads at one word. In whatever order they came, each found what another had left: the values
/// that were returned, and the one that is left, are the start and all that was stored.
template <class Function, class T>
void check_together(gpu::stream& stream, tally_of_checks& checks) {
  constexpr unsigned blocks = 4, threads = 64, all = blocks * threads;
  const T start = 100;
  gpu::buffer<T> word(stream, 1), old(stream, all);
  word.copy_from(&start, 1);
  gpu::launch(apply_together<Function, T>, blocks, threads, 0, stream, word.data(), old.data());
  std::vector<T> found(all), left;
  old.copy_to(found.data(), all);
  for (unsigned i = 0; i < all; ++i) left.push_back(Function::next(found[i], static_cast<T>(i % 7 + 1)));
  found.push_back(only_value(word));
  left.push_back(start);
  std::sort(found.begin(), found.end());
  std::sort(left.begin(), left.end());
  checks.count(found == left);
  if constexpr (Function::any_order) {
    T in_order = start;
    for (unsigned i = 0; i < all; ++i) in_order = Function::next(in_order, static_cast<T>(i % 7 + 1));
    checks.count(only_value(word) == in_order);
  }
}

template <class Function, class... Types>
void visit(gpu::stream& stream, hazard_outcome& seen, tally_of_checks& total, types<Types...>) {
  tally_of_checks checks;
  (check_alone<Function, Types>(stream, checks), ...);
  (check_together<Function, Types>(stream, checks), ...);
  total.passed += checks.passed, total.failed += checks.failed;
  std::string names;
  ((names += (names.empty() ? "" : ", ") + std::string(name_of_type<Types>)), ...);
  seen.table.push_back(
      text_of("%-11s%4d of %4d   %s", Function::name, checks.passed, checks.passed + checks.failed, names.c_str()));
  seen.figures.push_back({Function::name, static_cast<double>(checks.passed)});
}

template <class... Functions>
void visit_all(gpu::stream& stream, hazard_outcome& seen, tally_of_checks& total) {
  (visit<Functions>(stream, seen, total, typename Functions::takes{}), ...);
}

hazard_outcome run_tour(const hazard_request& request) {
  seeded_stream stream(request.seed);
  hazard_outcome seen;
  tally_of_checks total;
  visit_all<add, subtract, exchange, minimum, maximum, increment, decrement, compare_and_swap, bit_and, bit_or,
            bit_xor>(stream, seen, total);
  seen.detected = take_findings(stream);
  seen.expected = "all checks pass";
  seen.observed = text_of("%d of %d checks pass", total.passed, total.passed + total.failed);
  seen.as_expected = total.failed == 0 && total.passed > 0 && seen.detected.empty();
  seen.figures.push_back({"passed", static_cast<double>(total.passed)});
  seen.figures.push_back({"failed", static_cast<double>(total.failed)});
  return seen;
}

const enlist_hazard here{
    {.number = 4,
     .name = "atomics_tour",
     .file = "atomics_tour.cu",
     .does =
         "Calls atomicAdd, Sub, Exch, Min, Max, Inc, Dec, CAS, And, Or and Xor with every type that each takes, "
         "at the edges of the type and from 256 threads at one word.",
     .why =
         "Each returns what lay there before, as one step. Inc gives old >= bound ? 0 : old + 1; Dec gives old == "
         "0 or old > bound ? bound : old - 1; CAS stores only where it finds what it compares with.",
     .cure =
         "Nothing is wrong here. What has no function of its own is built from CAS in a loop: exactdot lab --op "
         "max does so."},
    run_tour};

}  // namespace
}  // namespace exactdot::lab
