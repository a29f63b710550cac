// A column of Arrow's memory format as PyArrow and Polars export it: one type, validity bits, perhaps several
// chunks.
//
// One chunk of numbers is read in place; several are copied to one, and booleans, which Arrow packs into bits, to
// bytes. A null has no value: a column with nulls is refused, or says which elements are. Sources: the Arrow C data
// interface, C stream interface and PyCapsule interface.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <exactdot/element.hpp>
#include <vector>

namespace exactdot::python {

namespace arrow {

struct schema {
  const char *format, *name, *metadata;
  std::int64_t flags, children_count;
  schema **children, *dictionary;
  void (*release)(schema*);
  void* private_data;
};

struct array {
  std::int64_t length, null_count, offset, buffers_count, children_count;
  const void** buffers;
  array **children, *dictionary;
  void (*release)(array*);
  void* private_data;
};

struct stream {
  int (*get_schema)(stream*, schema*);
  int (*get_next)(stream*, array*);
  const char* (*get_last_error)(stream*);
  void (*release)(stream*);
  void* private_data;
};

}  // namespace arrow

/// The chunks of a column, which are released with it unless a capsule does that.
struct arrow_chunks {
  arrow_chunks() = default;
  arrow_chunks(const arrow_chunks&) = delete;
  arrow_chunks& operator=(const arrow_chunks&) = delete;
  ~arrow_chunks() {
    for (arrow::array& chunk : with_elements) {
      if (are_own) chunk.release(&chunk);
    }
  }

  std::vector<arrow::array> with_elements;
  bool are_own = false;
};

/// Neither copied nor moved. Destroyed with the GIL held.
class arrow_column {
 public:
  /// Of an object with __arrow_c_array__ or __arrow_c_stream__. Throws invalid_array, or what the method raises.
  /// takes_nulls: `valid` tells which elements have values; otherwise a null is refused.
  arrow_column(nanobind::handle source, bool has_chunks, bool takes_nulls);

  element_type type = element_type::float64;
  bool is_boolean = false;
  std::int64_t length = 0;
  const void* data = nullptr;
  std::vector<std::uint8_t> valid;  ///< 0 for nulls; empty if there is none

 private:
  void read_array(const nanobind::object& pair);
  void read_stream(nanobind::object capsule);
  void read_schema(const arrow::schema& schema);
  /// Every chunk has values. Throws invalid_array.
  void check_chunks() const;
  void read_nulls(bool takes_nulls);
  void read_chunks();

  nanobind::object owner_;  // the capsules, whose memory is read
  arrow_chunks chunks_;
  std::vector<std::uint64_t> copied_;
  bool are_all_null_ = false;  // Arrow's type of nulls alone
};

}  // namespace exactdot::python
