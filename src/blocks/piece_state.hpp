// SPDX-License-Identifier: Apache-2.0
// What a piece holds. All lists are sorted, so that pieces of the same blocks are equal whatever was joined first.
#pragma once
#include <vector>

#include "blocks/piece_shape.hpp"
#include "core/feature_groups.hpp"
#include "core/portable.hpp"
#include "skerry/blocks.hpp"

namespace skerry {

namespace blocks {

/// What must be the same for two pieces to join.
struct question {
  enum : u16 {
    by_value = 1,
    moments = moments_group::flag,
    intensities = intensity_group::flag,
    real_intensities = real_intensity_group::flag,
    within = 16,
    periodic_z = 32,
    periodic_y = 64,
    periodic_x = 128,
    background = 256
  };
  int connectivity = 0;
  skerry::foreground::rule foreground = skerry::foreground::rule::nonzero;
  double low = 0, high = 0;  // of the foreground
  double delta = 0;          // of neighbours that join within it
  dtype type = dtype::u8;    // of pixels that are compared
  u16 flags =
      0;  // how neighbours join; the groups of features that rows have; periodic axes; whether these are of the background

  [[nodiscard]] bool has(u16 flag) const { return (flags & flag) != 0; }
  [[nodiscard]] periodic_axes periodic() const { return {has(periodic_z), has(periodic_y), has(periodic_x)}; }
  friend bool operator==(const question&, const question&) = default;
};

/// The flags of the groups of features that rows get.
[[nodiscard]] u16 feature_flags(const measure_options& features);

/// Moves rows from the coordinates of a block to those of the whole image, where its first pixel has these.
void move_rows(feature_table& rows, const i64 (&to)[3]);

/// Joins the row of one table to that of another with the same groups.
void join_row(feature_table& to, std::size_t row, const feature_table& from, std::size_t i);
/// Appends a row of another table, in the groups that it has.
void add_row(feature_table& to, const feature_table& from, std::size_t i);

/// Memory that a table takes.
[[nodiscard]] u64 bytes_of(const feature_table& rows);

/// Components in the order of their first pixels.
struct component_list {
  std::vector<u64> first;  // raster index in the whole image
  feature_table rows;      // of the same order; groups that were not asked for are empty

  [[nodiscard]] std::size_t size() const { return first.size(); }
  /// Makes room for components with the groups of features of another list.
  void reserve(std::size_t count, const component_list& like);
  /// Appends component i of another list.
  void add(const component_list& from, std::size_t i);
  /// Joins the row of component i to that of component `to`.
  void join_row(std::size_t to, const component_list& from, std::size_t i);
};

/// Both lists in one.
[[nodiscard]] component_list merged(const component_list& a, const component_list& b);

/// Pixels [begin, end) of one row of the whole image that neighbours in other blocks can join.
struct border_run {
  i64 row;         // z · height + y
  i64 begin, end;  // columns; one where neighbours join within a delta
  u64 uncovered;   // neighbouring pixels that are in no block of the piece
  u64 value;       // key of the pixels where neighbours join by value, else 0
  u64 component;   // index among the open ones
  friend bool operator==(const border_run&, const border_run&) = default;
};

/// A component of one block that became part of another component.
struct alias {
  u64 first;  // its first pixel
  u64 owner;  // open: index of the component; closed: first pixel of the component
  friend bool operator==(const alias&, const alias&) = default;
};

}  // namespace blocks

struct piece_state : blocks::placed_blocks {
  static constexpr u64 header = blocks::bytes_header(0, 3);
  blocks::question asked;
  blocks::component_list open, closed;      // components
  std::vector<blocks::border_run> border;   // of open components, by row and column
  std::vector<blocks::alias> open_aliases;  // by first pixel
  std::vector<blocks::alias> closed_aliases;

  /// Of no block and no component.
  [[nodiscard]] bool is_blank() const { return boxes.empty() && closed.size() == 0; }
  [[nodiscard]] u64 memory() const;
  template <class Self, class Parts>
  static void each_part(Self& of, Parts& parts);
  void check() const;
};

}  // namespace skerry
