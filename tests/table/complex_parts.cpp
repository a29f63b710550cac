// See complex_parts.hpp.
#include "table/complex_parts.hpp"

namespace table {
namespace {

using namespace exactdot;

/// Both parts of every number, one after the other, in this machine's byte order.
std::vector<double> parts_of(const any_vector& x) {
  const element_type type = part_of(x.type);
  const std::size_t size = size_of(type);
  std::vector<double> parts;
  for (std::size_t i = 0; i < 2 * x.n; ++i) {
    const auto* const at = static_cast<const unsigned char*>(x.data) + static_cast<std::ptrdiff_t>(i / 2) * x.stride + i % 2 * size;
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < size; ++k) bits |= std::uint64_t{at[x.swapped ? size - 1 - k : k]} << 8 * k;
    parts.push_back(any_scalar{type, bits}.to_double());
  }
  return parts;
}

/// Reals, in the type of a part: the fast mode's sum depends on it.
class reals {
 public:
  reals(const std::vector<double>& x, element_type type) : x_(x), narrow_(x.begin(), x.end()), type_(type) {}
  [[nodiscard]] any_vector view() const {
    return type_ == element_type::float32 ? to_any(narrow_.data(), narrow_.size()) : to_any(x_.data(), x_.size());
  }

 private:
  std::vector<double> x_;
  std::vector<float> narrow_;
  element_type type_;
};

oracle::reference reference_of(reduction what, const std::vector<double>& a, element_type type_a, const std::vector<double>& b,
                               element_type type_b) {
  return {what, reals(a, type_a).view(), reals(b, type_b).view()};
}

/// Every second one.
std::vector<double> every_second(const std::vector<double>& parts, std::size_t first) {
  std::vector<double> chosen;
  for (std::size_t i = first; i < parts.size(); i += 2) chosen.push_back(parts[i]);
  return chosen;
}

}  // namespace

std::vector<oracle::reference> references(const call& asked) {
  if (!is_complex(asked.a.type)) return {{asked.what, asked.a, asked.b, asked.ddof}};
  const std::vector<double> a = parts_of(asked.a);
  const element_type type = part_of(asked.a.type);
  if (asked.what == reduction::sum || asked.what == reduction::mean) {
    const std::vector<double> real = every_second(a, 0), imaginary = every_second(a, 1);
    return {reference_of(asked.what, real, type, real, type), reference_of(asked.what, imaginary, type, imaginary, type)};
  }
  if (asked.what != reduction::dot) return {reference_of(asked.what, a, type, a, type)};
  std::vector<double> of_real = parts_of(asked.b), of_imaginary = of_real;
  for (std::size_t i = 0; i < of_real.size(); i += 2) {
    const double u = of_real[i], v = of_real[i + 1];
    of_real[i + 1] = asked.a.conjugated ? v : -v;
    of_imaginary[i] = v, of_imaginary[i + 1] = asked.a.conjugated ? -u : u;
  }
  const element_type other = part_of(asked.b.type);
  return {reference_of(asked.what, a, type, of_real, other), reference_of(asked.what, a, type, of_imaginary, other)};
}

}  // namespace table
