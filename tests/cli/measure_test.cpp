// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <sstream>

#include "skerry/published.hpp"
#include "tiff_maker.hpp"
#include "workspace.hpp"

namespace skerry::test {
namespace {

class measure_command : public workspace {
 protected:
  measure_command() {
    write("blobs.pgm", pgm_bytes("6 4\n255\n"
                                 "0 9 9 0 0 0\n"
                                 "0 9 0 0 5 0\n"
                                 "0 0 0 0 5 6\n"
                                 "7 0 0 0 0 0"));
    write("empty.pgm", pgm_bytes("2 1\n255\n0 0"));
  }
  const std::string geometry =
      "label,area,bbox-0,bbox-1,bbox-2,bbox-3,centroid-0,centroid-1,extent,coordinate_sum-0,coordinate_sum-1\n"
      "1,3,0,1,2,3,0.3333333333333333,1.3333333333333333,0.75,1,4\n"
      "2,3,1,4,3,6,1.6666666666666667,4.333333333333333,0.75,5,13\n"
      "3,1,3,0,4,1,3,0,1,3,0\n";
};

TEST_F(measure_command, csv_of_geometry) {
  EXPECT_EQ(succeed({"measure", "@/blobs.pgm", "--features", "geometry", "-o", "@/t.csv"}),
            "@/blobs.pgm: 3 components\n");
  EXPECT_EQ(read("t.csv"), geometry);
  EXPECT_EQ(succeed({"measure", "@/blobs.pgm", "--features", "geometry"}), geometry);
  EXPECT_EQ(succeed({"measure", "@/blobs.pgm", "--features", "geometry", "--engine", "reference"}), geometry);
}

// Numbers that a shell script has padded with zeros are not octal: both are pixels of 10 and more.
TEST_F(measure_command, numbers_are_decimal) {
  write("line.pgm", pgm_bytes("9 1\n255\n9 9 9 9 9 9 9 9 9"));
  EXPECT_EQ(succeed({"measure", "@/line.pgm", "--min-area", "010", "-o", "@/t.csv"}), "@/line.pgm: 0 components\n");
  EXPECT_EQ(succeed({"measure", "@/line.pgm", "--min-area", "09", "--threads", "02", "-o", "@/t.csv"}),
            "@/line.pgm: 1 component\n");
}

// The long double between two doubles would round the number up to the second pixel's value, and then to the first's.
TEST_F(measure_command, numbers_are_rounded_once) {
  const double values[] = {1.0, 1.0 + 0x1p-52};
  write("two.npy", npy_bytes("<f8", "(1, 2)", {reinterpret_cast<const char*>(values), sizeof(values)}));
  EXPECT_EQ(succeed({"measure", "@/two.npy", "--at-least", "1.00000000000000011102230246251565404236316680908203126",
                     "--features", "area"}),
            "label,area\n1,1\n");
}

TEST_F(measure_command, published_methods_measure_geometry) {
  for (const published::method& method : published::methods()) {
    if (method.rank != 2) continue;  // of the image
    const std::string name(method.name), neighbours = std::to_string(method.connectivities.back());
    if (method.engines.front() == engine_kind::cuda && !has_cuda())
      EXPECT_TRUE(fail({"measure", "@/blobs.pgm", "--method", name}).starts_with("--engine cuda: ")) << name;
    else
      EXPECT_EQ(succeed({"measure", "@/blobs.pgm", "--method", name, "--connectivity", neighbours}),
                succeed({"measure", "@/blobs.pgm", "--features", "geometry", "--connectivity", neighbours}))
          << name;
  }
}

TEST_F(measure_command, published_methods_measure_given_label_images) {
  succeed({"label", "@/blobs.pgm", "-o", "@/labels.npy", "-q"});
  const std::string want = succeed({"measure", "@/labels.npy", "--labels", "--features", "geometry"});
  for (const published::method& method : published::methods()) {
    const std::vector<std::string> asked = {
        "measure", "@/labels.npy", "--labels", "--method", std::string(method.name), "--first-copy", "1"};
    if (!method.takes_labels)
      EXPECT_EQ(fail(asked), "--labels: --method " + std::string(method.name) + " finds components; leave it out");
    else if (!has_cuda()) EXPECT_TRUE(fail(asked).starts_with("--engine cuda: ")) << method.name;
    else EXPECT_EQ(succeed(asked), want) << method.name;
  }
}

TEST_F(measure_command, json_of_some_columns) {
  succeed({"measure", "@/blobs.pgm", "--features", " area, centroid-0", "-o", "@/t.json", "-q"});
  EXPECT_EQ(read("t.json"),
            "[\n"
            "  {\"label\": 1, \"area\": 3, \"centroid-0\": 0.3333333333333333},\n"
            "  {\"label\": 2, \"area\": 3, \"centroid-0\": 1.6666666666666667},\n"
            "  {\"label\": 3, \"area\": 1, \"centroid-0\": 3}\n"
            "]\n");
  EXPECT_EQ(nlohmann::json::parse(read("t.json")).size(), 3U);
}

TEST_F(measure_command, text_is_aligned) {
  EXPECT_EQ(succeed({"measure", "@/blobs.pgm", "--format", "text", "--features", "area,centroid-0"}),
            "label  area  centroid-0\n"
            "    1     3    0.333333\n"
            "    2     3     1.66667\n"
            "    3     1           3\n");
}

TEST_F(measure_command, all_columns_and_their_values) {
  const std::string table = succeed({"measure", "@/blobs.pgm", "--intensity", "self"});
  EXPECT_EQ(table.substr(0, table.find('\n')),
            "label,area,bbox-0,bbox-1,bbox-2,bbox-3,centroid-0,centroid-1,extent,coordinate_sum-0,coordinate_sum-1,"
            "axis_major_length,axis_minor_length,eccentricity,orientation,moments_central-0-2,moments_central-1-1,"
            "moments_central-2-0,intensity_min,intensity_max,intensity_mean,intensity_std,intensity_sum");
  // One pixel spreads in no direction.
  EXPECT_NE(table.find("\n3,1,3,0,4,1,3,0,1,3,0,0,0,0,"), std::string::npos) << table;
  const std::string last = table.substr(table.find("\n3,"));
  EXPECT_NE(last.find(",7,7,7,0,7\n"), std::string::npos) << last;
  const auto json = nlohmann::json::parse(succeed({"measure", "@/blobs.pgm", "--format", "json"}));
  EXPECT_EQ(json[2]["axis_major_length"], 0);
  EXPECT_EQ(json[2]["eccentricity"], 0);
}

TEST_F(measure_command, sums_and_central_moments_by_name) {
  EXPECT_EQ(
      succeed({"measure", "@/blobs.pgm", "--features", "moments_central-2-0,coordinate_sum-1,moments_central-1-1"}),
      "label,moments_central-2-0,coordinate_sum-1,moments_central-1-1\n"
      "1,0.6666666666666666,4,-0.3333333333333333\n"
      "2,0.6666666666666666,13,0.3333333333333333\n"
      "3,0,0,0\n");
}

TEST_F(measure_command, intensity_of_another_image) {
  write("raw.npy", npy_bytes("<f4", "(4, 6)", bytes_of<float>({0, 1, 2, 0, 0, 0, 0, 3.5F, 0, 0, -1, 0,
                                                               0, 0, 0, 0, 0, 4, 8, 0,    0, 0, 0,  0})));
  EXPECT_EQ(succeed({"measure", "@/blobs.pgm", "--intensity", "@/raw.npy", "--features", "intensity"}),
            "label,intensity_min,intensity_max,intensity_mean,intensity_std,intensity_sum\n"
            "1,1,3.5,2.1666666666666665,1.0274023338281626,6.5\n"
            "2,-1,4,1,2.160246899469287,3\n"
            "3,8,8,8,0,8\n");
  write("small.pgm", pgm_bytes("2 1\n255\n0 3"));
  EXPECT_EQ(fail({"measure", "@/blobs.pgm", "--intensity", "@/small.pgm"}),
            "@/small.pgm: is 1 x 2, but @/blobs.pgm is 4 x 6");
  EXPECT_EQ(fail({"measure", "@/blobs.pgm", "--intensity", "@/none.pgm"}), "@/none.pgm: no such file");
}

// The red channel says where, the green one how bright.
TEST_F(measure_command, intensity_of_another_channel) {
  write("two.ppm", "P6\n2 2\n255\n" + std::string("\1\7\0\0\0\0\0\0\0\1\5\0", 12));
  const std::vector<std::string> asked = {
      "measure",    "@/two.ppm",          "--channel",           "0", "--intensity", "@/two.ppm",
      "--features", "area,intensity_sum", "--intensity-channel", "1"};
  EXPECT_EQ(succeed(asked), "label,area,intensity_sum\n1,2,12\n");
  std::vector<std::string> of_itself = asked;
  of_itself[5] = "self";
  EXPECT_EQ(succeed(of_itself), "label,area,intensity_sum\n1,2,12\n");
  of_itself.emplace_back("--volume");
  EXPECT_EQ(succeed(of_itself), "label,area,intensity_sum\n1,2,12\n");
  EXPECT_EQ(succeed({"measure", "@/two.ppm", "@/two.ppm", "--channel", "0", "--intensity", "self",
                     "--intensity-channel", "1", "--features", "intensity_sum"}),
            "image,label,intensity_sum\n@/two.ppm,1,12\n@/two.ppm,1,12\n");
  of_itself[9] = "3";
  EXPECT_NE(fail(of_itself).find("@/two.ppm: has no channel 3"), std::string::npos) << fail(of_itself);
  EXPECT_EQ(fail({"measure", "-", "--intensity", "self", "--intensity-channel", "1"}),
            "--intensity-channel: standard input is read once; give a file");
  EXPECT_EQ(fail({"measure", "@/two.ppm", "--intensity-channel", "1"}),
            "--intensity-channel requires --intensity (see skerry measure --help)");
}

TEST_F(measure_command, nan_is_an_empty_field_and_null) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  write("nan.npy", npy_bytes("<f4", "(4, 6)", bytes_of<float>(std::vector<float>(24, nan))));
  const std::vector<std::string> arguments = {"measure",        "@/blobs.pgm", "--intensity",
                                              "@/nan.npy",      "--features",  "intensity_mean",
                                              "--keep-largest", "1",           "--format"};
  auto csv = arguments, json = arguments;
  csv.emplace_back("csv");
  json.emplace_back("json");
  EXPECT_EQ(succeed(csv), "label,intensity_mean\n1,\n");
  EXPECT_EQ(succeed(json), "[\n  {\"label\": 1, \"intensity_mean\": null}\n]\n");
}

TEST_F(measure_command, no_component_still_makes_a_table) {
  EXPECT_EQ(succeed({"measure", "@/empty.pgm", "--features", "area,orientation"}), "label,area,orientation\n");
  EXPECT_EQ(succeed({"measure", "@/empty.pgm", "--format", "json"}), "[]\n");
  EXPECT_EQ(succeed({"measure", "@/empty.pgm", "--format", "text", "--features", "area"}), "label  area\n");
}

TEST_F(measure_command, several_images_share_a_table) {
  write("b, \"c\".pgm", pgm_bytes("2 1\n255\n0 3"));
  const std::vector<std::string> arguments = {"measure",        "@/blobs.pgm", "@/empty.pgm",
                                              "@/b, \"c\".pgm", "--features",  "area"};
  EXPECT_EQ(succeed(arguments),
            "image,label,area\n"
            "@/blobs.pgm,1,3\n"
            "@/blobs.pgm,2,3\n"
            "@/blobs.pgm,3,1\n"
            "\"@/b, \"\"c\"\".pgm\",1,1\n");
  auto to_file = arguments;
  to_file.insert(to_file.end(), {"-o", "@/t.json"});
  EXPECT_EQ(succeed(to_file), "@/blobs.pgm: 3 components\n@/empty.pgm: 0 components\n@/b, \"c\".pgm: 1 component\n");
  const auto json = nlohmann::json::parse(read("t.json"));
  ASSERT_EQ(json.size(), 4U);
  EXPECT_EQ(json[3]["image"], path("b, \"c\".pgm"));
}

TEST_F(measure_command, columns_by_stem_and_by_pattern) {
  const auto head = [this](const std::string& features) {
    const std::string table = succeed({"measure", "@/empty.pgm", "--intensity", "self", "--features", features});
    return table.substr(0, table.find('\n'));
  };
  EXPECT_EQ(head("bbox,intensity_max"), "label,bbox-0,bbox-1,bbox-2,bbox-3,intensity_max");
  EXPECT_EQ(head("intensity_m*"), "label,intensity_min,intensity_max,intensity_mean,intensity_median");
  EXPECT_EQ(head("*_mean,centroid"), "label,intensity_mean,centroid-0,centroid-1");
  EXPECT_EQ(
      head("moments_central,intensity_mean").find("label,moments_central-0-2,moments_central-1-1,moments_central-2-0,"),
      0U);
  EXPECT_EQ(
      head("inertia_tensor_eigvals,moments_hu-*,intensity_*m"),
      "label,inertia_tensor_eigvals-0,inertia_tensor_eigvals-1,moments_hu-0,moments_hu-1,moments_hu-2,moments_hu-3,"
      "moments_hu-4,moments_hu-5,moments_hu-6,intensity_sum");
  EXPECT_EQ(head("all"), head("*"));
  for (const char* none : {"bbo", "box*", "bbox-", "ar?a"})
    EXPECT_EQ(fail({"measure", "@/blobs.pgm", "--features", none}).find(std::string("--features: no '") + none + "'"),
              0U);
}

TEST_F(measure_command, a_bad_image_leaves_no_table_that_is_to_stop_at_errors) {
  write("t.csv", "old");
  EXPECT_EQ(fail({"measure", "@/blobs.pgm", "@/none.pgm", "-o", "@/t.csv", "-q", "--stop-at-error"}),
            "@/none.pgm: no such file");
  EXPECT_EQ(read("t.csv"), "old");
  EXPECT_EQ(fail({"measure", "@/blobs.pgm", "@/none.pgm", "--stop-at-error"}), "@/none.pgm: no such file");
  EXPECT_EQ(files(), (std::vector<std::string>{"blobs.pgm", "empty.pgm", "t.csv"}));
}

TEST_F(measure_command, a_table_for_each_image) {
  write("raw/blobs.pgm", pgm_bytes("6 4\n255\n" + std::string(47, ' ').replace(0, 1, "1") +
                                   " 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2"));
  write("raw/empty.pgm", pgm_bytes("2 1\n255\n0 0"));
  succeed({"measure", "@/blobs.pgm", "@/empty.pgm", "--intensity", "@/raw/{name}.pgm", "--features", "intensity_sum",
           "-o", "@/tables/{name}.csv", "-q"});
  EXPECT_EQ(read("tables/blobs.csv"), "label,intensity_sum\n1,6\n2,6\n3,2\n");
  EXPECT_EQ(read("tables/empty.csv"), "label,intensity_sum\n");
  succeed({"measure", "@/blobs.pgm", "@/empty.pgm", "--features", "area", "-o", "@/tables/", "-q"});
  EXPECT_EQ(read("tables/blobs.csv"), "label,area\n1,3\n2,3\n3,1\n");
}

TEST_F(measure_command, a_stack_has_a_frame_column) {
  write("film.tif",
        tiff_bytes({grey_page(2, 2, 8, std::string("\1\0\0\0", 4)), grey_page(2, 2, 8, std::string("\0\0\0\0", 4)),
                    grey_page(2, 2, 8, std::string("\1\0\0\2", 4))}));
  EXPECT_EQ(succeed({"measure", "@/film.tif", "--stack", "--connectivity", "4", "--features", "area,centroid-0"}),
            "frame,label,area,centroid-0\n"
            "0,1,1,0\n"
            "2,1,1,0\n"
            "2,2,1,1\n");
  EXPECT_EQ(succeed({"measure", "@/film.tif", "--features", "area,bbox-0,bbox-3,bbox-5,centroid-2"}),
            "label,area,bbox-0,bbox-3,bbox-5,centroid-2\n"
            "1,1,0,1,1,0\n"
            "2,2,2,3,2,0.5\n");
  EXPECT_EQ(fail({"measure", "@/film.tif", "@/blobs.pgm", "--stop-at-error"}),
            "@/blobs.pgm: images and volumes do not fit one table; write a table for each with {name}");
}

TEST_F(measure_command, labels_and_overlay_come_along) {
  succeed({"measure", "@/blobs.pgm", "-o", "@/t.csv", "--write-labels", "@/l.npy", "--overlay", "@/o.png", "-q"});
  EXPECT_EQ(files(), (std::vector<std::string>{"blobs.pgm", "empty.pgm", "l.npy", "o.png", "t.csv"}));
  EXPECT_EQ(pixels("l.npy"), "0 1 1 0 0 0/0 1 0 0 2 0/0 0 0 0 2 2/3 0 0 0 0 0");
}

TEST_F(measure_command, says_that_a_colour_array_is_read_as_a_volume) {
  write("rgb.npy", npy_bytes("|u1", "(1, 1, 3)", "\1\1\1"));
  const outcome result = run({"measure", "@/rgb.npy", "--features", "area"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "label,area\n1,3\n");
  EXPECT_EQ(result.err, "skerry: note: @/rgb.npy: is read as a volume of 1 x 1 x 3, not as colour\n");
  EXPECT_EQ(run({"measure", "@/rgb.npy", "-q"}).err, "");
  write("rgba.npy", npy_bytes("|u1", "(1, 1, 4)", "\1\1\1\1"));
  EXPECT_EQ(run({"measure", "@/rgba.npy"}).err,
            "skerry: note: @/rgba.npy: is read as a volume of 1 x 1 x 4, not as colour\n");
  for (const char* width : {"2", "5"}) {
    write("volume.npy", npy_bytes("|u1", std::string("(1, 1, ") + width + ")", "\1\1\1\1\1"));
    EXPECT_EQ(run({"measure", "@/volume.npy"}).err, "") << width;
  }
}

}  // namespace
}  // namespace skerry::test
