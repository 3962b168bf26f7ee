// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "io/zip_writer.hpp"
#include "skerry/measure.hpp"
#include "skerry/outline.hpp"

namespace skerry::io {

enum class outline_format : std::uint8_t { geojson, csv, wkt, wkb, svg, imagej };

/// By the end of the name: .geojson or .json, .csv, .wkt, .wkb, .svg or .zip (ImageJ); standard output is GeoJSON. Throws
/// file_error.
[[nodiscard]] outline_format outline_format_of(const std::string& path);

/// Whether the coordinates of a format can be in units of length: those that are text can.
[[nodiscard]] bool takes_lengths(outline_format format);

/// Writes the outlines of an image, or of the frames of a stack one after another. Coordinates are columns and rows of corners
/// of pixels, x first, times the sides of a pixel.
///
///   geojson  a collection with one feature per region: a Polygon or MultiPolygon, and the properties label and frame
///   csv      label, frame and the geometry as well-known text, in a column WKT: readers of GDAL take it as it is
///   wkt      the geometry alone, one line per region, in the order of labels
///   wkb      a collection of the geometries in the order of labels, as well-known binary
///   svg      one path per region, with the id label-N, half transparent; of one image only
///   imagej   an archive of ROI files, LABEL.roi, or PAGE-LABEL.roi with pages from 1: ROI Manager > Open reads it
class outline_writer {
 public:
  using sink = std::function<void(std::string_view)>;

  ///   has_frames  regions have the number of their frame
  ///   pixel       its sides; 1, or takes_lengths()
  outline_writer(outline_format format, const extent& size, bool has_frames, const pixel_spacing& pixel, sink out);

  /// Throws invalid_argument when the file would be larger than the format allows.
  void add(std::int64_t frame, const outline_table& table);
  /// To be called once, last.
  void finish();

 private:
  void add_region(std::int64_t frame, const outline_table& table, std::size_t region);
  void add_roi(std::int64_t frame, const outline_table& table, std::size_t region);

  outline_format format_;
  bool has_frames_;
  pixel_spacing pixel_;
  sink out_;
  bool first_ = true;
  std::optional<zip_writer> archive_;  // imagej
  std::vector<std::byte> collection_;  // wkb: geometries, whose number stands before them
  std::uint32_t geometries_ = 0;
};

}  // namespace skerry::io
