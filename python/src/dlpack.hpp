// The part of DLPack's ABI that an importer reads: versions 0 ("dltensor") and 1 ("dltensor_versioned"), and the
// table of C functions of version 1.3.
//
// Declared here, because distributions lack dlpack.h, and the ABI does not change within a major version.
// Source: the DLPack specification, dlpack.h.
#pragma once

#include <cstdint>

namespace exactdot::python::dlpack {

enum : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };
enum : std::uint8_t {
  signed_integer = 0,
  unsigned_integer = 1,
  floating = 2,
  brain_floating = 4,
  boolean = 6,
  float8_e4m3fn = 10,
  float8_e5m2 = 12
};
enum : std::uint64_t { read_only = 1 };
inline constexpr std::uint32_t known_major = 1;

struct device {
  std::int32_t type;
  std::int32_t index;
};

struct data_type {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};

struct tensor {
  void* data;
  dlpack::device device;
  std::int32_t dimensions;
  data_type type;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: contiguous
  std::uint64_t byte_offset;
};

struct managed {
  dlpack::tensor tensor;
  void* context;
  void (*deleter)(managed*);
};

struct managed_versioned {
  std::uint32_t major, minor;
  void* context;
  void (*deleter)(managed_versioned*);
  std::uint64_t flags;
  dlpack::tensor tensor;
};

/// The functions of an array library, which its type of arrays offers as __dlpack_c_exchange_api__: tens of
/// nanoseconds each. They return 0, or another number with Python's error set, and order no streams.
struct exchange_api {
  std::uint32_t major, minor;
  const exchange_api* previous;  // of an older major version, or null
  void* functions_of_owning_tensors[3];
  int (*describe)(void* object, dlpack::tensor* found);  // borrows memory, shape and strides; may be null
  int (*find_current_stream)(std::int32_t device_type, std::int32_t device, void** stream);
};

}  // namespace exactdot::python::dlpack
