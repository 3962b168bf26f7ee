// SPDX-License-Identifier: Apache-2.0
// Tables by the Arrow C data interface (arrow.apache.org/docs/format/CDataInterface.html), without a copy: a table is a
// struct array whose children are its columns. Any library that knows the interface takes it; none is needed here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bind/arguments.hpp"
#include "bind/without_gil.hpp"

// Names and layouts are those of the specification.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

namespace skerry::python {
namespace {

using column_data = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

struct named_column {
  std::string name;
  const char* format;
  column_data data;
};

// Shared by all that was exported: its last owner may be a thread without the GIL.
struct exported_table {
  std::vector<named_column> columns;
  std::int64_t rows = 0;
};
using shared_table = std::shared_ptr<const exported_table>;

shared_table share(exported_table&& table) {
  return {new exported_table(std::move(table)), [](const exported_table* held) {
            const with_gil locked;
            delete held;
          }};
}

const char* format_of(const nb::dlpack::dtype& type) {
  constexpr const char* integers[] = {"c", "s", "i", "l"};
  constexpr const char* naturals[] = {"C", "S", "I", "L"};
  constexpr const char* reals[] = {nullptr, "e", "f", "g"};
  int size = 0;
  while (size < 3 && type.bits > 8U << size) ++size;
  if (type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int)) return integers[size];
  if (type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt)) return naturals[size];
  return type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float) ? reals[size] : nullptr;
}

// What one ArrowArray or ArrowSchema owns. Children are released through their own release(), unless a consumer moved them.
template <class Part>
struct owned_part {
  shared_table table;
  std::array<const void*, 2> buffers = {nullptr, nullptr};  // no nulls: there is no bitmap
  std::vector<Part> parts;
  std::vector<Part*> children;
};

template <class Part>
void release_part(Part* part) {
  std::unique_ptr<owned_part<Part>> owned(static_cast<owned_part<Part>*>(part->private_data));
  for (Part* const child : owned->children)
    if (child->release != nullptr) child->release(child);
  part->release = nullptr;
}

// A part with its owner, and room for its children.
template <class Part>
owned_part<Part>& prepare(Part& part, const shared_table& table, std::size_t children) {
  auto owned = std::make_unique<owned_part<Part>>();
  owned->table = table;
  owned->parts.resize(children);
  for (Part& child : owned->parts) owned->children.push_back(&child);
  part = {};
  part.n_children = static_cast<std::int64_t>(children);
  part.children = owned->children.data();
  part.release = &release_part<Part>;
  part.private_data = owned.get();
  return *owned.release();
}

void describe(const shared_table& table, ArrowSchema& schema) {
  owned_part<ArrowSchema>& owned = prepare(schema, table, table->columns.size());
  schema.format = "+s";
  schema.name = "";
  for (std::size_t column = 0; column < owned.parts.size(); ++column) {
    ArrowSchema& field = owned.parts[column];
    prepare(field, table, 0);
    field.format = table->columns[column].format;
    field.name = table->columns[column].name.c_str();
  }
}

void hand_out(const shared_table& table, ArrowArray& rows) {
  owned_part<ArrowArray>& owned = prepare(rows, table, table->columns.size());
  rows.length = table->rows;
  rows.n_buffers = 1;
  rows.buffers = owned.buffers.data();
  for (std::size_t column = 0; column < owned.parts.size(); ++column) {
    ArrowArray& values = owned.parts[column];
    owned_part<ArrowArray>& its = prepare(values, table, 0);
    its.buffers[1] = table->columns[column].data.data();
    values.length = table->rows;
    values.n_buffers = 2;
    values.buffers = its.buffers.data();
  }
}

// One batch, then the end.
struct batch_source {
  shared_table table;
  bool given = false;
};

batch_source& source_of(ArrowArrayStream* stream) { return *static_cast<batch_source*>(stream->private_data); }

constexpr int out_of_memory_code = 12;  // ENOMEM

template <class Step>
int guarded(Step step) {
  try {
    step();
    return 0;
  } catch (const std::bad_alloc&) {
    return out_of_memory_code;
  }
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* schema) {
  return guarded([&] { describe(source_of(stream).table, *schema); });
}

int get_next(ArrowArrayStream* stream, ArrowArray* rows) {
  batch_source& source = source_of(stream);
  *rows = {};  // released: the end
  if (source.given) return 0;
  const int problem = guarded([&] { hand_out(source.table, *rows); });
  source.given = problem == 0;
  if (problem != 0 && rows->release != nullptr) rows->release(rows);
  return problem;
}

const char* get_last_error(ArrowArrayStream* /*stream*/) { return nullptr; }

void release_stream(ArrowArrayStream* stream) {
  delete &source_of(stream);
  stream->release = nullptr;
}

// The consumer takes the struct out of the capsule and sets its release to null; else the capsule releases it.
template <class Part>
nb::object capsule_of(std::unique_ptr<Part> part, const char* name) {
  return nb::capsule(part.release(), name, [](void* pointer) noexcept {
    const std::unique_ptr<Part> owned(static_cast<Part*>(pointer));
    if (owned->release != nullptr) owned->release(owned.get());
  });
}

shared_table table_from(const std::vector<std::pair<std::string, nb::object>>& columns, std::size_t rows) {
  exported_table table;
  table.rows = static_cast<std::int64_t>(rows);
  for (const auto& [name, array] : columns) {
    auto data = nb::cast<column_data>(array);
    const char* const format = format_of(data.dtype());
    if (format == nullptr) bad_type(name, "this column has no type of Arrow's numbers");
    if (data.shape(0) != rows) bad_value(name, "this column does not have one value per row");
    table.columns.push_back({name, format, std::move(data)});
  }
  return share(std::move(table));
}

using column_list = std::vector<std::pair<std::string, nb::object>>;

nb::object schema_capsule(const column_list& columns, std::size_t rows) {
  auto schema = std::make_unique<ArrowSchema>();
  describe(table_from(columns, rows), *schema);
  return capsule_of(std::move(schema), "arrow_schema");
}

nb::object array_capsule(const column_list& columns, std::size_t rows) {
  auto array = std::make_unique<ArrowArray>();
  hand_out(table_from(columns, rows), *array);
  return capsule_of(std::move(array), "arrow_array");
}

nb::object stream_capsule(const column_list& columns, std::size_t rows) {
  auto stream = std::make_unique<ArrowArrayStream>();
  auto source = std::make_unique<batch_source>(batch_source{table_from(columns, rows)});
  *stream = {&get_schema, &get_next, &get_last_error, &release_stream, source.release()};
  return capsule_of(std::move(stream), "arrow_array_stream");
}

}  // namespace

void bind_arrow(nb::module_& module) {
  module.def("arrow_schema", &schema_capsule, nb::arg("columns"), nb::arg("rows"));
  module.def("arrow_array", &array_capsule, nb::arg("columns"), nb::arg("rows"));
  module.def("arrow_stream", &stream_capsule, nb::arg("columns"), nb::arg("rows"));
}

}  // namespace skerry::python
