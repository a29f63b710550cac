// Where an algorithm of Thrust runs.
//
// On the device, what is done to each element by itself is a kernel on the simulator, so that its accesses are
// checked. What depends on other elements (sums, scans, sorts) is computed by the host on a copy: its result is the
// same, its order of additions from left to right. `thrust::device`, or an iterator of device memory, chooses the
// device, and so do iterators that compute their elements if none of the host is beside them.
#pragma once

#include <thrust/detail/iterators.h>

#include <memory>

namespace thrust {

namespace detail {

template <bool device>
struct policy {
  static constexpr bool on_device = device;
  cudaStream_t stream = nullptr;
  constexpr policy on(cudaStream_t other) const { return {other}; }
};
/// The stream of the algorithm that this thread runs.
inline thread_local cudaStream_t stream_of_work = nullptr;
class on_stream {
 public:
  explicit on_stream(cudaStream_t stream) : before_(std::exchange(stream_of_work, stream)) {}
  ~on_stream() { stream_of_work = before_; }
  on_stream(const on_stream&) = delete;
  on_stream& operator=(const on_stream&) = delete;

 private:
  cudaStream_t before_;
};
template <class T, class = void>
inline constexpr bool is_policy = false;
template <class T>
inline constexpr bool is_policy<T, std::void_t<decltype(std::decay_t<T>::on_device)>> = true;

template <class T>
inline constexpr bool is_of_device = false;
template <class T>
inline constexpr bool is_of_device<device_ptr<T>> = true;
template <class Function, class Base>
inline constexpr bool is_of_device<transform_iterator<Function, Base>> = is_of_device<Base>;

/// Of iterators that have no memory: they are where the others are, or on the device.
template <class T>
inline constexpr bool is_of_neither = false;
template <class T>
inline constexpr bool is_of_neither<counting_iterator<T>> = true;
template <class T>
inline constexpr bool is_of_neither<constant_iterator<T>> = true;
template <class Function, class Base>
inline constexpr bool is_of_neither<transform_iterator<Function, Base>> = is_of_neither<Base>;

template <class T, class = void>
inline constexpr bool is_iterator = false;
template <class T>
inline constexpr bool is_iterator<T, std::void_t<typename std::iterator_traits<T>::iterator_category>> =
    !std::is_function_v<std::remove_pointer_t<T>>;
/// Where an algorithm without a policy runs.
template <class... Arguments>
inline constexpr bool chooses_device = (is_of_device<Arguments> || ...) ||
                                       ((is_of_neither<Arguments> || ...) &&
                                        !((is_iterator<Arguments> && !is_of_neither<Arguments>) || ...));

/// What kernels use for an iterator: of device memory the plain pointer.
template <class Iterator>
Iterator in_kernel(Iterator it) {
  return it;
}
template <class T>
T* in_kernel(device_ptr<T> p) {
  return p.get();
}
template <class Function, class Base>
auto in_kernel(transform_iterator<Function, Base> it) {
  return make_transform_iterator(in_kernel(it.base()), it.function());
}
template <class Iterator>
using value_of = std::remove_const_t<typename std::iterator_traits<Iterator>::value_type>;

#if defined(__clang__)
#define EXACTDOT_THRUST_KERNEL __attribute__((noinline, patchable_function_entry(1)))
#else
#define EXACTDOT_THRUST_KERNEL __attribute__((noipa, patchable_function_entry(1)))
#endif
/// The kernel that calls `each` for every index below n.
template <class Each>
EXACTDOT_THRUST_KERNEL void kernel_of_elements(std::size_t n, Each each) {
  ::exactdot::simt::detail::kernel_body([=]() mutable {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) each(i);
  });
}
template <bool device, class Each>
void for_each_index(std::size_t n, Each each) {
  if constexpr (!device) {
    for (std::size_t i = 0; i < n; ++i) each(i);
  } else if (n != 0) {
    constexpr unsigned block = 256;
    ::exactdot::simt::detail::configure(dim3(static_cast<unsigned>((n + block - 1) / block)), dim3(block), 0, stream_of_work);
    kernel_of_elements(n, each);
    check(cudaStreamSynchronize(stream_of_work));
  }
}

/// A copy of n elements for the host.
template <bool device, class Iterator>
std::unique_ptr<value_of<Iterator>[]> host_copy(Iterator first, std::size_t n) {
  using value = value_of<Iterator>;
  std::unique_ptr<value[]> host(new value[n]);
  if constexpr (device) {
    value* memory = nullptr;
    check(cudaMalloc(&memory, n * sizeof(value)));
    const auto from = in_kernel(first);
    for_each_index<true>(n, [=](std::size_t i) { memory[i] = from[static_cast<std::ptrdiff_t>(i)]; });
    check(cudaMemcpy(host.get(), memory, n * sizeof(value), cudaMemcpyDeviceToHost));
    check(cudaFree(memory));
  } else {
    for (std::size_t i = 0; i < n; ++i, ++first) host[i] = *first;
  }
  return host;
}
/// For the host: of which of n elements a predicate holds. It is called where the elements are.
template <bool device, class Iterator, class Predicate>
std::unique_ptr<bool[]> where_holds(Iterator first, std::size_t n, Predicate predicate) {
  std::unique_ptr<bool[]> host(new bool[n]);
  bool* holds = host.get();
  if constexpr (device) check(cudaMalloc(&holds, n));
  const auto x = in_kernel(first);
  for_each_index<device>(n, [=](std::size_t i) mutable {
    holds[i] = static_cast<bool>(predicate(x[static_cast<std::ptrdiff_t>(i)]));
  });
  if constexpr (device) {
    check(cudaMemcpy(host.get(), holds, n, cudaMemcpyDeviceToHost));
    check(cudaFree(holds));
  }
  return host;
}
/// Stores the host's elements where `first` begins. Returns the end of them.
template <bool device, class T, class Iterator>
Iterator store(const T* host, std::size_t n, Iterator first) {
  if constexpr (device) {
    using value = value_of<Iterator>;
    const std::unique_ptr<value[]> converted(new value[n]);
    for (std::size_t i = 0; i < n; ++i) converted[i] = static_cast<value>(host[i]);
    check(cudaMemcpy(static_cast<void*>(in_kernel(first)), converted.get(), n * sizeof(value),
                     cudaMemcpyHostToDevice));
    return first + static_cast<std::ptrdiff_t>(n);
  } else {
    for (std::size_t i = 0; i < n; ++i, ++first) *first = host[i];
    return first;
  }
}

}  // namespace detail

inline constexpr detail::policy<true> device{};
inline constexpr detail::policy<false> host{}, seq{};
namespace cuda {
inline constexpr detail::policy<true> par{}, par_nosync{};
}

}  // namespace thrust
