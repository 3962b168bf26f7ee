// SPDX-License-Identifier: Apache-2.0
#include "skerry/outline.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <ostream>
#include <utility>

#include "cli/commands.hpp"
#include "cli/number.hpp"
#include "cli/output_names.hpp"
#include "cli/region_job.hpp"
#include "io/file_error.hpp"
#include "io/imagej_rois.hpp"
#include "io/outline_writer.hpp"
#include "io/pending_file.hpp"
#include "io/printable.hpp"

namespace skerry::cli {
namespace {

struct outline_job : region_job {
  bool keep_collinear = false;
  double simplify = 0;
  bool through_centres = false;
};

constexpr const char* outline_examples = R"(OUTLINES
  Polygons along the edges of pixels: vertices are corners of pixels, x (column) first, from 0. The outer ring of a
  polygon has a positive signed area in these numbers, its holes a negative one. Without -c, polygons are connected by 4
  neighbours, and valid for every reader of simple features; with -c 8 rings may touch themselves in a corner.
  With --through-centres vertices are pixels, as those of OpenCV's findContours: polygons are connected by 8 neighbours
  without -c; each polygon is half a pixel smaller on every side; a one-pixel line is traced forth and back.
  With --pixel-size vertices of .geojson, .csv and .wkt are lengths; a pixel size stored in the file is ignored.
  .wkt and .wkb have no labels: polygons are in ascending order of labels; .geojson, .csv, .svg and .zip name them.

EXAMPLES
  A label image as GeoJSON, for QuPath, GeoPandas or a web page:
    skerry outline cells-labels.tif -o cells.geojson
  The components of an image:
    skerry outline coins.png --threshold otsu --fill-holes --min-area 50 -o coins.svg
  Well-known text in a table, for GDAL and PostGIS:
    skerry outline labels.npy -o labels.csv
  ROIs for ImageJ (ROI Manager, More, Open), one for each label and with its name:
    skerry outline cells-labels.tif -o cells.zip
  The contours that OpenCV finds:
    skerry outline mask.png --through-centres -o contours.geojson
  With fewer vertices, as a map has borders:
    skerry outline cells-labels.tif --simplify 1 -o cells.geojson
  In micrometres, from the upper left corner of the image:
    skerry outline cells-labels.tif --pixel-size 0.65um -o cells.geojson
  Many label images, a file for each:
    skerry outline labels/ -o outlines/
    skerry outline labels/*.png -o 'outlines/{name}.svg')";

void check_pages(const picture& from, io::outline_format format) {
  if (from.frame(0).size.rank == 1) throw io::file_error(from.name, "has 1 axis; outlines are of images of 2");
  if (from.frame(0).size.rank == 3)
    throw io::file_error(from.name, "is a volume, which has no outlines; --stack takes its pages one by one");
  if (format == io::outline_format::svg && from.frames() > 1)
    throw io::file_error(from.name, "has several pages, and .svg shows one; choose it by --page, or write .geojson");
  const extent size = from.frame(0).size;
  if (format == io::outline_format::imagej && std::max(size.height, size.width) > io::largest_roi_coordinate)
    throw io::file_error(from.name,
                         fmt::format("has a side above {}, where the numbers of ROI files end; write .geojson",
                                     io::largest_roi_coordinate));
}

// Along edges, 4 neighbours make valid polygons; through centres, 8 are what OpenCV has.
int connectivity_of(const outline_job& job) {
  if (job.components.connectivity != 0) return job.components.connectivity;
  return job.through_centres ? 8 : 4;
}

std::uint64_t write_outlines(batch& all, engine& on, const picture& from, const outline_job& job,
                             io::outline_writer& writer) {
  std::uint64_t count = 0;
  each_label_image(all, on, from, job, [&](std::int64_t frame, const image_view& labels) {
    outline_request asked{.labels = labels,
                          .connectivity = connectivity_of(job),
                          .background = job.rule,
                          .keep_collinear = job.keep_collinear,
                          .simplify = job.simplify,
                          .through_centres = job.through_centres};
    outline_table table;
    outline(on, asked, table);
    all.times().add(on, labels.size.pixels());
    writer.add(frame, table);
    count += table.regions();
  });
  return count;
}

void run_outline(outline_job job, const console& to) {
  const pixel_spacing pixel = job.input.pixel_size.size.value_or(pixel_spacing());
  prepare(job, to);
  engine on = make_engine(job.engine);
  const std::vector<std::string> names = picture_names(job.input);
  const std::vector<std::string> outputs = name_outputs("-o", job.output, names, ".geojson");
  for (const std::string& output : outputs)
    if (!io::takes_lengths(io::outline_format_of(output)) && job.input.pixel_size.size)
      throw usage_error("--pixel-size: vertices of .wkb, .svg and .zip are in pixels; write .geojson, .csv or .wkt");
  batch all({job.input, job.engine, job.quiet, names}, to);
  for (std::size_t i = 0; i < names.size(); ++i)
    all.attempt(i, [&] {
      const io::outline_format format = io::outline_format_of(outputs[i]);
      io::pending_file file(outputs[i]);
      const picture from = std::move(all.read(i).front());
      check_pages(from, format);
      all.show("following outlines");
      io::outline_writer writer(format, from.frame(0).size, from.is_stack, pixel,
                                [&](std::string_view text) { file.append(text); });
      const std::uint64_t count = write_outlines(all, on, from, job, writer);
      writer.finish();
      all.clear_line();
      file.commit();
      if (!job.quiet)
        (io::is_standard_output(job.output) ? to.err : to.out)
            << fmt::format("{}: {} region{}\n", io::printable(from.name), count, count == 1 ? "" : "s") << std::flush;
    });
  all.finish();
}

}  // namespace

void define_outline(CLI::App& command, const console& to) {
  auto job = std::make_shared<outline_job>();
  add_region_options(command, *job);
  command.get_option("--pixel-size")
      ->description("multiplies vertices: \"0.5,0.1um\", one number for both\naxes (else they are numbers of pixels)");
  command.get_option("--connectivity")->description("neighbours of a pixel: 4 (default) or 8");
  const std::string group = "Output";
  command
      .add_option("-o,--output", job->output,
                  "outlines: .geojson, .csv or .wkt (well-known text), .wkb\n"
                  "(binary), .svg or .zip (ROIs of ImageJ); several inputs: a\n"
                  "folder, or a name with {name} in it; - is GeoJSON on\n"
                  "standard output")
      ->type_name("FILE")
      ->required()
      ->check(a_file_name())
      ->group(group);
  command.add_flag("--keep-collinear", job->keep_collinear, "every corner of a pixel is a vertex, not only turns")
      ->group(group);
  command
      .add_option("--simplify", job->simplify,
                  "drop vertices within PIXELS of the simplified line;\n"
                  "neighbouring regions keep their shared border, and no line\n"
                  "crosses another")
      ->type_name("PIXELS")
      ->transform(number_in(0.0, std::numeric_limits<double>::infinity()))
      ->excludes("--keep-collinear")
      ->group(group);
  command
      .add_flag("--through-centres", job->through_centres,
                "vertices are pixels along the outline, as OpenCV's contours\n"
                "have them, instead of their corners")
      ->excludes("--simplify")
      ->group(group);
  add_run_options(command, *job);
  command.footer(outline_examples);
  command.callback([job, &to] { run_outline(*job, to); });
}

}  // namespace skerry::cli
