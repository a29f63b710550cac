// See table.hpp.
#include "table/table.hpp"

#include <fmt/format.h>

#include <cstring>
#include <exception>

namespace table {
namespace {

using exactdot::any_vector;
using exactdot::element_type;
using exactdot::mode;

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& x) {
  const auto bytes = std::as_bytes(std::span(x));
  return {bytes.begin(), bytes.end()};
}

const char* name_of(mode m) { return m == mode::exact ? "exact" : "fast"; }

}  // namespace

std::string row::name() const { return fmt::format("{}_{}", exactdot::name_of(what), exactdot::name_of(type)); }

std::vector<row> rows() {
  std::vector<row> all;
  for (const auto what : {exactdot::reduction::dot}) {
    for (const exactdot::element_info& info : exactdot::elements) all.push_back({what, info.type});
  }
  return all;
}

std::size_t generator_count() { return oracle::generators<double>().size(); }

input make_input(element_type type, std::size_t source, std::uint64_t seed, std::size_t n) {
  return exactdot::with_element(type, [&]<class T>(T) {
    const oracle::generator<T>& generator = oracle::generators<T>()[source];
    const oracle::vectors<T> data = oracle::make_vectors(generator, seed, n);
    return input{oracle::case_name(generator, seed, n), type, bytes_of(data.a), bytes_of(data.b)};
  });
}

cell::cell(const row& tested, const input& data, const layout& l, unsigned shift)
    : row_(tested),
      a_(data.a, data.type, l.stride_a, l.swapped_a, l.misaligned, shift),
      b_(data.b, data.type, l.stride_b, l.swapped_b, l.misaligned, shift / 3),
      expected_(tested.what, a_.view(), b_.view()) {}

std::string cell::fault(const engine& tested, unsigned variant) const {
  call asked{row_.what, a_.view(), b_.view(), {}, {}, variant};
  try {
    for (const mode m : {mode::exact, mode::fast}) {
      for (const exactdot::element_info& result : exactdot::elements) {
        asked.mode = m, asked.result = result.type;
        const auto expected = m == mode::exact ? expected_.exact(result.type) : expected_.fast(result.type);
        const std::string fault = oracle::difference(expected, tested.run(asked));
        if (!fault.empty()) return fmt::format("{} to {}: {}", name_of(m), result.name, fault);
        asked.variant += 5;  // the results of one cell come from different grids and schedules
      }
    }
    const std::string fault = expected_.words_fault(tested.words_of_two_additions(asked), 2);
    if (!fault.empty()) return "words: " + fault;
  } catch (const std::exception& thrown) {
    return fmt::format("{} to {} threw: {}", name_of(asked.mode), exactdot::name_of(asked.result), thrown.what());
  }
  return tested.take_faults ? tested.take_faults() : "";
}

void report::check(const suite& tested, const row& row, const input& data, const layout& arrangement,
                   unsigned variant) {
  const cell checked(row, data, arrangement, variant);
  for (const engine& each : tested.engines) check(each, row, checked, data.name, arrangement, variant);
}

void report::check(const engine& tested, const row& row, const input& data, const layout& arrangement,
                   unsigned variant) {
  check(tested, row, cell(row, data, arrangement, variant), data.name, arrangement, variant);
}

void report::check(const engine& tested, const row& row, const cell& checked, const std::string& name,
                   const layout& arrangement, unsigned variant) {
  if (arrangement.misaligned && !tested.reads_misaligned) return;
  const std::string fault = checked.fault(tested, variant);
  if (!fault.empty()) {
    faults_.push_back(fmt::format("{} of {}, {}, {}, variant {}: {}", exactdot::name_of(row.what), name,
                                  arrangement.name, tested.name, variant, fault));
  }
  results_ += cell::results;
  combinations_[fmt::format("{}, {}, {}", row.name(), tested.name, arrangement.name)] += cell::results;
}

const layout& layout_of_case(unsigned index, bool may_misalign) {
  // multiplicative hashing: consecutive cases take layouts in an order that no other loop repeats
  for (unsigned k = index * 2654435761U >> 16;; ++k) {
    const layout& candidate = layouts[k % layouts.size()];
    if (may_misalign || !candidate.misaligned) return candidate;
  }
}

}  // namespace table
