// Counts the letters of a text with both kernels, and compares with a plain loop. The mended kernel must be right
// and leave nothing to find; of the other one the simulator names the race and its line.
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
  for (const std::string& one : racy.findings) std::printf("  %s\n", one.c_str());

  const outcome mended = count_letters(text, true);
  std::printf("mended: %u of %u letters\n", total(mended.counts), total(expected));
  for (const std::string& one : mended.findings) std::printf("  %s\n", one.c_str());
  return mended.counts == expected && mended.findings.empty() ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& why) {  // no GPU, for one
    std::fprintf(stderr, "own_kernel: %s\n", why.what());
    return 1;
  }
}
