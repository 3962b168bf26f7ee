// SPDX-License-Identifier: Apache-2.0
#include "io/table_writer.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/file_error.hpp"
#include "io/printable.hpp"

namespace skerry::test {
namespace {

using kind = io::table_writer::column_kind;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string written(io::table_format format) {
  std::string text;
  io::table_writer table(format, {{"image, \"x\"", kind::text}, {"n", kind::whole}, {"v", kind::real}},
                         [&](std::string_view piece) { text += piece; });
  table.add_row({"plain"}, {1, 0.1});
  table.add_row({"a,b"}, {9007199254740991.0, 1e22});
  table.add_row({"say \"x\"\n"}, {3, nan});
  table.add_row({"caf\xc3\xa9"}, {4, infinity});
  table.add_row({"bad\xff"}, {5, -1.0 / 3});
  table.finish();
  return text;
}

TEST(table, csv) {
  EXPECT_EQ(written(io::table_format::csv),
            "\"image, \"\"x\"\"\",n,v\n"
            "plain,1,0.1\n"
            "\"a,b\",9007199254740991,1e+22\n"
            "\"say \"\"x\"\"\n\",3,\n"
            "caf\xc3\xa9,4,inf\n"
            "bad\xff,5,-0.3333333333333333\n");
}

TEST(table, tsv) {
  EXPECT_EQ(written(io::table_format::tsv),
            "\"image, \"\"x\"\"\"\tn\tv\n"
            "plain\t1\t0.1\n"
            "a,b\t9007199254740991\t1e+22\n"
            "\"say \"\"x\"\"\n\"\t3\t\n"
            "caf\xc3\xa9\t4\tinf\n"
            "bad\xff\t5\t-0.3333333333333333\n");
}

TEST(table, texts_that_are_quoted) {
  const auto row = [](io::table_format format, const std::string& cell) {
    std::string text;
    io::table_writer table(format, {{"x", kind::text}}, [&](std::string_view piece) { text += piece; });
    table.add_row({cell}, {});
    table.finish();
    return text.substr(2);
  };
  for (const std::string special : {"\r", "\n", "\"", ","}) {
    const std::string inside = special == "\"" ? "\"\"" : special;
    EXPECT_EQ(row(io::table_format::csv, "a" + special + "b"), "\"a" + inside + "b\"\n");
  }
  EXPECT_EQ(row(io::table_format::csv, "a\tb"), "a\tb\n");
  EXPECT_EQ(row(io::table_format::tsv, "a\tb"), "\"a\tb\"\n");
  EXPECT_EQ(row(io::table_format::tsv, "a,b"), "a,b\n");
}

TEST(table, columns_that_do_not_fit_are_left_out) {
  const auto lines = [](std::size_t width, std::size_t left_out) {
    std::string text;
    io::table_writer table(
        io::table_format::text,
        {{"image", kind::text}, {"label", kind::whole}, {"bbox-0", kind::whole}, {"area", kind::whole}},
        [&](std::string_view piece) { text += piece; });
    table.add_row({"a"}, {1, 2, 3});
    EXPECT_EQ(table.fit(width, [](const std::string& name) { return name == "bbox-0"; }), left_out) << width;
    table.finish();
    return text;
  };
  EXPECT_EQ(lines(26, 0), "image  label  bbox-0  area\na          1       2     3\n");
  EXPECT_EQ(lines(25, 1), "image  label  area\na          1     3\n");
  EXPECT_EQ(lines(18, 1), "image  label  area\na          1     3\n");
  EXPECT_EQ(lines(17, 2), "image  label\na          1\n");
  EXPECT_EQ(lines(1, 3), "image\na\n");
}

// Control characters alone: U+0080 to U+009F, but not the letters and blanks after them.
TEST(table, printable_names) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\xc2\x80", "\\xc2\\x80"},
      {"\xc2\x9f", "\\xc2\\x9f"},
      {"\xc2\xa0", "\xc2\xa0"},
      {"\xc3\x80", "\xc3\x80"},
      {"\x1f", "\\x1f"},
      {" ", " "},
      {"~", "~"},
      {"\x7f", "\\x7f"},
      {"\xc2", "\xc2"},
  };
  for (const auto& [text, shown] : cases) EXPECT_EQ(io::printable(text), shown);
}

TEST(table, json) {
  const std::string text = written(io::table_format::json);
  EXPECT_EQ(text.substr(0, text.find("},")), "[\n  {\"image, \\\"x\\\"\": \"plain\", \"n\": 1, \"v\": 0.1");
  const auto rows = nlohmann::json::parse(text);
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[1]["n"], 9007199254740991);
  EXPECT_EQ(rows[1]["v"], 1e22);
  EXPECT_TRUE(rows[2]["v"].is_null());
  EXPECT_TRUE(rows[3]["v"].is_null());
  EXPECT_EQ(rows[3]["image, \"x\""], "caf\xc3\xa9");
  EXPECT_EQ(rows[4]["image, \"x\""], "bad\xef\xbf\xbd");
}

TEST(table, a_negative_zero_in_json_is_no_integer) {
  for (const io::table_format format : {io::table_format::json, io::table_format::jsonl}) {
    std::string text;
    io::table_writer table(format, {{"v", kind::real}}, [&](std::string_view piece) { text += piece; });
    table.add_row({}, {-0.0});
    EXPECT_NE(text.find("\"v\": -0.0}"), std::string::npos) << text;
  }
}

TEST(table, lines_of_json) {
  std::istringstream lines(written(io::table_format::jsonl));
  std::vector<nlohmann::json> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0].dump(), R"({"image, \"x\"":"plain","n":1,"v":0.1})");
  EXPECT_EQ(nlohmann::json(rows), nlohmann::json::parse(written(io::table_format::json)));
}

TEST(table, text) {
  std::string text;
  io::table_writer table(io::table_format::text, {{"image", kind::text}, {"n", kind::whole}, {"value", kind::real}},
                         [&](std::string_view piece) { text += piece; });
  table.add_row({"a"}, {1, 0.123456789});
  table.add_row({"caf\xc3\xa9-2"}, {12345678, 1234567});
  table.add_row({""}, {3, nan});
  table.add_row({"b"}, {4, 1e22});
  table.finish();
  EXPECT_EQ(text,
            "image          n     value\n"
            "a              1  0.123457\n"
            "caf\xc3\xa9-2  12345678   1234567\n"
            "               3       nan\n"
            "b              4     1e+22\n");
}

TEST(table, doubles_read_back) {
  for (const double value : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 123456789.123456789, -0.0}) {
    std::string text;
    io::table_writer table(io::table_format::csv, {{"v", kind::real}}, [&](std::string_view piece) { text += piece; });
    table.add_row({}, {value});
    EXPECT_EQ(std::strtod(text.c_str() + 2, nullptr), value) << text;
  }
}

TEST(table, format_by_name) {
  EXPECT_EQ(io::table_format_of("x.csv"), io::table_format::csv);
  EXPECT_EQ(io::table_format_of("x.tsv"), io::table_format::tsv);
  EXPECT_EQ(io::table_format_of("x.JSON"), io::table_format::json);
  EXPECT_EQ(io::table_format_of("x.jsonl"), io::table_format::jsonl);
  EXPECT_EQ(io::table_format_of("-"), io::table_format::csv);
  EXPECT_THROW((void)io::table_format_of("x.txt"), io::file_error);
  EXPECT_THROW((void)io::table_format_of("csv"), io::file_error);
}

}  // namespace
}  // namespace skerry::test
