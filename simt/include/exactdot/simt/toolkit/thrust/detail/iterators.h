// Thrust's iterators that compute their elements, and function objects.
#pragma once

#include <thrust/detail/memory.h>

#include <functional>
#include <tuple>

namespace thrust {

namespace detail {
/// The operations of a random access iterator that has at(i): what the element i further is.
template <class Iterator, class Value>
class computed_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using reference = Value;
  using pointer = const Value*;
  __host__ __device__ Value operator*() const { return self().at(0); }
  __host__ __device__ Value operator[](difference_type i) const { return self().at(i); }
  __host__ __device__ Iterator& operator+=(difference_type n) { return self().move(n), self(); }
  __host__ __device__ Iterator& operator-=(difference_type n) { return self().move(-n), self(); }
  __host__ __device__ Iterator& operator++() { return self() += 1; }
  __host__ __device__ Iterator& operator--() { return self() -= 1; }
  __host__ __device__ Iterator operator++(int) {
    Iterator before = self();
    self() += 1;
    return before;
  }
  __host__ __device__ Iterator operator--(int) {
    Iterator before = self();
    self() -= 1;
    return before;
  }
  __host__ __device__ friend Iterator operator+(Iterator it, difference_type n) { return it += n; }
  __host__ __device__ friend Iterator operator-(Iterator it, difference_type n) { return it -= n; }
  __host__ __device__ friend difference_type operator-(const Iterator& a, const Iterator& b) {
    return b.distance_to(a);
  }
  __host__ __device__ friend bool operator==(const Iterator& a, const Iterator& b) { return a - b == 0; }
  __host__ __device__ friend bool operator!=(const Iterator& a, const Iterator& b) { return a - b != 0; }
  __host__ __device__ friend bool operator<(const Iterator& a, const Iterator& b) { return a - b < 0; }
  __host__ __device__ friend Iterator operator+(difference_type n, Iterator it) { return it += n; }

 private:
  __host__ __device__ Iterator& self() { return static_cast<Iterator&>(*this); }
  __host__ __device__ const Iterator& self() const { return static_cast<const Iterator&>(*this); }
};
}  // namespace detail

template <class T>
class counting_iterator : public detail::computed_iterator<counting_iterator<T>, T> {
 public:
  __host__ __device__ explicit counting_iterator(T first = T{}) : first_(first) {}
  __host__ __device__ T at(std::ptrdiff_t i) const { return static_cast<T>(first_ + static_cast<T>(i)); }
  __host__ __device__ void move(std::ptrdiff_t n) { first_ = at(n); }
  __host__ __device__ std::ptrdiff_t distance_to(const counting_iterator& end) const {
    return static_cast<std::ptrdiff_t>(end.first_) - static_cast<std::ptrdiff_t>(first_);
  }

 private:
  T first_;
};
template <class T>
__host__ __device__ counting_iterator<T> make_counting_iterator(T first) {
  return counting_iterator<T>(first);
}

template <class T>
class constant_iterator : public detail::computed_iterator<constant_iterator<T>, T> {
 public:
  __host__ __device__ explicit constant_iterator(T value, std::ptrdiff_t place = 0)
      : value_(value), place_(place) {}
  __host__ __device__ T at(std::ptrdiff_t) const { return value_; }
  __host__ __device__ void move(std::ptrdiff_t n) { place_ += n; }
  __host__ __device__ std::ptrdiff_t distance_to(const constant_iterator& end) const { return end.place_ - place_; }

 private:
  T value_;
  std::ptrdiff_t place_;
};
template <class T>
__host__ __device__ constant_iterator<T> make_constant_iterator(T value) {
  return constant_iterator<T>(value);
}

template <class Function, class Base>
using result_of_transform =
    std::decay_t<std::invoke_result_t<Function, typename std::iterator_traits<Base>::value_type>>;
template <class Function, class Base>
class transform_iterator
    : public detail::computed_iterator<transform_iterator<Function, Base>, result_of_transform<Function, Base>> {
 public:
  __host__ __device__ transform_iterator(Base base, Function function) : base_(base), function_(function) {}
  __host__ __device__ auto at(std::ptrdiff_t i) const { return function_(base_[i]); }
  __host__ __device__ void move(std::ptrdiff_t n) { base_ += n; }
  __host__ __device__ std::ptrdiff_t distance_to(const transform_iterator& end) const { return end.base_ - base_; }
  const Base& base() const { return base_; }
  const Function& function() const { return function_; }

 private:
  Base base_;
  Function function_;
};
template <class Base, class Function>
__host__ __device__ transform_iterator<Function, Base> make_transform_iterator(Base base, Function function) {
  return {base, function};
}

// Function objects.
template <class T = void>
struct plus : std::plus<T> {};
template <class T = void>
struct minus : std::minus<T> {};
template <class T = void>
struct multiplies : std::multiplies<T> {};
template <class T = void>
struct divides : std::divides<T> {};
template <class T = void>
struct modulus : std::modulus<T> {};
template <class T = void>
struct negate : std::negate<T> {};
template <class T = void>
struct equal_to : std::equal_to<T> {};
template <class T = void>
struct not_equal_to : std::not_equal_to<T> {};
template <class T = void>
struct less : std::less<T> {};
template <class T = void>
struct greater : std::greater<T> {};
template <class T = void>
struct less_equal : std::less_equal<T> {};
template <class T = void>
struct greater_equal : std::greater_equal<T> {};
template <class T = void>
struct logical_and : std::logical_and<T> {};
template <class T = void>
struct logical_or : std::logical_or<T> {};
template <class T = void>
struct logical_not : std::logical_not<T> {};
template <class T = void>
struct maximum {
  __host__ __device__ T operator()(const T& x, const T& y) const { return x < y ? y : x; }
};
template <>
struct maximum<void> {
  template <class T, class U>
  __host__ __device__ auto operator()(const T& x, const U& y) const {
    return x < y ? y : x;
  }
};
template <class T = void>
struct minimum {
  __host__ __device__ T operator()(const T& x, const T& y) const { return y < x ? y : x; }
};
template <>
struct minimum<void> {
  template <class T, class U>
  __host__ __device__ auto operator()(const T& x, const U& y) const {
    return y < x ? y : x;
  }
};
template <class T = void>
struct identity {
  __host__ __device__ T operator()(const T& x) const { return x; }
};
template <>
struct identity<void> {
  template <class T>
  __host__ __device__ T operator()(const T& x) const {
    return x;
  }
};
template <class T = void>
struct square {
  __host__ __device__ T operator()(const T& x) const { return x * x; }
};
template <>
struct square<void> {
  template <class T>
  __host__ __device__ auto operator()(const T& x) const {
    return x * x;
  }
};

template <class First, class Second>
using pair = std::pair<First, Second>;
using std::get;
using std::make_pair;
using std::make_tuple;
using std::tie;
using std::tuple;

}  // namespace thrust
