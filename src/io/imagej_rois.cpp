// SPDX-License-Identifier: Apache-2.0
// Layout of ROI files: ij/io/RoiEncoder.java of ImageJ 1.53. All numbers have their highest byte first.
#include "io/imagej_rois.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

namespace skerry::io {
namespace {

constexpr int roi_version = 228;
enum roi_kind : int { roi_polygon = 0, roi_rectangle = 1 };  // a composite is a rectangle with a path
enum path_step : int { path_move = 0, path_line = 1, path_close = 4 };
constexpr std::size_t most_roi_vertices = 65535;

// Appends numbers of 1, 2 and 4 bytes.
class big_endian {
 public:
  void add(std::int64_t value, int bytes) {
    for (int i = bytes - 1; i >= 0; --i)
      text_ += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xFF);
  }
  void add_float(std::int32_t value) { add(std::bit_cast<std::int32_t>(static_cast<float>(value)), 4); }
  void skip(int bytes) { text_.append(static_cast<std::size_t>(bytes), '\0'); }
  [[nodiscard]] std::size_t size() const { return text_.size(); }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_ = "Iout";
};

struct ring_range {
  std::size_t begin, end;
};

ring_range rings_of(const outline_table& table, std::size_t region) {
  const auto first_ring = [&](std::size_t i) {
    return static_cast<std::size_t>(table.polygon_offsets[static_cast<std::size_t>(table.region_offsets[i])]);
  };
  return {first_ring(region), first_ring(region + 1)};
}

struct roi_box {
  std::int32_t left, top, right, bottom;
};

roi_box box_of(const outline_table& table, const ring_range& rings) {
  const corner& first = table.ring(rings.begin)[0];
  roi_box box{first.x, first.y, first.x, first.y};
  for (std::size_t ring = rings.begin; ring < rings.end; ++ring)
    for (const corner& vertex : table.ring(ring)) {
      box = {std::min(box.left, vertex.x), std::min(box.top, vertex.y), std::max(box.right, vertex.x),
             std::max(box.bottom, vertex.y)};
    }
  return box;
}

// The number of values of a composite's path.
std::int64_t path_length(const outline_table& table, const ring_range& rings) {
  std::int64_t values = 0;
  for (std::size_t ring = rings.begin; ring < rings.end; ++ring)
    values += 3 * static_cast<std::int64_t>(table.ring(ring).size()) + 1;
  return values;
}

void append_path(big_endian& to, const outline_table& table, const ring_range& rings) {
  for (std::size_t ring = rings.begin; ring < rings.end; ++ring) {
    int step = path_move;
    for (const corner& vertex : table.ring(ring)) {
      to.add_float(step);
      to.add_float(vertex.x);
      to.add_float(vertex.y);
      step = path_line;
    }
    to.add_float(path_close);
  }
}

}  // namespace

std::string imagej_roi(const outline_table& table, std::size_t region, const std::string& name, std::int64_t position) {
  const ring_range rings = rings_of(table, region);
  const roi_box box = box_of(table, rings);
  const std::span<const corner> outer = table.ring(rings.begin);
  const bool composite = rings.end - rings.begin > 1 || outer.size() > most_roi_vertices;
  const std::int64_t values = composite ? path_length(table, rings) : 0;
  const std::int64_t vertices = composite ? 0 : static_cast<std::int64_t>(outer.size());
  big_endian roi;
  roi.add(roi_version, 2);
  roi.add(composite ? roi_rectangle : roi_polygon, 1);
  roi.skip(1);
  for (const std::int32_t side : {box.top, box.left, box.bottom, box.right}) roi.add(side, 2);
  roi.add(vertices, 2);
  roi.skip(16 + 2);  // of lines
  roi.add(values, 4);
  roi.skip(16);  // colours, subtype, options, arrows
  roi.add(position, 4);
  const std::int64_t second_header = 64 + 4 * values + 4 * vertices;
  roi.add(second_header, 4);
  if (composite) {
    append_path(roi, table, rings);
  } else {
    for (const corner& vertex : outer) roi.add(vertex.x - box.left, 2);
    for (const corner& vertex : outer) roi.add(vertex.y - box.top, 2);
  }
  roi.skip(16);
  roi.add(second_header + 64, 4);  // where the name is
  roi.add(static_cast<std::int64_t>(name.size()), 4);
  roi.skip(40);
  for (const char letter : name) roi.add(letter, 2);
  return roi.take();
}

}  // namespace skerry::io
