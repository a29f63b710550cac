// Benchmark data: pairs of vectors in memory of a chosen alignment.
//
// Every library is measured on `uniform`. The other data sets are hostile to exact summation:
//
//   wide         exponents over the whole range of the type
//   subnormal    all products are below the smallest subnormal
//   alternating  neighbours whose exponents do not fit into one window
//   one_huge     one huge element in the middle of ordinary ones
//   sorted       exponents that increase over the whole vector
//   ill          sums that cancel, condition number 1e20; from 2^20 elements on a period of 2^20 is repeated
//   ill_deep     the same with condition number 1e40
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace bench {

enum class alignment {
  cache_line,  ///< both vectors start at a multiple of 64 bytes
  vector       ///< alignment of std::vector and malloc
};

/// All data sets except `uniform`.
inline const std::vector<std::string> hostile_data = {"wide",   "subnormal", "alternating", "one_huge",
                                                      "sorted", "ill",       "ill_deep"};

template <class T>
class vectors {
 public:
  /// Fills the vectors on all cores. `data`: uniform or one of hostile_data; the same name and n give the same
  /// numbers.
  vectors(const std::string& data, std::size_t n, alignment placement);

  [[nodiscard]] const T* a() const { return a_.get(); }
  [[nodiscard]] const T* b() const { return b_.get(); }
  [[nodiscard]] std::size_t size() const { return n_; }
  [[nodiscard]] const std::string& data() const { return data_; }

 private:
  struct release {
    void operator()(T* memory) const;
  };
  std::string data_;
  std::size_t n_;
  std::unique_ptr<T[], release> a_, b_;
};

extern template class vectors<float>;
extern template class vectors<double>;

}  // namespace bench
