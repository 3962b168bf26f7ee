// SPDX-License-Identifier: Apache-2.0
#include "skerry/published.hpp"
#include "tiff_maker.hpp"
#include "workspace.hpp"

namespace skerry::test {
namespace {

class label_command : public workspace {
 protected:
  label_command() {
    write("blobs.pgm", pgm_bytes("6 4\n255\n"
                                 "0 9 9 0 0 0\n"
                                 "0 9 0 0 5 0\n"
                                 "0 0 0 0 5 5\n"
                                 "7 0 0 0 0 0"));
  }
  const std::string all = "0 1 1 0 0 0/0 1 0 0 2 0/0 0 0 0 2 2/3 0 0 0 0 0";

  // Labels with these options, as text.
  std::string labels(std::vector<std::string> options, const std::string& input = "@/blobs.pgm") {
    options.insert(options.begin(), {"label", input, "-q", "-o", "@/out.npy"});
    EXPECT_EQ(succeed(options), "");
    return pixels("out.npy");
  }
};

TEST_F(label_command, every_format_holds_the_labels) {
  for (const char* name : {"out.npy", "out.tif", "out.tiff", "out.TIF", "out.png"}) {
    EXPECT_EQ(succeed({"label", "@/blobs.pgm", "-o", std::string("@/") + name}), "@/blobs.pgm: 3 components\n");
    EXPECT_EQ(pixels(name), all) << name;
  }
}

TEST_F(label_command, npy_bytes_are_as_numpy_writes_them) {
  succeed({"label", "@/blobs.pgm", "-o", "@/out.npy"});
  const std::string image("\0\1\1\0\0\0\0\1\0\0\2\0\0\0\0\0\2\2\3\0\0\0\0\0", 24);
  EXPECT_EQ(read("out.npy"), npy_bytes("|u1", "(4, 6)", image));
  succeed({"label", "@/blobs.pgm", "-o", "@/out.npy", "--labels-type", "u16"});
  EXPECT_EQ(read("out.npy").substr(0, 128), npy_bytes("<u2", "(4, 6)", ""));
}

TEST_F(label_command, without_output_it_counts) {
  EXPECT_EQ(succeed({"label", "@/blobs.pgm"}), "@/blobs.pgm: 3 components\n");
  EXPECT_EQ(succeed({"label", "@/blobs.pgm", "--threshold", "8"}), "@/blobs.pgm: 1 component\n");
  EXPECT_EQ(succeed({"label", "@/blobs.pgm", "-q"}), "");
  EXPECT_EQ(files(), std::vector<std::string>{"blobs.pgm"});
}

TEST_F(label_command, every_engine_gives_the_same_bytes) {
  succeed({"label", "@/blobs.pgm", "-o", "@/auto.tif"});
  for (const char* engine : {"cpu", "reference"}) {
    succeed({"label", "@/blobs.pgm", "-o", "@/one.tif", "--engine", engine});
    EXPECT_EQ(read("one.tif"), read("auto.tif")) << engine;
  }
  succeed({"label", "@/blobs.pgm", "-o", "@/two.tif", "--engine", "cpu", "--threads", "2"});
  EXPECT_EQ(read("two.tif"), read("auto.tif"));
}

TEST_F(label_command, foreground_rules) {
  EXPECT_EQ(labels({}), all);
  EXPECT_EQ(labels({"--threshold", "5"}), "0 1 1 0 0 0/0 1 0 0 0 0/0 0 0 0 0 0/2 0 0 0 0 0");
  EXPECT_EQ(labels({"--threshold", "6.5"}), labels({"--threshold", "5"}));
  EXPECT_EQ(labels({"--at-least", "5"}), all);
  EXPECT_EQ(labels({"--range", "5", "7"}), "0 0 0 0 0 0/0 0 0 0 1 0/0 0 0 0 1 1/2 0 0 0 0 0");
}

TEST_F(label_command, invert_takes_the_other_pixels) {
  const std::string background = "1 0 0 1 1 1/1 0 1 1 0 1/1 1 1 1 0 0/0 1 1 1 1 1";
  EXPECT_EQ(labels({"--invert"}), background);
  EXPECT_EQ(labels({"--threshold", "0", "--invert"}), background);
  EXPECT_EQ(labels({"--at-least", "5", "--invert"}), background);
  EXPECT_EQ(labels({"--at-least", "9", "--invert"}), "1 0 0 1 1 1/1 0 1 1 1 1/1 1 1 1 1 1/1 1 1 1 1 1");
}

TEST_F(label_command, nan_is_never_foreground) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  write("f.npy", npy_bytes("<f4", "(1, 5)", bytes_of<float>({nan, 1, nan, -1, nan})));
  EXPECT_EQ(labels({}, "@/f.npy"), "0 1 0 2 0");
  EXPECT_EQ(labels({"--threshold", "0"}, "@/f.npy"), "0 1 0 0 0");
  EXPECT_EQ(labels({"--threshold", "0", "--invert"}, "@/f.npy"), "0 0 0 1 0");
}

TEST_F(label_command, connectivity) {
  write("diagonal.pgm", pgm_bytes("2 2\n255\n1 0\n0 1"));
  EXPECT_EQ(labels({}, "@/diagonal.pgm"), "1 0/0 1");
  EXPECT_EQ(labels({"--connectivity", "8"}, "@/diagonal.pgm"), "1 0/0 1");
  EXPECT_EQ(labels({"--connectivity", "4"}, "@/diagonal.pgm"), "1 0/0 2");
  write("volume.npy", npy_bytes("|u1", "(2, 2, 2)", std::string("\1\0\0\0\0\0\0\1", 8)));
  EXPECT_EQ(labels({}, "@/volume.npy"), "1 0/0 0 | 0 0/0 1");
  EXPECT_EQ(labels({"--connectivity", "18"}, "@/volume.npy"), "1 0/0 0 | 0 0/0 2");
  EXPECT_EQ(labels({"--connectivity", "6"}, "@/volume.npy"), "1 0/0 0 | 0 0/0 2");
}

TEST_F(label_command, an_array_of_one_axis_stays_one) {
  write("line.npy", npy_bytes("|u1", "(6,)", std::string("\0\3\3\0\7\1", 6)));
  succeed({"label", "@/line.npy", "-o", "@/out.npy"});
  EXPECT_EQ(read("out.npy"), npy_bytes("|u1", "(6,)", std::string("\0\1\1\0\2\2", 6)));
  succeed({"label", "@/line.npy", "--equal", "-o", "@/out.npy"});
  EXPECT_EQ(read("out.npy"), npy_bytes("|u1", "(6,)", std::string("\0\1\1\0\2\3", 6)));
  succeed({"measure", "@/line.npy", "--labels", "--features", "area,bbox", "-o", "@/table.csv"});
  EXPECT_EQ(read("table.csv"), "label,area,bbox-0,bbox-1\n1,1,5,6\n3,2,1,3\n7,1,4,5\n");
}

TEST_F(label_command, selections) {
  EXPECT_EQ(labels({"--min-area", "2"}), "0 1 1 0 0 0/0 1 0 0 2 0/0 0 0 0 2 2/0 0 0 0 0 0");
  EXPECT_EQ(labels({"--max-area", "1"}), "0 0 0 0 0 0/0 0 0 0 0 0/0 0 0 0 0 0/1 0 0 0 0 0");
  EXPECT_EQ(labels({"--keep-largest", "1"}), "0 1 1 0 0 0/0 1 0 0 0 0/0 0 0 0 0 0/0 0 0 0 0 0");
  EXPECT_EQ(labels({"--clear-border"}), "0 0 0 0 0 0/0 0 0 0 0 0/0 0 0 0 0 0/0 0 0 0 0 0");
  write("ring.pgm", pgm_bytes("5 5\n255\n0 0 0 0 0\n0 1 1 1 0\n0 1 0 1 0\n0 1 1 1 0\n0 0 0 0 0"));
  EXPECT_EQ(labels({"--fill-holes"}, "@/ring.pgm"), "0 0 0 0 0/0 1 1 1 0/0 1 1 1 0/0 1 1 1 0/0 0 0 0 0");
  EXPECT_EQ(labels({"--clear-border"}, "@/ring.pgm"), "0 0 0 0 0/0 1 1 1 0/0 1 0 1 0/0 1 1 1 0/0 0 0 0 0");
}

TEST_F(label_command, values_join_components) {
  write("classes.pgm", pgm_bytes("4 2\n255\n1 1 2 4\n0 1 4 1"));
  EXPECT_EQ(labels({"--equal", "-c", "4"}, "@/classes.pgm"), "1 1 2 3/0 1 4 5");
  EXPECT_EQ(labels({"--equal"}, "@/classes.pgm"), "1 1 2 3/0 1 3 4");
  EXPECT_EQ(labels({"--delta", "1"}, "@/classes.pgm"), "1 1 1 2/0 1 2 1");
  EXPECT_EQ(labels({"--delta", "2.5", "-c", "4"}, "@/classes.pgm"), "1 1 1 1/0 1 1 2");
  EXPECT_EQ(labels({"--background", "1"}, "@/classes.pgm"), "0 0 1 1/2 0 1 0");
  EXPECT_EQ(labels({"--background", "1", "--invert"}, "@/classes.pgm"), "1 1 0 0/0 1 0 2");
  EXPECT_EQ(labels({"--background", "9007199254740992"}, "@/classes.pgm"),
            labels({"--at-least", "0"}, "@/classes.pgm"));
  EXPECT_EQ(
      fail({"label", "@/classes.pgm", "--background", "-9007199254740993"}),
      "--background: '-9007199254740993' is beyond 2^53 and no double; choose the pixels by --range (see skerry label "
      "--help)");
  EXPECT_EQ(labels({"--equal", "-c", "4", "--background", "4"}, "@/classes.pgm"), "1 1 2 0/3 1 0 4");
  EXPECT_EQ(labels({"--equal", "--periodic", "x"}, "@/classes.pgm"), "1 1 2 3/0 1 3 1");
  EXPECT_EQ(labels({"--equal", "--periodic", "y,x", "-c", "4", "--engine", "reference"}, "@/classes.pgm"),
            "1 1 2 3/0 1 4 5");
  succeed(
      {"measure", "@/classes.pgm", "--equal", "--periodic", "x", "--features", "label,area", "-o", "@/t.csv", "-q"});
  EXPECT_EQ(read("t.csv"), "label,area\n1,4\n2,1\n3,2\n");
}

TEST_F(label_command, options_that_do_not_go_with_joining) {
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--equal", "--delta", "1"},
                                             {"--equal", "--fill-holes"},
                                             {"--periodic", "x", "--fill-holes"},
                                             {"--delta", "-1"},
                                             {"--delta", "nan"},
                                             {"--periodic", "w"},
                                             {"--periodic", "x,x"},
                                             {"--periodic", ""},
                                             {"--periodic", "z"},
                                             {"--background", "0", "--threshold", "1"},
                                             {"--equal", "--method", "rosenfeld"},
                                             {"--equal", "--engine", "cuda"}}) {
    std::vector<std::string> arguments = {"label", "@/blobs.pgm"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(run(arguments).code, 2) << wrong[0] << " " << wrong[1];
  }
}

TEST_F(label_command, otsu_says_its_threshold) {
  EXPECT_EQ(succeed({"label", "@/blobs.pgm", "--threshold", "otsu"}), "@/blobs.pgm: 3 components, otsu threshold 0\n");
}

TEST_F(label_command, pages_are_a_volume_or_a_stack_or_one_of_them) {
  const std::string ones("\1\0\0\0", 4), twos("\0\0\0\1", 4);
  write("pages.tif", tiff_bytes({grey_page(2, 2, 8, ones), grey_page(2, 2, 8, twos)}));
  EXPECT_EQ(labels({}, "@/pages.tif"), "1 0/0 0 | 0 0/0 1");
  EXPECT_EQ(labels({"--connectivity", "6"}, "@/pages.tif"), "1 0/0 0 | 0 0/0 2");
  EXPECT_EQ(labels({"--stack"}, "@/pages.tif"), "1 0/0 0 | 0 0/0 1");
  EXPECT_EQ(labels({"--stack", "--connectivity", "4"}, "@/pages.tif"), "1 0/0 0 | 0 0/0 1");
  EXPECT_EQ(labels({"--page", "1"}, "@/pages.tif"), "0 0/0 1");
  EXPECT_EQ(succeed({"label", "@/pages.tif", "--stack"}), "@/pages.tif: 2 components in 2 frames\n");
  EXPECT_EQ(fail({"label", "@/pages.tif", "--page", "2"}), "@/pages.tif: has no page 2: it has 2, the first is 0");
  EXPECT_EQ(fail({"label", "@/blobs.pgm", "--page", "1"}), "@/blobs.pgm: has no page 1: it has 1, the first is 0");
}

TEST_F(label_command, a_stack_of_one_frame_says_its_threshold_and_several_do_not) {
  write("two.npy", npy_bytes("|u1", "(2, 1, 2)", std::string("\1\5\5\1", 4)));
  EXPECT_EQ(succeed({"label", "@/two.npy", "--stack", "--threshold", "otsu"}), "@/two.npy: 2 components in 2 frames\n");
  write("one.npy", npy_bytes("|u1", "(1, 1, 2)", "\1\5"));
  EXPECT_EQ(succeed({"label", "@/one.npy", "--stack", "--threshold", "otsu"}),
            "@/one.npy: 1 component in 1 frame, otsu threshold 1\n");
}

TEST_F(label_command, slices_of_a_volume_fit_together) {
  write("a.npy", npy_bytes("|u1", "(4, 5)", std::string(20, '\1')));
  write("b.npy", npy_bytes("|u1", "(4, 5)", std::string(20, '\1')));
  write("wide.npy", npy_bytes("<u2", "(4, 5)", std::string(40, '\1')));
  write("long.npy", npy_bytes("|u1", "(5, 4)", std::string(20, '\1')));
  EXPECT_EQ(succeed({"label", "@/a.npy", "@/b.npy", "--volume", "--max-pixels", "40"}), "@/a.npy: 1 component\n");
  EXPECT_EQ(fail({"label", "@/a.npy", "@/b.npy", "--volume", "--max-pixels", "39"}),
            "@/b.npy: is too large: 2 x 4 x 5 pixels, the limit is 39 in all");
  EXPECT_EQ(fail({"label", "@/a.npy", "@/wide.npy", "--volume"}),
            "@/wide.npy: does not fit the volume: it is 4 x 5 of uint16, @/a.npy is 4 x 5 of uint8");
  EXPECT_EQ(fail({"label", "@/a.npy", "@/long.npy", "--volume"}),
            "@/long.npy: does not fit the volume: it is 5 x 4 of uint8, @/a.npy is 4 x 5 of uint8");
}

TEST_F(label_command, names_of_overlays_end_in_png_of_either_case) {
  succeed({"label", "@/blobs.pgm", "--overlay", "@/seen.PNG", "-q"});
  EXPECT_EQ(io::read_image(path("seen.PNG")).format, "png");
  EXPECT_EQ(fail({"label", "@/blobs.pgm", "--overlay", "@/seen.jpg"}), "@/seen.jpg: an overlay ends in .png");
}

TEST_F(label_command, a_volume_is_written_as_pages) {
  write("volume.npy", npy_bytes("|u1", "(3, 1, 2)", std::string("\1\0\1\0\0\1", 6)));
  succeed({"label", "@/volume.npy", "-o", "@/out.tif", "--connectivity", "6"});
  EXPECT_EQ(pixels("out.tif"), "1 0 | 1 0 | 0 2");
  EXPECT_EQ(fail({"label", "@/volume.npy", "-o", "@/out.png"}), "@/out.png: a PNG holds no volume; write .tif or .npy");
  EXPECT_EQ(files(), (std::vector<std::string>{"blobs.pgm", "out.tif", "volume.npy"}));
}

TEST_F(label_command, slices_in_files_make_a_volume) {
  write("z0.pgm", pgm_bytes("2 1\n255\n1 0"));
  write("z1.pgm", pgm_bytes("2 1\n255\n1 0"));
  write("z2.pgm", pgm_bytes("2 1\n255\n0 1"));
  succeed({"label", "@/z0.pgm", "@/z1.pgm", "@/z2.pgm", "--volume", "--connectivity", "6", "-o", "@/out.npy"});
  EXPECT_EQ(pixels("out.npy"), "1 0 | 1 0 | 0 2");
  EXPECT_EQ(fail({"label", "@/z0.pgm", "@/blobs.pgm", "--volume"}),
            "@/blobs.pgm: does not fit the volume: it is 4 x 6 of uint8, @/z0.pgm is 1 x 2 of uint8");
}

TEST_F(label_command, one_slice_can_be_a_volume) {
  EXPECT_EQ(labels({"--volume", "--connectivity", "6"}), all);
  EXPECT_EQ(io::read_image(path("out.npy")).size, extent(1, 4, 6));
}

TEST_F(label_command, several_inputs_go_to_a_folder_or_a_pattern) {
  write("b.pgm", pgm_bytes("2 1\n255\n0 3"));
  EXPECT_EQ(succeed({"label", "@/blobs.pgm", "@/b.pgm", "-o", "@/labels", "--overlay", "@/seen/"}),
            "@/blobs.pgm: 3 components\n@/b.pgm: 1 component\n");
  succeed({"label", "@/blobs.pgm", "@/b.pgm", "-o", "@/{name}.npy"});
  EXPECT_EQ(files(),
            (std::vector<std::string>{"b.npy", "b.pgm", "blobs.npy", "blobs.pgm", "labels/b-labels.tif",
                                      "labels/blobs-labels.tif", "seen/b-overlay.png", "seen/blobs-overlay.png"}));
  EXPECT_EQ(pixels("labels/b-labels.tif"), "0 1");
  EXPECT_EQ(pixels("b.npy"), "0 1");
  EXPECT_EQ(pixels("blobs.npy"), all);
  EXPECT_EQ(fail({"label", "@/blobs.pgm", "@/b.pgm", "-o", "@/labels.tif"}),
            "-o: several inputs need a folder, or a name with {name} in it such as out/{name}-labels.tif");
}

TEST_F(label_command, two_outputs_are_never_one_file) {
  write("other/blobs.pgm", pgm_bytes("1 1\n255\n1"));
  EXPECT_EQ(fail({"label", "@/blobs.pgm", "@/other/blobs.pgm", "-o", "@/"}),
            "-o: two inputs of the same name would both be written to @/blobs-labels.tif");
  EXPECT_EQ(fail({"label", "@/blobs.pgm", "-o", "@/one.png", "--overlay", "@/other/../one.png"}),
            "--overlay: @/other/../one.png is also an input or another output");
  write("in.npy", npy_bytes("|u1", "(1, 1)", "\1"));
  EXPECT_EQ(fail({"label", "@/in.npy", "-o", "@/in.npy"}), "-o: @/in.npy is also an input or another output");
  EXPECT_EQ(read("in.npy"), npy_bytes("|u1", "(1, 1)", "\1"));
}

TEST_F(label_command, more_components_than_a_format_holds) {
  // 363 × 363 isolated pixels are 131769 components, in a checkerboard.
  std::string board;
  for (int y = 0; y < 726; ++y)
    for (int x = 0; x < 363; ++x) board += y % 2 == 0 ? std::string("\1\0", 2) : std::string("\0\1", 2);
  write("board.npy", npy_bytes("|u1", "(726, 726)", board));
  const std::string count = std::to_string(726 * 363);
  EXPECT_EQ(fail({"label", "@/board.npy", "--connectivity", "4", "-o", "@/out.png"}),
            "@/out.png: " + count + " components do not fit a PNG, which ends at 65535; write .tif or .npy");
  const std::string overflow =
      fail({"label", "@/board.npy", "--connectivity", "4", "-o", "@/out.tif", "--labels-type", "u16"});
  EXPECT_TRUE(overflow.starts_with("@/board.npy: ")) << overflow;
  EXPECT_NE(overflow.find(count), std::string::npos) << overflow;
  EXPECT_EQ(files(), (std::vector<std::string>{"blobs.pgm", "board.npy"}));
  EXPECT_EQ(succeed({"label", "@/board.npy", "--connectivity", "4", "-o", "@/out.tif"}),
            "@/board.npy: " + count + " components\n");
  EXPECT_EQ(io::read_image(path("out.tif")).type, dtype::u32);
}

TEST_F(label_command, the_smallest_type_that_holds_the_labels) {
  const auto row_of = [&](int components) {
    std::string pixels;
    for (int i = 0; i < components; ++i) pixels += std::string("\1\0", 2);
    write("row.npy", npy_bytes("|u1", "(1, " + std::to_string(2 * components) + ")", pixels));
    succeed({"label", "@/row.npy", "-o", "@/row.tif", "-q"});
    return io::read_image(path("row.tif")).type;
  };
  EXPECT_EQ(row_of(255), dtype::u8);
  EXPECT_EQ(row_of(256), dtype::u16);
  EXPECT_EQ(row_of(65535), dtype::u16);
  EXPECT_EQ(row_of(65536), dtype::u32);
}

TEST_F(label_command, types_that_a_format_does_not_hold) {
  EXPECT_EQ(fail({"label", "@/blobs.pgm", "-o", "@/x.png", "--labels-type", "u32"}),
            "@/x.png: a PNG holds no uint32; write .tif or .npy");
  succeed({"label", "@/blobs.pgm", "-o", "@/x.tif", "--labels-type", "u64"});
  EXPECT_EQ(io::read_image(path("x.tif")).type, dtype::u64);
  succeed({"label", "@/blobs.pgm", "-o", "@/x.npy", "--labels-type", "u64"});
  EXPECT_EQ(read("x.npy").substr(0, 128), npy_bytes("<u8", "(4, 6)", ""));
}

TEST_F(label_command, colour_is_labelled_as_grey) {
  write("colour.ppm", "P3\n3 1\n255\n100 0 0  0 100 0  0 0 100\n");  // grey 21, 72, 7
  EXPECT_EQ(labels({"--threshold", "20"}, "@/colour.ppm"), "1 1 0");
  EXPECT_EQ(labels({"--range", "72", "72"}, "@/colour.ppm"), "0 1 0");
  EXPECT_EQ(labels({"--channel", "2"}, "@/colour.ppm"), "0 0 1");
  EXPECT_EQ(fail({"label", "@/colour.ppm", "--channel", "3"}),
            "@/colour.ppm: has no channel 3: it has 3, the first is 0");
}

TEST_F(label_command, profile_is_a_table_of_the_stages) {
  const outcome result = run({"label", "@/blobs.pgm", "--profile"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "@/blobs.pgm: 3 components\n");
  for (const char* row : {"1 encode", "2 local", "3 merge", "4 resolve", "5 measure", "6 emit", "in all", "reading",
                          "\nengine cpu: no image is in device memory, and copies take longer than the work\n"})
    EXPECT_NE(result.err.find(row), std::string::npos) << result.err;
}

TEST_F(label_command, profile_of_a_published_method_is_a_table_of_its_phases) {
  const outcome result = run({"label", "@/blobs.pgm", "@/blobs.pgm", "--method", "rosenfeld", "--profile"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "@/blobs.pgm: 3 components\n@/blobs.pgm: 3 components\n");
  for (const char* row : {"stage", "1 first labelling", "2 transitive closure", "in all", "reading"})
    EXPECT_NE(result.err.find(row), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("\n3 "), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("encode"), std::string::npos) << result.err;
}

TEST_F(label_command, every_published_method_gives_the_same_labels) {
  for (const published::method& method : published::methods())
    for (const int connectivity : method.connectivities) {
      if (method.rank != 2) continue;  // of the image
      const std::string name(method.name), neighbours = std::to_string(connectivity);
      if (method.engines.front() == engine_kind::cuda && !has_cuda())
        EXPECT_TRUE(fail({"label", "@/blobs.pgm", "--method", name}).starts_with("--engine cuda: ")) << name;
      else
        EXPECT_EQ(labels({"--method", name, "--connectivity", neighbours}), labels({"--connectivity", neighbours}))
            << name;
    }
  EXPECT_EQ(labels({"--method", std::string(published::own_method)}), labels({}));
}

}  // namespace
}  // namespace skerry::test
