// See cases.hpp.
//
// FNV-1a hashes the generator's name, the seed and the length into the seed of the random numbers. Cases with equal
// seeds therefore have independent data, and the name of a case suffices to repeat it.
#include "oracle/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace oracle {
namespace {

std::uint64_t mix(std::uint64_t state, std::uint64_t value) {  // FNV-1a over one word
  return (state ^ value) * 0x100000001b3u;
}

std::uint64_t full_seed(std::string_view name, std::uint64_t seed, std::size_t n) {
  std::uint64_t state = 0xcbf29ce484222325u;
  for (const char character : name) state = mix(state, static_cast<unsigned char>(character));
  return mix(mix(state, seed), n);
}

}  // namespace

template <class T>
vectors<T> make_vectors(const generator<T>& source, std::uint64_t seed, std::size_t n) {
  rng random(full_seed(source.name, seed, n));
  return source.make(random, n);
}

template <class T>
std::string case_name(const generator<T>& source, std::uint64_t seed, std::size_t n) {
  return fmt::format("{}<{}>, seed {}, n = {}", source.name, exactdot::name_of(exactdot::type_of<T>), seed, n);
}

template <class T>
test_case<T> make_case(const generator<T>& source, std::uint64_t seed, std::size_t n) {
  return {case_name(source, seed, n), &source, checker<T>(make_vectors(source, seed, n))};
}

template <class T>
const generator<T>& generator_named(std::string_view name) {
  for (const generator<T>& candidate : generators<T>()) {
    if (candidate.name == name) return candidate;
  }
  throw std::out_of_range(fmt::format("no generator has the name {}", name));
}

int scaled(int count) {
  const char* text = std::getenv("EXACTDOT_TEST_SCALE");
  const int percent = text == nullptr ? 100 : std::atoi(text);
  return static_cast<int>(std::max<long long>(1, static_cast<long long>(count) * percent / 100));
}

template test_case<float> make_case(const generator<float>&, std::uint64_t, std::size_t);
template test_case<double> make_case(const generator<double>&, std::uint64_t, std::size_t);
template vectors<float> make_vectors(const generator<float>&, std::uint64_t, std::size_t);
template vectors<double> make_vectors(const generator<double>&, std::uint64_t, std::size_t);
template std::string case_name(const generator<float>&, std::uint64_t, std::size_t);
template std::string case_name(const generator<double>&, std::uint64_t, std::size_t);
template const generator<float>& generator_named(std::string_view);
template const generator<double>& generator_named(std::string_view);

}  // namespace oracle
