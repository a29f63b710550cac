// Thrust's pointers and vectors for programs that simtcc compiles. Names and meaning: Thrust's documentation.
//
// A device_ptr is an iterator of device memory: in host code it reads and writes by cudaMemcpy. Algorithms take the
// plain pointer from it (execution.h).
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cuda/host_headers.hpp>
#include <initializer_list>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace thrust {

namespace detail {
inline void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}
}  // namespace detail

template <class T>
class device_ptr;

/// An element of device memory, for host code.
template <class T>
class device_reference {
  using element = std::remove_const_t<T>;

 public:
  explicit device_reference(T* address) : address_(address) {}
  device_reference(const device_reference&) = default;
  [[gnu::always_inline]] operator std::remove_const_t<T>() const {
    std::remove_const_t<T> value{};
    detail::check(cudaMemcpy(&value, address_, sizeof value, cudaMemcpyDeviceToHost));
    return value;
  }
  [[gnu::always_inline]] const device_reference& operator=(const std::remove_const_t<T>& value) const {
    detail::check(cudaMemcpy(static_cast<void*>(address_), &value, sizeof value, cudaMemcpyHostToDevice));
    return *this;
  }
  const device_reference& operator=(const device_reference& other) const {
    return *this = static_cast<std::remove_const_t<T>>(other);
  }
  device_ptr<T> operator&() const { return device_ptr<T>(address_); }
#define EXACTDOT_THRUST_OPERATOR(symbol)                                                    \
  template <class U>                                                                        \
  [[gnu::always_inline]] const device_reference& operator symbol##=(const U& value) const { \
    return *this = static_cast<element>(static_cast<element>(*this) symbol value);          \
  }
  EXACTDOT_THRUST_OPERATOR(+)
  EXACTDOT_THRUST_OPERATOR(-)
  EXACTDOT_THRUST_OPERATOR(*)
  EXACTDOT_THRUST_OPERATOR(/)
  EXACTDOT_THRUST_OPERATOR(%)
  EXACTDOT_THRUST_OPERATOR(&)
  EXACTDOT_THRUST_OPERATOR(|)
  EXACTDOT_THRUST_OPERATOR(^)
  EXACTDOT_THRUST_OPERATOR(<<)
  EXACTDOT_THRUST_OPERATOR(>>)
#undef EXACTDOT_THRUST_OPERATOR
  [[gnu::always_inline]] const device_reference& operator++() const { return *this += 1; }
  [[gnu::always_inline]] const device_reference& operator--() const { return *this -= 1; }
  [[gnu::always_inline]] element operator++(int) const {
    const element before = *this;
    *this += 1;
    return before;
  }
  [[gnu::always_inline]] element operator--(int) const {
    const element before = *this;
    *this -= 1;
    return before;
  }
  [[gnu::always_inline]] friend void swap(const device_reference& left, const device_reference& right) {
    const element before = left;
    left = right;
    right = before;
  }

 private:
  T* address_;
};

template <class T>
class device_ptr {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::remove_const_t<T>;
  using difference_type = std::ptrdiff_t;
  using reference = device_reference<T>;
  using pointer = device_ptr;

  device_ptr() = default;
  device_ptr(std::nullptr_t) {}
  explicit device_ptr(T* address) : address_(address) {}
  template <class U, std::enable_if_t<std::is_convertible_v<U*, T*>, int> = 0>
  device_ptr(const device_ptr<U>& other) : address_(other.get()) {}
  T* get() const { return address_; }

  reference operator*() const { return reference(address_); }
  reference operator[](difference_type i) const { return reference(address_ + i); }
  device_ptr& operator+=(difference_type n) { return address_ += n, *this; }
  device_ptr& operator-=(difference_type n) { return address_ -= n, *this; }
  device_ptr& operator++() { return *this += 1; }
  device_ptr& operator--() { return *this -= 1; }
  device_ptr operator++(int) { return std::exchange(*this, *this + 1); }
  device_ptr operator--(int) { return std::exchange(*this, *this - 1); }
  friend device_ptr operator+(device_ptr p, difference_type n) { return p += n; }
  friend device_ptr operator+(difference_type n, device_ptr p) { return p += n; }
  friend device_ptr operator-(device_ptr p, difference_type n) { return p -= n; }
  friend difference_type operator-(device_ptr p, device_ptr q) { return p.address_ - q.address_; }
  friend bool operator==(device_ptr p, device_ptr q) { return p.address_ == q.address_; }
  friend bool operator!=(device_ptr p, device_ptr q) { return p.address_ != q.address_; }
  friend bool operator<(device_ptr p, device_ptr q) { return p.address_ < q.address_; }
  friend bool operator>(device_ptr p, device_ptr q) { return q < p; }
  friend bool operator<=(device_ptr p, device_ptr q) { return !(q < p); }
  friend bool operator>=(device_ptr p, device_ptr q) { return !(p < q); }

 private:
  T* address_ = nullptr;
};

template <class T>
T* raw_pointer_cast(device_ptr<T> p) {
  return p.get();
}
template <class T>
T* raw_pointer_cast(T* p) {
  return p;
}
template <class T>
device_ptr<T> device_pointer_cast(T* p) {
  return device_ptr<T>(p);
}
template <class T>
device_ptr<T> device_malloc(std::size_t n) {
  T* memory = nullptr;
  detail::check(cudaMalloc(&memory, n * sizeof(T)));
  return device_ptr<T>(memory);
}
template <class T>
void device_free(device_ptr<T> p) {
  detail::check(cudaFree(p.get()));
}

template <class T, class Allocator = std::allocator<T>>
class host_vector : public std::vector<T, Allocator> {
 public:
  using std::vector<T, Allocator>::vector;
  host_vector() = default;
  host_vector(const std::vector<T>& other) : std::vector<T, Allocator>(other.begin(), other.end()) {}
  template <class Device, class = decltype(std::declval<const Device&>().copy_to_host(nullptr))>
  host_vector(const Device& other) : std::vector<T, Allocator>(other.size()) {
    other.copy_to_host(this->data());
  }
  template <class Device, class = decltype(std::declval<const Device&>().copy_to_host(nullptr))>
  host_vector& operator=(const Device& other) {
    this->resize(other.size());
    other.copy_to_host(this->data());
    return *this;
  }
};

/// A vector in device memory. Its elements are trivially copyable; new ones are zero or copies of a value.
template <class T>
class device_vector {
 public:
  static_assert(std::is_trivially_copyable_v<T>,
                "simtcc: a device_vector of a type that cannot be copied as bytes");
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = device_reference<T>;
  using const_reference = device_reference<const T>;
  using pointer = device_ptr<T>;
  using iterator = device_ptr<T>;
  using const_iterator = device_ptr<const T>;

  device_vector() = default;
  explicit device_vector(size_type n, const T& value = T{}) { resize(n, value); }
  device_vector(std::initializer_list<T> values) : device_vector(values.begin(), values.end()) {}
  template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
  device_vector(Iterator first, Iterator last) {
    assign(first, last);
  }
  template <class Allocator>
  device_vector(const std::vector<T, Allocator>& other) {
    assign(other.begin(), other.end());
  }
  device_vector(const device_vector& other) { *this = other; }
  device_vector(device_vector&& other) noexcept { swap(other); }
  ~device_vector() { static_cast<void>(cudaFree(data_)); }
  device_vector& operator=(const device_vector& other) {
    if (this == &other) return *this;
    allocate(other.size_);
    detail::check(cudaMemcpy(static_cast<void*>(data_), other.data_, size_ * sizeof(T), cudaMemcpyDeviceToDevice));
    return *this;
  }
  device_vector& operator=(device_vector&& other) noexcept { return swap(other), *this; }
  template <class Allocator>
  device_vector& operator=(const std::vector<T, Allocator>& other) {
    assign(other.begin(), other.end());
    return *this;
  }

  template <class Iterator, class = typename std::iterator_traits<Iterator>::iterator_category>
  void assign(Iterator first, Iterator last) {
    const auto n = static_cast<size_type>(std::distance(first, last));
    const std::unique_ptr<T[]> host(new T[n]);
    for (size_type i = 0; i < n; ++i, ++first) host[i] = *first;
    allocate(n);
    detail::check(cudaMemcpy(static_cast<void*>(data_), host.get(), n * sizeof(T), cudaMemcpyHostToDevice));
  }
  void assign(size_type n, const T& value) {
    resize(0);
    resize(n, value);
  }
  void resize(size_type n, const T& value = T{}) {
    if (n > capacity_) reserve(n);
    if (n > size_) {
      const std::unique_ptr<T[]> added(new T[n - size_]);
      for (size_type i = 0; i < n - size_; ++i) added[i] = value;
      detail::check(cudaMemcpy(static_cast<void*>(data_ + size_), added.get(), (n - size_) * sizeof(T),
                               cudaMemcpyHostToDevice));
    }
    size_ = n;
  }
  void reserve(size_type n) {
    if (n <= capacity_) return;
    T* larger = nullptr;
    detail::check(cudaMalloc(&larger, n * sizeof(T)));
    detail::check(cudaMemcpy(static_cast<void*>(larger), data_, size_ * sizeof(T), cudaMemcpyDeviceToDevice));
    detail::check(cudaFree(data_));
    data_ = larger, capacity_ = n;
  }
  void push_back(const T& value) {
    if (size_ == capacity_) reserve(2 * size_ + 1);
    resize(size_ + 1, value);
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void shrink_to_fit() {}
  iterator erase(iterator first, iterator last) {
    const std::size_t kept = static_cast<std::size_t>(end() - last);
    const std::unique_ptr<T[]> tail(new T[kept]);
    detail::check(cudaMemcpy(tail.get(), last.get(), kept * sizeof(T), cudaMemcpyDeviceToHost));
    detail::check(
        cudaMemcpy(static_cast<void*>(first.get()), tail.get(), kept * sizeof(T), cudaMemcpyHostToDevice));
    size_ -= static_cast<size_type>(last - first);
    return first;
  }
  iterator erase(iterator at) { return erase(at, at + 1); }
  void swap(device_vector& other) noexcept {
    std::swap(data_, other.data_), std::swap(size_, other.size_), std::swap(capacity_, other.capacity_);
  }
  [[gnu::always_inline]] void copy_to_host(T* host) const {
    detail::check(cudaMemcpy(host, data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
  }

  size_type size() const { return size_; }
  size_type capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  pointer data() { return pointer(data_); }
  device_ptr<const T> data() const { return device_ptr<const T>(data_); }
  iterator begin() { return iterator(data_); }
  iterator end() { return iterator(data_ + size_); }
  const_iterator begin() const { return const_iterator(data_); }
  const_iterator end() const { return const_iterator(data_ + size_); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  reference operator[](size_type i) { return reference(data_ + i); }
  const_reference operator[](size_type i) const { return const_reference(data_ + i); }
  reference front() { return (*this)[0]; }
  reference back() { return (*this)[size_ - 1]; }
  friend bool operator==(const device_vector& left, const device_vector& right) {
    return host_vector<T>(left) == host_vector<T>(right);
  }
  friend bool operator!=(const device_vector& left, const device_vector& right) { return !(left == right); }

 private:
  /// Room for n elements, whose values are lost.
  void allocate(size_type n) {
    size_ = 0;
    if (n > capacity_) reserve(n);
    size_ = n;
  }
  T* data_ = nullptr;
  size_type size_ = 0, capacity_ = 0;
};

/// For calls of thrust::swap.
using std::swap;
template <class T>
void swap(device_vector<T>& left, device_vector<T>& right) noexcept {
  left.swap(right);
}

}  // namespace thrust
