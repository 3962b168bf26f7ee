// SPDX-License-Identifier: Apache-2.0
// Trees as tables and images, of one input and of several, and what the command says when it cannot.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "skerry/published.hpp"
#include "tiff_maker.hpp"
#include "tree_command.hpp"

namespace skerry::test {
namespace {

TEST_F(tree_command, says_how_large_the_tree_is) {
  EXPECT_EQ(summary({"@/hills.pgm"}), "@/hills.pgm: max-tree of 8 nodes, 4 peaks, depth 4, levels 1 to 7\n");
  EXPECT_EQ(summary({"@/small.npy", "--kind", "min"}),
            "@/small.npy: min-tree of 3 nodes, 2 pits, depth 2, levels 1 to 3\n");
  write("flat.npy", npy_bytes("<f4", "(1, 2)", bytes_of<float>({0.25F, 0.25F})));
  EXPECT_EQ(summary({"@/flat.npy"}), "@/flat.npy: max-tree of 1 node, 1 peak, depth 1, levels 0.25 to 0.25\n");
  EXPECT_EQ(succeed({"tree", "@/hills.pgm", "-q"}), "");
  EXPECT_EQ(files(), (std::vector<std::string>{"flat.npy", "hills.pgm", "small.npy"}));
}

TEST_F(tree_command, table_has_a_row_for_each_node) {
  EXPECT_EQ(summary({"@/hills.pgm", "--table", "@/t.csv", "--features", "tree"}),
            "@/hills.pgm: max-tree of 8 nodes, 4 peaks, depth 4, levels 1 to 7\n");
  EXPECT_EQ(read("t.csv"), tree_columns);
  for (const char* engine : {"cpu", "reference"})
    EXPECT_EQ(succeed({"tree", "@/hills.pgm", "-q", "--table", "-", "--features", "tree", "--engine", engine}),
              tree_columns);
  EXPECT_EQ(
      succeed({"tree", "@/hills.pgm", "-q", "--table", "-", "--features", "tree", "--min-area", "5", "-o", "@/o.png"}),
      tree_columns)
      << "the table is of the whole tree";
}

TEST_F(tree_command, attributes_are_as_worked_out_by_hand) {
  succeed({"tree", "@/hills.pgm", "-q", "--table", "@/t.json"});
  const auto rows = nlohmann::json::parse(read("t.json"));
  ASSERT_EQ(rows.size(), 8U);
  EXPECT_EQ(rows[0].size(), 7U + 7U + 2U + 3U);
  const auto& square = rows[4];
  const std::vector<std::pair<const char*, double>> expected = {
      {"area", 9},
      {"bbox-0", 1},
      {"bbox-1", 1},
      {"bbox-2", 4},
      {"bbox-3", 4},
      {"bbox_diagonal", std::sqrt(18.0)},
      {"centroid-0", 2},
      {"centroid-1", 2},
      {"elongation", 1},
      {"volume", 20},
      {"level_mean", 38.0 / 9},
  };
  for (const auto& [name, value] : expected) EXPECT_DOUBLE_EQ(square[name].get<double>(), value) << name;
  EXPECT_NEAR(square["compactness"].get<double>(), 3 / std::acos(-1.0), 1e-12);
  EXPECT_NEAR(square["level_variance"].get<double>(), 32.0 / 81, 1e-12);
  EXPECT_DOUBLE_EQ(rows[3]["bbox_diagonal"].get<double>(), std::sqrt(18.0));
  EXPECT_DOUBLE_EQ(rows[2]["elongation"].get<double>(), 2) << "two pixels in a row";
}

TEST_F(tree_command, features_are_chosen_as_in_measure) {
  EXPECT_EQ(succeed({"tree", "@/small.npy", "-q", "--table", "-", "--format", "text", "--features", "level,bbox-1"}),
            "node  level  bbox-1\n"
            "   0      1       0\n"
            "   1      2       1\n"
            "   2      3       1\n");
  const std::string moments = succeed({"tree", "@/small.npy", "-q", "--table", "-", "--features", "moments"});
  EXPECT_EQ(moments.substr(0, moments.find('\n')), "node,elongation,compactness");
  EXPECT_EQ(succeed({"tree", "@/small.npy", "-q", "--table", "-", "--features", "levels,node,volume"}),
            "node,volume,level_mean,level_variance\n0,3,2,0.6666666666666666\n1,3,2.5,0.25\n2,1,3,0\n");
}

TEST_F(tree_command, the_tree_as_images) {
  succeed({"tree", "@/small.npy", "-q", "--nodes", "@/nodes.npy", "--parents", "@/parents.npy"});
  EXPECT_EQ(read("nodes.npy"), npy_bytes("<u4", "(1, 3)", bytes_of<std::uint32_t>({0, 2, 1})));
  // Pixel 1 is the top, on pixel 2, on the ground of pixel 0.
  EXPECT_EQ(read("parents.npy"), npy_bytes("<u4", "(1, 3)", bytes_of<std::uint32_t>({0, 2, 0})));
  succeed({"tree", "@/hills.pgm", "-q", "--nodes", "@/nodes.tif", "--parents", "@/parents.tif"});
  EXPECT_EQ(pixels("nodes.tif"),
            "0 0 0 0 0 0 0 0 0/0 4 4 4 1 1 3 1 0/0 4 6 4 1 3 5 3 0/0 4 4 4 1 1 3 1 0/0 0 0 0 0 0 0 0 0/"
            "0 0 7 0 0 0 2 2 0/0 0 0 0 0 0 0 0 0");
  EXPECT_EQ(pixels("parents.tif").substr(0, 74),
            "0 0 0 0 0 0 0 0 0/0 13 10 10 0 13 13 13 0/0 10 10 10 13 15 15 15 0/0 10 10");
}

TEST_F(tree_command, frames_and_volumes) {
  const std::string first("\5\0\0\0", 4), second("\7\1\1\1", 4);
  write("film.tif", tiff_bytes({grey_page(2, 2, 8, first), grey_page(2, 2, 8, second)}));
  EXPECT_EQ(summary({"@/film.tif", "--stack", "--min-area", "2", "-o", "@/out.tif", "--table", "@/t.csv", "--features",
                     "level,area"}),
            "@/film.tif: max-tree of 4 nodes in 2 frames, 2 peaks, depth 2, levels 0 to 7\n");
  EXPECT_EQ(pixels("out.tif"), "0 0/0 0 | 1 1/1 1");
  EXPECT_EQ(read("t.csv"), "frame,node,level,area\n0,0,0,4\n0,1,5,1\n1,0,1,4\n1,1,7,1\n");
  EXPECT_EQ(filtered({"--min-area", "2"}, "@/film.tif"), "5 0/0 0 | 5 1/1 1");
  succeed({"tree", "@/film.tif", "-q", "--stack", "--parents", "@/p.tif"});
  EXPECT_EQ(pixels("p.tif"), "1 1/1 1 | 1 1/1 1");
}

TEST_F(tree_command, several_inputs) {
  EXPECT_EQ(summary({"@/hills.pgm", "@/small.npy", "--min-area", "2", "-o", "@/out", "--table", "@/all.csv",
                     "--features", "area", "--nodes", "@/{name}-n.npy"}),
            "@/hills.pgm: max-tree of 8 nodes, 4 peaks, depth 4, levels 1 to 7\n"
            "@/small.npy: max-tree of 3 nodes, 1 peak, depth 3, levels 1 to 3\n");
  EXPECT_EQ(files(), (std::vector<std::string>{"all.csv", "hills-n.npy", "hills.pgm", "out/hills-filtered.tif",
                                               "out/small-filtered.tif", "small-n.npy", "small.npy"}));
  EXPECT_EQ(pixels("out/small-filtered.tif"), "1 2 2");
  const std::string table = read("all.csv");
  EXPECT_TRUE(table.starts_with("image,node,area\n" + path("hills.pgm") + ",0,63\n")) << table;
  EXPECT_TRUE(table.ends_with(path("small.npy") + ",2,1\n")) << table;
}

TEST_F(tree_command, standard_output_takes_one_thing) {
  const outcome printed = run({"tree", "@/small.npy", "--table", "-", "--features", "area"});
  EXPECT_EQ(printed.code, 0);
  EXPECT_EQ(printed.out, "node,area\n0,3\n1,2\n2,1\n");
  EXPECT_EQ(without_time(printed.err), "@/small.npy: max-tree of 3 nodes, 1 peak, depth 3, levels 1 to 3\n");
  EXPECT_EQ(fail({"tree", "@/small.npy", "--nodes", "-", "--table", "-"}),
            "only one of -o, --table, --nodes and --parents can go to standard output");
}

TEST_F(tree_command, wrong_options_are_one_line) {
  const std::string see = " (see skerry tree --help)";
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--kind", "mid"}, "--kind: 'mid' is not one of max, min" + see},
      {{"--connectivity", "12"}, "--connectivity: '12' is not one of 4, 8, 6, 18, 26" + see},
      {{"--min-area", "5"}, "--min-area requires --output"},
      {{"--top-hat"}, "--top-hat requires --output"},
      {{"--keep", "area>2"}, "--keep requires --output"},
      {{"-o", "@/o.png"}, "-o: nothing to filter by; give --min-area, --min-diagonal, --h or --keep"},
      {{"-o", "@/o.png", "--top-hat"}, "-o: nothing to filter by; give --min-area, --min-diagonal, --h or --keep"},
      {{"-o", "@/o.png", "--min-area", "-1"}, "--min-area: '-1' is not a whole number from 0 up" + see},
      {{"-o", "@/o.png", "--min-diagonal", "-1"}, "--min-diagonal: -1 is not a number from 0 up"},
      {{"-o", "@/o.png", "--min-diagonal", "nan"}, "--min-diagonal: 'nan' is not a number" + see},
      {{"-o", "@/o.png", "--h", "inf"}, "--h: inf is not a number from 0 up"},
      {{"-o", "@/o.png", "--h", "0.5"}, "@/hills.pgm: is of uint8, and --h 0.5 is not whole"},
      {{"-o", "@/o.png", "--h", "3", "--min-area", "2"}, "--min-area excludes --h" + see},
      {{"-o", "@/o.png", "--h", "3", "--keep", "area>2"}, "--keep excludes --h" + see},
      {{"-o", "@/o.png", "--min-area", "3", "--rule", "min"}, "--rule requires --keep" + see},
      {{"-o", "@/o.png", "--keep", "area>2", "--rule", "none"},
       "--rule: 'none' is not one of direct, min, max, subtractive" + see},
      {{"-o", "@/o.png", "--keep", "area"},
       "--keep 'area': expected a comparison such as 'area>=20', with the quotes, at the end"},
      {{"-o", "@/o.png", "--keep", ""}, "--keep '': expected a column or a number at the end"},
      {{"-o", "@/o.png", "--keep", "area>=5many"}, "--keep 'area>=5many': '5many' is neither a number nor a column"},
      {{"-o", "@/o.png", "--keep", "level>1 and area>=many"},
       "--keep: no 'many'; there are node, parent, first_pixel, level, area, "
       "height, dynamics, bbox-0, bbox-1, bbox-2, bbox-3, bbox_diagonal, centroid-0, centroid-1, elongation, "
       "compactness, "
       "volume, level_mean, level_variance"},
      {{"--features", "area"}, "--features requires --table" + see},
      {{"--format", "csv"}, "--format requires --table" + see},
      {{"--table", "@/t.npy"}, "@/t.npy: a table ends in .csv, .tsv, .json or .jsonl"},
      {{"--table", "@/t.csv", "--features", "bbox-5"},
       "--features: no 'bbox-5'; did you mean 'bbox-0'? There are all, tree, geometry, moments, levels, node, parent, "
       "first_pixel, level, "
       "area, "
       "height, dynamics, bbox-0, bbox-1, bbox-2, bbox-3, bbox_diagonal, centroid-0, centroid-1, elongation, "
       "compactness, "
       "volume, level_mean, level_variance"},
      {{"--parents", "@/p.png"}, "@/p.png: a PNG holds no uint32; write .tif or .npy"},
      {{"--nodes", "@/same.tif", "--parents", "@/same.tif"},
       "--parents: @/same.tif is also an input or another output"},
      {{"--table", "@/hills.pgm", "--format", "csv"}, "--table: @/hills.pgm is also an input or another output"},
      {{"--min-area", "2", "-o", "@/o.jpg"}, "@/o.jpg: images are written as .tif, .tiff, .png or .npy"},
      {{"--connectivity", "6"}, "@/hills.pgm: connectivity: 6 is not 4 or 8 (image of rank 2)"},
  };
  for (auto [arguments, message] : cases) {
    arguments.insert(arguments.begin(), {"tree", "@/hills.pgm"});
    EXPECT_EQ(fail(arguments), message);
  }
  EXPECT_EQ(files(), (std::vector<std::string>{"hills.pgm", "small.npy"}));
}

// They stay what they are.
TEST_F(tree_command, half_floats_and_wide_integers) {
  write("half.npy", npy_bytes("<f2", "(1, 3)", bytes_of<std::uint16_t>({0x3e00, 0xc000, 0x0001})));
  EXPECT_EQ(succeed({"tree", "@/half.npy", "-q", "--table", "-", "--features", "level"}),
            "node,level\n0,-2\n1,5.960464477539063e-08\n2,1.5\n");
  write("wide.npy", npy_bytes("<u8", "(1, 2)", bytes_of<std::uint64_t>({4294967295U, 7})));
  EXPECT_EQ(succeed({"tree", "@/wide.npy", "-q", "--table", "-", "--features", "level"}),
            "node,level\n0,7\n1,4294967295\n");
  write("wider.npy", npy_bytes("<u8", "(1, 2)", bytes_of<std::uint64_t>({(1ULL << 53) + 1, 7})));
  EXPECT_EQ(fail({"tree", "@/wider.npy", "-q"}),
            "@/wider.npy: image: pixel (0, 0) is beyond 2^53 in magnitude, up to which levels are exact");
  succeed({"tree", "@/half.npy", "-q", "--h", "0.5", "-o", "@/out.npy"});
  EXPECT_EQ(read("out.npy"), npy_bytes("<f2", "(1, 3)", bytes_of<std::uint16_t>({0x3c00, 0xc000, 0xb800})));
}

TEST_F(tree_command, images_that_have_no_tree) {
  write("out.npy", "old");
  const std::string where = "@/in.npy: image: ";
  const std::vector<std::string> filter = {"tree", "@/in.npy", "--min-area", "2", "-o", "@/out.npy"};
  write("in.npy", npy_bytes("<f4", "(2, 2)", bytes_of<float>({0, 1, 2, std::numeric_limits<float>::quiet_NaN()})));
  EXPECT_EQ(fail(filter), where + "pixel (1, 1) is NaN");
  write("in.npy", npy_bytes("|b1", "(1, 1)", bytes_of<std::uint8_t>({1})));
  EXPECT_EQ(fail(filter), where + "dtype bool is not a number of 8 to 64 bits");
  EXPECT_EQ(read("out.npy"), "old");
  write("in.npy", npy_bytes("<f4", "(1, 1)", bytes_of<float>({1})));
  EXPECT_EQ(fail({"tree", "@/in.npy", "--min-area", "2", "-o", "@/out.png"}),
            "@/out.png: a PNG holds no float32; write .tif or .npy");
  write("in.npy", npy_bytes("<i2", "(1, 1)", bytes_of<std::int16_t>({1})));
  EXPECT_EQ(fail({"tree", "@/in.npy", "--min-area", "2", "-o", "@/out.png"}),
            "@/out.png: a PNG holds no int16; write .tif or .npy");
}

TEST_F(tree_command, profile_is_a_table_of_the_stages) {
  const outcome result = run({"tree", "@/hills.pgm", "-q", "--profile", "--min-area", "2", "-o", "@/out.png"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "");
  for (const char* row : {"1 encode", "2 local", "3 merge", "4 resolve", "5 measure", "6 emit", "in all", "writing"})
    EXPECT_NE(result.err.find(row), std::string::npos) << result.err;
}

TEST_F(tree_command, every_published_method_builds_the_same_tree) {
  for (const published::method& method : published::tree_methods()) {
    const std::string name(method.name);
    EXPECT_NE(succeed({"info"}).find("method   " + name), std::string::npos);
    const std::vector<std::string> how = {"@/hills.pgm", "--connectivity", "4",   "--table",
                                          "@/t.csv",     "--features",     "tree"};
    std::vector<std::string> as_published = how;
    as_published.insert(as_published.end(), {"--method", name});
    if (!has_cuda()) {
      as_published.insert(as_published.begin(), "tree");
      EXPECT_TRUE(fail(as_published).starts_with("--engine cuda: ")) << name;
      continue;
    }
    const std::string want = summary(how), rows = read("t.csv");
    EXPECT_EQ(summary(as_published), want) << name;
    EXPECT_EQ(read("t.csv"), rows) << name;
  }
}

}  // namespace
}  // namespace skerry::test
