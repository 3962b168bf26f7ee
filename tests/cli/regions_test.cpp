// SPDX-License-Identifier: Apache-2.0
// skerry outline and skerry contacts.
#include <nlohmann/json.hpp>

#include "workspace.hpp"

namespace skerry::test {
namespace {

class region_commands : public workspace {
 protected:
  region_commands() {
    write("labels.pgm", pgm_bytes("4 3\n255\n"
                                  "9 9 2 2\n"
                                  "9 0 2 2\n"
                                  "9 9 9 0"));
    write("blobs.pgm", pgm_bytes("4 2\n255\n50 0 0 70\n60 0 70 0"));
  }
};

TEST_F(region_commands, contacts_are_a_table) {
  const std::string table = "label-0,label-1,faces-0,faces-1,edges,area\n2,9,1,1,3,2\n";
  EXPECT_EQ(succeed({"contacts", "@/labels.pgm"}), table);
  EXPECT_EQ(succeed({"contacts", "@/labels.pgm", "-o", "@/c.csv"}), "@/labels.pgm: 1 contact\n");
  EXPECT_EQ(read("c.csv"), table);
  EXPECT_EQ(succeed({"contacts", "@/labels.pgm", "-c", "4"}), "label-0,label-1,faces-0,faces-1,area\n2,9,1,1,2\n");
  EXPECT_EQ(succeed({"contacts", "@/labels.pgm", "-c", "4", "--pixel-size", "3,2um"}),
            "label-0,label-1,faces-0,faces-1,area,area_um\n2,9,1,1,2,5\n");
}

TEST_F(region_commands, surfaces_are_a_table_of_their_own) {
  succeed({"contacts", "@/labels.pgm", "-o", "@/c.csv", "--surfaces", "@/s.csv"});
  EXPECT_EQ(read("s.csv"),
            "label,faces-0,faces-1,area,to_regions,to_background,to_outside\n"
            "2,4,4,8,2,2,4\n"
            "9,8,6,14,2,4,8\n");
  EXPECT_EQ(fail({"contacts", "@/labels.pgm", "-o", "@/c.csv", "--surfaces", "@/c.csv"}),
            "--surfaces: @/c.csv is also an input or another output");
}

TEST_F(region_commands, contacts_of_several_images_and_of_volumes) {
  write("volume.npy", npy_bytes("|u1", "(2, 1, 2)", std::string("\1\2\0\3", 4)));
  EXPECT_EQ(succeed({"contacts", "@/volume.npy"}),
            "label-0,label-1,faces-0,faces-1,faces-2,edges,corners,area\n"
            "1,2,0,0,1,0,0,1\n1,3,0,0,0,1,0,0\n2,3,1,0,0,0,0,1\n");
  EXPECT_EQ(succeed({"contacts", "@/volume.npy", "--stack"}),
            "frame,label-0,label-1,faces-0,faces-1,edges,area\n0,1,2,0,1,0,1\n");
  EXPECT_EQ(succeed({"contacts", "@/blobs.pgm", "@/labels.pgm", "-c", "4"}),
            "image,label-0,label-1,faces-0,faces-1,area\n"
            "@/blobs.pgm,50,60,1,0,1\n"
            "@/labels.pgm,2,9,1,1,2\n");
}

TEST_F(region_commands, take_any_label_for_background) {
  EXPECT_EQ(succeed({"contacts", "@/labels.pgm", "-c", "4", "--background", "9"}),
            "label-0,label-1,faces-0,faces-1,area\n0,2,1,1,2\n");
  EXPECT_EQ(succeed({"contacts", "@/labels.pgm", "-c", "4", "--background", "none"}),
            "label-0,label-1,faces-0,faces-1,area\n0,2,1,1,2\n0,9,2,2,4\n2,9,1,1,2\n");
  EXPECT_EQ(succeed({"outline", "@/labels.pgm", "-o", "@/o.csv", "--background", "9"}), "@/labels.pgm: 2 regions\n");
}

TEST_F(region_commands, outlines_of_labels_name_relabel_for_selections) {
  EXPECT_EQ(fail({"outline", "@/labels.pgm", "-o", "@/o.geojson", "--keep-largest", "3"}),
            "--keep-largest requires --components or an option of the foreground; select regions of a label image with "
            "skerry relabel --keep-largest --keep-labels first");
}

TEST_F(region_commands, outlines_are_geojson) {
  EXPECT_EQ(succeed({"outline", "@/labels.pgm", "-o", "@/o.geojson"}), "@/labels.pgm: 2 regions\n");
  const nlohmann::json all = nlohmann::json::parse(read("o.geojson"));
  EXPECT_EQ(all["type"], "FeatureCollection");
  ASSERT_EQ(all["features"].size(), 2u);
  EXPECT_EQ(all["features"][0]["properties"], nlohmann::json::parse(R"({"label": 2})"));
  EXPECT_EQ(all["features"][0]["geometry"],
            nlohmann::json::parse(R"({"type": "Polygon", "coordinates": [[[2,0],[4,0],[4,2],[2,2],[2,0]]]})"));
  succeed({"outline", "@/blobs.pgm", "-o", "@/o.geojson", "--keep-collinear"});
  EXPECT_EQ(nlohmann::json::parse(read("o.geojson"))["features"][2]["geometry"],
            nlohmann::json::parse(R"({"type": "MultiPolygon", "coordinates":
              [[[[3,0],[4,0],[4,1],[3,1],[3,0]]], [[[2,1],[3,1],[3,2],[2,2],[2,1]]]]})"));
}

TEST_F(region_commands, outlines_are_text_and_pictures) {
  write("ring.pgm", pgm_bytes("3 3\n255\n1 1 1\n1 0 1\n1 1 1"));
  const std::string text = "POLYGON ((0 0, 3 0, 3 3, 0 3, 0 0), (1 1, 1 2, 2 2, 2 1, 1 1))";
  succeed({"outline", "@/ring.pgm", "-o", "@/o.wkt"});
  EXPECT_EQ(read("o.wkt"), text + "\n");
  succeed({"outline", "@/ring.pgm", "-o", "@/o.csv"});
  EXPECT_EQ(read("o.csv"), "label,WKT\n1,\"" + text + "\"\n");
  succeed({"outline", "@/ring.pgm", "-o", "@/o.svg"});
  EXPECT_EQ(read("o.svg"),
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"3\" height=\"3\" viewBox=\"0 0 3 3\">\n"
            "<path id=\"label-1\" fill=\"hsl(138,80%,50%)\" fill-opacity=\"0.5\" fill-rule=\"evenodd\" "
            "d=\"M0 0L3 0L3 3L0 3ZM1 1L1 2L2 2L2 1Z\"/>\n</svg>\n");
}

TEST_F(region_commands, outlines_can_be_lengths) {
  write("one.pgm", pgm_bytes("3 2\n9\n0 0 0 0 4 4\n"));
  succeed({"outline", "@/one.pgm", "-o", "@/o.wkt", "--pixel-size", "0.5,2um"});
  EXPECT_EQ(read("o.wkt"), "POLYGON ((2 0.5, 6 0.5, 6 1, 2 1, 2 0.5))\n");
  succeed({"outline", "@/one.pgm", "-o", "@/o.geojson", "--pixel-size", "0.25"});
  EXPECT_NE(read("o.geojson").find("[[[0.25,0.25],[0.75,0.25],[0.75,0.5],[0.25,0.5],[0.25,0.25]]]"), std::string::npos);
  succeed({"outline", "@/one.pgm", "-o", "@/o.csv", "--pixel-size", "none"});
  EXPECT_EQ(read("o.csv"), "label,WKT\n4,\"POLYGON ((1 1, 3 1, 3 2, 1 2, 1 1))\"\n");
  for (const char* const name : {"@/o.wkb", "@/o.svg", "@/o.zip"})
    EXPECT_NE(fail({"outline", "@/one.pgm", "-o", name, "--pixel-size", "2"}).find("write .geojson, .csv or .wkt"),
              std::string::npos);
}

TEST_F(region_commands, outlines_are_well_known_binary) {
  write("two.pgm", pgm_bytes("3 1\n255\n5 0 5"));
  succeed({"outline", "@/two.pgm", "-o", "@/o.wkb"});
  const auto polygon = [](const std::vector<double>& numbers) {
    return std::string("\1\3\0\0\0\1\0\0\0\5\0\0\0", 13) + bytes_of<double>(numbers);
  };
  EXPECT_EQ(read("o.wkb"), std::string("\1\7\0\0\0\1\0\0\0\1\6\0\0\0\2\0\0\0", 18) +
                               polygon({0, 0, 1, 0, 1, 1, 0, 1, 0, 0}) + polygon({2, 0, 3, 0, 3, 1, 2, 1, 2, 0}));
}

// Byte by byte, at the places of RoiDecoder.java.
TEST_F(region_commands, outlines_are_rois_of_imagej) {
  write("one.npy", npy_bytes("|u1", "(2, 2, 2)", std::string("\0\7\0\7\0\0\0\0", 8)));
  EXPECT_EQ(succeed({"outline", "@/one.npy", "--stack", "-o", "@/o.zip"}), "@/one.npy: 1 region\n");
  const std::string archive = read("o.zip");
  EXPECT_EQ(archive.substr(0, 4), "PK\x03\x04");
  EXPECT_EQ(archive.substr(30, 11), std::string("1-7.roiIout", 11));
  const std::string roi = archive.substr(37, 64 + 16 + 64 + 6);
  const auto number = [&](std::size_t at) {
    return static_cast<unsigned char>(roi[at]) * 256 + static_cast<unsigned char>(roi[at + 1]);
  };
  EXPECT_EQ(number(6), 0);  // a polygon
  for (const auto& [at, want] : {std::pair(8, 0), {10, 1}, {12, 2}, {14, 2}, {16, 4}, {58, 1}, {62, 80}, {98, 144}})
    EXPECT_EQ(number(static_cast<std::size_t>(at)), want) << at;
  const std::string pixels = std::string("\0\0\0\1\0\1\0\0", 8) + std::string("\0\0\0\0\0\2\0\2", 8);
  EXPECT_EQ(roi.substr(64, 16), pixels);
  EXPECT_EQ(roi.substr(144), std::string("\0001\0-\0007", 6));
  succeed({"outline", "@/one.npy", "--stack", "-o", "@/again.zip"});
  EXPECT_EQ(read("again.zip"), archive);
}

TEST_F(region_commands, find_the_components_first_if_asked) {
  EXPECT_EQ(succeed({"outline", "@/blobs.pgm", "-q", "-o", "@/o.wkt", "-t", "55", "-c", "4"}), "");
  EXPECT_EQ(read("o.wkt"),
            "POLYGON ((3 0, 4 0, 4 1, 3 1, 3 0))\n"
            "POLYGON ((0 1, 1 1, 1 2, 0 2, 0 1))\n"
            "POLYGON ((2 1, 3 1, 3 2, 2 2, 2 1))\n");
  succeed({"outline", "@/blobs.pgm", "-o", "@/o.wkt", "--components", "--min-area", "2", "--keep-largest", "1"});
  EXPECT_EQ(read("o.wkt"), "POLYGON ((0 0, 1 0, 1 2, 0 2, 0 0))\n");
  const outcome pairs = run({"contacts", "@/blobs.pgm", "--components"});
  EXPECT_EQ(pairs.code, 0);
  EXPECT_EQ(pairs.out, "label-0,label-1,faces-0,faces-1,edges,area\n");
  EXPECT_EQ(pairs.err,
            "skerry: note: components never touch each other; give a label image, or --surfaces for their surfaces\n");
  const std::vector<std::string> with_surfaces = {"contacts", "@/blobs.pgm", "--components", "--surfaces",
                                                  "@/s.csv",  "-o",          "@/c.csv"};
  EXPECT_EQ(run(with_surfaces).err, "");
  EXPECT_EQ(run({"contacts", "@/blobs.pgm", "--components", "-q"}).err, "");
  EXPECT_EQ(run({"contacts", "@/labels.pgm"}).err, "");
  EXPECT_EQ(fail({"contacts", "@/blobs.pgm", "--min-area", "2"}),
            "--min-area requires --components or an option of the foreground; select regions of a label image with "
            "skerry relabel --min-area --keep-labels first");
}

// What README.md and the help show.
TEST_F(region_commands, components_of_one_value_touch) {
  write("map.pgm", pgm_bytes("4 3\n255\n0 0 0 0\n0 255 255 0\n0 0 0 0"));
  succeed({"label", "@/map.pgm", "--equal", "--at-least", "0", "-c", "4", "-q", "-o", "@/parts.npy"});
  EXPECT_EQ(succeed({"contacts", "@/parts.npy", "-c", "4"}), "label-0,label-1,faces-0,faces-1,area\n1,2,4,2,6\n");
}

TEST_F(region_commands, outlines_of_many_images_go_to_a_folder) {
  succeed({"outline", "@/labels.pgm", "@/blobs.pgm", "-o", "@/out/"});
  EXPECT_TRUE(std::filesystem::exists(path("out/labels.geojson")));
  EXPECT_TRUE(std::filesystem::exists(path("out/blobs.geojson")));
  write("stack.npy", npy_bytes("<i2", "(2, 1, 1)", std::string("\3\0\4\0", 4)));
  succeed({"outline", "@/stack.npy", "--stack", "-o", "@/o.csv"});
  EXPECT_EQ(
      read("o.csv"),
      "label,frame,WKT\n3,0,\"POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))\"\n4,1,\"POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))\"\n");
}

TEST_F(region_commands, refuse_what_they_cannot_do) {
  write("reals.npy", npy_bytes("<f4", "(1, 2)", bytes_of<float>({1, 2})));
  write("volume.npy", npy_bytes("|u1", "(2, 1, 2)", std::string("\1\2\0\3", 4)));
  write("large.npy", npy_bytes("<u8", "(1, 2)", bytes_of<std::uint64_t>({1, ~std::uint64_t{0}})));
  const std::string no_labels = "@/reals.npy: labels: dtype is float32; give integers of 8 to 64 bits or bool";
  EXPECT_EQ(fail({"outline", "@/reals.npy", "-o", "@/o.geojson"}), no_labels);
  EXPECT_EQ(fail({"contacts", "@/reals.npy"}), no_labels);
  EXPECT_EQ(fail({"outline", "@/volume.npy", "-o", "@/o.geojson"}),
            "@/volume.npy: is a volume, which has no outlines; --stack takes its pages one by one");
  write("line.npy", npy_bytes("|u1", "(2,)", "\1\1"));
  EXPECT_EQ(fail({"outline", "@/line.npy", "-o", "@/o.geojson"}),
            "@/line.npy: has 1 axis; outlines are of images of 2");
  EXPECT_EQ(fail({"tree", "@/line.npy"}), "@/line.npy: has 1 axis; trees are of images of 2 or 3");
  const std::string hint = " (see skerry outline --help)";
  for (const std::string distance : {"-1", "-1e300", "inf"})
    EXPECT_EQ(fail({"outline", "@/line.npy", "--simplify", distance, "-o", "@/o.geojson"}),
              "--simplify: '" + distance + "' must be a number from 0 up" + hint);
  EXPECT_EQ(fail({"outline", "@/line.npy", "--simplify", "nan", "-o", "@/o.geojson"}),
            "--simplify: 'nan' is not a number" + hint);
  EXPECT_EQ(fail({"outline", "@/volume.npy", "--stack", "-o", "@/o.svg"}),
            "@/volume.npy: has several pages, and .svg shows one; choose it by --page, or write .geojson");
  EXPECT_EQ(fail({"outline", "@/labels.pgm", "-o", "@/o.txt"}),
            "@/o.txt: outlines end in .geojson, .json, .csv, .wkt, .wkb, .svg or .zip (ImageJ)");
  write("wide.pbm", "P4\n32768 1\n" + std::string(4096, '\0'));
  EXPECT_EQ(fail({"outline", "@/wide.pbm", "-o", "@/o.zip"}),
            "@/wide.pbm: has a side above 32767, where the numbers of ROI files end; write .geojson");
  EXPECT_EQ(fail({"outline", "@/labels.pgm", "-o", "@/o.geojson", "-c", "6"}),
            "@/labels.pgm: connectivity: 6 is not 4 or 8 (image of rank 2)");
  EXPECT_EQ(fail({"contacts", "@/large.npy"}),
            "@/large.npy: has labels above 2^53; tables hold labels up to 2^53; number them with skerry relabel");
  write("rgb.ppm", "P6\n1 1\n255\n" + std::string("\1\2\3"));
  EXPECT_NE(fail({"outline", "@/rgb.ppm", "-o", "@/o.geojson"}).find("@/rgb.ppm: is in colour"), std::string::npos);
  EXPECT_NE(fail({"contacts", "@/rgb.ppm"}).find("@/rgb.ppm: is in colour"), std::string::npos);
  EXPECT_EQ(succeed({"contacts", "@/rgb.ppm", "--channel", "1"}), "label-0,label-1,faces-0,faces-1,edges,area\n");
  EXPECT_EQ(fail({"contacts", "@/labels.pgm", "-o", "@/o.csv", "--engine", "cuda"}),
            "--engine cuda has no contacts; take cpu");
  EXPECT_EQ(fail({"contacts", "@/blobs.pgm", "--components", "--background", "7"}),
            "--background requires label images as inputs");
  for (const std::string& file : files()) EXPECT_FALSE(file.starts_with("o.")) << file;
}

}  // namespace
}  // namespace skerry::test
