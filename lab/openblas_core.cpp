// Compares the CPU's instruction sets with OpenBLAS's choice; see openblas_core.hpp.
//
// Cores form two families, AVX-512 and AVX2; members of a family count as equally good, so a choice within the
// right family is kept. Names are those of openblas_get_corename().
#include <algorithm>
#include <array>
#include <lab/openblas_core.hpp>

namespace exactdot::lab {
namespace {

#if defined(__x86_64__)
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#else
bool has_avx512() { return false; }
bool has_avx2() { return false; }
#endif

}  // namespace

std::string better_openblas_core(std::string_view chosen) {
  constexpr std::array<std::string_view, 3> avx512_cores = {"SkylakeX", "Cooperlake", "SapphireRapids"};
  constexpr std::array<std::string_view, 3> avx2_cores = {"Haswell", "Zen", "Excavator"};
  const bool chose_avx512 = std::ranges::find(avx512_cores, chosen) != avx512_cores.end();
  const bool chose_avx2 = std::ranges::find(avx2_cores, chosen) != avx2_cores.end();
  if (has_avx512()) return chose_avx512 ? "" : "SkylakeX";
  if (has_avx2()) return chose_avx512 || chose_avx2 ? "" : "Haswell";
  return "";
}

}  // namespace exactdot::lab
