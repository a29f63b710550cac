// See table.hpp.
#include "table/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>

#include "table/complex_parts.hpp"

namespace table {
namespace {

using exactdot::element_type;
using exactdot::mode;
using exactdot::reduction;

constexpr std::array floating_types = {element_type::float32,       element_type::float64,
                                       element_type::float16,       element_type::bfloat16,
                                       element_type::float8_e4m3fn, element_type::float8_e5m2};

/// Pairs of types that a dot mixes.
constexpr std::array<std::pair<element_type, element_type>, 11> mixed_pairs = {
    {{element_type::float32, element_type::float64},
     {element_type::float16, element_type::float64},
     {element_type::bfloat16, element_type::float16},
     {element_type::float16, element_type::float32},
     {element_type::float8_e4m3fn, element_type::float8_e5m2},
     {element_type::float16, element_type::float8_e4m3fn},
     {element_type::float8_e5m2, element_type::float64},
     {element_type::int8, element_type::int64},
     {element_type::uint32, element_type::int16},
     {element_type::uint64, element_type::int64},
     {element_type::uint8, element_type::int8}}};

}  // namespace

const char* name_of(mode mode) { return mode == mode::exact ? "exact" : "fast"; }

std::string combination::name() const {
  return fmt::format("{} to {}, {}, {}", row, exactdot::name_of(result), name_of(mode), engine);
}

std::string row::name() const {
  const std::string both = type == other ? "" : fmt::format("_{}", exactdot::name_of(other));
  return fmt::format("{}_{}{}", exactdot::name_of(what), exactdot::name_of(type), both);
}

std::vector<row> rows() {
  std::vector<row> all;
  for (std::size_t i = 0; i < exactdot::reduction_names.size(); ++i) {
    for (const exactdot::element_info& info : exactdot::elements) {
      all.push_back({static_cast<reduction>(i), info.type, info.type});
    }
  }
  for (const auto& [a, b] : mixed_pairs) {
    all.push_back({reduction::dot, a, b});
    if (!exactdot::is_integer(a))
      all.push_back({reduction::correlation, a, b}), all.push_back({reduction::weighted_mean, b, a});
    all.push_back({reduction::weighted_variance, a, b});
  }
  all.push_back({reduction::weighted_stddev, element_type::float64, element_type::int64});
  all.push_back({reduction::weighted_variance, element_type::int64, element_type::float32});
  all.push_back({reduction::variance_about, element_type::bfloat16, element_type::float64});
  all.push_back({reduction::stddev_about, element_type::int64, element_type::float64});
  all.push_back({reduction::weighted_mean, element_type::float32, element_type::uint8});
  all.push_back({reduction::slope, element_type::int32, element_type::float64});
  all.push_back({reduction::covariance, element_type::int16, element_type::uint32});
  constexpr element_type complex64 = element_type::complex64, complex128 = element_type::complex128;
  for (std::size_t i = 0; i < exactdot::reduction_names.size(); ++i) {
    const auto what = static_cast<reduction>(i);
    if (!exactdot::core::info_of(what).takes_complex()) continue;
    all.push_back({what, complex64, complex64}), all.push_back({what, complex128, complex128});
  }
  all.push_back({reduction::dot, complex64, complex128}), all.push_back({reduction::dot, complex128, complex64});
  return all;
}

std::vector<element_type> result_types(const row& tested) {
  if (exactdot::gives_index(tested.what)) return {element_type::int64, element_type::uint64};
  if (exactdot::gives_element(tested.what)) return {tested.type};
  std::vector<element_type> types(floating_types.begin(), floating_types.end());
  const bool is_sum = tested.what == reduction::dot || tested.what == reduction::sum ||
                      tested.what == reduction::asum || tested.what == reduction::sum_of_squares;
  if (!tested.is_complex() && exactdot::is_integer(tested.type) && is_sum) {
    types.push_back(element_type::int64), types.push_back(element_type::uint64);
  }
  return types;
}

cell::cell(const row& tested, const input& data, const layout& l, unsigned shift)
    : row_(tested),
      ddof_(shift % 3),
      a_(data.a, tested.type, l.stride_a, l.swapped_a, l.misaligned, shift),
      b_(data.b, tested.other, l.stride_b, l.swapped_b, l.misaligned, shift / 3),
      expected_(references(first_call(shift))) {}

bool cell::has_mode_fast() const {
  return row_.what != reduction::variance && row_.what != reduction::stddev && row_.what < reduction::weighted_mean;
}

std::vector<element_type> cell::types(const engine& tested, unsigned variant) const {
  const std::vector<element_type> all = result_types(row_);
  const std::size_t step = std::min(tested.every_type, all.size());
  std::vector<element_type> chosen;
  for (std::size_t i = variant % step; i < all.size(); i += step) chosen.push_back(all[i]);
  return chosen;
}

/// Products of complex numbers have conjugates in every other case.
call cell::first_call(unsigned variant) const {
  call asked{row_.what, a_.view(), b_.view(), {}, {}, ddof_, variant};
  asked.a.conjugated = row_.is_complex() && row_.what == reduction::dot && ddof_ % 2 == 0;
  return asked;
}

std::vector<call> cell::calls(const engine& tested, unsigned variant) const {
  std::vector<call> asked;
  for (const mode m : {mode::exact, mode::fast}) {
    if (m == mode::fast && !has_mode_fast()) continue;
    for (const element_type result : types(tested, variant)) {
      // the results of one cell come from different grids and schedules
      for (std::size_t part = 0; part < expected_.size(); ++part) {
        call next = first_call(variant + 5 * static_cast<unsigned>(asked.size()));
        next.result = result, next.mode = m, next.part = static_cast<int>(part);
        asked.push_back(next);
      }
    }
  }
  return asked;
}

std::string cell::result_fault(const engine& tested, const call& asked) const {
  const oracle::reference& part = expected_[static_cast<std::size_t>(asked.part)];
  const auto expected = asked.mode == mode::exact ? part.exact(asked.result) : part.fast(asked.result);
  const auto got = tested.run(asked);
  if (expected && got) return oracle::difference(*expected, *got);
  if (expected) return fmt::format("expected {}, but the engine refused", oracle::describe(*expected));
  return got ? fmt::format("expected a refusal, got {}", oracle::describe(*got)) : "";
}

std::string cell::fault(const engine& tested, unsigned variant) const {
  call asked = first_call(variant);
  try {
    for (const call& next : calls(tested, variant)) {
      asked = next;
      const std::string fault = result_fault(tested, asked);
      if (!fault.empty()) {
        return fmt::format("{} to {}: {}", name_of(asked.mode), exactdot::name_of(asked.result), fault);
      }
    }
    if (has_words(row_)) {
      asked.variant += 5;
      const std::string fault = expected_[0].words_fault(tested.words_of_two_additions(asked), 2);
      if (!fault.empty()) return "words: " + fault;
    }
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
  if (!tested.computes(row) || (arrangement.misaligned && !tested.reads_misaligned)) return;
  const std::string fault = checked.fault(tested, variant);
  if (!fault.empty()) {
    faults_.push_back(fmt::format("{} of {}, {}, {}, variant {}: {}", row.name(), name, arrangement.name,
                                  tested.name, variant, fault));
  }
  const std::vector<call> calls = checked.calls(tested, variant);
  const long long results = static_cast<long long>(calls.size()) + (has_words(row) ? 1 : 0);
  results_ += results;
  combinations_[fmt::format("{}, {}, {}", row.name(), tested.name, arrangement.name)] += results;
  for (const call& asked : calls) {
    ++results_by_type_[{row.name(), asked.mode, asked.result, tested.name}];
    const bool threaded = tested.threads && tested.threads(asked) > 1;
    if (threaded) ++results_with_threads_[{row.name(), asked.mode, asked.result, "threads"}];
  }
}

const layout& layout_of_case(unsigned index, bool may_misalign) {
  // multiplicative hashing: consecutive cases take layouts in an order that no other loop repeats
  for (unsigned k = index * 2654435761U >> 16;; ++k) {
    const layout& candidate = layouts[k % layouts.size()];
    if (may_misalign || !candidate.misaligned) return candidate;
  }
}

}  // namespace table
