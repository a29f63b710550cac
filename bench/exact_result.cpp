// Exact results; see exact_result.hpp.
#include "exact_result.hpp"

#include <exactdot/reductions.hpp>
#include <lab/magnitudes.hpp>
#include <lab/ulp_error.hpp>
#include <limits>
#include <span>

namespace bench {
namespace {

constexpr bool is_sum(reduction what) {
  return what == reduction::dot || what == reduction::sum || what == reduction::asum ||
         what == reduction::sum_of_squares;
}

}  // namespace

template <class T>
exact_result<T>::exact_result(reduction what, const vectors<T>& data, int threads) : what_(what) {
  const exactdot::options options{.device = exactdot::device::cpu, .threads = threads};
  const std::span<const T> x(data.a(), data.size());
  if (what == reduction::dot) {
    sum_.add(x, std::span<const T>(data.b(), data.size()), options);
  } else if (what == reduction::sum) {
    sum_.add(x, options);
  } else if (what == reduction::asum) {
    exactdot::lab::add_magnitudes(sum_, x.data(), x.size(), options);
  } else if (what == reduction::sum_of_squares) {
    sum_.add_squares(x, options);
  } else if (exactdot::inputs_of(what) == 2) {
    const std::span<const T> y(data.b(), data.size());
    rounded_.add(
        exactdot::reduce(what, exactdot::to_any(x), exactdot::to_any(y), exactdot::element_type::float64, options)
            .to_double());
  } else if (exactdot::gives_index(what)) {
    index_ = exactdot::reduce(what, exactdot::to_any(x), result_type<T>(what), options).bits;
  } else {
    const auto type = exactdot::gives_element(what) ? exactdot::type_of<T> : exactdot::element_type::float64;
    rounded_.add(exactdot::reduce(what, exactdot::to_any(x), type, options).to_double());
  }
}

template <class T>
double exact_result<T>::error_ulps(std::uint64_t word) const {
  if (exactdot::gives_index(what_)) return word == index_ ? 0 : std::numeric_limits<double>::infinity();
  const auto value = static_cast<double>(value_of<T>(word));
  const auto type = exactdot::type_of<T>;
  return static_cast<double>(is_sum(what_) ? exactdot::lab::ulp_error(sum_, value, type)
                                           : exactdot::lab::ulp_error(rounded_, value, type));
}

template class exact_result<float>;
template class exact_result<double>;

}  // namespace bench
