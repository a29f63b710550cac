// Elements with keys, for the rungs of workload groups: element i belongs to group keys[i].
#pragma once

#include <lab/block_combine.cuh>

namespace exactdot::lab {
namespace {

template <class T>
struct keyed {
  const T* a;
  const std::uint32_t* keys;  // below groups
  std::size_t n;
  unsigned groups;
};

template <class T>
keyed<T> keyed_of(const input<T>& in) {
  return {in.a, in.keys, in.n, static_cast<unsigned>(in.results)};
}

}  // namespace
}  // namespace exactdot::lab
