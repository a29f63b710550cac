// What a handler of XLA's FFI on a CPU sees of XLA: the binary interface of its versions 0.1 to 0.5.
//
// It is declared here because jaxlib brings the headers, and the extension is built without it, one file for every
// version. A call moves pointers and sizes only; of later versions each structure begins with these members. XLA
// asks a handler for its version when it is registered, and accepts 0.1 to its own. Source: xla/ffi/api/c_api.h of
// OpenXLA; tests/jax/test_interface.py compares all offsets with jaxlib's header.
#pragma once

#include <cstddef>
#include <cstdint>

namespace exactdot::python::xla {

inline constexpr int major_version = 0, min_minor_version = 1, max_minor_version = 5;

enum extension_kind : int { metadata_kind = 1 };
enum argument_kind : int { buffer_argument = 1 };
enum result_kind : int { buffer_result = 1 };
enum attribute_kind : int { scalar_kind = 3 };
enum error_code : int { invalid_argument = 3, resource_exhausted = 8, out_of_range = 11, internal = 13 };

/// Element types, of which others exist.
enum data_type : int {
  pred = 1,
  s8 = 2,
  s16 = 3,
  s32 = 4,
  s64 = 5,
  u8 = 6,
  u16 = 7,
  u32 = 8,
  u64 = 9,
  f16 = 10,
  f32 = 11,
  f64 = 12,
  bf16 = 16,
  f8e5m2 = 19,
  f8e4m3fn = 20,
};

struct extension {
  std::size_t size;
  extension_kind kind;
  extension* next;
};

struct interface_version {
  std::size_t size;
  extension* extensions;
  int major, minor;
};

struct metadata {
  std::size_t size;
  interface_version version;
  std::uint32_t traits;
};

struct metadata_extension {
  extension base;
  metadata* of_handler;
};

/// An array in row-major order without gaps.
struct buffer {
  std::size_t size;
  extension* extensions;
  data_type type;
  void* data;
  std::int64_t rank;
  std::int64_t* lengths;
};

/// Arguments or results.
struct buffers {
  std::size_t size;
  extension* extensions;
  std::int64_t count;
  int* kinds;
  buffer** items;
};

struct scalar {
  data_type type;
  void* value;
};

struct attributes {
  std::size_t size;
  extension* extensions;
  std::int64_t count;
  attribute_kind* kinds;
  void** names;
  void** values;
};

struct error;  // made by XLA, which takes what a handler returns

struct error_description {
  std::size_t size;
  extension* extensions;
  const char* message;
  error_code code;
};

struct functions {
  std::size_t size;
  extension* extensions;
  interface_version version;
  const void* internals;
  error* (*make_error)(error_description*);
};

struct call_frame {
  std::size_t size;
  extension* extensions;
  const functions* xla;
  void* context;
  int stage;
  buffers arguments, results;
  attributes given;
};

using handler = error*(call_frame*);

}  // namespace exactdot::python::xla
