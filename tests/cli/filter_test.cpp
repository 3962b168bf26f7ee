// SPDX-License-Identifier: Apache-2.0
// --keep of label and measure: which components stay, and that labels are 1..n after it.
#include "tiff_maker.hpp"
#include "workspace.hpp"

namespace skerry::test {
namespace {

class component_filters : public workspace {
 protected:
  component_filters() {
    // Areas 3, 1, 2, 1; the third is wide and dark.
    write("four.pgm", pgm_bytes("5 3\n255\n"
                                "9 0 7 0 2\n"
                                "9 0 0 0 2\n"
                                "9 0 5 0 0"));
  }
  std::string labels(const std::vector<std::string>& conditions, std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"label", "@/four.pgm", "-q", "-o", "@/out.npy"});
    for (const std::string& condition : conditions) options.insert(options.end(), {"--keep", condition});
    EXPECT_EQ(succeed(options), "");
    return pixels("out.npy");
  }
};

TEST_F(component_filters, labels_are_numbered_again) {
  EXPECT_EQ(labels({}), "1 0 2 0 3/1 0 0 0 3/1 0 4 0 0");
  EXPECT_EQ(labels({"area>=2"}), "1 0 0 0 2/1 0 0 0 2/1 0 0 0 0");
  EXPECT_EQ(labels({"area<2"}), "0 0 1 0 0/0 0 0 0 0/0 0 2 0 0");
  EXPECT_EQ(labels({"area<2 and not centroid-0>1"}), "0 0 1 0 0/0 0 0 0 0/0 0 0 0 0");
  EXPECT_EQ(labels({"area>=2", "bbox-1>0"}), "0 0 0 0 1/0 0 0 0 1/0 0 0 0 0");
  EXPECT_EQ(labels({"area>100"}), "0 0 0 0 0/0 0 0 0 0/0 0 0 0 0");
  EXPECT_EQ(labels({"area>0"}), labels({}));
}

TEST_F(component_filters, columns_are_measured_as_needed) {
  EXPECT_EQ(labels({"axis_major_length>3"}), "1 0 0 0 0/1 0 0 0 0/1 0 0 0 0");
  EXPECT_EQ(labels({"intensity_max<=5"}), "0 0 0 0 1/0 0 0 0 1/0 0 2 0 0");  // of the image itself
}

TEST_F(component_filters, come_after_the_other_selections) {
  // The largest is chosen first, and then dropped.
  EXPECT_EQ(labels({"area<3"}, {"--keep-largest", "1"}), "0 0 0 0 0/0 0 0 0 0/0 0 0 0 0");
  EXPECT_EQ(labels({"label>1"}, {"--min-area", "2"}), "0 0 0 0 1/0 0 0 0 1/0 0 0 0 0");
}

TEST_F(component_filters, engines_and_label_types) {
  for (const char* engine : {"cpu", "reference"})
    for (const char* type : {"u8", "u16", "u32", "u64"})
      EXPECT_EQ(labels({"area>=2"}, {"--engine", engine, "--labels-type", type}), "1 0 0 0 2/1 0 0 0 2/1 0 0 0 0");
  EXPECT_EQ(succeed({"label", "@/four.pgm", "--keep", "area>=2"}), "@/four.pgm: 2 components\n");
}

TEST_F(component_filters, labels_that_are_left_have_to_fit) {
  std::string dots;  // 300 of one pixel, then 20 of two
  for (int i = 0; i < 300; ++i) dots += std::string("\1\0", 2);
  for (int i = 0; i < 20; ++i) dots += std::string("\1\1\0", 3);
  write("dots.npy", npy_bytes("|u1", "(1, 660)", dots));
  succeed({"label", "@/dots.npy", "-o", "@/out.npy", "--labels-type", "u8", "--keep", "area>1"});
  EXPECT_EQ(pixels("out.npy").substr(1200),
            "1 1 0 2 2 0 3 3 0 4 4 0 5 5 0 6 6 0 7 7 0 8 8 0 9 9 0 10 10 0 11 11 0 12 12 "
            "0 13 13 0 14 14 0 15 15 0 16 16 0 17 17 0 18 18 0 19 19 0 20 20 0");
  EXPECT_EQ(fail({"label", "@/dots.npy", "-o", "@/out.npy", "--labels-type", "u8", "--keep", "area<2"}),
            "@/dots.npy: labels: 300 components do not fit uint8, which ends at 255; leave out --labels-type");
  succeed({"label", "@/dots.npy", "-o", "@/out.npy", "--labels-type", "u8", "--keep", "area<2 and centroid-1<510"});
}

TEST_F(component_filters, rows_of_a_table) {
  EXPECT_EQ(succeed({"measure", "@/four.pgm", "--keep", "area>=2 or intensity_max==5", "--intensity", "self",
                     "--features", "area,centroid-1"}),
            "label,area,centroid-1\n1,3,0\n2,2,4\n3,1,2\n");
  succeed({"measure", "@/four.pgm", "--keep", "eccentricity>0", "--features", "area", "-o", "@/t.csv", "--write-labels",
           "@/out.npy"});
  EXPECT_EQ(read("t.csv"), "label,area\n1,3\n2,2\n");
  EXPECT_EQ(pixels("out.npy"), "1 0 0 0 2/1 0 0 0 2/1 0 0 0 0");
  EXPECT_EQ(succeed({"measure", "@/four.pgm", "--keep", "area>5", "--features", "area,orientation"}),
            "label,area,orientation\n");
}

TEST_F(component_filters, frames_of_a_stack_are_filtered_each) {
  write("film.tif",
        tiff_bytes({grey_page(3, 1, 8, std::string("\1\0\1", 3)), grey_page(3, 1, 8, std::string("\1\1\0", 3)),
                    grey_page(3, 1, 8, std::string("\0\0\1", 3))}));
  EXPECT_EQ(succeed({"measure", "@/film.tif", "--stack", "--keep", "bbox-1==0", "--features", "area"}),
            "frame,label,area\n0,1,1\n1,1,2\n");
}

TEST_F(component_filters, columns_in_units) {
  // Pixels of 0.5 x 0.25 um: areas 0.375, 0.125, 0.25 and 0.125 um2.
  const std::vector<std::string> size = {"--pixel-size", "0.5,0.25um"};
  EXPECT_EQ(labels({"area_um2>=0.25"}, size), "1 0 0 0 2/1 0 0 0 2/1 0 0 0 0");
  EXPECT_EQ(labels({"area_um2<0.25 and centroid_um-0<1"}, size), "0 0 1 0 0/0 0 0 0 0/0 0 0 0 0");
  EXPECT_EQ(labels({"axis_major_length_um>1.2 or centroid_um-1==1"}, size), "1 0 0 0 2/1 0 0 0 2/1 0 0 0 0");
  EXPECT_EQ(labels({"area_spaced==6"}, {"--pixel-size", "2,1"}), "1 0 0 0 0/1 0 0 0 0/1 0 0 0 0");
  EXPECT_EQ(succeed({"measure", "@/four.pgm", "--pixel-size", "0.5,0.25um", "--keep",
                     "area_um2>0.3 or intensity_max==7", "--intensity", "self", "--features", "area_um2"}),
            "label,area_um2\n1,0.375\n2,0.125\n");
  // A size of the file's own.
  const std::string ome =
      "<OME><Image><Pixels DimensionOrder=\"XYCZT\" SizeX=\"1\" SizeY=\"1\" SizeZ=\"2\" SizeC=\"1\" SizeT=\"1\" "
      "PhysicalSizeX=\"0.05\" PhysicalSizeY=\"0.5\" PhysicalSizeZ=\"2\"/></Image></OME>";
  write("stack.tif", tiff_bytes({grey_page(1, 1, 8, "\1").describe(ome), grey_page(1, 1, 8, "\1")}));
  EXPECT_EQ(succeed({"measure", "@/stack.tif", "--keep", "area_um3==0.1", "--features", "area_um3"}),
            "label,area_um3\n1,0.1\n");
}

TEST_F(component_filters, columns_that_need_a_pixel_size) {
  for (const std::string column :
       {"area_um2", "area_spaced", "centroid_nm-1", "axis_minor_length_mm", "moments_central_um2-0-2",
        "eccentricity_spaced", "perimeter_um", "area_convex_spaced"}) {
    const std::string remedy = ": the image has no pixel size; give one with --pixel-size";
    EXPECT_EQ(fail({"label", "@/four.pgm", "--keep", column + ">1"}), "--keep " + column + remedy);
    EXPECT_EQ(fail({"measure", "@/four.pgm", "--features", "area," + column}), "--features " + column + remedy);
  }
  EXPECT_EQ(fail({"measure", "@/four.pgm", "--features", "centroid_um"}),
            "--features centroid_um: the image has no pixel size; give one with --pixel-size");
  EXPECT_EQ(fail({"measure", "@/four.pgm", "--keep", "area_um2>1", "--pixel-size", "2nm"})
                .find("--keep: no 'area_um2'; did you mean 'area_nm2'? docs/columns.md lists all"),
            0U);
  const std::vector<std::pair<std::string, std::string>> near = {
      {"area_um3", ""},        {"area_", "area_bbox"},          {"area_2", "area"},
      {"bbox_um-0", "bbox-0"}, {"centroid_um-2", "centroid-0"}, {"area_um2_", ""}};
  for (const auto& [column, other] : near)
    EXPECT_EQ(fail({"label", "@/four.pgm", "--keep", column + ">1"})
                  .find("--keep: no '" + column + "'; " +
                        (other.empty() ? "there are label, area, " : "did you mean '" + other + "'? docs/")),
              0U)
        << column;
}

TEST_F(component_filters, wrong_conditions_are_one_line) {
  EXPECT_EQ(fail({"label", "@/four.pgm", "--keep", "area"}),
            "--keep 'area': expected a comparison such as 'area>=20', with the quotes, at the end");
  EXPECT_EQ(fail({"label", "@/none.pgm", "--keep", "area>="}),  // before any file is read
            "--keep 'area>=': expected a column or a number at the end");
  EXPECT_EQ(fail({"measure", "@/four.pgm", "--keep", "intensity_max>3"}),
            "--keep intensity_max: give an image with --intensity");
  EXPECT_EQ(fail({"label", "@/four.pgm", "--keep", "bbox>3"})
                .find("--keep: no 'bbox'; did you mean 'bbox-0'? docs/columns.md lists all"),
            0U);
}

}  // namespace
}  // namespace skerry::test
