// SPDX-License-Identifier: Apache-2.0
// The texts in which ImageJ and OME-TIFF say what their pages are, right and wrong.
#include <gtest/gtest.h>

#include <stdexcept>

#include "io/axes.hpp"
#include "io/imagej_metadata.hpp"
#include "io/ome_metadata.hpp"

namespace skerry::test {
namespace {

using io::stack_axes;

std::string reason_of_imagej(const std::string& text, std::int64_t pages) {
  try {
    return "axes " + text_of(io::parse_imagej("ImageJ=1.53t\n" + text, pages, 0, 0));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(imagej_metadata, counts) {
  EXPECT_EQ(reason_of_imagej("images=12\nchannels=2\nslices=3\nframes=2\nhyperstack=true\n", 12), "axes T 2, Z 3, C 2");
  EXPECT_EQ(reason_of_imagej("images=5\r\nframes=5\r\n", 5), "axes T 5");
  EXPECT_EQ(reason_of_imagej("images=5\n", 5), "axes Z 5");
  EXPECT_EQ(reason_of_imagej("", 5), "axes Z 5");
  EXPECT_EQ(reason_of_imagej("images=5\nslices=5\n", 1), "axes Z 5");  // the file lists its first page only
  EXPECT_EQ(reason_of_imagej("channels=3\n", 1), "axes ");             // samples of one page
}

TEST(imagej_metadata, counts_that_disagree) {
  EXPECT_EQ(reason_of_imagej("images=12\nchannels=2\nslices=3\n", 12),
            "ImageJ metadata of 2 channels, 3 slices and 1 frames for 12 images");
  EXPECT_EQ(reason_of_imagej("images=12\nslices=12\n", 11), "ImageJ metadata of 12 images for 11 pages");
  EXPECT_EQ(reason_of_imagej("images=1\nslices=1\n", 2), "ImageJ metadata of 1 images for 2 pages");
  EXPECT_EQ(reason_of_imagej("images=4\nchannels=2147483648\nslices=2147483648\nframes=2147483648\n", 4),
            "ImageJ metadata of 2147483648 channels, 2147483648 slices and 2147483648 frames for 4 images");
  for (const char* count : {"0", "-1", "x", "", "2147483649", "99999999999999999999", "2.0", " 2"})
    EXPECT_EQ(reason_of_imagej(std::string("slices=") + count, 2), std::string("ImageJ metadata with slices=") + count);
}

TEST(imagej_metadata, hyperstacks_run_through_channels_first) {
  const stack_axes axes = io::parse_imagej("ImageJ=\nimages=12\nchannels=2\nslices=3\nframes=2\n", 12, 0, 0);
  EXPECT_EQ(axes.directory(0, 0, 1), 1);
  EXPECT_EQ(axes.directory(0, 1, 0), 2);
  EXPECT_EQ(axes.directory(1, 0, 0), 6);
  EXPECT_EQ(axes.directory(1, 2, 1), 11);
}

TEST(imagej_metadata, pixel_sizes) {
  const auto spacing = [](const std::string& text, double x = 10, double y = 8) {
    return io::parse_imagej("ImageJ=1\nimages=2\n" + text, 2, x, y).spacing;
  };
  EXPECT_EQ(spacing("unit=micron\nspacing=0.5\n"), (pixel_spacing{0.5, 0.125, 0.1, "um"}));
  EXPECT_EQ(spacing("unit=nm\nspacing=-200.0\n"), (pixel_spacing{200, 0.125, 0.1, "nm"}));
  EXPECT_EQ(spacing("unit=\\u00B5m\n"), (pixel_spacing{1, 0.125, 0.1, "um"}));  // ImageJ leaves out a spacing of 1
  EXPECT_EQ(spacing("unit=mm\n", static_cast<double>(15.503876F)), (pixel_spacing{1, 0.125, 0.0645, "mm"}));
  EXPECT_EQ(spacing("unit=um\nzunit=nm\nyunit=m\nspacing=300\n"), (pixel_spacing{0.3, 125000, 0.1, "um"}));
  EXPECT_EQ(spacing("unit=um\nspacing=nan\n"), (pixel_spacing{0, 0.125, 0.1, "um"}));
  for (const char* unit : {"", "unit=pixel\n", "unit=1/s\n", "unit= \n"})
    EXPECT_EQ(spacing(unit), (pixel_spacing{0, 0, 0, ""})) << unit;
  EXPECT_EQ(spacing("unit=um\n", 0), (pixel_spacing{0, 0, 0, ""}));
}

TEST(imagej_metadata, what_is_written_is_read_again) {
  const pixel_spacing size = {0.5, 0.125, 0.25, "um"};
  const auto again = [&](io::slice_axis axis, std::int64_t images) {
    return io::parse_imagej(io::make_imagej(axis, images, size), images, 4, 8);
  };
  EXPECT_EQ(again(io::slice_axis::space, 5).slices, 5);
  EXPECT_EQ(again(io::slice_axis::space, 5).spacing, size);
  EXPECT_EQ(again(io::slice_axis::time, 5).frames, 5);
  EXPECT_EQ(again(io::slice_axis::unknown, 1).spacing.x, 0.25);
  EXPECT_EQ(io::make_imagej(io::slice_axis::unknown, 5, {0, 0, 0, ""}), "");
  EXPECT_EQ(io::make_imagej(io::slice_axis::unknown, 1, {0, 0, 0, ""}), "");
  // A size without that of slices would be read as 1.
  EXPECT_EQ(io::make_imagej(io::slice_axis::space, 2, {0, 1, 1, "um"}).find("unit"), std::string::npos);
}

// ---- OME ------------------------------------------------------------------------------------------------------------

std::string pixels(const std::string& attributes, const std::string& inside = "") {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?><!-- a comment --><OME UUID=\"urn:uuid:1\"><Image ID=\"Image:0\" "
         "Name=\"a\"><Pixels SizeX=\"12\" SizeY=\"10\" " +
         attributes + ">" + inside + "</Pixels></Image></OME>";
}
const std::string tzc = "DimensionOrder=\"XYZCT\" SizeZ=\"3\" SizeC=\"2\" SizeT=\"2\"";

stack_axes ome(const std::string& text, std::int64_t directories = 12, std::int64_t samples = 1) {
  return io::parse_ome(text, "own.ome.tif", directories, samples, 10, 12);
}
std::string reason(const std::string& text, std::int64_t directories = 12, std::int64_t samples = 1) {
  try {
    return "axes " + text_of(ome(text, directories, samples));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(ome_metadata, axes_and_channel_names) {
  const std::string channels = "<Channel Name=\"DAPI\"/><Channel Name=\"GFP &amp; more\"/>";
  EXPECT_EQ(reason(pixels(tzc, channels)), "axes T 2, Z 3, C 2 (DAPI, GFP & more)");
  EXPECT_EQ(reason(pixels(tzc)), "axes T 2, Z 3, C 2");
  EXPECT_TRUE(io::is_ome(pixels(tzc)));
  EXPECT_TRUE(io::is_ome("<ome:OME xmlns:ome=\"x\"/>"));
  EXPECT_TRUE(io::is_ome("<OME trunca"));
  for (const char* other : {"", "ImageJ=1", "x <OME>", "<svg>", "   "}) EXPECT_FALSE(io::is_ome(other)) << other;
}

TEST(ome_metadata, every_order_of_dimensions) {
  for (const std::string order : {"XYZCT", "XYZTC", "XYCZT", "XYCTZ", "XYTZC", "XYTCZ"}) {
    const stack_axes axes = ome(pixels("DimensionOrder=\"" + order + "\" SizeZ=\"3\" SizeC=\"2\" SizeT=\"2\""));
    for (std::int64_t t = 0; t < 2; ++t)
      for (std::int64_t z = 0; z < 3; ++z)
        for (std::int64_t c = 0; c < 2; ++c) {
          std::int64_t want = 0, step = 1;
          for (const char axis : order.substr(2)) {
            want += step * (axis == 'T' ? t : axis == 'Z' ? z : c);
            step *= axis == 'Z' ? 3 : 2;
          }
          EXPECT_EQ(axes.directory(t, z, c), want) << order;
        }
  }
}

TEST(ome_metadata, planes_by_tiff_data) {
  const std::string two = "DimensionOrder=\"XYCZT\" SizeZ=\"2\" SizeC=\"2\" SizeT=\"1\"";
  const stack_axes backwards = ome(pixels(two,
                                          "<TiffData IFD=\"0\" FirstZ=\"1\" FirstC=\"1\"/><TiffData IFD=\"1\" "
                                          "FirstZ=\"1\"/><TiffData IFD=\"2\" PlaneCount=\"2\"/>"));
  EXPECT_EQ(backwards.directories, (std::vector<std::int64_t>{2, 3, 1, 0}));
  EXPECT_EQ(ome(pixels(two, "<TiffData/>")).directories, (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(reason(pixels(two, "<TiffData IFD=\"0\"/>")), "OME metadata has no page for the plane T 0, Z 0, C 1");
  EXPECT_EQ(reason(pixels(two, "<TiffData IFD=\"9\" PlaneCount=\"4\"/>")),
            "OME metadata names page 12, but the file has 12");
  EXPECT_EQ(reason(pixels(two, "<TiffData IFD=\"0\" PlaneCount=\"5\"/>")),
            "OME metadata has TiffData of 5 planes, but there are 4");
  EXPECT_EQ(reason(pixels(two, "<TiffData/><TiffData/>")), "OME metadata has TiffData of 8 planes, but there are 4");
  EXPECT_EQ(reason(pixels(two, "<TiffData IFD=\"0\"/><TiffData PlaneCount=\"9223372036854775807\"/>")),
            "OME metadata has TiffData of 9223372036854775807 planes, but there are 4");
  EXPECT_EQ(reason(pixels(two, "<TiffData FirstZ=\"2\"/>")),
            "OME metadata has TiffData with FirstZ=2, but there are 2");
  EXPECT_EQ(reason(pixels(two, "<TiffData IFD=\"-1\"/>")), "OME metadata has IFD=\"-1\"");
}

TEST(ome_metadata, colour_is_one_plane) {
  const std::string rgb = "DimensionOrder=\"XYCZT\" SizeZ=\"1\" SizeC=\"3\" SizeT=\"1\"";
  EXPECT_EQ(ome(pixels(rgb, "<Channel SamplesPerPixel=\"3\"/>"), 1, 3).channels, 1);
  EXPECT_EQ(ome(pixels(rgb), 1, 3).channels, 1);
  EXPECT_EQ(ome(pixels(rgb), 3, 1).channels, 3);
  EXPECT_EQ(reason(pixels(rgb, "<Channel SamplesPerPixel=\"3\"/>"), 3, 1),
            "OME metadata has a channel of 3 samples, but pages have 1");
  EXPECT_EQ(reason(pixels(rgb, "<Channel/><Channel/>"), 3, 1), "OME metadata has 2 channels, but SizeC is 3");
  EXPECT_EQ(reason(pixels(rgb), 3, 2), "OME metadata has SizeC 3, but pages have 2 samples");
}

TEST(ome_metadata, pixel_sizes) {
  const auto spacing = [](const std::string& sizes) { return ome(pixels(tzc + sizes)).spacing; };
  EXPECT_EQ(spacing(" PhysicalSizeX=\"0.1\" PhysicalSizeY=\"0.2\" PhysicalSizeZ=\"0.5\""),
            (pixel_spacing{0.5, 0.2, 0.1, "um"}));
  EXPECT_EQ(
      spacing(" PhysicalSizeX=\"64.5\" PhysicalSizeXUnit=\"nm\" PhysicalSizeY=\"0.0625\" PhysicalSizeYUnit=\"µm\""),
      (pixel_spacing{0, 62.5, 64.5, "nm"}));
  EXPECT_EQ(spacing(" PhysicalSizeX=\"1\" PhysicalSizeXUnit=\"pixel\" PhysicalSizeY=\"1\""),
            (pixel_spacing{0, 0, 0, ""}));
  const stack_axes broken = ome(pixels(tzc + " PhysicalSizeX=\"1e999\" PhysicalSizeY=\"2\""));
  EXPECT_EQ(broken.spacing, (pixel_spacing{0, 0, 0, ""}));
  EXPECT_EQ(broken.note, "OME metadata has PhysicalSizeX=\"1e999\"");
}

TEST(ome_metadata, other_files_and_several_images) {
  const std::string one = "DimensionOrder=\"XYCZT\" SizeZ=\"1\" SizeC=\"1\" SizeT=\"1\"";
  const auto in = [&](const std::string& uuid) {
    return reason(pixels(one, "<TiffData IFD=\"0\">" + uuid + "</TiffData>"));
  };
  EXPECT_EQ(in("<UUID FileName=\"own.ome.tif\">urn:uuid:2</UUID>"), "axes ");
  EXPECT_EQ(in("<UUID FileName=\"before it was renamed.ome.tif\">urn:uuid:1</UUID>"), "axes ");
  EXPECT_EQ(in("<UUID FileName=\"b.ome.tif\">urn:uuid:2</UUID>"),
            "OME metadata says that it is one of several files, with planes in b.ome.tif; convert them to one file");
  EXPECT_EQ(reason("<OME><BinaryOnly MetadataFile=\"m.ome\"/></OME>"),
            "OME metadata lies in another file: this is one of several; convert them to one file");
  EXPECT_EQ(reason("<OME><Image Name=\"slide\"/><Image ID=\"Image:1\"/></OME>"),
            "OME metadata describes 2 images (slide, Image:1)");
}

TEST(ome_metadata, malformed) {
  EXPECT_EQ(reason("<OME"), "OME metadata is no well-formed XML (Error parsing start element tag at byte 3)");
  EXPECT_EQ(reason("<OME/>"), "OME metadata describes no image");
  EXPECT_EQ(reason("<svg/>"), "OME metadata is no OME element");
  EXPECT_EQ(reason("<OME><Image/></OME>"), "OME metadata has 0 elements Pixels");
  EXPECT_EQ(reason(pixels("DimensionOrder=\"XYZCC\" SizeZ=\"1\" SizeC=\"1\" SizeT=\"1\"")),
            "OME metadata has DimensionOrder=\"XYZCC\"");
  EXPECT_EQ(reason(pixels("SizeZ=\"1\" SizeC=\"1\" SizeT=\"1\"")), "OME metadata has DimensionOrder=\"\"");
  EXPECT_EQ(reason(pixels("SizeZ=\"1\" SizeC=\"1\"")), "OME metadata has no SizeT");
  EXPECT_EQ(reason(pixels("SizeZ=\"1\" SizeC=\"1\" SizeT=\"99999999999999999999\"")),
            "OME metadata has SizeT=\"99999999999999999999\"");
  const std::string huge = "9223372036854775807";
  EXPECT_EQ(reason(pixels("SizeZ=\"" + huge + "\" SizeC=\"" + huge + "\" SizeT=\"2\"")),
            "OME metadata of 2 time points, " + huge + " slices and " + huge + " channels for 12 pages");
  EXPECT_EQ(reason(pixels(tzc), 11), "OME metadata of 2 time points, 3 slices and 2 channels for 11 pages");
  EXPECT_EQ(io::parse_ome(pixels(tzc), "a", 13, 1, 10, 12).planes(), 12);
  try {
    (void)io::parse_ome(pixels(tzc), "a", 12, 1, 9, 12);
    FAIL() << "sizes disagree";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "OME metadata of 10 x 12 pixels, but pages have 9 x 12");
  }
}

TEST(ome_metadata, bombs) {
  std::string entities = "<!DOCTYPE OME [<!ENTITY a \"ha\">";
  for (char name = 'b'; name < 'z'; ++name)
    entities += std::string("<!ENTITY ") + name + " \"" + std::string(10, '&') + static_cast<char>(name - 1) + ";\">";
  EXPECT_EQ(reason(entities + "]><OME>&y;</OME>"), "OME metadata describes no image");
  std::string deep = "<OME>";
  for (int i = 0; i < 1000000; ++i) deep += "<a>";
  EXPECT_NE(reason(deep).find("is no well-formed XML"), std::string::npos);
  std::string closed = deep;
  for (int i = 0; i < 1000000; ++i) closed += "</a>";
  EXPECT_EQ(reason(closed + "</OME>"), "OME metadata describes no image");
}

}  // namespace
}  // namespace skerry::test
