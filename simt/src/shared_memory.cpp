// Where a loaded object keeps its variables: from the program headers; their names: from the ELF symbol table.
#include "shared_memory.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>

namespace exactdot::simt {
namespace {

constexpr unsigned char garbage = 0xcb;

/// Symbols of the variables of an object, thread-local ones relative to the thread's copy, the others to the load
/// address; sorted.
struct symbols {
  std::vector<variable> thread_local_ones, plain;

  explicit symbols(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string image((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (image.size() < sizeof(Elf64_Ehdr) || image.compare(0, SELFMAG, ELFMAG) != 0) return;
    const auto* head = reinterpret_cast<const Elf64_Ehdr*>(image.data());
    if (head->e_shoff + std::size_t{head->e_shnum} * sizeof(Elf64_Shdr) > image.size()) return;
    const auto* sections = reinterpret_cast<const Elf64_Shdr*>(image.data() + head->e_shoff);
    for (int i = 0; i < head->e_shnum; ++i) {
      if (sections[i].sh_type == SHT_SYMTAB) read(image, sections[i], sections[sections[i].sh_link]);
    }
    const auto by_start = [](const variable& left, const variable& right) { return left.start < right.start; };
    std::sort(thread_local_ones.begin(), thread_local_ones.end(), by_start);
    std::sort(plain.begin(), plain.end(), by_start);
  }

 private:
  void read(const std::string& image, const Elf64_Shdr& table, const Elf64_Shdr& names) {
    if (table.sh_offset + table.sh_size > image.size() || names.sh_offset + names.sh_size > image.size()) return;
    const auto* first = reinterpret_cast<const Elf64_Sym*>(image.data() + table.sh_offset);
    for (std::size_t i = 0; i < table.sh_size / sizeof(Elf64_Sym); ++i) {
      const Elf64_Sym& one = first[i];
      const int type = ELF64_ST_TYPE(one.st_info);
      if (one.st_size == 0 || one.st_name >= names.sh_size || (type != STT_TLS && type != STT_OBJECT)) continue;
      (type == STT_TLS ? thread_local_ones : plain)
          .push_back({one.st_value, one.st_size, image.data() + names.sh_offset + one.st_name});
    }
  }
};

const symbols& symbols_of(const std::string& file) {
  static std::map<std::string, std::unique_ptr<symbols>> known;
  auto& found = known[file];
  if (!found) found = std::make_unique<symbols>(file);
  return *found;
}

/// "sums" from the name that the compiler gave (anonymous namespace)::kernel(float*)::sums.
std::string short_name(const std::string& symbol) {
  int status = 0;
  char* const text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  const std::string full = status == 0 && text != nullptr ? text : symbol;
  std::free(text);
  const std::size_t last = full.rfind("::");
  return last == std::string::npos ? full : full.substr(last + 2);
}

struct search {
  std::uintptr_t kernel;
  shared_module* found;
};

int look_at(dl_phdr_info* info, std::size_t, void* data) {
  const auto& [kernel, found] = *static_cast<search*>(data);
  bool holds = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    holds |= segment.p_type == PT_LOAD && kernel - (info->dlpi_addr + segment.p_vaddr) < segment.p_memsz;
  }
  if (!holds) return 0;
  found->load_address = info->dlpi_addr;
  found->file = *info->dlpi_name == '\0' ? "/proc/self/exe" : info->dlpi_name;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_TLS && info->dlpi_tls_data != nullptr) {
      found->thread_start = reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data);
      found->thread_size = segment.p_memsz;
    }
    if (segment.p_type != PT_LOAD) continue;
    auto& list = (segment.p_flags & PF_W) != 0 ? found->writable : found->constant;
    list.push_back({info->dlpi_addr + segment.p_vaddr, segment.p_memsz, ""});
  }
  return 1;
}

}  // namespace

shared_module::shared_module(const void* kernel) {
  search request{reinterpret_cast<std::uintptr_t>(kernel), this};
  dl_iterate_phdr(look_at, &request);
}

variable shared_module::find(std::uintptr_t address) const {
  const bool shared = is_shared(address);
  const symbols& all = symbols_of(file);
  const auto& list = shared ? all.thread_local_ones : all.plain;
  if (shared && list.empty()) return {address / 64 * 64, 64, ""};  // stripped: keep it by lines
  const std::uintptr_t base = shared ? thread_start : load_address;
  auto at = std::upper_bound(list.begin(), list.end(), address - base,
                             [](std::uintptr_t left, const variable& right) { return left < right.start; });
  if (at == list.begin()) return {};
  --at;
  if (address - base - at->start >= at->size) return {};
  return {base + at->start, at->size, short_name(at->name)};
}

region* static_shared::find(std::uintptr_t address, const shared_module& module) {
  for (auto one = parts_.rbegin(); one != parts_.rend(); ++one) {
    if ((*one)->where.holds(address)) return &(*one)->where;
  }
  if (extern_shared != nullptr &&
      address - reinterpret_cast<std::uintptr_t>(extern_shared()) < most_dynamic_shared) {
    return nullptr;  // more than the launch asked for
  }
  const variable found = module.find(address);
  if (found.size == 0) return nullptr;
  add(found.start, found.size);
  std::memset(reinterpret_cast<void*>(found.start), garbage, found.size);
  return &parts_.back()->where;
}

void static_shared::add(std::uintptr_t start, std::size_t bytes) {
  parts_.push_back(
      std::make_unique<part>(part{region(start, bytes, true, false), std::vector<unsigned char>(bytes, garbage)}));
}

void static_shared::save() {
  for (const auto& one : parts_)
    std::memcpy(one->bytes.data(), reinterpret_cast<const void*>(one->where.start), one->bytes.size());
}

void static_shared::restore() {
  for (const auto& one : parts_)
    std::memcpy(reinterpret_cast<void*>(one->where.start), one->bytes.data(), one->bytes.size());
}

}  // namespace exactdot::simt
