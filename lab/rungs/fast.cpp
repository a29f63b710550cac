// fast: exactdot in mode fast, fused multiply-adds in order v1.
//
// Before: every rung's bits depend on its grid.
// Idea: an order of summation that is part of the contract, and that vector registers and warps can follow alike.
// Cost: none; the order is one that memory keeps up with. On the CPU's engine here.
#include <exactdot/dot.hpp>
#include <lab/host_rung.hpp>

namespace exactdot::lab {
namespace {

template <class T>
T in_order_v1(const T* a, const T* b, std::size_t n) {
  return dot<T>(a, b, n, {.mode = mode::fast});
}

const enlist_host_rung here{{.number = 19,
                             .name = "fast",
                             .file = "fast.cpp",
                             .notice = "the same bits on every machine",
                             .same_bits = determinism::always,
                             .roundings = [](const shape& s) -> std::uint64_t { return s.n + 1; }},
                            in_order_v1<float>,
                            in_order_v1<double>};

}  // namespace
}  // namespace exactdot::lab
