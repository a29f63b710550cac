// Counts the letters of a text with both kernels and compares with a plain loop.
//
// The corrected kernel must agree, without findings. For the other one the simulator reports the data race with its
// line. Exit status 0 if the corrected kernel passes.
#include <cstdio>
#include <exception>
#include <numeric>

#include "histogram.hpp"

namespace {

unsigned total(const std::vector<unsigned>& counts) { return std::accumulate(counts.begin(), counts.end(), 0U); }

int run() {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "the quick brown fox jumps over the lazy dog ";
  std::vector<unsigned> expected(26);
  for (const char letter : text) {
    if (letter >= 'a' && letter <= 'z') ++expected[static_cast<std::size_t>(letter - 'a')];
  }

  const outcome racy = count_letters(text, false);
  std::printf("racy: %u of %u letters\n", total(racy.counts), total(expected));
  for (const std::string& finding : racy.findings) std::printf("  %s\n", finding.c_str());

  const outcome corrected = count_letters(text, true);
  std::printf("corrected: %u of %u letters\n", total(corrected.counts), total(expected));
  for (const std::string& finding : corrected.findings) std::printf("  %s\n", finding.c_str());
  return corrected.counts == expected && corrected.findings.empty() ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& failure) {  // for example no GPU
    std::fprintf(stderr, "own_kernel: %s\n", failure.what());
    return 1;
  }
}
