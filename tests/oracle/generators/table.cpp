// The table of generators: the lists of all files in this folder, in the same order for every type.
//
// It is built on first use, because the lists are templates in separate files, and is constant afterwards.
#include "oracle/generators/lists.hpp"

namespace oracle {

template <class T>
std::span<const generator<T>> generators() {
  static const generator_list<T> all = [] {
    generator_list<T> table;
    for (const generator_list<T>& list :
         {plain_generators<T>(), magnitude_generators<T>(), layout_generators<T>(), window_generators<T>(),
          targeted_generators<T>(), ill_conditioned_generators<T>(), named_generators<T>(),
          special_generators<T>()}) {
      table.insert(table.end(), list.begin(), list.end());
    }
    return table;
  }();
  return all;
}

template std::span<const generator<float>> generators();
template std::span<const generator<double>> generators();

}  // namespace oracle
