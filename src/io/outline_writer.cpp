// SPDX-License-Identifier: Apache-2.0
#include "io/outline_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "io/file_error.hpp"
#include "io/imagej_rois.hpp"
#include "io/pending_file.hpp"
#include "skerry/error.hpp"

namespace skerry::io {
namespace {

std::string label_text(const outline_table& table, std::size_t region) {
  const label_bits label = table.labels[region];
  return table.signed_labels ? fmt::format("{}", static_cast<std::int64_t>(label)) : fmt::format("{}", label);
}

// How a format writes nested lists of points.
struct list_style {
  std::string_view open, close, between, point;  // `point` takes x and y
  pixel_spacing pixel;
};
list_style json_style(const pixel_spacing& pixel) { return {"[", "]", ",", "[{},{}]", pixel}; }
list_style wkt_style(const pixel_spacing& pixel) { return {"(", ")", ", ", "{} {}", pixel}; }

// Calls item(i) for begin <= i < end, between brackets.
template <class Item>
void append_list(std::string& to, const list_style& style, std::int64_t begin, std::int64_t end, Item item) {
  to += style.open;
  for (std::int64_t i = begin; i < end; ++i) {
    if (i > begin) to += style.between;
    item(static_cast<std::size_t>(i));
  }
  to += style.close;
}

void append_ring(std::string& to, const list_style& style, const std::vector<corner>& closed) {
  append_list(to, style, 0, static_cast<std::int64_t>(closed.size()), [&](std::size_t i) {
    fmt::format_to(std::back_inserter(to), fmt::runtime(style.point), closed[i].x * style.pixel.x,
                   closed[i].y * style.pixel.y);
  });
}

void append_polygon(std::string& to, const list_style& style, const outline_table& table, std::size_t polygon) {
  append_list(to, style, table.polygon_offsets[polygon], table.polygon_offsets[polygon + 1],
              [&](std::size_t ring) { append_ring(to, style, table.closed_ring(ring)); });
}

// One polygon as it is, several as a list. Returns whether they are several.
bool append_region(std::string& to, const list_style& style, const outline_table& table, std::size_t region) {
  const std::int64_t begin = table.region_offsets[region], end = table.region_offsets[region + 1];
  const auto append = [&](std::size_t polygon) { append_polygon(to, style, table, polygon); };
  if (end - begin == 1) append(static_cast<std::size_t>(begin));
  else append_list(to, style, begin, end, append);
  return end - begin != 1;
}

std::string wkt_of(const outline_table& table, std::size_t region, const pixel_spacing& pixel) {
  std::string lists;
  const bool several = append_region(lists, wkt_style(pixel), table, region);
  return (several ? "MULTIPOLYGON " : "POLYGON ") + lists;
}

// The beginning of a collection of so many geometries.
std::string wkb_collection(std::uint32_t geometries) {
  std::string head("\x01\x07\0\0\0", 5);
  for (int i = 0; i < 4; ++i) head += static_cast<char>(geometries >> (8 * i) & 0xFF);
  return head;
}

std::string svg_path(const outline_table& table, std::size_t region) {
  const auto ring_begin = [&](std::int64_t polygon) {
    return table.polygon_offsets[static_cast<std::size_t>(polygon)];
  };
  std::string path;
  for (std::int64_t ring = ring_begin(table.region_offsets[region]);
       ring < ring_begin(table.region_offsets[region + 1]); ++ring) {
    char command = 'M';
    for (const corner& vertex : table.ring(static_cast<std::size_t>(ring))) {
      fmt::format_to(std::back_inserter(path), "{}{} {}", command, vertex.x, vertex.y);
      command = 'L';
    }
    path += 'Z';
  }
  return path;
}

}  // namespace

outline_format outline_format_of(const std::string& path) {
  if (is_standard_output(path)) return outline_format::geojson;
  std::string end = std::filesystem::path(path).extension().string();
  std::transform(end.begin(), end.end(), end.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (end == ".geojson" || end == ".json") return outline_format::geojson;
  if (end == ".csv") return outline_format::csv;
  if (end == ".wkt") return outline_format::wkt;
  if (end == ".wkb") return outline_format::wkb;
  if (end == ".svg") return outline_format::svg;
  if (end == ".zip") return outline_format::imagej;
  throw file_error(path, "outlines end in .geojson, .json, .csv, .wkt, .wkb, .svg or .zip (ImageJ)");
}

bool takes_lengths(outline_format format) {
  return format == outline_format::geojson || format == outline_format::csv || format == outline_format::wkt;
}

outline_writer::outline_writer(outline_format format, const extent& size, bool has_frames, const pixel_spacing& pixel,
                               sink out)
    : format_(format), has_frames_(has_frames), pixel_(pixel), out_(std::move(out)) {
  if (format_ == outline_format::geojson) out_("{\"type\":\"FeatureCollection\",\"features\":[");
  if (format_ == outline_format::csv) out_(has_frames_ ? "label,frame,WKT\n" : "label,WKT\n");
  if (format_ == outline_format::svg)
    out_(
        fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n",
                    size.width, size.height));
  if (format_ == outline_format::imagej) archive_.emplace(out_);
}

void outline_writer::add(std::int64_t frame, const outline_table& table) {
  for (std::size_t region = 0; region < table.regions(); ++region) add_region(frame, table, region);
}

void outline_writer::add_region(std::int64_t frame, const outline_table& table, std::size_t region) {
  const std::string label = label_text(table, region);
  if (format_ == outline_format::geojson) {
    std::string lists;
    const bool several = append_region(lists, json_style(pixel_), table, region);
    out_(
        fmt::format("{}\n{{\"type\":\"Feature\",\"properties\":{{\"label\":{}{}}},\"geometry\":{{\"type\":\"{}\","
                    "\"coordinates\":{}}}}}",
                    first_ ? "" : ",", label, has_frames_ ? fmt::format(",\"frame\":{}", frame) : "",
                    several ? "MultiPolygon" : "Polygon", lists));
  } else if (format_ == outline_format::csv) {
    out_(fmt::format("{},{}\"{}\"\n", label, has_frames_ ? fmt::format("{},", frame) : "",
                     wkt_of(table, region, pixel_)));
  } else if (format_ == outline_format::wkt) {
    out_(wkt_of(table, region, pixel_) + "\n");
  } else if (format_ == outline_format::wkb) {
    append_wkb(table, region, collection_);
    ++geometries_;
  } else if (format_ == outline_format::imagej) {
    add_roi(frame, table, region);
  } else {
    // Hues a golden angle apart are far from those of labels nearby.
    const double hue = static_cast<double>(table.labels[region] % 360) * 137.508;
    out_(fmt::format(
        "<path id=\"label-{}\" fill=\"hsl({:.0f},80%,50%)\" fill-opacity=\"0.5\" fill-rule=\"evenodd\" d=\"{}\"/>\n",
        label, hue - 360 * static_cast<int>(hue / 360), svg_path(table, region)));
  }
  first_ = false;
}

void outline_writer::add_roi(std::int64_t frame, const outline_table& table, std::size_t region) {
  const std::string label = label_text(table, region);
  const std::string name = has_frames_ ? fmt::format("{}-{}", frame + 1, label) : label;
  if (!archive_->add(name + ".roi", imagej_roi(table, region, name, has_frames_ ? frame + 1 : 0)))
    throw invalid_argument("outlines: a ZIP archive ends at 4 GiB; write .wkb, or simplify them");
}

void outline_writer::finish() {
  if (format_ == outline_format::geojson) out_("\n]}\n");
  if (format_ == outline_format::svg) out_("</svg>\n");
  if (archive_) archive_->finish();
  if (format_ != outline_format::wkb) return;
  out_(wkb_collection(geometries_));
  out_({reinterpret_cast<const char*>(collection_.data()), collection_.size()});
}

}  // namespace skerry::io
