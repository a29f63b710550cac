// A function object that races, and one that goes beyond its data.
// status: 66
// prints: data_race in global memory.*thrust_race\.cu:LINE(race)\)
// prints: out_of_bounds in global memory.*thrust_race\.cu:LINE(beyond)\)
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
struct sum_up {
  int* sum;
  __device__ void operator()(int i) {
    *sum += i;  // race
  }
};
struct shift {
  int* x;
  __device__ void operator()(int i) {
    x[i + 1] = i;  // beyond
  }
};
int main() {
  thrust::device_vector<int> x(40);
  int* p = thrust::raw_pointer_cast(x.data());
  thrust::counting_iterator<int> first(0);
  thrust::for_each(thrust::device, first, first + 40, sum_up{p});
  thrust::for_each(thrust::device, first, first + 40, shift{p});
}
