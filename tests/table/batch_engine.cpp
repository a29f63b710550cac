// See batch_engine.hpp. The other vectors of a batch have no expected result of their own, so they are compared
// with the vector call, which the table compares with the oracle.
#include "table/batch_engine.hpp"

#include <array>
#include <cstring>
#include <exactdot/exactdot.hpp>
#include <stdexcept>

#include "oracle/number.hpp"
#include "oracle/random.hpp"

namespace table {
namespace {

using namespace exactdot;

/// Results of any type, next to each other in memory that is larger.
class result_array {
 public:
  result_array(element_type type, std::size_t count, bool reversed)
      : type_(type), count_(count), reversed_(reversed), bytes_(count * size_of(type) + 16, std::byte{0x5a}) {}

  [[nodiscard]] any_results view(axis& storage) {
    const auto size = static_cast<std::ptrdiff_t>(size_of(type_));
    storage = {count_, reversed_ ? -size : size};
    return {&bytes_[8 + (reversed_ ? (count_ - 1) * size_of(type_) : 0)], type_, {&storage, 1}, false};
  }
  [[nodiscard]] any_scalar at(std::size_t i, int part) const {
    std::uint64_t bits = 0;
    const element_type type = part_of(type_);
    const std::size_t place = (reversed_ ? count_ - 1 - i : i) * size_of(type_);
    std::memcpy(&bits, &bytes_[8 + place + static_cast<std::size_t>(part) * size_of(type)], size_of(type));
    return {type, bits};
  }
  /// Whether nothing beside the results was written; nothing at all, if the call failed.
  [[nodiscard]] bool is_intact(bool failed) const {
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      const bool is_result = i >= 8 && i < bytes_.size() - 8;
      if ((failed || !is_result) && bytes_[i] != std::byte{0x5a}) return false;
    }
    return true;
  }

 private:
  element_type type_;
  std::size_t count_;
  bool reversed_;
  std::vector<std::byte> bytes_;
};

/// Where a shape stores results: complex ones of such parts, or real ones.
element_type type_of_results(const call& asked) {
  if (!is_complex(asked.a.type) || !detail::gives_complex(asked.what)) return asked.result;
  return complex_type_of(asked.result);
}

std::optional<any_scalar> run_vector(const call& asked, const any_vector& a, const any_vector& b) {
  try {
    const options options{.mode = asked.mode};
    if (is_complex(a.type)) {
      call of_vectors = asked;
      of_vectors.a = a, of_vectors.b = b;
      return run_complex(of_vectors, options);
    }
    return inputs_of(asked.what) == 2 ? exactdot::reduce(asked.what, a, b, asked.result, options, asked.ddof)
                                      : exactdot::reduce(asked.what, a, asked.result, options, asked.ddof);
  } catch (const error& refusal) {
    if (refusal.code() != errc::overflow) throw;
    return std::nullopt;
  }
}

/// Calls compute(out); compares result i with that of vectors(i), but for `index`, which it returns.
template <class Compute, class Vectors>
std::optional<any_scalar> compare(const call& asked, std::size_t count, std::size_t index, Compute compute,
                                  Vectors vectors) {
  result_array results(type_of_results(asked), count, asked.variant % 3 == 1);
  axis storage;
  bool refused = false;
  try {
    compute(results.view(storage));
  } catch (const error& refusal) {
    if (refusal.code() != errc::overflow) throw;
    refused = true;
  }
  if (!results.is_intact(refused)) throw std::runtime_error("a batch wrote outside its results");
  bool any_refused = false;
  std::optional<any_scalar> of_vector;
  for (std::size_t i = 0; i < count; ++i) {
    const auto [a, b] = vectors(i);
    const auto expected = run_vector(asked, a, b);
    any_refused = any_refused || !expected;
    if (i == index) of_vector = expected;
    if (refused || !expected || expected->bits == results.at(i, asked.part).bits) continue;
    throw std::runtime_error("result " + std::to_string(i) + " of " + std::to_string(count) + " is " +
                             oracle::describe(results.at(i, asked.part)) + ", alone " + oracle::describe(*expected));
  }
  if (refused != any_refused) throw std::runtime_error("a batch and its vectors differ in a refusal");
  if (refused) return of_vector;  // of the others nothing is known
  return results.at(index, asked.part);
}

options batch_options(const call& asked) {
  return {.mode = asked.mode, .threads = static_cast<int>(asked.variant % 5)};
}

void reduce_grids(const call& asked, const any_grid& a, const any_grid& b, const any_results& out) {
  if (inputs_of(asked.what) == 2) return exactdot::reduce(asked.what, a, b, out, batch_options(asked), asked.ddof);
  exactdot::reduce(asked.what, a, out, batch_options(asked), asked.ddof);
}

/// Three times the same row; the elements along one axis, or along two or three where the length can be divided.
std::optional<any_scalar> run_as_rows(const call& asked) {
  const std::array<axis, 1> repeated = {{{3, 0}}};
  const auto elements_of = [&](const any_vector& x) {
    std::vector<axis> axes;
    std::size_t n = x.n;
    std::ptrdiff_t stride = x.stride;
    for (const std::size_t divisor : {2, 3, 5}) {
      if (n % divisor != 0 || n == 0 || axes.size() == 2) continue;
      axes.insert(axes.begin(), {divisor, stride});
      stride *= static_cast<std::ptrdiff_t>(divisor), n /= divisor;
    }
    axes.insert(axes.begin(), {n, stride});
    return axes;
  };
  const auto of_a = elements_of(asked.a), of_b = elements_of(asked.b);
  return compare(
      asked, 3, asked.variant % 3,
      [&](const any_results& out) {
        reduce_grids(asked, {asked.a.data, asked.a.type, repeated, of_a, asked.a.swapped, asked.a.conjugated},
                     {asked.b.data, asked.b.type, repeated, of_b, asked.b.swapped}, out);
      },
      [&](std::size_t) { return std::pair(asked.a, asked.b); });
}

/// A matrix whose columns are the vector, as column `index`, and others of its elements.
class column_matrix {
 public:
  column_matrix(const any_vector& x, std::size_t count, std::size_t index, oracle::rng& random)
      : x_(x), size_(size_of(x.type)), bytes_(x.n * count * size_ + 1) {
    for (std::size_t i = 0; i < x.n; ++i) {
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t from = k == index ? i : random.below(x.n);
        std::memcpy(&bytes_[(i * count + k) * size_],
                    static_cast<const char*>(x.data) + static_cast<std::ptrdiff_t>(from) * x.stride, size_);
      }
    }
    results_ = {count, static_cast<std::ptrdiff_t>(size_)};
    elements_ = {x.n, static_cast<std::ptrdiff_t>(size_ * count)};
  }
  [[nodiscard]] any_grid view() const {
    return {bytes_.data(), x_.type, {&results_, 1}, {&elements_, 1}, x_.swapped, x_.conjugated};
  }
  [[nodiscard]] any_vector column(std::size_t k) const {
    any_vector column = x_;
    column.data = &bytes_[k * size_], column.stride = elements_.stride;
    return column;
  }

 private:
  any_vector x_;
  std::size_t size_;
  std::vector<std::byte> bytes_;
  axis results_, elements_;
};

std::optional<any_scalar> run_as_column(const call& asked) {
  oracle::rng random(asked.variant);
  const std::size_t count = 1 + random.below(asked.a.n > 1000 ? 4 : 40), index = random.below(count);
  const column_matrix a(asked.a, count, index, random), b(asked.b, count, index, random);
  const axis one_row[] = {{count, 0}}, elements_of_b[] = {{asked.b.n, asked.b.stride}};
  const bool repeats_b = asked.variant % 2 == 0;
  const any_grid repeated{asked.b.data, asked.b.type, one_row, elements_of_b, asked.b.swapped};
  return compare(
      asked, count, index,
      [&](const any_results& out) { reduce_grids(asked, a.view(), repeats_b ? repeated : b.view(), out); },
      [&](std::size_t k) { return std::pair(a.column(k), repeats_b ? asked.b : b.column(k)); });
}

/// The vector behind stretches of its own first elements. Offsets may repeat: so does the beginning.
std::optional<any_scalar> run_as_segment(const call& asked) {
  const std::size_t n = asked.a.n;
  const std::vector<std::int64_t> offsets = {0, static_cast<std::int64_t>(n)};
  const std::vector<std::int32_t> narrow = {0, static_cast<std::int32_t>(n / 2), static_cast<std::int32_t>(n)};
  const bool halves = asked.variant % 2 == 1 && n >= 2;
  const any_offsets given = halves ? any_offsets{narrow.data(), 2, element_type::int32, 4}
                                   : any_offsets{offsets.data(), 1, element_type::int64, 8};
  const auto part = [&](const any_vector& x, std::size_t i) {
    any_vector stretch = x;
    stretch.n = !halves ? n : i == 0 ? n / 2 : n - n / 2;
    if (i != 0) stretch.data = static_cast<const char*>(x.data) + static_cast<std::ptrdiff_t>(n / 2) * x.stride;
    return stretch;
  };
  const auto found = compare(
      asked, given.count, 0,
      [&](const any_results& out) {
        if (inputs_of(asked.what) == 2) {
          return exactdot::reduce(asked.what, asked.a, asked.b, given, out, batch_options(asked), asked.ddof);
        }
        exactdot::reduce(asked.what, asked.a, given, out, batch_options(asked), asked.ddof);
      },
      [&](std::size_t i) { return std::pair(part(asked.a, i), part(asked.b, i)); });
  return halves ? run_vector(asked, asked.a, asked.b) : found;
}

/// Elements of several groups in one array, each at a place of its own.
class scattered_groups {
 public:
  /// members[i]: the group of place i, and which element of the vector is there.
  struct member {
    std::int32_t group;
    std::size_t element;
  };
  scattered_groups(const any_vector& x, const std::vector<member>& members, std::size_t count)
      : x_(x), size_(size_of(x.type)), bytes_(members.size() * size_ + 1), of_group_(count) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto* const from =
          static_cast<const std::byte*>(x.data) + static_cast<std::ptrdiff_t>(members[i].element) * x.stride;
      std::memcpy(&bytes_[i * size_], from, size_);
      std::vector<std::byte>& group = of_group_[static_cast<std::size_t>(members[i].group)];
      group.insert(group.end(), from, from + size_);
    }
  }
  [[nodiscard]] any_vector all() const { return vector_of(bytes_, (bytes_.size() - 1) / size_); }
  [[nodiscard]] any_vector group(std::size_t i) const {
    return vector_of(of_group_[i], of_group_[i].size() / size_);
  }

 private:
  [[nodiscard]] any_vector vector_of(const std::vector<std::byte>& bytes, std::size_t n) const {
    any_vector made = x_;
    made.data = bytes.data(), made.n = n, made.stride = static_cast<std::ptrdiff_t>(size_);
    return made;
  }

  any_vector x_;
  std::size_t size_;
  std::vector<std::byte> bytes_;
  std::vector<std::vector<std::byte>> of_group_;
};

bool has_groups(const call& asked) {
  const bool is_exact = asked.mode == mode::exact || is_integer(asked.a.type) || gives_element(asked.what);
  return is_exact && !gives_index(asked.what);
}

/// The vector's elements as a group among others of its elements, in random order.
std::optional<any_scalar> run_as_group(const call& asked) {
  oracle::rng random(asked.variant);
  const std::size_t n = asked.a.n, count = 1 + random.below(n > 1000 ? 3 : 20), index = random.below(count);
  std::vector<scattered_groups::member> members;
  for (std::size_t i = 0; i < n; ++i) members.push_back({static_cast<std::int32_t>(index), i});
  for (std::size_t group = 0; group < count && n != 0; ++group) {
    const std::size_t others = group == index ? 0 : 1 + random.below(std::min<std::size_t>(n, 100));
    for (std::size_t i = 0; i < others; ++i) members.push_back({static_cast<std::int32_t>(group), random.below(n)});
  }
  random.shuffle(members);
  std::vector<std::int32_t> keys;
  for (const auto& member : members) keys.push_back(member.group);
  const scattered_groups a(asked.a, members, count), b(asked.b, members, count);
  const any_keys given{keys.data(), keys.size(), element_type::int32, 4, count, asked.variant % 2 == 0};
  return compare(
      asked, count, index,
      [&](const any_results& out) {
        if (inputs_of(asked.what) == 2) {
          return exactdot::reduce(asked.what, a.all(), b.all(), given, out, batch_options(asked), asked.ddof);
        }
        exactdot::reduce(asked.what, a.all(), given, out, batch_options(asked), asked.ddof);
      },
      [&](std::size_t i) { return std::pair(a.group(i), b.group(i)); });
}

}  // namespace

any_scalar run_complex(const call& asked, const options& options) {
  const detail::complex_words found =
      asked.what == reduction::dot
          ? detail::multiply_complex(asked.a.conjugated, asked.a, asked.b, asked.result, options)
          : detail::reduce_complex(asked.what, asked.a, asked.result, options);
  return {asked.result, asked.part == 0 ? found.real : found.imaginary};
}

std::optional<any_scalar> run_in_batch(const call& asked) {
  // results of shapes have no narrower parts
  if (is_complex(type_of_results(asked)) && !is_carrier(asked.result)) return run_vector(asked, asked.a, asked.b);
  switch (asked.variant / 2 % 4) {
    case 0:
      return run_as_rows(asked);
    case 1:
      return run_as_column(asked);
    case 2:
      return run_as_segment(asked);
    default:
      return has_groups(asked) ? run_as_group(asked) : run_as_segment(asked);
  }
}

}  // namespace table
