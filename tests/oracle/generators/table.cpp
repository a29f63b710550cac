// The table of generators: the rows of all files of this folder, in one order for every type.
//
// Built on first use, since rows are templates in separate files; after that it is constant.
#include "oracle/generators/rows.hpp"

namespace oracle {

template <class T>
std::span<const generator<T>> generators() {
  static const rows<T> all = [] {
    rows<T> table;
    for (const rows<T>& some :
         {plain_rows<T>(), magnitude_rows<T>(), layout_rows<T>(), window_rows<T>(), targeted_rows<T>(),
          ill_conditioned_rows<T>(), named_rows<T>(), special_rows<T>()}) {
      table.insert(table.end(), some.begin(), some.end());
    }
    return table;
  }();
  return all;
}

template std::span<const generator<float>> generators();
template std::span<const generator<double>> generators();

}  // namespace oracle
