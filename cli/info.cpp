// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cmath>
#include <limits>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "cli/commands.hpp"
#include "cli/input_files.hpp"
#include "cli/number.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "cli/threshold.hpp"
#include "core/pixel_type.hpp"
#include "io/file_error.hpp"
#include "io/formats.hpp"
#include "io/half.hpp"
#include "io/printable.hpp"
#include "io/table_writer.hpp"
#include "skerry/engine.hpp"
#include "skerry/error.hpp"
#include "skerry/published.hpp"
#include "skerry/version.hpp"

namespace skerry::cli {
namespace {

constexpr const char* info_examples = R"(EXAMPLES
  What this build can do:
    skerry info
  Which files it reads and writes:
    skerry info --formats
  What is in some files, and where Otsu's threshold lies:
    skerry info scans/*.tif)";

std::string cuda_state() {
  try {
    (void)engine::cuda();
    return "device 0";
  } catch (const device_error& error) {
    const std::string_view text = error.what();
    return std::string(text.substr(text.find(": ") + 2));
  }
}

void print_build(const console& to) {
  const engine threads = engine::cpu();
  to.out << fmt::format("skerry {}\n", version);
  to.out << fmt::format("engine   cpu        {} threads, instruction set {}\n", threads.threads(),
                        threads.instruction_set());
  to.out << "engine   reference  1 thread, plain loops\n";
  to.out << "engine   cuda       " << cuda_state() << '\n';
  to.out << "engine   auto       cpu for images, which copies to a GPU would delay; cuda for track, if it is there\n";
  for (const std::span<const published::method> list : {published::methods(), published::tree_methods()})
    for (const published::method& method : list)
      to.out << fmt::format("method   {:<15}  {} [{}]\n", method.name, method.summary, method.paper);
  to.out << fmt::format("reads    {}  (skerry info --formats)\n", io::readable_formats());
  to.out << "writes   tiff png npy (labels, filtered images), png (overlay), gif (film), csv tsv json jsonl "
            "(tables), jsonl (events)\n";
}

void print_formats(const console& to) {
  std::string refused;
  for (const io::file_format& format : io::file_formats()) {
    if (format.reader == io::format_reader::none) {
      refused += std::string(" ") + format.name;
      continue;
    }
    to.out << fmt::format("{:<9} {}\n  read    {}\n  axes    {}\n", format.name, format.endings, format.types,
                          format.axes);
    if (*format.writes != '\0') to.out << fmt::format("  written {}\n", format.writes);
  }
  to.out << "\nKnown, and refused:" << refused << '\n';
}

struct value_range {
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
};

double number(float16_bits pixel) { return io::from_half(pixel.bits); }
template <class Pixel>
double number(Pixel pixel) {
  return static_cast<double>(pixel);
}

template <class Pixel>
value_range range_of(const void* pixels, std::int64_t count) {
  value_range range;
  for (const auto* pixel = static_cast<const Pixel*>(pixels); count > 0; --count, ++pixel) {
    const double value = number(*pixel);
    if (std::isnan(value)) continue;
    range.low = std::isnan(range.low) ? value : std::min(range.low, value);
    range.high = std::isnan(range.high) ? value : std::max(range.high, value);
  }
  return range;
}

value_range range_of(const image_view& image) {
  return with_pixel_type(
      image.type, [&]<class Pixel>(pixel_type<Pixel>) { return range_of<Pixel>(image.data, image.size.pixels()); });
}

double otsu_or_nan(const image_view& image, const std::string& name) {
  try {
    return cli::otsu_threshold(image, name);
  } catch (const io::file_error&) {  // no finite pixel
    return std::numeric_limits<double>::quiet_NaN();
  }
}

// A line about what the pages of a file are, and what a pixel measures; nothing where there is nothing to say.
std::string about_axes(const std::string& path, const io::image& image) {
  std::string text;
  if (!image.note.empty()) text = image.note;
  else if (!image.axes && image.format == "tiff" && image.size.rank == 3)
    text = "pages without axes, read as the slices of a volume; --stack takes them as images";
  if (image.axes) {
    const std::string axes = io::text_of(*image.axes);
    const std::string size = io::text_of(image.spacing, image.axes->slices > 1);
    text += (text.empty() ? "" : "; ") + image.axes->source + (axes.empty() ? "" : " axes " + axes);
    if (!size.empty()) text += (axes.empty() ? " pixel size " : ", pixel size ") + size;
  }
  return text.empty() ? text : io::printable(path) + ": " + io::printable(text) + '\n';
}

void print_files(const input_options& options, const console& to) {
  using kind = io::table_writer::column_kind;
  std::string text;
  io::table_writer table(io::table_format::text,
                         {{"image", kind::text},
                          {"format", kind::text},
                          {"size", kind::text},
                          {"type", kind::text},
                          {"channels", kind::whole},
                          {"min", kind::real},
                          {"max", kind::real},
                          {"otsu", kind::real}},
                         [&](std::string_view line) { text += line; });
  progress line(to, false, options.paths.size());
  std::vector<io::file_error> unreadable;
  std::string axes;
  io::read_options read = options.read;
  read.survey = true;
  for (std::size_t i = 0; i < options.paths.size(); ++i) {
    line.begin(i, options.paths[i]);
    line.show("reading");
    try {
      const io::image image = io::read_image(options.paths[i], read);
      const value_range range = range_of(image.view());
      table.add_row(
          {options.paths[i], image.format, io::text_of(image.size), name_of(image.type)},
          {static_cast<double>(image.channels), range.low, range.high, otsu_or_nan(image.view(), options.paths[i])});
      axes += about_axes(options.paths[i], image);
    } catch (const io::file_error& error) {
      unreadable.push_back(error);
    }
  }
  line.clear();
  if (unreadable.size() < options.paths.size()) table.finish();
  to.out << text << axes << std::flush;
  if (unreadable.empty()) return;
  for (std::size_t i = 0; i + 1 < unreadable.size(); ++i)
    to.err << "skerry: " << io::printable(unreadable[i].what()) << '\n';
  throw io::file_error(unreadable.back());
}

}  // namespace

void define_info(CLI::App& command, const console& to) {
  auto options = std::make_shared<input_options>();
  auto* in = command.add_option("IN", options->paths, "image files, folders of them, or - for standard input")
                 ->type_name("...");
  add_page_option(command, *options)->needs(in);
  command.add_option("--max-pixels", options->read.pixel_limit, "refuse larger images unread")
      ->type_name("N")
      ->transform(whole_number(1))
      ->needs(in);
  auto formats = std::make_shared<bool>(false);
  command.add_flag("--formats", *formats, "list the formats of files")->excludes(in);
  command.footer(info_examples);
  command.callback([options, formats, &to] {
    if (*formats) return print_formats(to);
    if (options->paths.empty()) return print_build(to);
    options->paths = files_of(options->paths, notes_to(to, false));
    print_files(*options, to);
  });
}

}  // namespace skerry::cli
