// Where a loaded object keeps its variables: from the program headers; their names: from the ELF symbol table.
//
// A kernel's static variable has the kernel's name in its own: _ZZ6kernelPiE1s is s in _Z6kernelPi. Which functions
// are kernels says the section of patchable entries, which __global__ asks for (on_cpu.hpp).
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

#include "machine.hpp"

namespace exactdot::simt {
namespace {

constexpr unsigned char garbage = 0xcb;

/// Of those that are sorted by their start, the one that holds the address.
const variable* find_in(const std::vector<variable>& list, std::uintptr_t address) {
  auto at = std::upper_bound(list.begin(), list.end(), address,
                             [](std::uintptr_t left, const variable& right) { return left < right.start; });
  if (at == list.begin()) return nullptr;
  --at;
  return address - at->start < at->size ? &*at : nullptr;
}

/// Symbols of an object: of thread-local variables relative to the thread's copy, of the others and of functions to
/// the load address; sorted.
struct symbols {
  std::vector<variable> thread_local_ones, plain, functions;
  struct kernel {
    const variable* function;
    std::string prefix;  // of its static variables' symbols
  };
  std::vector<kernel> kernels;

  symbols(const std::string& file, std::uintptr_t load_address) {
    std::ifstream in(file, std::ios::binary);
    const std::string image((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (image.size() < sizeof(Elf64_Ehdr) || image.compare(0, SELFMAG, ELFMAG) != 0) return;
    const auto* head = reinterpret_cast<const Elf64_Ehdr*>(image.data());
    if (head->e_shoff + std::size_t{head->e_shnum} * sizeof(Elf64_Shdr) > image.size()) return;
    const auto* sections = reinterpret_cast<const Elf64_Shdr*>(image.data() + head->e_shoff);
    for (int i = 0; i < head->e_shnum; ++i) {
      if (sections[i].sh_type == SHT_SYMTAB) read(image, sections, sections[i]);
    }
    for (auto* list : {&thread_local_ones, &plain, &functions}) {
      std::sort(list->begin(), list->end(),
                [](const variable& left, const variable& right) { return left.start < right.start; });
    }
    const char* const names = image.data() + sections[head->e_shstrndx].sh_offset;
    for (int i = 0; i < head->e_shnum; ++i) {
      const Elf64_Shdr& one = sections[i];
      if ((one.sh_flags & SHF_ALLOC) == 0 || names + one.sh_name >= image.data() + image.size()) continue;
      if (std::strcmp(names + one.sh_name, "__patchable_function_entries") != 0) continue;
      read_kernels(load_address + one.sh_addr, one.sh_size, load_address);
    }
  }

 private:
  void read(const std::string& image, const Elf64_Shdr* sections, const Elf64_Shdr& table) {
    const Elf64_Shdr& names = sections[table.sh_link];
    if (table.sh_offset + table.sh_size > image.size() || names.sh_offset + names.sh_size > image.size()) return;
    const auto* first = reinterpret_cast<const Elf64_Sym*>(image.data() + table.sh_offset);
    for (std::size_t i = 0; i < table.sh_size / sizeof(Elf64_Sym); ++i) {
      const Elf64_Sym& one = first[i];
      const int type = ELF64_ST_TYPE(one.st_info);
      if (one.st_size == 0 || one.st_name >= names.sh_size || one.st_shndx == SHN_UNDEF) continue;
      if (type != STT_TLS && type != STT_OBJECT && type != STT_FUNC) continue;
      auto& list = type == STT_TLS ? thread_local_ones : type == STT_FUNC ? functions : plain;
      list.push_back({one.st_value, one.st_size, image.data() + names.sh_offset + one.st_name});
      if (type == STT_TLS && one.st_shndx < SHN_LORESERVE)
        list.back().initialised = sections[one.st_shndx].sh_type != SHT_NOBITS;
    }
  }
  void read_kernels(std::uintptr_t entries, std::size_t bytes, std::uintptr_t load_address) {
    for (std::size_t i = 0; i < bytes / sizeof(std::uintptr_t); ++i) {  // in memory: the loader has relocated them
      const std::uintptr_t entry = reinterpret_cast<const std::uintptr_t*>(entries)[i];
      const variable* const one = find_in(functions, entry - load_address);
      if (one == nullptr) continue;
      const bool mangled = one->name.starts_with("_Z");
      kernels.push_back({one, mangled ? "_ZZ" + one->name.substr(2) + "E"
                                      : "_ZZ" + std::to_string(one->name.size()) + one->name + "E"});
    }
  }
};

const symbols& symbols_of(const shared_module& module) {
  static std::map<std::string, std::unique_ptr<symbols>> known;
  auto& found = known[module.file];
  if (!found) found = std::make_unique<symbols>(module.file, module.load_address);
  return *found;
}

/// The simulator's own variables, and the room around them.
bool is_own(std::uintptr_t address) { return running.holds(address) || in_kernel.holds(address); }

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

shared_module::shared_module(const void* kernel) : kernel_(reinterpret_cast<std::uintptr_t>(kernel)) {
  search request{kernel_, this};
  dl_iterate_phdr(look_at, &request);
}

shared_module::~shared_module() {
  for (const auto& [start, bytes] : kept_) std::memcpy(reinterpret_cast<void*>(start), bytes.data(), bytes.size());
}

void shared_module::keep(const variable& one) {
  const auto* const first = reinterpret_cast<const unsigned char*>(one.start);
  kept_.try_emplace(one.start, first, first + one.size);
}

/// CUDA's shared variables have no initialisers, and a kernel calls no other.
bool shared_module::is_for_this_kernel(const variable& symbol) const {
  if (symbol.initialised || is_own(thread_start + symbol.start)) return false;
  if (!symbol.name.starts_with("_ZZ")) return true;
  const symbols& all = symbols_of(*this);
  const variable* const self = find_in(all.functions, kernel_ - load_address);
  return std::none_of(all.kernels.begin(), all.kernels.end(), [&](const symbols::kernel& one) {
    return one.function != self && symbol.name.starts_with(one.prefix);
  });
}

variable shared_module::find(std::uintptr_t address) const {
  const bool shared = is_shared(address);
  const symbols& all = symbols_of(*this);
  const auto& list = shared ? all.thread_local_ones : all.plain;
  if (shared && is_own(address)) return {};
  if (shared && list.empty()) return {address / 64 * 64, 64, ""};  // stripped: keep it by lines
  const std::uintptr_t base = shared ? thread_start : load_address;
  const variable* const at = find_in(list, address - base);
  if (at == nullptr || (shared && !is_for_this_kernel(*at))) return {};
  return {base + at->start, at->size, short_name(at->name)};
}

variable shared_module::nearest(std::uintptr_t address) const {
  const auto distance = [address](std::uintptr_t start, std::size_t size) {
    return address < start ? start - address : address - start < size ? 0 : address - (start + size) + 1;
  };
  variable found;
  for (const variable& one : symbols_of(*this).thread_local_ones) {
    const std::uintptr_t start = thread_start + one.start;
    if (distance(start, one.size) > nearby || !is_for_this_kernel(one)) continue;
    if (found.size == 0 || distance(start, one.size) < distance(found.start, found.size))
      found = {start, one.size, one.name};
  }
  found.name = short_name(found.name);
  return found;
}

bool shared_module::is_idle(std::uintptr_t address, std::size_t size) const {
  for (std::uintptr_t i = address; i < address + size; ++i) {
    if (!is_shared(i) || running.holds_value(i) || in_kernel.holds_value(i) || find(i).size != 0) return false;
    const variable* const at = find_in(symbols_of(*this).thread_local_ones, i - thread_start);
    if (at != nullptr && at->initialised) return false;
  }
  return true;
}

region* static_shared::find(std::uintptr_t address, shared_module& module) {
  for (auto one = parts_.rbegin(); one != parts_.rend(); ++one) {
    if ((*one)->where.holds(address)) return &(*one)->where;
  }
  if (extern_shared != nullptr &&
      address - reinterpret_cast<std::uintptr_t>(extern_shared()) < most_dynamic_shared) {
    return nullptr;  // more than the launch asked for
  }
  const variable found = module.find(address);
  if (found.size == 0) return nullptr;
  module.keep(found);
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
