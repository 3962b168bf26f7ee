// SPDX-License-Identifier: Apache-2.0
// Label images of other programs: skerry measure --labels, and skerry relabel.
#include "cli/column_choice.hpp"
#include "cli/console.hpp"
#include "cli/feature_columns.hpp"
#include "skerry/columns.hpp"
#include "workspace.hpp"

namespace skerry::test {
namespace {

class regions_commands : public workspace {
 protected:
  regions_commands() {
    write("cells.pgm", pgm_bytes("4 2\n255\n"
                                 "9 9 0 4\n"
                                 "0 0 9 4"));
    write("grey.pgm", pgm_bytes("4 2\n255\n"
                                "1 2 3 4\n"
                                "5 6 7 8"));
  }
  template <class Label>
  void write_labels(const std::string& name, const std::string& type, const std::vector<Label>& labels) const {
    write(name, npy_bytes(type, "(1, " + std::to_string(labels.size()) + ")", bytes_of(labels)));
  }
  // And a device, where there is one.
  static std::vector<std::string> engines(std::vector<std::string> names) {
    if (has_cuda()) names.emplace_back("cuda");
    return names;
  }
};

TEST_F(regions_commands, measure_every_label) {
  for (const std::string& engine : engines({"cpu", "reference", "auto"})) {
    EXPECT_EQ(succeed({"measure", "--labels", "@/cells.pgm", "--intensity", "@/grey.pgm", "--features",
                       "area,bbox,intensity_mean", "--engine", engine}),
              "label,area,bbox-0,bbox-1,bbox-2,bbox-3,intensity_mean\n"
              "4,2,0,3,2,4,6\n"
              "9,3,0,0,2,3,3.3333333333333335\n");
  }
  EXPECT_EQ(succeed({"measure", "@/cells.pgm", "--labels", "-o", "@/t.csv"}), "@/cells.pgm: 2 regions\n");
  EXPECT_TRUE(read("t.csv").starts_with("label,area,bbox-0,"));
}

TEST_F(regions_commands, measure_columns_of_the_shape) {
  EXPECT_EQ(
      succeed({"measure", "--labels", "@/cells.pgm", "--features", "area,euler_number,number_of_holes,area_convex"}),
      "label,area,euler_number,number_of_holes,area_convex\n"
      "4,2,1,0,2\n"
      "9,3,1,0,4\n");
  EXPECT_EQ(succeed({"measure", "--labels", "@/cells.pgm", "--features", "area_filled,area_filled_um2", "--pixel-size",
                     "0.5,0.5um"}),
            "label,area_filled,area_filled_um2\n4,2,0.5\n9,3,0.75\n");
  write("bar.pgm", pgm_bytes("3 2\n255\n7 7 7 7 7 7"));
  EXPECT_EQ(succeed({"measure", "--labels", "@/bar.pgm", "--features", "minimum_rectangle_orientation*", "--pixel-size",
                     "2,1um"}),
            "label,minimum_rectangle_orientation,minimum_rectangle_orientation_spaced\n7,1.5707963267948966,0\n");
  const std::string all =
      succeed({"measure", "--labels", "@/cells.pgm", "--features", "all", "--intensity", "@/grey.pgm"});
  for (const std::string name : {",area,", ",moments_central-3-3", ",moments_weighted_hu-6", ",perimeter,",
                                 ",solidity,", ",intensity_median,", ",number_of_holes"})
    EXPECT_NE(all.find(name), std::string::npos) << name;
  EXPECT_NE(fail({"measure", "--labels", "@/cells.pgm", "--features", "moments_weighted"})
                .find("give an image with --intensity"),
            std::string::npos);
  EXPECT_NE(fail({"measure", "--labels", "@/cells.pgm", "--features", "solidty"}).find("did you mean 'solidity'?"),
            std::string::npos);
}

// But for moments, of which only central ones of second order are.
TEST_F(regions_commands, what_depends_on_the_size_of_a_pixel_is_there_in_units) {
  const auto expect_all = [&](const extent& size, const std::string& shape, const pixel_spacing& spacing,
                              const std::string& sides) {
    std::string bytes;
    for (int pixel = 0; pixel < size.pixels(); ++pixel) bytes += pixel * pixel % 7 < 3 ? '\1' : '\0';
    write("given.npy", npy_bytes("|u1", shape, bytes));
    const std::string header = "," + succeed({"measure", "--labels", "@/given.npy", "--features", "all", "--pixel-size",
                                              sides, "--intensity", "self"});
    const image_view labels(bytes.data(), dtype::u8, size);
    engine on = engine::cpu(1);
    column_table of_pixels, of_sides;
    measure_columns(on, labels, {.intensity = labels, .spacing = spacing}, of_sides);
    measure_columns(on, labels, {.intensity = labels}, of_pixels);
    for (const table_column& column : of_sides.columns) {
      const std::string stem = column.name.substr(0, column.name.find('-'));
      if (stem.starts_with("moments") || column.numbers == of_pixels.column(column.name).numbers) continue;
      const bool is_there = header.find("," + stem + "_um") != std::string::npos ||
                            header.find("," + stem + "_spaced") != std::string::npos;
      EXPECT_TRUE(is_there) << column.name
                            << " depends on the size of a pixel: cli/more_columns.cpp has no line for it";
    }
  };
  expect_all(extent(7, 8), "(7, 8)", {1, 2, 1, "um"}, "2,1um");
  expect_all(extent(7, 8), "(7, 8)", {1, 2, 2, "um"}, "2,2um");
  expect_all(extent(3, 5, 6), "(3, 5, 6)", {3, 2, 1, "um"}, "3,2,1um");
}

// Of an image whose pixels have no size; "perimeter_crofton" is no perimeter in croftons.
TEST_F(regions_commands, each_column_is_there_by_its_name_alone) {
  for (const int rank : {1, 2, 3}) {
    const cli::table_sources of{rank, dtype::u8, {}};
    std::vector<std::string> names = {"centroid_w*", "area_b*"};
    for (const std::string& name : cli::more_columns("all", of)) {
      const std::string stem = name.substr(0, name.find('-'));
      if (!cli::holds(names, stem)) names.push_back(stem);
      if (!stem.starts_with("moments") && stem != name) names.push_back(name);
    }
    ASSERT_GT(names.size(), 20U);
    for (const std::string& name : names) {
      SCOPED_TRACE(name + ", rank " + std::to_string(rank));
      EXPECT_NO_THROW(cli::check_sources("--keep", {name}, of));
      EXPECT_NO_THROW(EXPECT_GE(cli::choose_columns(name, of).names.size(), 2U));
    }
    for (const char* name : {"centroid_um-0", "centroid_nm", "area_spaced"})
      EXPECT_THROW(cli::check_sources("--keep", {name}, of), cli::usage_error) << name << ", rank " << rank;
  }
  const cli::table_sources channels{2, dtype::u8, {}, 3};
  EXPECT_NO_THROW(cli::check_sources("--features", {"centroid_weighted_local-1-2"}, channels));
  EXPECT_EQ(succeed({"measure", "--labels", "@/cells.pgm", "--features", "centroid_local-1"}),
            "label,centroid_local-1\n4,0\n9,1\n");
  EXPECT_EQ(
      succeed({"measure", "@/cells.pgm", "--threshold", "3", "--keep", "perimeter_crofton>0", "--features", "area"}),
      "label,area\n1,5\n");
}

TEST_F(regions_commands, columns_on_a_device) {
  const std::vector<std::string> asked = {"measure", "--labels", "@/cells.pgm", "--engine", "cuda", "--features"};
  const auto with = [&](const std::string& features) {
    std::vector<std::string> arguments = asked;
    arguments.push_back(features);
    return arguments;
  };
  if (!has_cuda()) {
    EXPECT_TRUE(fail(with("area")).starts_with("--engine cuda: "));
    return;
  }
  const std::string names =
      "area,euler_number,number_of_holes,perimeter,perimeter_crofton,circularity,eccentricity,area_convex";
  EXPECT_EQ(succeed(with(names)), succeed({"measure", "--labels", "@/cells.pgm", "--features", names}));
}

TEST_F(regions_commands, keep_components_by_their_shape) {
  write("mask.pgm", pgm_bytes("5 3\n255\n"
                              "1 1 0 1 0\n"
                              "1 1 0 1 0\n"
                              "0 0 0 1 1"));
  EXPECT_EQ(
      succeed({"measure", "@/mask.pgm", "--threshold", "0", "--keep", "solidity>=1", "--features", "area,solidity"}),
      "label,area,solidity\n1,4,1\n");
  EXPECT_EQ(succeed({"measure", "@/mask.pgm", "--threshold", "0", "--keep", "feret_diameter_max>3", "--features",
                     "area,number_of_holes"}),
            "label,area,number_of_holes\n1,4,0\n");
  succeed({"label", "@/mask.pgm", "--threshold", "0", "--keep", "feret_diameter_max>3", "-o", "@/long.npy", "-q"});
  EXPECT_EQ(pixels("long.npy"), "0 0 0 1 0/0 0 0 1 0/0 0 0 1 1");
}

TEST_F(regions_commands, measure_with_another_background) {
  write_labels<std::int32_t>("signed.npy", "<i4", {-5, 7, 0, 7});
  EXPECT_EQ(succeed({"measure", "--labels", "@/signed.npy", "--features", "area"}), "label,area\n7,2\n");
  EXPECT_EQ(succeed({"measure", "--labels", "@/signed.npy", "--background", "7", "--features", "area"}),
            "label,area\n-5,1\n0,1\n");
  EXPECT_EQ(succeed({"measure", "--labels", "@/signed.npy", "--background", "-5", "--features", "area"}),
            "label,area\n0,1\n7,2\n");
  EXPECT_EQ(fail({"measure", "--labels", "@/signed.npy", "--background", "0.5"}),
            "--background: with --labels it is a label, a whole number of at most 2^53");
  succeed({"relabel", "@/signed.npy", "--background", "none", "--order", "labels", "-o", "@/out.npy"});
  EXPECT_EQ(pixels("out.npy"), "1 3 2 3");
}

TEST_F(regions_commands, measure_folders_and_stacks) {
  std::filesystem::create_directory(path("in"));
  write("in/a.pgm", pgm_bytes("2 1\n255\n3 0"));
  write("in/b.pgm", pgm_bytes("2 1\n255\n0 0"));
  EXPECT_EQ(succeed({"measure", "--labels", "@/in", "--features", "area", "-o", "@/t.csv", "-q"}), "");
  EXPECT_NE(read("t.csv").find("a.pgm,3,1\n"), std::string::npos);
  write("film.npy", npy_bytes("|u1", "(2, 1, 5)", bytes_of<std::uint8_t>({8, 8, 0, 0, 0, 5, 0, 8, 0, 0})));
  EXPECT_EQ(succeed({"measure", "--labels", "--stack", "@/film.npy", "--features", "area"}),
            "frame,label,area\n0,8,2\n1,5,1\n1,8,1\n");
}

TEST_F(regions_commands, columns_that_need_equal_sides_say_so) {
  write("one.pgm", pgm_bytes("2 1\n255\n3 3"));
  std::vector<std::string> asked = {"measure", "--labels", "@/one.pgm", "--pixel-size", "0.5,0.25um"};
  const auto refusal = [&](const std::string& features) {
    std::vector<std::string> arguments = asked;
    arguments.insert(arguments.end(), {"--features", features});
    return fail(arguments);
  };
  const std::string why = " needs pixels of equal sides; these are 0.5 x 0.25 um";
  for (const char* column : {"perimeter_um", "perimeter_crofton_um"})
    EXPECT_EQ(refusal(std::string("area,") + column), std::string("--features: ") + column + why);
  EXPECT_EQ(fail({"measure", "@/one.pgm", "--pixel-size", "0.5,0.25um", "--keep", "perimeter_um>2"}),
            "--keep: perimeter_um" + why);
  EXPECT_EQ(refusal("perimeter_nm").find("--features: no 'perimeter_nm'"), 0U);
  asked.insert(asked.end(), {"--features", "perimeter"});
  EXPECT_EQ(succeed(asked).substr(0, 16), "label,perimeter\n");
  asked = {"measure", "--labels", "@/one.pgm", "--pixel-size", "0.5um", "--features", "perimeter_um"};
  EXPECT_EQ(succeed(asked).substr(0, 19), "label,perimeter_um\n");
}

TEST_F(regions_commands, measure_refuses_what_are_no_labels) {
  write_labels<float>("float.npy", "<f4", {1, 2});
  EXPECT_EQ(fail({"measure", "--labels", "@/float.npy"}),
            "@/float.npy: labels: dtype is float32; give integers of 8 to 64 bits or bool");
  write("colour.ppm", "P3\n1 1\n255\n1 2 3\n");
  EXPECT_EQ(fail({"measure", "--labels", "@/colour.ppm"}),
            "@/colour.ppm: is in colour, not a label image; choose one channel with --channel");
  EXPECT_EQ(succeed({"measure", "--labels", "@/colour.ppm", "--channel", "2", "--features", "area"}),
            "label,area\n3,1\n");
  write_labels<std::uint64_t>("large.npy", "<u8", {(std::uint64_t{1} << 53) + 1, 1});
  EXPECT_EQ(fail({"measure", "--labels", "@/large.npy"}),
            "@/large.npy: has labels beyond 2^53, such as 9007199254740993; number them with skerry relabel");
  write("small.pgm", pgm_bytes("2 1\n255\n3 0"));
  EXPECT_EQ(fail({"measure", "--labels", "@/cells.pgm", "--intensity", "@/small.pgm"}),
            "@/small.pgm: is 1 x 2, but @/cells.pgm is 2 x 4");
}

TEST_F(regions_commands, measure_has_no_foreground) {
  for (const std::vector<std::string>& option : std::vector<std::vector<std::string>>{{"--threshold", "3"},
                                                                                      {"--invert"},
                                                                                      {"--min-area", "3"},
                                                                                      {"--keep", "area>1"},
                                                                                      {"--equal"},
                                                                                      {"--periodic", "x"},
                                                                                      {"--write-labels", "@/l.tif"}}) {
    std::vector<std::string> arguments = {"measure", "--labels", "@/cells.pgm"};
    arguments.insert(arguments.end(), option.begin(), option.end());
    EXPECT_NE(fail(arguments).find("--labels"), std::string::npos) << option.front();
  }
  EXPECT_NE(fail({"relabel", "@/cells.pgm", "-o", "@/o.npy", "--background", "x"}).find("'x' is not a whole number"),
            std::string::npos);
  EXPECT_EQ(fail({"measure", "--labels", "@/cells.pgm", "--memory", "1G", "--engine", "cuda"}),
            "--engine cuda has no regions with --memory; take cpu");
  EXPECT_EQ(fail({"measure", "--labels", "@/cells.pgm", "--method", "rosenfeld"}),
            "--labels: --method rosenfeld finds components; leave it out");
}

TEST_F(regions_commands, relabel_numbers_regions) {
  for (const std::string& engine : engines({"cpu", "reference"})) {
    EXPECT_EQ(succeed({"relabel", "@/cells.pgm", "-o", "@/out.npy", "--engine", engine}), "@/cells.pgm: 2 regions\n");
    EXPECT_EQ(pixels("out.npy"), "1 1 0 2/0 0 1 2");
    succeed({"relabel", "@/cells.pgm", "--order", "labels", "-o", "@/out.tif", "-q", "--engine", engine});
    EXPECT_EQ(pixels("out.tif"), "2 2 0 1/0 0 2 1");
    succeed({"relabel", "@/cells.pgm", "--background", "9", "-o", "@/out.png", "-q", "--engine", engine});
    EXPECT_EQ(pixels("out.png"), "0 0 1 2/1 1 0 2");
  }
  EXPECT_NE(fail({"relabel", "@/cells.pgm"}).find("--output"), std::string::npos);
  EXPECT_NE(fail({"relabel", "@/cells.pgm", "-o", "@/cells.pgm"}).find("-o"), std::string::npos);
}

TEST_F(regions_commands, background_is_a_label_of_a_table) {
  EXPECT_TRUE(fail({"measure", "@/cells.pgm", "--labels", "--background", "99999999999999999999999"})
                  .find("with --labels give a label of at most 2^53") != std::string::npos);
}

TEST_F(regions_commands, relabel_numbers_the_regions_that_are_kept) {
  write("some.pgm", pgm_bytes("6 4\n255\n"
                              "7 0 0 0 0 0\n"
                              "0 3 3 0 5 0\n"
                              "0 3 3 0 5 0\n"
                              "0 0 0 0 0 7"));
  const auto kept = [&](const std::vector<std::string>& options) {
    std::vector<std::string> all = {"relabel", "@/some.pgm", "-q", "-o", "@/out.npy"};
    all.insert(all.end(), options.begin(), options.end());
    succeed(all);
    return pixels("out.npy");
  };
  const std::string inner = "0 0 0 0 0 0/0 1 1 0 2 0/0 1 1 0 2 0/0 0 0 0 0 0";
  const std::string square = "0 0 0 0 0 0/0 1 1 0 0 0/0 1 1 0 0 0/0 0 0 0 0 0";
  EXPECT_EQ(kept({"--clear-border"}), inner);
  EXPECT_EQ(kept({"--min-area", "3"}), square);
  EXPECT_EQ(kept({"--keep", "area>2"}), square);
  EXPECT_EQ(kept({"--keep", "label!=7"}), inner);  // the old label
  EXPECT_EQ(kept({"--keep", "label!=7", "--order", "labels"}), inner);
  EXPECT_EQ(kept({"--keep-largest", "1"}), square);
  EXPECT_EQ(kept({"--max-area", "2", "--keep-largest", "1"}), "1 0 0 0 0 0/0 0 0 0 0 0/0 0 0 0 0 0/0 0 0 0 0 1");
  EXPECT_EQ(kept({"--keep-largest", "1", "--keep", "area<3"}), "0 0 0 0 0 0/0 0 0 0 0 0/0 0 0 0 0 0/0 0 0 0 0 0");
  EXPECT_EQ(kept({"--keep", "perimeter<3 and eccentricity>0.5 and solidity==1"}),
            "0 0 0 0 0 0/0 0 0 0 1 0/0 0 0 0 1 0/0 0 0 0 0 0");
  EXPECT_EQ(kept({"--keep", "area_um2>=1", "--pixel-size", "0.5,0.5um"}), square);
  EXPECT_EQ(fail({"relabel", "@/some.pgm", "-o", "@/o.npy", "--keep", "intensity_mean>3"}),
            "--keep intensity_mean: give an image with --intensity");
  EXPECT_EQ(fail({"relabel", "@/some.pgm", "-o", "@/o.npy", "--min-area", "3", "--max-area", "2"}),
            "--min-area is above --max-area");
}

TEST_F(regions_commands, relabel_keeps_regions_by_intensity) {
  write("bright.pgm", pgm_bytes("4 2\n255\n9 9 0 30\n0 0 9 50"));
  write("film.npy", npy_bytes("|u1", "(2, 1, 4)", bytes_of<std::uint8_t>({7, 7, 0, 3, 0, 7, 3, 3})));
  write("light.npy", npy_bytes("|u1", "(2, 1, 4)", bytes_of<std::uint8_t>({1, 3, 0, 9, 0, 9, 1, 2})));
  EXPECT_EQ(succeed({"measure", "--labels", "@/cells.pgm", "--intensity", "@/bright.pgm", "--features",
                     "intensity_mean,intensity_median"}),
            "label,intensity_mean,intensity_median\n4,40,40\n9,9,9\n");
  for (const std::string condition : {"intensity_mean>10", "intensity_median==40", "intensity_mean>10 and extent==1"}) {
    succeed({"relabel", "@/cells.pgm", "--intensity", "@/bright.pgm", "--keep", condition, "-q", "-o", "@/out.npy"});
    EXPECT_EQ(pixels("out.npy"), "0 0 0 1/0 0 0 1") << condition;
  }
  succeed({"relabel", "@/cells.pgm", "--intensity", "@/{name}.pgm", "--keep", "intensity_mean==4", "-q", "-o",
           "@/out.npy"});  // the label image itself
  EXPECT_EQ(pixels("out.npy"), "0 0 0 1/0 0 0 1");
  succeed({"relabel", "--stack", "@/film.npy", "--intensity", "@/light.npy", "--keep", "intensity_max>=3", "-q", "-o",
           "@/out.npy"});
  EXPECT_EQ(pixels("out.npy"), "1 1 0 2 | 0 1 0 0");
  succeed({"relabel", "@/cells.pgm", "--intensity", "@/bright.pgm", "--intensity-channel", "all", "--keep",
           "intensity_mean-0>10", "-q", "-o", "@/out.npy"});
  EXPECT_EQ(pixels("out.npy"), "0 0 0 1/0 0 0 1");
  EXPECT_EQ(fail({"relabel", "@/cells.pgm", "--intensity", "@/bright.pgm", "--keep", "area>1", "-o", "@/o.npy"}),
            "--intensity requires a column of intensity in --keep");
  write("small.pgm", pgm_bytes("2 1\n255\n3 0"));
  EXPECT_EQ(
      fail({"relabel", "@/cells.pgm", "--intensity", "@/small.pgm", "--keep", "intensity_mean>1", "-o", "@/o.npy"}),
      "@/small.pgm: is 1 x 2, but @/cells.pgm is 2 x 4");
}

TEST_F(regions_commands, relabel_keeps_labels) {
  EXPECT_EQ(succeed({"relabel", "@/cells.pgm", "--keep-labels", "--keep-largest", "1", "-o", "@/out.npy"}),
            "@/cells.pgm: 1 region\n");
  EXPECT_EQ(pixels("out.npy"), "9 9 0 0/0 0 9 0");
  succeed({"relabel", "@/cells.pgm", "--keep-labels", "--keep", "label==4", "-q", "-o", "@/out.tif"});
  EXPECT_EQ(pixels("out.tif"), "0 0 0 4/0 0 0 4");
  succeed({"relabel", "@/cells.pgm", "--keep-labels", "--min-area", "9", "-q", "-o", "@/out.npy"});
  EXPECT_EQ(pixels("out.npy"), "0 0 0 0/0 0 0 0");
  write_labels<std::uint64_t>("large.npy", "<u8", {1, (std::uint64_t{1} << 53) + 1});
  succeed({"relabel", "@/large.npy", "--keep-labels", "-q", "-o", "@/out.npy"});
  EXPECT_EQ(pixels("out.npy"), "1 9007199254740993");
  EXPECT_EQ(fail({"relabel", "@/large.npy", "--keep-labels", "--labels-type", "u32", "-o", "@/o.npy"}),
            "@/large.npy: label 9007199254740993 does not fit uint32; leave out --labels-type or --keep-labels");
  write_labels<std::int16_t>("signed.npy", "<i2", {-2, 0, 300});
  EXPECT_EQ(fail({"relabel", "@/signed.npy", "--background", "0", "--keep-labels", "-o", "@/o.npy"}),
            "@/signed.npy: has a region of label -2; --keep-labels takes labels above 0");
  EXPECT_EQ(fail({"relabel", "@/signed.npy", "--background", "-2", "--keep-labels", "-o", "@/o.npy"}),
            "@/signed.npy: has a region of label 0; --keep-labels takes labels above 0");
  succeed({"relabel", "@/signed.npy", "--keep-labels", "-q", "-o", "@/out.npy"});
  EXPECT_EQ(pixels("out.npy"), "0 0 300");
  EXPECT_NE(fail({"relabel", "@/cells.pgm", "--keep-labels", "--order", "labels", "-o", "@/o.npy"})
                .find("--order excludes --keep-labels"),
            std::string::npos);
}

TEST_F(regions_commands, measure_names_relabel_for_selections) {
  for (const std::vector<std::string>& option : std::vector<std::vector<std::string>>{{"--keep", "area>1"},
                                                                                      {"--min-area", "3"},
                                                                                      {"--max-area", "3"},
                                                                                      {"--keep-largest", "3"},
                                                                                      {"--clear-border"}}) {
    std::vector<std::string> arguments = {"measure", "--labels", "@/cells.pgm"};
    arguments.insert(arguments.end(), option.begin(), option.end());
    EXPECT_EQ(fail(arguments), option.front() +
                                   " excludes --labels; select regions of a label image with skerry relabel " +
                                   option.front() + " --keep-labels first");
  }
}

TEST_F(regions_commands, columns_of_another_rank) {
  write("volume.npy", npy_bytes("|u1", "(2, 2, 2)", bytes_of<std::uint8_t>({1, 1, 0, 2, 1, 0, 0, 2})));
  const auto refused = [&](const std::string& file, const std::string& names, const std::string& size = "none") {
    return fail({"measure", "--labels", file, "--features", names, "--pixel-size", size});
  };
  const std::string needs_plane = " needs a plane; the image has rank 3; --stack takes its pages one by one";
  EXPECT_EQ(refused("@/volume.npy", "area,perimeter"), "--features: 'perimeter'" + needs_plane);
  EXPECT_EQ(refused("@/volume.npy", "eccentricity"), "--features: 'eccentricity'" + needs_plane);
  EXPECT_EQ(refused("@/volume.npy", "moments_hu"), "--features: 'moments_hu'" + needs_plane);
  EXPECT_EQ(refused("@/volume.npy", "perimeter_um", "2um"), "--features: 'perimeter_um'" + needs_plane);
  EXPECT_EQ(refused("@/cells.pgm", "surface_area"), "--features: 'surface_area' needs a volume; the image has rank 2");
  write("line.npy", npy_bytes("|u1", "(4,)", bytes_of<std::uint8_t>({1, 1, 0, 2})));
  EXPECT_EQ(refused("@/line.npy", "solidity"),
            "--features: 'solidity' needs a plane or a volume; the image has rank 1");
  EXPECT_EQ(fail({"relabel", "@/volume.npy", "-o", "@/o.npy", "--keep", "perimeter>1"}),
            "--keep: 'perimeter'" + needs_plane);
  EXPECT_EQ(fail({"measure", "@/volume.npy", "--keep", "eccentricity<1"}), "--keep: 'eccentricity'" + needs_plane);
  EXPECT_TRUE(succeed({"measure", "--labels", "--stack", "@/volume.npy", "--features", "perimeter"})
                  .starts_with("frame,label,"));
}

TEST_F(regions_commands, relabel_keeps_few_of_more_than_a_type_holds) {
  std::vector<std::int16_t> labels;
  for (std::int16_t label = -300; label < 300; ++label) labels.push_back(label);
  write_labels("many.npy", "<i2", labels);
  EXPECT_EQ(succeed({"relabel", "@/many.npy", "--background", "none", "--keep", "label<-290", "--labels-type", "u8",
                     "-o", "@/out.npy"}),
            "@/many.npy: 10 regions\n");
  EXPECT_TRUE(pixels("out.npy").starts_with("1 2 3 4 5 6 7 8 9 10 0 0 "));
  write_labels<std::uint64_t>("large.npy", "<u8", {1, (std::uint64_t{1} << 53) + 1});
  EXPECT_EQ(succeed({"relabel", "@/large.npy", "--keep", "area==1", "-o", "@/out.npy"}), "@/large.npy: 2 regions\n");
  EXPECT_TRUE(fail({"relabel", "@/large.npy", "--keep", "label>1", "-o", "@/out.npy"})
                  .starts_with("@/large.npy: has labels beyond 2^53"));
  write("film.npy", npy_bytes("|u1", "(2, 1, 5)", bytes_of<std::uint8_t>({8, 8, 0, 0, 5, 5, 0, 8, 8, 8})));
  succeed({"relabel", "--stack", "@/film.npy", "-q", "--min-area", "2", "-o", "@/film-out.npy"});
  EXPECT_EQ(pixels("film-out.npy"), "1 1 0 0 0 | 0 0 1 1 1");
}

TEST_F(regions_commands, relabel_keeps_what_does_not_fit_unwritten) {
  std::vector<std::uint16_t> labels;
  for (std::uint16_t label = 0; label < 300; ++label) labels.push_back(label);
  write_labels("many.npy", "<u2", labels);
  EXPECT_EQ(fail({"relabel", "@/many.npy", "-o", "@/out.npy", "--labels-type", "u8"}),
            "@/many.npy: out: 299 regions do not fit uint8, which ends at 255; give a wider type");
  EXPECT_EQ(succeed({"relabel", "@/many.npy", "-o", "@/out.npy"}), "@/many.npy: 299 regions\n");
  write("film.npy", npy_bytes("|u1", "(2, 1, 5)", bytes_of<std::uint8_t>({8, 8, 0, 0, 0, 5, 0, 8, 0, 0})));
  EXPECT_EQ(succeed({"relabel", "--stack", "@/film.npy", "-o", "@/film-out.npy"}),
            "@/film.npy: 3 regions in 2 frames\n");
  EXPECT_EQ(pixels("film-out.npy"), "1 1 0 0 0 | 1 0 2 0 0");
}

}  // namespace
}  // namespace skerry::test
