// SPDX-License-Identifier: Apache-2.0
// Prints what each stage of the CPU engine leaves of a 12 x 8 image in two strips, one "name: numbers" a line, for
// script/journey-pictures. The stages are those of src/label, called in the order of strips.cpp by one thread.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "label/cpu/stages.hpp"
#include "print.hpp"

namespace {

using namespace skerry;
using namespace skerry::label_stages;

constexpr i64 height = 8, width = 12, rows_of_strip = 4;
constexpr int connectivity = 8;
constexpr double threshold = 4;
constexpr std::array<std::uint8_t, height* width> pixels = {
    1, 7, 8, 1, 0, 1, 9, 9, 1, 0, 1, 6,  //
    2, 8, 1, 1, 1, 2, 1, 9, 0, 1, 6, 7,  //
    1, 9, 2, 0, 6, 1, 1, 8, 1, 1, 2, 1,  //
    0, 7, 7, 1, 1, 0, 2, 8, 7, 0, 1, 1,  //
    1, 2, 8, 7, 9, 7, 7, 8, 1, 1, 1, 8,  //
    1, 0, 1, 1, 2, 1, 1, 0, 1, 2, 0, 9,  //
    5, 6, 1, 0, 9, 8, 9, 1, 1, 7, 6, 1,  //
    6, 7, 2, 1, 9, 9, 8, 0, 2, 8, 7, 0,
};
const extent size{height, width};

template <class Element>
std::vector<Element> first_of(const buffer<Element>& list, u64 count) {
  return {list.data(), list.data() + count};
}

void print_bits(const strip& s) {
  for (i64 r = s.row_begin; r < s.row_end; ++r) {
    std::vector<int> bits(width);
    for (i64 x = 0; x < width; ++x) bits[static_cast<std::size_t>(x)] = static_cast<int>(s.bits.row(r)[0] >> x & 1);
    print("bits " + std::to_string(r), bits);
  }
}

void print_runs(const strip& s, const std::string& of) {
  for (i64 r = s.row_begin; r < s.row_end; ++r)
    print("runs " + std::to_string(r), std::array{s.runs_of(r).first, s.runs_of(r).count});
  print("edges" + of, first_of(s.edges.short_edges, 2 * s.runs));
  print("run_parents" + of, first_of(s.component, s.runs));
}

strip solved_alone(const pixel_source& source, i64 row_begin) {
  strip s;
  s.row_begin = row_begin;
  s.row_end = row_begin + rows_of_strip;
  s.edges.kept = run_edges::form::short_form;
  s.rows.reserve(rows_of_strip);
  s.bits.shape(width, rows_of_strip + border_rows(size));
  encode(source, s.row_begin, s.row_end, s.bits);
  print_bits(s);
  local(s, size, connectivity, s.row_begin, s.row_end);
  const std::string of = " " + std::to_string(row_begin / rows_of_strip);
  print_runs(s, of);
  close_strip(s);
  print("run_components" + of, first_of(s.component, s.runs));
  return s;
}

}  // namespace

int main() {
  const image_view image{pixels.data(), size};
  const pixel_source source{image, foreground::above(threshold)};
  print("size", std::array{height, width, rows_of_strip});
  print("threshold", std::array{threshold});
  print("pixels", pixels);

  std::vector<strip> strips;
  u64 components = 0;
  for (i64 row = 0; row < height; row += rows_of_strip) {
    strips.push_back(solved_alone(source, row));
    strips.back().first_component = components;
    components += strips.back().components;
  }
  print("components_of_strips", std::array{strips[0].components, strips[1].components});

  std::vector<u32> label(components, ~u32{0});  // parents at first; stage 3 leaves those unwritten that touch no border
  for (const strip& s : strips) open_border(s, border_rows(size), label.data());
  print("parents_before", label);
  merge(strips, 1, size, connectivity, label.data());
  print("parents", label);

  u64 labels = components;
  for (strip& s : strips) {
    find_guests(s, border_rows(size), label.data());
    labels -= s.guests.size();
  }
  u64 guests = 0;
  for (const strip& s : strips) {
    for (const strip::guest& guest : s.guests) print("guest", std::array{guest.component, guest.root});
    number(s, s.first_component - guests + 1, labels + guests + 1, label.data());
    guests += s.guests.size();
  }
  print("numbers", label);

  feature_table table;
  table.components.resize(components);
  for (const strip& s : strips) measure(s, size, {}, label.data(), table);
  for (const geometry& row : table.components) print("part", std::array<u64, 3>{row.area, row.sum[1], row.sum[2]});
  join_guests(strips, label.data(), table);
  table.components.resize(labels);
  for (const strip& s : strips) settle(s, label.data());
  print("labels_of_components", label);
  for (const geometry& row : table.components)
    print("row", std::array<i64, 7>{static_cast<i64>(row.area), static_cast<i64>(row.sum[1]),
                                    static_cast<i64>(row.sum[2]), row.min[1], row.min[2], row.max[1], row.max[2]});

  std::vector<std::uint8_t> out(pixels.size());
  const mutable_image label_image{out.data(), size};
  for (strip& s : strips) {
    emit_scratch scratch;
    prepare_emit(s, label_image, scratch);
    encode(source, s.row_begin, s.row_end, s.bits);
    emit(s, false, s.row_begin, s.row_end, label.data(), scratch, label_image);
  }
  print("labels", out);
}
