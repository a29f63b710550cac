// Variables of a loaded object: addresses from the program headers, names from the ELF symbol table.
//
// A kernel's static variable has the kernel's name as a prefix: _ZZ6kernelPiE1s is s in _Z6kernelPi, and
// _ZZZ6kernelPiENUlvE_clEvE1s in a lambda in it, where simtcc moves the bodies of kernels. Kernels are
// the functions in the section of patchable entries, which __global__ fills (on_cpu.hpp).
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

#include "running.hpp"

namespace exactdot::simt {
namespace {

/// Returns the variable that contains the address, in a list sorted by start; null if there is none.
const variable* find_in(const std::vector<variable>& list, std::uintptr_t address) {
  auto at = std::upper_bound(list.begin(), list.end(), address,
                             [](std::uintptr_t left, const variable& right) { return left < right.start; });
  if (at == list.begin()) return nullptr;
  --at;
  return address - at->start < at->size ? &*at : nullptr;
}

/// Symbols of an object, sorted. Addresses of thread-local variables are relative to the thread's copy, those of
/// global variables and functions to the load address.
struct symbol_table {
  std::vector<variable> thread_locals, globals, functions;
  variable constants;  // size 0: none
  struct kernel {
    const variable* function;
    std::string prefix;  // of the symbols of its static variables, without _ZZ
  };
  std::vector<kernel> kernels;

  symbol_table(const std::string& file, std::uintptr_t load_address) {
    std::ifstream in(file, std::ios::binary);
    const std::string image((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (image.size() < sizeof(Elf64_Ehdr) || image.compare(0, SELFMAG, ELFMAG) != 0) return;
    const auto* header = reinterpret_cast<const Elf64_Ehdr*>(image.data());
    if (header->e_shoff + std::size_t{header->e_shnum} * sizeof(Elf64_Shdr) > image.size()) return;
    const auto* sections = reinterpret_cast<const Elf64_Shdr*>(image.data() + header->e_shoff);
    for (int i = 0; i < header->e_shnum; ++i) {
      if (sections[i].sh_type == SHT_SYMTAB) read_symbols(image, sections, sections[i]);
    }
    for (auto* list : {&thread_locals, &globals, &functions}) {
      std::sort(list->begin(), list->end(),
                [](const variable& left, const variable& right) { return left.start < right.start; });
    }
    const char* const names = image.data() + sections[header->e_shstrndx].sh_offset;
    for (int i = 0; i < header->e_shnum; ++i) {
      const Elf64_Shdr& section = sections[i];
      if ((section.sh_flags & SHF_ALLOC) == 0 || names + section.sh_name >= image.data() + image.size()) continue;
      if (std::strcmp(names + section.sh_name, "exactdot_constant") == 0)
        constants = {load_address + section.sh_addr, section.sh_size, ""};
      if (std::strcmp(names + section.sh_name, "__patchable_function_entries") != 0) continue;
      read_kernels(load_address + section.sh_addr, section.sh_size, load_address);
    }
  }

 private:
  void read_symbols(const std::string& image, const Elf64_Shdr* sections, const Elf64_Shdr& table) {
    const Elf64_Shdr& names = sections[table.sh_link];
    if (table.sh_offset + table.sh_size > image.size() || names.sh_offset + names.sh_size > image.size()) return;
    const auto* first = reinterpret_cast<const Elf64_Sym*>(image.data() + table.sh_offset);
    for (std::size_t i = 0; i < table.sh_size / sizeof(Elf64_Sym); ++i) {
      const Elf64_Sym& symbol = first[i];
      const int type = ELF64_ST_TYPE(symbol.st_info);
      if (symbol.st_size == 0 || symbol.st_name >= names.sh_size || symbol.st_shndx == SHN_UNDEF) continue;
      if (type != STT_TLS && type != STT_OBJECT && type != STT_FUNC) continue;
      auto& list = type == STT_TLS ? thread_locals : type == STT_FUNC ? functions : globals;
      list.push_back({symbol.st_value, symbol.st_size, image.data() + names.sh_offset + symbol.st_name});
      if (type == STT_TLS && symbol.st_shndx < SHN_LORESERVE)
        list.back().initialised = sections[symbol.st_shndx].sh_type != SHT_NOBITS;
    }
  }
  /// Reads the entries from memory, where the loader has relocated them.
  void read_kernels(std::uintptr_t entries, std::size_t bytes, std::uintptr_t load_address) {
    for (std::size_t i = 0; i < bytes / sizeof(std::uintptr_t); ++i) {
      const std::uintptr_t entry = reinterpret_cast<const std::uintptr_t*>(entries)[i];
      const variable* const function = find_in(functions, entry - load_address);
      if (function == nullptr) continue;
      const bool mangled = function->name.starts_with("_Z");
      kernels.push_back({function, mangled ? function->name.substr(2) + "E"
                                           : std::to_string(function->name.size()) + function->name + "E"});
    }
  }
};

const symbol_table& symbols_of(const shared_module& module) {
  static auto& cache = *new std::map<std::string, std::unique_ptr<symbol_table>>;
  auto& found = cache[module.file];
  if (!found) found = std::make_unique<symbol_table>(module.file, module.load_address);
  return *found;
}

/// Returns whether the address is in a variable of the simulator or in its padding.
bool is_simulator_variable(std::uintptr_t address) { return running.holds(address) || in_kernel.holds(address); }

/// Returns "sums" for the symbol of (anonymous namespace)::kernel(float*)::sums.
std::string short_name(const std::string& symbol) {
  int status = 0;
  char* const text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  const std::string full = status == 0 && text != nullptr ? text : symbol;
  std::free(text);
  const std::size_t last = full.rfind("::");
  return last == std::string::npos ? full : full.substr(last + 2);
}

struct module_search {
  std::uintptr_t kernel;
  shared_module* found;
};

/// Callback of dl_iterate_phdr. Fills in the module and returns 1 if this object contains the kernel.
int inspect_object(dl_phdr_info* info, std::size_t, void* data) {
  const auto& [kernel, found] = *static_cast<module_search*>(data);
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
  module_search request{kernel_, this};
  dl_iterate_phdr(inspect_object, &request);
  constants = symbols_of(*this).constants;
}

shared_module::~shared_module() {
  for (const auto& [start, bytes] : saved_) std::memcpy(reinterpret_cast<void*>(start), bytes.data(), bytes.size());
}

void shared_module::save(const variable& shared) {
  const auto* const first = reinterpret_cast<const unsigned char*>(shared.start);
  saved_.try_emplace(shared.start, first, first + shared.size);
}

/// Excludes variables with an initialiser, which CUDA's shared variables do not have. Also excludes those of the
/// simulator, and those of other kernels, since a kernel calls no other. Kernels of one name in several files, each
/// in an unnamed namespace, are told apart by neither their names nor those of their variables.
bool shared_module::is_for_this_kernel(const variable& symbol) const {
  if (symbol.initialised || is_simulator_variable(thread_start + symbol.start)) return false;
  if (!symbol.name.starts_with("_ZZ")) return true;
  const std::size_t prefix = symbol.name.find_first_not_of('Z', 1);  // more Zs: in a lambda in the kernel
  const symbol_table& all = symbols_of(*this);
  const variable* const self = find_in(all.functions, kernel_ - load_address);
  return std::none_of(all.kernels.begin(), all.kernels.end(), [&](const symbol_table::kernel& other) {
    return (self == nullptr || other.function->name != self->name) &&
           symbol.name.compare(prefix, other.prefix.size(), other.prefix) == 0;
  });
}

variable shared_module::find(std::uintptr_t address) const {
  const bool shared = is_shared(address);
  const symbol_table& all = symbols_of(*this);
  const auto& list = shared ? all.thread_locals : all.globals;
  if (shared && is_simulator_variable(address)) return {};
  if (shared && list.empty()) return {address / 64 * 64, 64, ""};  // stripped program: a line of 64 bytes
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
  for (const variable& symbol : symbols_of(*this).thread_locals) {
    const std::uintptr_t start = thread_start + symbol.start;
    if (distance(start, symbol.size) > margin || !is_for_this_kernel(symbol)) continue;
    if (found.size == 0 || distance(start, symbol.size) < distance(found.start, found.size))
      found = {start, symbol.size, symbol.name};
  }
  found.name = short_name(found.name);
  return found;
}

bool shared_module::is_unused(std::uintptr_t address, std::size_t size) const {
  for (std::uintptr_t i = address; i < address + size; ++i) {
    if (!is_shared(i) || running.holds_value(i) || in_kernel.holds_value(i) || find(i).size != 0) return false;
    const variable* const at = find_in(symbols_of(*this).thread_locals, i - thread_start);
    if (at != nullptr && at->initialised) return false;
  }
  return true;
}

std::string shared_module::kernel_name() const {
  const variable* const function = find_in(symbols_of(*this).functions, kernel_ - load_address);
  if (function == nullptr) return "kernel";
  int status = 0;
  char* const text = abi::__cxa_demangle(function->name.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 && text != nullptr ? text : function->name;
  std::free(text);
  const std::string unnamed = "(anonymous namespace)::";
  for (std::size_t at = 0; (at = name.find(unnamed)) != std::string::npos;) name.erase(at, unnamed.size());
  int depth = 0;  // of template arguments, which may contain parentheses
  for (std::size_t i = 0; i < name.size(); ++i) {
    depth += name[i] == '<' ? 1 : name[i] == '>' ? -1 : 0;
    if (name[i] == '(' && depth == 0) name.resize(i);
  }
  const std::size_t arguments = std::min(name.size(), name.find('<'));  // of a template
  return name.substr(name.find_last_of(" :", arguments == 0 ? 0 : arguments - 1) + 1);
}

region* static_shared::find_first(std::uintptr_t address, shared_module& module) {
  if (extern_shared != nullptr &&
      address - reinterpret_cast<std::uintptr_t>(extern_shared()) < max_dynamic_shared) {
    return nullptr;  // beyond the launch's dynamic shared memory
  }
  const variable found = module.find(address);
  if (found.size == 0) return nullptr;
  module.save(found);
  add(found.start, found.size);
  std::memset(reinterpret_cast<void*>(found.start), fill_byte, found.size);
  return &copies_.back()->range;
}

region& static_shared::add(std::uintptr_t start, std::size_t bytes) {
  copies_.push_back(std::make_unique<copy>(
      copy{region(start, bytes, true, false), std::vector<unsigned char>(bytes, fill_byte)}));
  return copies_.back()->range;
}

void* static_shared::window(std::uintptr_t address, shared_module& module, std::uint32_t block) {
  const auto holds = [address](const auto& held) { return held->range.holds(address); };
  auto at = std::find_if(copies_.begin(), copies_.end(), holds);
  if (at == copies_.end()) {
    const variable found = module.find(address);
    if (found.size == 0) return nullptr;
    module.save(found);
    add(found.start, found.size);
    at = copies_.end() - 1;
  }
  copy& held = **at;
  if (held.window == nullptr) {
    auto& memory = device_memory::instance();
    held.window = static_cast<unsigned char*>(memory.allocate(held.range.size, true, block));
    std::memcpy(held.window, held.bytes.data(), held.range.size);
    memory.find(reinterpret_cast<std::uintptr_t>(held.window))->window_of = &held.range;
  }
  return held.window + (address - held.range.start);
}

unsigned char* static_shared::stored(const region& range, std::uintptr_t address) {
  const auto is_range = [&range](const auto& held) { return &held->range == &range; };
  return (*std::find_if(copies_.begin(), copies_.end(), is_range))->data() + (address - range.start);
}

static_shared::~static_shared() {
  for (const auto& held : copies_) {
    if (held->window != nullptr) device_memory::instance().release(held->window);
  }
}

void static_shared::save() {
  for (const auto& held : copies_)
    std::memcpy(held->data(), reinterpret_cast<const void*>(held->range.start), held->range.size);
}

void static_shared::restore() {
  for (const auto& held : copies_)
    std::memcpy(reinterpret_cast<void*>(held->range.start), held->data(), held->range.size);
}

}  // namespace exactdot::simt
