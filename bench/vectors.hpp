// The data that is timed: pairs of vectors in memory of a chosen alignment.
//
// `uniform` is what every library is measured on. The others are hostile to exact summation: exponents over the
// whole range (`wide`), products all below the smallest subnormal (`subnormal`), neighbours that are too far apart
// for any one window of bits (`alternating`), one such element in the middle of ordinary ones (`one_huge`), a
// largest exponent that grows all the way (`sorted`), and sums that cancel: of condition number 1e16 (`ill`) and
// 1e40
// (`ill_deep`), periods of 1024 pairs over and over.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace bench {

enum class alignment {
  cache_line,  ///< both start at a multiple of 64 bytes
  vector       ///< where std::vector and malloc put them
};

/// All but `uniform`.
inline const std::vector<std::string> hostile_data = {"wide",   "subnormal", "alternating", "one_huge",
                                                      "sorted", "ill",       "ill_deep"};

template <class T>
class vectors {
 public:
  /// data: uniform or one of hostile_data. The same name and n give the same numbers. Filled by all cores.
  vectors(const std::string& data, std::size_t n, alignment how);

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
