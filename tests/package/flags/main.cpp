// Prints the bits of results that fast-math options would change: cancelling terms, infinities, NaNs, subnormal numbers,
// variances. The data are made of bits, since options of the project apply to this file; it includes every header that
// programs of the library include, and none of them refuses it.
#include <bit>
#include <cfenv>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <exactdot/exactdot.hpp>
#include <vector>

namespace {

/// Random numbers with biased exponents from `low` to before `high`, each followed by its negative (a little later).
std::vector<double> numbers(std::size_t n, unsigned low, unsigned high, bool cancels) {
  std::vector<double> x(n);
  std::uint64_t state = 12345;
  for (std::size_t i = 0; i < n; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const std::uint64_t exponent = low + (state >> 40) % (high - low);
    std::uint64_t bits = (state >> 12) | exponent << 52;
    bits = (bits & ((std::uint64_t{1} << 52) - 1)) | exponent << 52 | (state & 1) << 63;
    if (cancels && i % 2 == 1) bits = std::bit_cast<std::uint64_t>(x[i - 1]) ^ std::uint64_t{1} << 63;
    x[i] = std::bit_cast<double>(bits);
  }
  return x;
}

void print(const char* what, double x) { std::printf("%s %016" PRIx64 "\n", what, std::bit_cast<std::uint64_t>(x)); }

void print_all(const char* name, const std::vector<double>& x) {
  const std::vector<double> y = numbers(x.size(), 1000, 1040, false);
  std::printf("%s\n", name);
  for (const auto mode : {exactdot::mode::exact, exactdot::mode::fast}) {
    const exactdot::options options{.mode = mode};
    print("dot", exactdot::dot(x, y, options));
    print("sum", exactdot::sum(x, options));
    print("asum", exactdot::asum(x, options));
    print("nrm2", exactdot::nrm2(x, options));
    print("mean", exactdot::mean(x, options));
  }
  print("variance", exactdot::variance(x));
  print("stddev", exactdot::stddev(x, 1));
  print("min", exactdot::min(x));
  std::vector<double> sums(x.size() / 8);
  exactdot::sum(exactdot::rows<double>(x.data(), sums.size(), 8), sums);
  for (std::size_t i = 0; i < sums.size(); i += 37) print("row", sums[i]);
  exactdot::accumulator<double> sum;
  sum.add(x);
  print("accumulator", sum.round<double>());
}

void print_all_data() {
  std::vector<double> cancelling = numbers(1000, 1000, 1060, true);
  cancelling[500] = -500, cancelling[501] = 0;
  print_all("cancelling", cancelling);
  print_all("wide", numbers(4000, 600, 1500, true));
  print_all("positive", numbers(3000, 1020, 1024, false));
  print_all("subnormal", numbers(800, 0, 1, false));
  std::vector<double> special = numbers(100, 1000, 1040, false);
  special[7] = std::bit_cast<double>(std::uint64_t{0x7ff} << 52);
  print_all("infinity", special);
  special[9] = std::bit_cast<double>(std::uint64_t{0xfff} << 52);
  print_all("opposite infinities", special);
  special[9] = std::bit_cast<double>(std::uint64_t{0x7ff8} << 48);
  print_all("nan", special);
}

}  // namespace

int main() {
  print_all_data();  // with -ffast-math the linker makes programs start with subnormal numbers flushed
  std::fesetenv(FE_DFL_ENV);
  print_all_data();
}
