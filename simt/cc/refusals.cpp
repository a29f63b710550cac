// What simtcc does not model, refused by name: better no program than a wrong one. And the few forms of inline PTX
// that it does: reading a special register.
#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "rewrite.hpp"

namespace exactdot::simtcc {
namespace {

struct refusal {
  std::string_view name;  // an identifier, or its beginning if it ends in *
  std::string_view reason;
};

constexpr refusal refusals[] = {
    {"tex1DLayered", "layered textures are not modelled"},
    {"tex2DLayered", "layered textures are not modelled"},
    {"tex1DLod", "mipmaps of textures are not modelled"},
    {"tex2DLod", "mipmaps of textures are not modelled"},
    {"tex1DGrad", "mipmaps of textures are not modelled"},
    {"tex2DGrad", "mipmaps of textures are not modelled"},
    {"tex2Dgather", "gathers of textures are not modelled"},
    {"tex3D*", "textures of three dimensions are not modelled"},
    {"texCubemap*", "textures of cubes are not modelled"},
    {"surf3D*", "surfaces of three dimensions are not modelled"},
    {"surfCubemap*", "surfaces of cubes are not modelled"},
    {"cudaMallocMipmappedArray", "mipmaps of textures are not modelled"},
    {"cudaMallocArray3D", "arrays of three dimensions are not modelled"},
    {"cudaMalloc3D*", "3-D memory is not modelled"},
    {"cudaMemcpy3D*", "3-D memory is not modelled"},
    {"cudaGraphics*", "OpenGL and other graphics are not modelled"},
    {"cudaGL*", "OpenGL and other graphics are not modelled"},
    {"cudaGraphAdd*", "graphs are modelled as far as streams capture them"},
    {"cudaGraphCreate", "graphs are modelled as far as streams capture them"},
    {"cudaGraphExecUpdate", "graphs are modelled as far as streams capture them"},
    {"cudaGraphKernelNode*", "graphs are modelled as far as streams capture them"},
    {"cudaIpc*", "memory of other processes is not modelled"},
    {"cudaLaunchKernelExC", "launch the kernel itself by cudaLaunchKernelEx, not a pointer to void"},
    {"nvcuda", "tensor cores (WMMA) are not modelled"},
    {"__block_size__", "expected __cluster_dims__ and the sizes in the launch"},
    {"cuLaunchKernel", "the driver's interface is not modelled"},
    {"cuModuleLoad*", "the driver's interface is not modelled"},
    {"cuInit", "the driver's interface is not modelled"},
};

/// Libraries of CUDA whose headers a program may include, but whose names are refused where it uses them: all, or
/// those that the header with a part of the library does not have.
struct library {
  std::string_view name;
  std::vector<std::string_view> headers, prefixes;
  std::string_view supplied_header = {};
};
const std::vector<library>& libraries_refused_at_use() {
  static const std::vector<library> list = {
      {"this part of cuBLAS",
       {"cublas.h", "cublasLt.h", "cublasXt.h"},
       {"cublas", "CUBLAS_", "CUBLASLT_"},
       "cublas_v2.h"},
      {"cuFFT", {"cufft.h", "cufftw.h", "cufftXt.h"}, {"cufft", "CUFFT_", "fftw"}},
      {"cuRAND's host interface",
       {"curand.h", "curand_mtgp32.h", "curand_mtgp32_host.h"},
       {"curandGenerat", "curandCreate", "curandDestroy", "curandSet", "curandGet", "curandStatus", "CURAND_"}},
      {"cuSPARSE", {"cusparse.h", "cusparse_v2.h", "cusparseLt.h"}, {"cusparse", "CUSPARSE_"}},
      {"cuSOLVER",
       {"cusolverDn.h", "cusolverSp.h", "cusolverRf.h", "cusolverMg.h", "cusolver_common.h"},
       {"cusolver", "CUSOLVER_"}},
      {"cuDNN", {"cudnn.h", "cudnn_frontend.h"}, {"cudnn", "CUDNN_"}},
      {"NCCL", {"nccl.h"}, {"nccl", "NCCL_"}},
      {"NPP", {"npp.h", "nppi.h", "npps.h", "nppcore.h", "nppdefs.h", "nppversion.h"}, {"npp", "Npp", "NPP_"}},
      {"NVML", {"nvml.h"}, {"nvml", "NVML_"}},
      {"NVRTC", {"nvrtc.h"}, {"nvrtc", "NVRTC_"}},
      {"nvJitLink", {"nvJitLink.h"}, {"nvJitLink", "NVJITLINK_"}},
      {"tensor cores (WMMA)", {"mma.h"}, {"nvcuda", "wmma"}},
      {"OpenGL", {"cuda_gl_interop.h", "cudaGL.h"}, {"cudaGL", "cudaGraphics", "cuGraphics", "cuGL"}}};
  return list;
}
/// Of their headers, in a folder of simtcc's temporary files; and of those that are supplied.
constexpr std::string_view folder_of_refused = "/headers_refused_at_use/";
constexpr std::string_view folder_of_supplied = "exactdot/simt/toolkit/";

/// Headers that are not supplied, by the beginning of their names.
constexpr refusal headers[] = {
    {"thrust/", "this part of Thrust"},
    {"cub/", "this part of CUB"},
    {"cuda/", "this part of libcu++"},
    {"cutlass/", "CUTLASS"},
    {"cuda_fp4", "4-bit floating point"},
    {"cuda_fp6", "6-bit floating point"},
    {"cuda_fp8", "8-bit floating point"},
};

/// Whether a name may be one of a library: a program's own names go on with _ or do not go on.
bool begins_as_of_library(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  if (prefix == "nvcuda" || prefix == "wmma" || prefix == "fftw" || prefix.back() == '_') return true;
  return name.size() > prefix.size() && name[prefix.size()] != '_';
}

/// Whether token i names a variable or function that is declared there, or assigned to.
bool is_declared_at(const source_edits& source, std::size_t i) {
  if (i == 0 || source.at(i).kind != token_kind::identifier) return false;
  static constexpr std::array<std::string_view, 23> no_types = {
      "return", "else",     "case",     "throw",  "co_return", "new",     "delete",   "sizeof",
      "goto",   "typedef",  "operator", "struct", "class",     "enum",    "const",    "typename",
      "using",  "volatile", "co_yield", "do",     "public",    "private", "protected"};
  static constexpr std::array<std::string_view, 8> ends = {"=", ";", ",", ")", "[", "{", "(", ":"};
  const token &before = source.at(i - 1), &next = source.at(i + 1);
  const auto is_one = [](const token& t, const auto& words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return t.is(word); });
  };
  if (next.is("=")) return !is_one(before, no_types);
  if (before.is(",")) return next.is(";");
  if (before.kind == token_kind::identifier) return !is_one(before, no_types) && is_one(next, ends);
  const bool is_enumerator = source.at(i).text[0] >= 'A' && source.at(i).text[0] <= 'Z';
  return (before.is("*") || before.is("&") || before.is(">")) && is_one(next, ends) && !next.is("(") &&
         !is_enumerator;
}

bool matches(const token& t, std::string_view name) {
  return name.back() == '*' ? t.text.starts_with(name.substr(0, name.size() - 1)) : t.text == name;
}

/// Returns the spelling of adjacent string literals from `first` on, without quotes. Sets `end` to the token after
/// them.
std::string literal_at(const source_edits& source, std::size_t first, std::size_t& end) {
  std::string text;
  for (end = first; source.at(end).kind == token_kind::string; ++end) {
    const std::string_view spelling = source.at(end).text;
    if (spelling.size() >= 2) text += spelling.substr(1, spelling.size() - 2);
  }
  return text;
}

/// Returns the special register that this PTX moves to its only operand; "" if it does something else.
std::string special_register(const std::string& ptx) {
  static constexpr std::array<std::string_view, 13> known = {
      "laneid",      "warpid",      "smid",  "nsmid",   "lanemask_eq", "lanemask_lt", "lanemask_le",
      "lanemask_gt", "lanemask_ge", "clock", "clock64", "globaltimer", "nwarpid"};
  std::string text = ptx;
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == ';'; });
  for (const std::string_view end : {"\\n", "\\t"}) {
    for (std::size_t at; (at = text.find(end)) != std::string::npos;) text.erase(at, end.size());
  }
  for (const std::string_view type : {"u32", "b32", "s32", "u64", "s64", "b64"}) {
    for (const std::string_view name : known) {
      const std::string move = "mov." + std::string(type) + "%0,";
      if (text == move + "%%" + std::string(name) || text == move + "%" + std::string(name))
        return std::string(name);
    }
  }
  return "";
}

}  // namespace

std::string_view library_of_header(std::string_view name) {
  for (const auto& [beginning, library] : headers) {
    if (name.starts_with(beginning)) return library;
  }
  return "";
}

std::vector<std::string> headers_refused_at_use() {
  std::vector<std::string> names;
  for (const library& each : libraries_refused_at_use()) {
    for (const std::string_view header : each.headers)
      names.push_back(std::string(folder_of_refused.substr(1)) + std::string(header));
  }
  return names;
}

void refuse_libraries(source_edits& source, const declarations& names) {
  for (const library& each : libraries_refused_at_use()) {
    const auto is_supplied = [&](const source_file& file) {
      const std::size_t at = file.name.find(folder_of_supplied);
      return at != std::string::npos && !each.supplied_header.empty() &&
             std::string_view(file.name).substr(at + folder_of_supplied.size()) == each.supplied_header;
    };
    const auto is_header = [&](const source_file& file) {
      const std::size_t at = file.name.find(folder_of_refused);
      return at != std::string::npos &&
             std::find(each.headers.begin(), each.headers.end(),
                       std::string_view(file.name).substr(at + folder_of_refused.size())) != each.headers.end();
    };
    const auto is_either = [&](const source_file& file) { return is_header(file) || is_supplied(file); };
    if (std::none_of(source.files().begin(), source.files().end(), is_either)) continue;
    const auto is_name = [&](const token& t) {
      return t.kind == token_kind::identifier &&
             std::any_of(each.prefixes.begin(), each.prefixes.end(),
                         [&](std::string_view prefix) { return begins_as_of_library(t.text, prefix); });
    };
    std::set<std::string_view> known, refused;  // each name once
    for (std::size_t i = 0; i + 1 < source.size(); ++i) {
      if (is_name(source.at(i)) && (is_declared_at(source, i) || is_supplied(source.file_of(i))))
        known.insert(source.at(i).text);
    }
    for (std::size_t i = 0; i + 1 < source.size(); ++i) {
      const token& t = source.at(i);
      const bool is_member = i > 0 && (source.at(i - 1).is(".") || source.at(i - 1).is("->"));
      if (!is_name(t) || is_member || source.file_of(i).system || known.contains(t.text)) continue;
      if (!names.is_users(t.text) && refused.insert(t.text).second)
        source.refuse(i, std::string(t.text) + ": " + std::string(each.name) +
                             (each.name.ends_with(')') ? " are" : " is") + " not modelled");
    }
  }
}

void refuse_headers(source_edits& source) {
  for (const source_file& file : source.files()) {
    const source_file& includer = source.files()[file.includer];
    if (file.included_at == 0 || includer.system || file.name.find(folder_of_supplied) != std::string::npos)
      continue;
    const std::size_t folder = file.name.rfind("include/");
    const std::string_view name = std::string_view(file.name).substr(folder == std::string::npos ? 0 : folder + 8);
    const std::string_view library = file.system || folder != std::string::npos ? library_of_header(name) : "";
    if (library.empty()) continue;
    source.refuse_at(includer.name, file.included_at,
                     std::string(name) + ": " + std::string(library) + " is not modelled");
  }
}

void rewrite_assembly(source_edits& source, std::size_t i) {
  std::size_t open = i + 1;
  while (source.at(open).is("volatile") || source.at(open).is("__volatile__")) ++open;
  if (!source.at(open).is("(") || source.at(open + 1).kind != token_kind::string) return;
  const std::size_t close = source.closing(open);
  std::size_t colon = 0;
  const std::string text = literal_at(source, open + 1, colon);
  const bool declares = i > 0 && (source.at(i - 1).is("]") || source.at(i - 1).is(")") ||
                                  source.at(i - 1).kind == token_kind::identifier);
  if (declares && source.at(colon).is(")") && text.find_first_of(" ;\\") == std::string::npos)
    return;  // a symbol's name
  const std::string name = special_register(text);
  const bool one_output =
      source.at(colon).is(":") && source.at(colon + 1).kind == token_kind::string && source.at(colon + 2).is("(");
  if (name.empty() || !one_output)
    return source.refuse(i, "inline PTX is not modelled, but for reads of special registers: \"" + text + "\"");
  const std::size_t operand = colon + 2;
  const std::string target(source.text_between(operand, source.closing(operand)));
  source.replace_through(i, close, "(" + target + ") = ::exactdot::simt::detail::special_register_" + name + "()");
}

std::string name_of_host_library(const source_edits& source, std::size_t i) {
  static constexpr std::array<std::string_view, 3> streams = {"cout", "cerr",
                                                              "endl"};  // also after using namespace std
  static constexpr std::array<std::string_view, 17> others = {
      "cin",   "clog",  "vector", "string",     "to_string",  "map",         "set",         "unordered_map", "list",
      "deque", "queue", "sort",   "shared_ptr", "unique_ptr", "make_shared", "make_unique", "thread"};
  const token& t = source.at(i);
  const auto is_one_of = [&](const auto& names) {
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return t.is(name); });
  };
  if (i < 2 || t.kind != token_kind::identifier || (!is_one_of(streams) && !is_one_of(others))) return "";
  const token& before = source.at(i - 1);
  if (before.is("::") && source.at(i - 2).is("std")) return "std::" + std::string(t.text);
  const bool is_used = before.is(";") || before.is("{") || before.is("}") || before.is(")") || before.is("<<");
  return is_used && is_one_of(streams) && (source.at(i + 1).is("<<") || source.at(i + 1).is(";"))
             ? std::string(t.text)
             : "";
}

bool is_memory_function(const source_edits& source, std::size_t i) {
  const token& t = source.at(i);
  return (t.is("memcpy") || t.is("memmove") || t.is("memset")) && source.at(i + 1).is("(") && i != 0;
}

void rewrite_memory_function(source_edits& source, std::size_t i) {
  const token& t = source.at(i);
  if (source.at(i - 1).is(".") || source.at(i - 1).is("->")) return;
  const bool qualified = source.at(i - 1).is("::");
  const bool of_std = qualified && i > 1 && source.at(i - 2).is("std");
  const bool of_other = qualified && i > 1 && source.at(i - 2).kind == token_kind::identifier;
  if (of_other && !of_std && !source.at(i - 2).is("return") && !source.at(i - 2).is("else")) return;
  const token& before = source.at(i - 1);  // of a type: a declaration
  const bool follows_type =
      before.kind == token_kind::identifier && !before.is("return") && !before.is("else") && !before.is("do");
  if (follows_type || (before.is("*") && source.at(i - 2).kind == token_kind::identifier)) return;
  if (qualified) source.remove(of_std ? i - 2 : i - 1, i);
  source.replace(i, " ::__tsan_" + std::string(t.text));
}

void refuse_unsupported(source_edits& source, std::size_t i, scope_kind inside, const declarations& names) {
  const token& t = source.at(i);
  const bool member = i > 0 && (source.at(i - 1).is(".") || source.at(i - 1).is("->"));
  if (member) return;
  for (const auto& [name, reason] : refusals) {
    const bool is_namespace = name == "nvcuda";
    if (is_namespace && !source.at(i + 1).is("::")) continue;
    if (matches(t, name) && !names.is_users(t.text))
      return source.refuse(i, std::string(t.text) + ": " + std::string(reason));
  }
  if (inside != scope_kind::kernel && inside != scope_kind::device_function) return;
  if (inside == scope_kind::kernel && (t.is("throw") || t.is("try")))
    return source.refuse(i, std::string(t.text) + " in a kernel: CUDA has no exceptions there");
  const bool is_call = source.at(i + 1).is("(");
  const bool allocates = (is_call && (t.is("malloc") || t.is("free"))) ||
                         (t.is("delete") && !source.at(i - 1).is("=")) ||
                         (t.is("new") && !is_call && !source.at(i - 1).is("operator"));
  if (allocates) source.refuse(i, std::string(t.text) + " in a kernel: a heap of the device is not modelled");
}

std::vector<std::string> notes_of(const source_edits& source, const declarations& names) {
  std::vector<std::string> notes;
  constexpr std::string_view shuffles =
      "CUDA has it for compute capabilities below 7.0 only; taken as that of all lanes with _sync";
  static constexpr refusal earlier[] = {
      {"__shfl", shuffles},
      {"__shfl_up", shuffles},
      {"__shfl_down", shuffles},
      {"__shfl_xor", shuffles},
      {"__any", shuffles},
      {"__all", shuffles},
      {"__ballot", shuffles},
      {"cudaBindTexture", "of toolkits before CUDA 12, as are references of textures"},
      {"cudaBindTexture2D", "of toolkits before CUDA 12, as are references of textures"},
      {"cudaBindTextureToArray", "of toolkits before CUDA 12, as are references of textures"},
      {"cudaThreadSynchronize", "of earlier toolkits; taken as cudaDeviceSynchronize"},
      {"cudaThreadExit", "of earlier toolkits; taken as cudaDeviceReset"},
      {"cudaThreadGetLimit", "of earlier toolkits; taken as cudaDeviceGetLimit"},
      {"cudaThreadSetLimit", "of earlier toolkits; taken as cudaDeviceSetLimit"},
      {"cudaThreadGetCacheConfig", "of earlier toolkits; taken as cudaDeviceGetCacheConfig"},
      {"cudaThreadSetCacheConfig", "of earlier toolkits; taken as cudaDeviceSetCacheConfig"}};
  std::set<std::string_view> used;
  for (std::size_t i = 0; i + 1 < source.size(); ++i) {
    const token& t = source.at(i);
    if (t.kind != token_kind::identifier || source.file_of(i).system || names.is_users(t.text)) continue;
    for (const auto& [name, text] : earlier) {
      if (t.text == name && used.insert(name).second)
        notes.push_back(source.file_of(i).name + ":" + std::to_string(t.line) + ": " + std::string(name) + ": " +
                        std::string(text));
    }
  }
  for (const source_file& file : source.files()) {
    if (file.name.find("exactdot/simt/samples/") == std::string::npos || source.files()[file.includer].system)
      continue;
    notes.push_back(file.name.substr(file.name.rfind('/') + 1) +
                    ": a stand-in with the common names, as no such file was found");
  }
  return notes;
}

}  // namespace exactdot::simtcc
