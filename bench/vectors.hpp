// The data that is timed: pairs of vectors in memory of a chosen alignment.
//
// `uniform` is what every library is measured on. The others are hostile to exact summation: exponents over the
// whole range (`wide`), products all below the smallest subnormal (`subnormal`), and neighbours that are too far
// apart for any one window of bits (`alternating`).
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace bench {

enum class alignment {
  cache_line,  ///< both start at a multiple of 64 bytes
  vector       ///< where std::vector and malloc put them
};

template <class T>
class vectors {
 public:
  /// data: uniform, wide, subnormal or alternating. The same name and n give the same numbers.
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
