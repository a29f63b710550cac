// Input of hazard float_order; see hazard_data.hpp.
#include <exactdot/accumulator.hpp>
#include <exactdot/dot.hpp>
#include <io/data_source.hpp>
#include <lab/hazard_data.hpp>
#include <span>

namespace exactdot::lab {

std::vector<float> uniform_floats(std::size_t n) {
  std::vector<float> a(n), b(n);
  io::data_source<float>({.data = io::data_set::uniform, .n = n}).next(a, b);
  return a;
}

float loop_sum(const std::vector<float>& x) {
  float sum = 0;
  for (const float value : x) sum += value;
  return sum;
}

float exact_sum(const std::vector<float>& x) { return dot(x, std::vector<float>(x.size(), 1.0F)); }

float exact_sum_of_halves(const std::vector<float>& x) {
  const std::span<const float> all(x);
  const std::vector<float> factors(x.size(), 1.0F);
  const std::span<const float> ones(factors);
  const std::size_t middle = x.size() / 2;
  accumulator<float> second, first;
  second.add(all.subspan(middle), ones.subspan(middle));
  first.add(all.first(middle), ones.first(middle));
  second.merge(first);
  return second.round<float>();
}

}  // namespace exactdot::lab
