// Implementation of arrow_column.hpp.
#include <cstring>
#include <python/src/arrow_column.hpp>
#include <python/src/gil.hpp>
#include <python/src/import_errors.hpp>
#include <string>

namespace exactdot::python {
namespace {

bool bit_at(const void* bits, std::int64_t i) {
  return (static_cast<const std::uint8_t*>(bits)[i >> 3] >> (i & 7) & 1) != 0;
}

bool has_null_bits(const arrow::array& chunk) {
  return chunk.null_count != 0 && chunk.buffers_count > 0 && chunk.buffers[0] != nullptr;
}

}  // namespace

arrow_column::arrow_column(nb::handle source, bool has_chunks, bool takes_nulls) {
  const finalization_guard guard;
  if (has_chunks) {
    read_stream(source.attr("__arrow_c_stream__")());
  } else {
    read_array(source.attr("__arrow_c_array__")());
  }
  check_chunks();
  read_nulls(takes_nulls);
  read_chunks();
}

void arrow_column::read_array(const nb::object& pair) {
  const bool is_pair = PyTuple_Check(pair.ptr()) && PyTuple_Size(pair.ptr()) == 2;
  PyObject* const first = is_pair ? PyTuple_GetItem(pair.ptr(), 0) : Py_None;
  PyObject* const second = is_pair ? PyTuple_GetItem(pair.ptr(), 1) : Py_None;
  if (PyCapsule_IsValid(first, "arrow_schema") == 0 || PyCapsule_IsValid(second, "arrow_array") == 0) {
    throw invalid_array{true, "__arrow_c_array__ does not return two capsules"};
  }
  owner_ = pair;
  read_schema(*static_cast<arrow::schema*>(PyCapsule_GetPointer(first, "arrow_schema")));
  const auto& chunk = *static_cast<arrow::array*>(PyCapsule_GetPointer(second, "arrow_array"));
  if (chunk.length > 0) chunks_.with_elements.push_back(chunk);
}

void arrow_column::read_stream(nb::object capsule) {
  if (PyCapsule_IsValid(capsule.ptr(), "arrow_array_stream") == 0) {
    throw invalid_array{true, "__arrow_c_stream__ does not return a capsule"};
  }
  auto* const stream = static_cast<arrow::stream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  const auto check = [&](int failure) {
    if (failure == 0) return;
    const char* const why = stream->get_last_error(stream);
    throw invalid_array{true, std::string("its Arrow stream fails: ") + (why != nullptr ? why : "unknown")};
  };
  arrow::schema schema{};
  check(stream->get_schema(stream, &schema));
  try {
    read_schema(schema);
  } catch (...) {
    schema.release(&schema);
    throw;
  }
  schema.release(&schema);
  chunks_.are_own = true;
  for (;;) {
    arrow::array chunk{};
    check(stream->get_next(stream, &chunk));
    if (chunk.release == nullptr) return;
    if (chunk.length > 0) {
      chunks_.with_elements.push_back(chunk);
    } else {
      chunk.release(&chunk);
    }
  }
}

void arrow_column::read_schema(const arrow::schema& schema) {
  if (schema.dictionary != nullptr) {  // the format is that of the codes, which are not the values
    throw invalid_array{
        true, "is encoded by a dictionary (categorical); decode it, or pass its codes if these are meant"};
  }
  const char* const format = schema.format;
  constexpr struct {
    char letter;
    element_type type;
  } formats[] = {{'c', element_type::int8},    {'C', element_type::uint8},   {'s', element_type::int16},
                 {'S', element_type::uint16},  {'i', element_type::int32},   {'I', element_type::uint32},
                 {'l', element_type::int64},   {'L', element_type::uint64},  {'e', element_type::float16},
                 {'f', element_type::float32}, {'g', element_type::float64}, {'b', element_type::uint8}};
  are_all_null_ = std::strcmp(format, "n") == 0;  // the type of nothing, too: then float64, as of an empty list
  if (are_all_null_) return;
  for (const auto& known : formats) {
    if (format[0] != known.letter || format[1] != '\0') continue;
    type = known.type;
    is_boolean = known.letter == 'b';
    return;
  }
  throw wrong_type(std::string("of Arrow's format '") + format + "'");
}

void arrow_column::check_chunks() const {
  for (const arrow::array& chunk : chunks_.with_elements) {
    const bool has_values = chunk.buffers_count >= 2 && chunk.buffers != nullptr && chunk.buffers[1] != nullptr;
    if (!are_all_null_ && (!has_values || chunk.offset < 0)) {
      throw invalid_array{true, "exports an Arrow array without values"};
    }
  }
}

void arrow_column::read_nulls(bool takes_nulls) {
  std::int64_t nulls = 0, first = -1;
  for (const arrow::array& chunk : chunks_.with_elements) {
    const auto before = static_cast<std::int64_t>(valid.size());
    valid.resize(valid.size() + static_cast<std::size_t>(chunk.length), are_all_null_ ? 0 : 1);
    if (are_all_null_ && nulls == 0 && chunk.length != 0) first = before;
    if (are_all_null_) nulls += chunk.length;
    if (are_all_null_ || !has_null_bits(chunk)) continue;
    for (std::int64_t i = 0; i < chunk.length; ++i) {
      if (bit_at(chunk.buffers[0], chunk.offset + i)) continue;
      if (nulls++ == 0) first = before + i;
      valid[static_cast<std::size_t>(before + i)] = 0;
    }
  }
  if (nulls == 0) return valid.clear();
  if (!takes_nulls) throw holds_nulls(nulls, first, static_cast<std::int64_t>(valid.size()));
}

void arrow_column::read_chunks() {
  const std::size_t size = size_of(type);
  for (const arrow::array& chunk : chunks_.with_elements) length += chunk.length;
  if (are_all_null_) {
    copied_.resize(static_cast<std::size_t>(length));
    data = copied_.data();
    return;
  }
  if (chunks_.with_elements.size() == 1 && !is_boolean) {
    const arrow::array& only = chunks_.with_elements[0];
    data = static_cast<const char*>(only.buffers[1]) + static_cast<std::size_t>(only.offset) * size;
    return;
  }
  copied_.resize((static_cast<std::size_t>(length) * size + 7) / 8);
  auto* to = reinterpret_cast<char*>(copied_.data());
  data = to;
  for (const arrow::array& chunk : chunks_.with_elements) {
    const void* const values = chunk.buffers[1];
    const std::size_t bytes = static_cast<std::size_t>(chunk.length) * size;
    if (is_boolean) {
      for (std::int64_t i = 0; i < chunk.length; ++i) to[i] = bit_at(values, chunk.offset + i) ? 1 : 0;
    } else {
      std::memcpy(to, static_cast<const char*>(values) + static_cast<std::size_t>(chunk.offset) * size, bytes);
    }
    to += bytes;
  }
}

}  // namespace exactdot::python
