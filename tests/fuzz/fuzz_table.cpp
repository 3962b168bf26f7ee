// SPDX-License-Identifier: Apache-2.0
// Fuzzes the writer of tables. An input is a format, columns and their kinds, and cells; what is written is parsed again.
//
// Promises: CSV as RFC 4180 has it, the same with tabs (TSV), and JSON give back the names, the texts (in JSON with replacement characters for what is
// not UTF-8) and the same doubles; JSON lines end with their rows; a table for reading has one line for each row and no other
// control character.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "fuzz_input.hpp"
#include "io/table_writer.hpp"

namespace {

using namespace skerry;
using fuzz::input_bytes;
using fuzz::promise;
using io::table_format;
using kind = io::table_writer::column_kind;

struct table {
  std::vector<io::table_writer::column> columns;
  std::size_t texts = 0;  // the first columns
  std::vector<std::vector<std::string>> text_rows;
  std::vector<std::vector<double>> number_rows;
};

double take_number(input_bytes& from, kind of) {
  const int shape = from.below(4);
  if (of == kind::whole)
    return shape == 0 ? static_cast<double>(from.take<std::uint64_t>()) : from.take<std::uint16_t>();
  return shape == 0 ? from.take<double>() : shape == 1 ? from.take<std::int16_t>() / 8.0 : from.take<float>();
}

table take_table(input_bytes& from) {
  table made;
  made.texts = static_cast<std::size_t>(from.below(3));
  const int numbers = from.below(4) + (made.texts == 0 ? 1 : 0), rows = from.below(5);
  for (int i = 0; i < static_cast<int>(made.texts) + numbers; ++i) {
    const kind of = i < static_cast<int>(made.texts) ? kind::text : from.below(2) == 0 ? kind::whole : kind::real;
    made.columns.push_back({std::string(from.text()) + std::to_string(i), of});  // names are distinct
  }
  for (int row = 0; row < rows; ++row) {
    made.text_rows.emplace_back();
    made.number_rows.emplace_back();
    for (const auto& column : made.columns)
      if (column.kind == kind::text) made.text_rows.back().emplace_back(from.text());
      else made.number_rows.back().push_back(take_number(from, column.kind));
  }
  return made;
}

std::string written(const table& from, table_format format) {
  std::string out;
  io::table_writer writer(format, from.columns, [&](std::string_view text) { out += text; });
  for (std::size_t row = 0; row < from.text_rows.size(); ++row)
    writer.add_row(from.text_rows[row], from.number_rows[row]);
  writer.finish();
  return out;
}

// Fields of RFC 4180, with \n between lines.
std::vector<std::vector<std::string>> parsed_csv(std::string_view text, char separator) {
  const std::string ends = std::string("\n\r\"") + separator;
  std::vector<std::vector<std::string>> lines;
  while (!text.empty()) {
    lines.emplace_back();
    for (bool more = true; more;) {
      std::string field;
      if (text.starts_with('"')) {
        text.remove_prefix(1);
        while (!text.empty() && (text[0] != '"' || text.starts_with("\"\""))) {
          field += text[0];
          text.remove_prefix(text[0] == '"' ? 2 : 1);
        }
        promise(text.starts_with('"'), "a quoted field ends");
        text.remove_prefix(1);
      } else {
        const std::size_t length = std::min(text.find_first_of(ends), text.size());
        field = text.substr(0, length);
        text.remove_prefix(length);
      }
      lines.back().push_back(std::move(field));
      promise(text.starts_with(separator) || text.starts_with('\n'), "a field ends in a separator or a line");
      more = text[0] == separator;
      text.remove_prefix(1);
    }
  }
  return lines;
}

bool same(double read, double wanted) {
  return read == wanted && (wanted != 0 || std::signbit(read) == std::signbit(wanted));
}

void check_csv(const table& from, table_format format) {
  const auto lines = parsed_csv(written(from, format), format == table_format::tsv ? '\t' : ',');
  promise(lines.size() == from.text_rows.size() + 1, "there are a header and a line for each row");
  for (std::size_t i = 0; i < lines.size(); ++i)
    promise(lines[i].size() == from.columns.size(), "a line has a field for each column");
  for (std::size_t c = 0; c < from.columns.size(); ++c) {
    promise(lines[0][c] == from.columns[c].name, "the header has the names");
    for (std::size_t row = 0; row < from.text_rows.size(); ++row) {
      const std::string& field = lines[row + 1][c];
      if (c < from.texts) {
        promise(field == from.text_rows[row][c], "a text is as it was");
        continue;
      }
      const double wanted = from.number_rows[row][c - from.texts];
      if (std::isnan(wanted)) promise(field.empty(), "NaN is an empty field", field);
      else promise(same(std::strtod(field.c_str(), nullptr), wanted), "a number reads back", field);
    }
  }
}

// What a reader of JSON sees of a text that nlohmann::json writes.
std::string as_json(const std::string& text) {
  using nlohmann::json;
  if (std::all_of(text.begin(), text.end(), [](char c) { return ' ' <= c && c <= '~'; })) return text;
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

std::vector<std::string> names_in_json(const table& from) {
  std::vector<std::string> names;
  for (const auto& column : from.columns) names.push_back(as_json(column.name));
  return names;
}

void check_object(const nlohmann::json& object, const std::vector<std::string>& names, const table& from,
                  std::size_t row) {
  promise(object.size() == names.size(), "an object has a member for each column");
  for (std::size_t c = 0; c < names.size(); ++c) {
    const auto member = object.find(names[c]);
    promise(member != object.end(), "a member has the column's name");
    if (c < from.texts) {
      promise(member->get<std::string>() == as_json(from.text_rows[row][c]), "a text is as it was");
      continue;
    }
    const double wanted = from.number_rows[row][c - from.texts];
    if (!std::isfinite(wanted)) promise(member->is_null(), "what JSON has no number for is null");
    else promise(member->is_number() && same(member->get<double>(), wanted), "a number reads back");
  }
}

void check_json(const table& from) {
  const std::vector<std::string> names = names_in_json(from);
  const auto list = nlohmann::json::parse(written(from, table_format::json));
  promise(list.is_array() && list.size() == from.text_rows.size(), "JSON is a list of rows");
  for (std::size_t row = 0; row < list.size(); ++row) check_object(list[row], names, from, row);
}

void check_lines(const table& from) {
  const std::vector<std::string> names = names_in_json(from);
  const std::string text = written(from, table_format::jsonl);
  std::string_view rest = text;
  for (std::size_t row = 0; row < from.text_rows.size(); ++row) {
    const std::size_t end = rest.find('\n');
    promise(end != std::string_view::npos, "each row is a line");
    check_object(nlohmann::json::parse(rest.substr(0, end)), names, from, row);
    rest.remove_prefix(end + 1);
  }
  promise(rest.empty(), "there are no other lines");
}

void check_aligned(const table& from) {
  std::size_t lines = 0;
  for (const char c : written(from, table_format::text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') ++lines;
    else promise(byte >= 0x20 && byte != 0x7f, "a table for reading has no control characters");
  }
  promise(lines == from.text_rows.size() + 1, "a table for reading has a line for each row");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  input_bytes from(bytes, size);
  const int format = from.below(5);
  const table made = take_table(from);
  switch (format) {
    case 0: check_csv(made, table_format::csv); break;
    case 1: check_json(made); break;
    case 2: check_lines(made); break;
    case 3: check_aligned(made); break;
    default: check_csv(made, table_format::tsv); break;
  }
  return 0;
}
