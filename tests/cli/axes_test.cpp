// SPDX-License-Identifier: Apache-2.0
// Stacks whose pages have axes: what is read, what has to be chosen, what a pixel measures. tests/oracle/stacks.py asks the
// same of files that tifffile writes.
#include "tiff_maker.hpp"

#include "io/file_error.hpp"
#include "workspace.hpp"

namespace skerry::test {
namespace {

class axes : public workspace {
 protected:
  // Pages of one row of two pixels: page i has i + 1 and 0.
  std::string stack(const std::string& name, int pages, const std::string& description) {
    std::vector<tiff_page_recipe> all;
    for (int i = 0; i < pages; ++i)
      all.push_back(grey_page(2, 1, 8, std::string(1, static_cast<char>(i + 1)) + std::string(1, '\0')));
    if (!description.empty()) all.front().describe(description);
    return write(name, tiff_bytes(all));
  }
  std::string read_with(const std::string& name, const io::read_options& options) {
    try {
      const io::image image = io::read_image(path(name), options);
      std::string text;
      for (std::int64_t i = 0; i < image.size.pixels(); i += 2)
        text +=
            (text.empty() ? "" : " ") + std::to_string(std::to_integer<int>(image.bytes[static_cast<std::size_t>(i)]));
      return text + (image.slices == io::slice_axis::time    ? " in time"
                     : image.slices == io::slice_axis::space ? " in space"
                                                             : "");
    } catch (const io::file_error& error) {
      return error.reason();
    }
  }
  static std::string imagej(int frames, int slices, int channels) {
    return "ImageJ=1.53t\nimages=" + std::to_string(frames * slices * channels) +
           "\nchannels=" + std::to_string(channels) + "\nslices=" + std::to_string(slices) +
           "\nframes=" + std::to_string(frames) + "\nhyperstack=true\n";
  }
  static std::string ome(const std::string& sizes, const std::string& inside = "") {
    return "<OME><Image><Pixels DimensionOrder=\"XYCZT\" SizeX=\"2\" SizeY=\"1\" " + sizes + ">" + inside +
           "</Pixels></Image></OME>";
  }
};

TEST_F(axes, planes_that_are_read) {
  stack("tzc.tif", 12, imagej(2, 3, 2));
  EXPECT_EQ(read_with("tzc.tif", {.channel = 1, .frame = 1}), "8 10 12 in space");
  EXPECT_EQ(read_with("tzc.tif", {.page = 4}), "5");
  EXPECT_EQ(read_with("tzc.tif", {.survey = true}), "1 2 3 4 5 6 7 8 9 10 11 12");
  stack("tc.tif", 6, imagej(3, 1, 2));
  EXPECT_EQ(read_with("tc.tif", {.channel = 0, .stack = true}), "1 3 5 in time");
  EXPECT_EQ(read_with("tc.tif", {.channel = 0, .frame = 2}), "5");
  stack("z.tif", 3, imagej(1, 3, 1));
  EXPECT_EQ(read_with("z.tif", {}), "1 2 3 in space");
  EXPECT_EQ(read_with("z.tif", {.frame = 0}), "1 2 3 in space");
  EXPECT_EQ(read_with("z.tif", {.channel = 0, .stack = true}), "1 2 3 in space");
  stack("plain.tif", 3, "");
  EXPECT_EQ(read_with("plain.tif", {}), "1 2 3");
}

TEST_F(axes, channels_by_name) {
  const std::string two = "SizeZ=\"2\" SizeC=\"2\" SizeT=\"1\"";
  stack("c.tif", 4, ome(two, "<Channel Name=\"488\"/><Channel Name=\"1\"/>"));
  EXPECT_EQ(read_with("c.tif", {.channel_name = "488"}), "1 3 in space");
  EXPECT_EQ(read_with("c.tif", {.channel = 488, .channel_name = "488"}), "1 3 in space");
  EXPECT_EQ(read_with("c.tif", {.channel = 0, .channel_name = "0"}), "1 3 in space");
  EXPECT_EQ(read_with("c.tif", {.channel = 1, .channel_name = "1"}), "2 4 in space");
  EXPECT_EQ(read_with("c.tif", {.channel_name = "GFP"}),
            "has the axes Z 2, C 2 (488, 1); there is no channel 'GFP'; choose one of 0 to 1, or one of these names");
  stack("same.tif", 4, ome(two, "<Channel Name=\"a\"/><Channel Name=\"a\"/>"));
  EXPECT_EQ(read_with("same.tif", {.channel_name = "a"}),
            "has the axes Z 2, C 2 (a, a); several channels are named 'a'; choose by number");
  EXPECT_EQ(fail({"label", "@/c.tif", "--page", "1", "--channel", "GFP"}),
            "@/c.tif: has no channel 'GFP': it has 1, the first is 0");
  write("a.pgm", pgm_bytes("1 1\n255\n1"));
  EXPECT_EQ(fail({"label", "@/a.pgm", "--channel", "GFP"}),
            "@/a.pgm: has no channel 'GFP': its channels have no names, choose by number");
  EXPECT_EQ(fail({"label", "@/a.pgm", "--frame", "1"}), "@/a.pgm: has no frame 1: it has no axis of time");
}

TEST_F(axes, what_has_to_be_chosen) {
  stack("tzc.tif", 12, imagej(2, 3, 2));
  EXPECT_EQ(fail({"label", "@/tzc.tif", "--frame", "0"}),
            "@/tzc.tif: has the axes T 2, Z 3, C 2; choose a channel with --channel N (the first is 0) or its name");
  EXPECT_EQ(fail({"label", "@/tzc.tif", "--channel", "0"}),
            "@/tzc.tif: has the axes T 2, Z 3, C 2; choose a time point with --frame N, the first is 0");
  EXPECT_EQ(fail({"label", "@/tzc.tif", "--channel", "2"}),
            "@/tzc.tif: has the axes T 2, Z 3, C 2; there is no channel '2'; choose one of 0 to 1");
  EXPECT_EQ(fail({"label", "@/tzc.tif", "--channel", "0", "--frame", "2"}),
            "@/tzc.tif: has no frame 2: it has 2, the first is 0");
  stack("plain.tif", 3, "");
  EXPECT_EQ(fail({"label", "@/plain.tif", "--frame", "1"}),
            "@/plain.tif: has no frame 1: it has no axis of time; choose a page with --page N");
  stack("t.tif", 3, imagej(3, 1, 1));
  EXPECT_EQ(fail({"measure", "@/t.tif"}),
            "@/t.tif: has the axes T 3; its pages are images in time: take each by itself with --stack, all as one "
            "volume with "
            "--volume, or choose one with --frame N");
  EXPECT_EQ(succeed({"label", "@/t.tif", "--volume"}), "@/t.tif: 1 component\n");
  EXPECT_EQ(succeed({"label", "@/t.tif", "--stack"}), "@/t.tif: 3 components in 3 frames\n");
  EXPECT_EQ(succeed({"label", "@/t.tif", "--frame", "2"}), "@/t.tif: 1 component\n");
}

TEST_F(axes, films_and_films_of_volumes) {
  stack("t.tif", 3, imagej(3, 1, 1));
  EXPECT_EQ(succeed({"track", "@/t.tif", "--features", "area", "-o", "-", "-q"}),
            "frame,id,parent,age,area\n0,1,0,0,1\n1,1,0,1,1\n2,1,0,2,1\n");
  stack("tz.tif", 6, imagej(2, 3, 1) + "unit=um\nspacing=2\n");
  EXPECT_EQ(succeed({"track", "@/t.tif", "--features", "area_um2,axis_major_length_um", "--pixel-size", "3,2um", "-o",
                     "-", "-q"})
                .substr(0, 73),
            "frame,id,parent,age,area_um2,axis_major_length_um\n0,1,0,0,6,0\n1,1,0,1,6,0");
  EXPECT_EQ(fail({"track", "@/t.tif", "--features", "area_um2", "-o", "-"}),
            "--features area_um2: the image has no pixel size; give one with --pixel-size");
  const std::string volumes = succeed({"track", "@/tz.tif", "--features", "area,bbox-3", "-o", "-", "-q"});
  EXPECT_EQ(volumes, "frame,id,parent,age,area,bbox-3\n0,1,0,0,3,3\n1,1,0,1,3,3\n");
}

TEST_F(axes, metadata_that_cannot_be_read) {
  stack("bad.tif", 2, "<OME><Image>");
  const std::string text = fail({"label", "@/bad.tif"});
  EXPECT_EQ(text.find("@/bad.tif: has OME metadata is no well-formed XML"), 0U) << text;
  EXPECT_NE(text.find("; choose a page with --page N, or take all pages as images with --stack"), std::string::npos)
      << text;
  EXPECT_EQ(run({"label", "@/bad.tif", "--stack", "-q"}).code, 0);
  EXPECT_EQ(read_with("bad.tif", {.page = 1}), "2");
  stack("one.tif", 1, "<OME><Image>");
  const outcome note = run({"label", "@/one.tif"});
  EXPECT_EQ(note.code, 0);
  EXPECT_EQ(note.err.substr(0, 28), "skerry: note: @/one.tif: OME") << note.err;
  EXPECT_EQ(run({"label", "@/one.tif", "-q"}).err, "");
}

TEST_F(axes, info_shows_them) {
  stack("tzc.tif", 12, imagej(2, 3, 2));
  stack("plain.tif", 3, "");
  const std::string sizes = "SizeZ=\"1\" SizeC=\"1\" SizeT=\"1\" PhysicalSizeX=\"0.1\" PhysicalSizeY=\"0.2\"";
  stack("one.tif", 1, ome(sizes));
  const std::string text = succeed({"info", "@/tzc.tif", "@/plain.tif", "@/one.tif"});
  EXPECT_NE(text.find("\n@/tzc.tif: ImageJ axes T 2, Z 3, C 2\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find("\n@/plain.tif: pages without axes, read as the slices of a volume; --stack takes them as images\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("\n@/one.tif: OME pixel size 0.2 x 0.1 um\n"), std::string::npos) << text;
}

TEST_F(axes, info_of_channels_that_are_not_colours) {
  auto page = grey_page(2, 1, 8, "\1\11\3\7").set(277, {2}, 3).set(258, {8, 8}, 3);
  write("two.tif", tiff_bytes({page.set(338, {0}, 3)}));
  std::string text = succeed({"info", "@/two.tif"});
  text.erase(std::unique(text.begin(), text.end(), [](char a, char b) { return a == ' ' && b == ' '; }), text.end());
  EXPECT_EQ(text,
            "image format size type channels min max otsu\n"
            "@/two.tif tiff 1 x 2 uint8 2 1 3 1\n"
            "@/two.tif: has 2 channels that are not colours; channel 0 is read\n");
}

// ---- pixel sizes ----------------------------------------------------------------------------------------------------

TEST_F(axes, pixel_sizes_that_are_given) {
  write("a.npy", npy_bytes("|u1", "(2, 1, 2)", std::string("\1\1\1\0", 4)));
  const auto area = [&](const std::string& size) {
    return succeed({"measure", "@/a.npy", "--features", "geometry", "--pixel-size", size}).substr(0, 19);
  };
  EXPECT_EQ(area("2,3,4um"), "label,area,area_um3");
  for (const char* size : {"2,3,4 um", "2, 3, 4um", "2,3,4µm", "2,3,4 micron", "2.0,3,4e0um"})
    EXPECT_EQ(succeed({"measure", "@/a.npy", "--features", "area,area_um3", "--pixel-size", size}),
              "label,area,area_um3\n1,3,72\n")
        << size;
  EXPECT_EQ(succeed({"measure", "@/a.npy", "--features", "area_spaced", "--pixel-size", "2"}),
            "label,area_spaced\n1,24\n");
  EXPECT_EQ(succeed({"measure", "@/a.npy", "--features", "area_nm3,centroid_nm-2", "--pixel-size", "2 nm"}),
            "label,area_nm3,centroid_nm-2\n1,24,0.6666666666666666\n");
  EXPECT_EQ(fail({"measure", "@/a.npy", "--pixel-size", "3,4um"}),
            "@/a.npy: is a volume, but --pixel-size has no size of slices; give Z,Y,X");
  EXPECT_EQ(succeed({"measure", "@/a.npy", "--stack", "--features", "area_um2", "--pixel-size", "3,4um"}),
            "frame,label,area_um2\n0,1,24\n1,1,12\n");
  for (const char* wrong :
       {"0", "-1", "1,2,3,4", "1,,2", "um", "nan", "inf", "1,2 u2", "1;2", "0x2", "1um,2um", "1e-51", "1e51um"})
    EXPECT_NE(fail({"measure", "@/a.npy", "--pixel-size", wrong})
                  .find("is not Z,Y,X, Y,X or one number, from 1e-50 to 1e50, with a unit or none"),
              std::string::npos)
        << wrong;
}

TEST_F(axes, pixel_sizes_of_files_and_of_labels) {
  const std::string columns = "label,area,area_um3\n1,3,";
  const std::string sizes = "PhysicalSizeX=\"0.1\" PhysicalSizeY=\"0.25\" PhysicalSizeZ=\"2\"";
  stack("o.tif", 3, ome("SizeZ=\"3\" SizeC=\"1\" SizeT=\"1\" " + sizes));
  const std::string want = succeed({"measure", "@/o.tif", "--features", "area,area_um3"});
  EXPECT_EQ(want.substr(0, columns.size()), columns);
  EXPECT_EQ(succeed({"measure", "@/o.tif", "--features", "area", "--pixel-size", "none"}), "label,area\n1,3\n");
  succeed({"label", "@/o.tif", "-o", "@/labels.tif", "-q"});
  EXPECT_EQ(succeed({"measure", "@/labels.tif", "--features", "area,area_um3"}), want);
  const io::image again = io::read_image(path("labels.tif"));
  EXPECT_EQ(again.slices, io::slice_axis::space);
  EXPECT_EQ(again.spacing, (pixel_spacing{2, 0.25, 0.1, "um"}));
  succeed({"tree", "@/o.tif", "--min-area", "1", "-o", "@/tree.tif", "-q"});
  EXPECT_EQ(io::read_image(path("tree.tif")).spacing, (pixel_spacing{2, 0.25, 0.1, "um"}));
  // Without a size there is nothing to say.
  stack("plain.tif", 3, "");
  succeed({"label", "@/plain.tif", "-o", "@/labels.tif", "-q"});
  EXPECT_FALSE(io::read_image(path("labels.tif")).axes);
}

TEST_F(axes, sizes_without_that_of_slices_are_noted) {
  stack("o.tif", 3, ome("SizeZ=\"3\" SizeC=\"1\" SizeT=\"1\" PhysicalSizeX=\"1\" PhysicalSizeY=\"1\""));
  const outcome result = run({"measure", "@/o.tif", "--features", "area"});
  EXPECT_EQ(result.out, "label,area\n1,3\n");
  EXPECT_EQ(result.err, "skerry: note: @/o.tif: has no size of slices; columns in units need --pixel-size\n");
}

TEST_F(axes, one_table_has_one_unit) {
  const std::string one = "SizeZ=\"1\" SizeC=\"1\" SizeT=\"1\" ";
  stack("um.tif", 1, ome(one + "PhysicalSizeX=\"1\" PhysicalSizeY=\"1\""));
  stack("plain.tif", 1, "");
  const outcome mixed = run({"measure", "@/um.tif", "@/plain.tif", "-o", "@/x.csv", "-q"});
  EXPECT_EQ(mixed.code, 2);
  EXPECT_NE(mixed.err.find("is measured in pixels, images before it in um: they do not fit one table"),
            std::string::npos)
      << mixed.err;
  succeed({"measure", "@/um.tif", "@/plain.tif", "-o", "@/x.csv", "-q", "--pixel-size", "none"});
  succeed({"measure", "@/um.tif", "@/plain.tif", "-o", "@/{name}.csv", "-q"});
}

}  // namespace
}  // namespace skerry::test
