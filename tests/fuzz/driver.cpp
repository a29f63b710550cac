// Runs a fuzz target without a fuzzer, on the files of a corpus and on seeded mutations of them.
//
//   driver MUTATIONS FILE-OR-FOLDER…
// The mutations are the same in every run and on every machine, so failures can be reproduced. If the target
// aborts, the current input is written to crash-input, as by libFuzzer.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using input = std::vector<std::uint8_t>;

const input* running = nullptr;

extern "C" void keep_input(int signal) {
  if (running != nullptr) {
    if (std::FILE* const file = std::fopen("crash-input", "wb")) {
      std::fwrite(running->data(), 1, running->size(), file);
      std::fclose(file);
      std::fputs("the input is in crash-input\n", stderr);
    }
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void run(const input& bytes) {
  running = &bytes;
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  running = nullptr;
}

std::vector<input> corpus_of(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::filesystem::path> files;
  for (const auto& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<input> corpus;
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

class mutator {
 public:
  explicit mutator(const std::vector<input>& corpus) : corpus_(corpus) {}

  input next() {
    input bytes = corpus_[below(corpus_.size())];
    for (std::size_t count = 1 + below(4); count > 0; --count) mutate(bytes);
    return bytes;
  }

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  std::uint8_t byte() {
    constexpr std::uint8_t special_bytes[] = {0x00, 0x01, 0x7f, 0x80, 0xff, 0xf0, '(', ')',
                                              ',',  '\'', '{',  '}',  ' ',  '0',  '9'};
    return below(2) == 0 ? special_bytes[below(std::size(special_bytes))] : static_cast<std::uint8_t>(random_());
  }

  void mutate(input& bytes) {
    const std::size_t at = below(bytes.size() + 1);
    const auto position = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    switch (at == bytes.size() ? 0 : below(6)) {
      case 0:
        bytes.insert(position, 1 + below(8), byte());
        break;
      case 1:
        bytes.erase(position,
                    position + static_cast<std::ptrdiff_t>(1 + below(std::min<std::size_t>(8, bytes.size() - at))));
        break;
      case 2:
        *position = byte();
        break;
      case 3:
        *position = static_cast<std::uint8_t>(*position ^ (1u << below(8)));
        break;
      case 4:
        bytes.resize(at);
        break;
      default:
        splice(bytes, at);
    }
  }

  /// Replaces the bytes from `at` on by the end of another input.
  void splice(input& bytes, std::size_t at) {
    const input& other = corpus_[below(corpus_.size())];
    const std::size_t from = below(other.size() + 1);
    bytes.resize(at);
    bytes.insert(bytes.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
  }

  const std::vector<input>& corpus_;
  std::mt19937_64 random_{1};
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::fputs("usage: driver MUTATIONS FILE-OR-FOLDER...\n", stderr);
    return 2;
  }
  std::signal(SIGABRT, keep_input);
  std::signal(SIGSEGV, keep_input);
  const std::vector<input> corpus = corpus_of({argv + 2, argv + argc});
  if (corpus.empty()) {
    std::fputs("no corpus\n", stderr);
    return 1;
  }
  for (const input& bytes : corpus) run(bytes);
  const long mutations = std::atol(argv[1]);
  mutator mutations_of(corpus);
  for (long i = 0; i < mutations; ++i) run(mutations_of.next());
  std::printf("%zu inputs and %ld mutations\n", corpus.size(), mutations);
  return 0;
} catch (const std::exception& thrown) {
  std::fprintf(stderr, "the target threw: %s\n", thrown.what());
  std::abort();
}
