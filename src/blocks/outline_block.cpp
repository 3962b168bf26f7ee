// SPDX-License-Identifier: Apache-2.0
// A block decides in each corner of its pixels where outlines go on; it knows the pixels around, and its corners are the upper left
// ones of its pixels, and where the image ends, the last ones.
#include <algorithm>

#include "blocks/check.hpp"
#include "blocks/halo.hpp"
#include "blocks/outline_state.hpp"
#include "core/label_type.hpp"
#include "engine/image_checks.hpp"
#include "engine/stop.hpp"
#include "label/check.hpp"
#include "regions/check.hpp"
#include "regions/label_rows.hpp"
#include "regions/label_slots.hpp"

namespace skerry {
namespace {

using namespace blocks;

// A pixel next to a corner.
struct cell {
  u64 order = 0;  // of its label; only of a region
  bool is_region = false;

  friend bool operator==(const cell&, const cell&) = default;
};

// The four around a corner.
struct quad {
  cell upper_left, upper_right, lower_left, lower_right;

  [[nodiscard]] bool is_plain() const {
    return upper_left == upper_right && upper_left == lower_left && upper_left == lower_right;
  }
};

// Ways along the sides of pixels, with the region on the right hand: right, down, left, up.
constexpr int ways = 4;
constexpr i64 step_x[ways] = {1, 0, -1, 0}, step_y[ways] = {0, 1, 0, -1};

// The pixel on the right hand of who comes to a corner, or leaves it, this way; and that on the left.
struct sides_of_way {
  const cell *right, *left;
  [[nodiscard]] bool is_outline() const { return right->is_region && *right != *left; }
};
sides_of_way coming(const quad& of, int way) {
  const sides_of_way by_way[ways] = {{&of.lower_left, &of.upper_left},
                                     {&of.upper_left, &of.upper_right},
                                     {&of.upper_right, &of.lower_right},
                                     {&of.lower_right, &of.lower_left}};
  return by_way[way];
}
sides_of_way leaving(const quad& of, int way) {
  const sides_of_way by_way[ways] = {{&of.lower_right, &of.upper_right},
                                     {&of.lower_left, &of.lower_right},
                                     {&of.upper_left, &of.lower_left},
                                     {&of.upper_right, &of.upper_left}};
  return by_way[way];
}

// The components of the labels of a block: their piece, and the first pixel of each in the whole image.
struct block_components {
  block_components(engine& on, image_view labels, const outline_request& asked, const block_place& place)
      : width(labels.size.width) {
    // Any byte but 0 is true, and joins to any other.
    std::vector<u8> truths;
    if (labels.type == dtype::boolean) {
      regions::label_row_reader<u8> rows(labels);
      for (i64 y = 0; y < labels.size.height; ++y) truths.insert(truths.end(), rows.row(y), rows.row(y) + width);
      labels = image_view(truths.data(), dtype::u8, labels.size);
    }
    const label_request request{
        labels, {.connectivity = asked.connectivity, .foreground = foreground::all(), .joining = joining::equal()}, {}};
    known = label_block(on, request, place);
    of_pixel.resize(static_cast<std::size_t>(labels.size.pixels()));
    const u64 count = label(on, labels, request.options, mutable_image(of_pixel.data(), dtype::u32, labels.size));
    first.reserve(count);
    for (std::size_t i = 0; i < of_pixel.size(); ++i)
      if (of_pixel[i] > first.size()) {
        const i64 y = place.y + static_cast<i64>(i) / width, x = place.x + static_cast<i64>(i) % width;
        first.push_back(static_cast<u64>(y * place.whole.width + x));
      }
  }
  [[nodiscard]] u64 first_of(i64 y, i64 x) const {
    return first[of_pixel[static_cast<std::size_t>(y * width + x)] - 1];
  }

  piece known;
  i64 width;
  std::vector<u32> of_pixel;
  std::vector<u64> first;
};

// What the corners of a block tell.
struct found_parts {
  chain_list chains;
  std::vector<meeting> meetings;
};

class corner_walk {
 public:
  corner_walk(const outline_request& asked, const block_place& place, const box& in_labels,
              const block_components& components)
      : asked_(asked), place_(place), in_labels_(in_labels), components_(components),
        height_(in_labels.end[1] - in_labels.begin[1]), width_(in_labels.end[2] - in_labels.begin[2]) {}

  template <class Label>
  found_parts run() {
    regions::label_row_reader<Label> rows(asked_.labels);
    std::vector<cell> above(static_cast<std::size_t>(width_) + 2), below(above.size());
    read<Label>(rows, -1, above);
    for (i64 y = 0; y <= height_; ++y) {
      stop_point();
      read<Label>(rows, y, below);
      for (i64 x = 0; x <= width_; ++x) {
        const auto at = static_cast<std::size_t>(x);
        const quad around{above[at], above[at + 1], below[at], below[at + 1]};
        if (!around.is_plain()) add_corner(around, y, x);
      }
      std::swap(above, below);
    }
    std::sort(found_.meetings.begin(), found_.meetings.end());
    return std::move(found_);
  }

 private:
  // Row y of the block from the pixel left of it on; outside of the image there is no region.
  template <class Label>
  void read(regions::label_row_reader<Label>& rows, i64 y, std::vector<cell>& cells) const {
    std::fill(cells.begin(), cells.end(), cell{});
    y += in_labels_.begin[1];
    if (y < 0 || y >= asked_.labels.size.height) return;
    const regions::background_test<Label> is_background(asked_.background);
    const Label* const row = rows.row(y);
    const i64 first = in_labels_.begin[2] - 1;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const i64 x = first + static_cast<i64>(i);
      if (x < 0 || x >= asked_.labels.size.width || is_background(row[x])) continue;
      cells[i] = {regions::order_of_label(regions::bits_of(row[x]), std::is_signed_v<Label>), true};
    }
  }

  // Of corner (x, y) of the block.
  void add_corner(const quad& around, i64 y, i64 x) {
    const bool is_own =
        (x < width_ || place_.x + x == place_.whole.width) && (y < height_ || place_.y + y == place_.whole.height);
    for (int from = 0; from < ways; ++from) {
      if (!coming(around, from).is_outline()) continue;
      const bool is_meeting = meets(around, from);
      if (is_meeting && asked_.connectivity == 4) add_meeting(y, x, from);
      if (is_own) add_parts(around, y, x, from, is_meeting);
    }
  }

  // Whether the pixel on the right hand meets another of its region in the corner alone.
  static bool meets(const quad& around, int from) {
    return *coming(around, from).right == *coming(around, (from + 2) % ways).right &&
           leaving(around, (from + 1) % ways).is_outline();
  }

  // Whoever has the pixel knows its component.
  void add_meeting(i64 y, i64 x, int from) {
    const i64 of_y = from == 1 || from == 2 ? y - 1 : y, of_x = from < 2 ? x - 1 : x;
    if (of_y < 0 || of_y >= height_ || of_x < 0 || of_x >= width_) return;
    found_.meetings.push_back({side(place_.x + x, place_.y + y, from), components_.first_of(of_y, of_x)});
  }

  void add_parts(const quad& around, i64 y, i64 x, int from, bool is_meeting) {
    const corner at{static_cast<std::int32_t>(place_.x + x), static_cast<std::int32_t>(place_.y + y)};
    const cell& pixel = *coming(around, from).right;
    const bool waits = is_meeting && asked_.connectivity == 4;
    const int to = waits ? (from + 1) % ways : way_on(around, from, is_meeting);
    // Who leaves to the right has the corner's own pixel on the right hand, and every ring does so once.
    const u64 component = to == 0 ? components_.first_of(y, x) : outline_chain::no_pixel;
    const u64 vertices = waits || from != to || asked_.keep_collinear ? 1 : 0;
    u64 begin = side(at.x - step_x[from], at.y - step_y[from], from);
    if (waits) {
      found_.chains.add(
          {begin, outline_chain::arriving | side(at.x, at.y, from), pixel.order, outline_chain::no_pixel, 0}, &at);
      begin = outline_chain::leaving | side(at.x, at.y, to);
    }
    found_.chains.add({begin, side(at.x, at.y, to), pixel.order, component, vertices}, &at);
  }

  // Where the outline goes on; where pixels meet in the corner, as if they were one.
  static int way_on(const quad& around, int from, bool is_meeting) {
    if (is_meeting) return (from + 3) % ways;
    int way = 0;
    while (!leaving(around, way).is_outline() || *leaving(around, way).right != *coming(around, from).right) ++way;
    return way;
  }

  [[nodiscard]] u64 side(i64 x, i64 y, int way) const {
    return static_cast<u64>((y * (place_.whole.width + 1) + x) * ways + way);
  }

  const outline_request& asked_;
  const block_place& place_;
  const box& in_labels_;
  const block_components& components_;
  i64 height_, width_;
  found_parts found_;
};

void refuse_more(const outline_request& asked) {
  const auto refuse_name = [](const char* name, const char* why) {
    refuse(std::string(name) + ": " + why + "; give whole images to outline()");
  };
  if (asked.simplify > 0) refuse_name("simplify", "lines between junctions are simplified as wholes, not by blocks");
  if (asked.through_centres) refuse_name("through_centres", "blocks are outlined along the edges of pixels");
  if (asked.nesting) refuse_name("nesting", "a block does not know which rings are around it");
}

}  // namespace

outline_piece outline_block(engine& on, const outline_request& asked, const block_place& place, const extent& size) {
  regions::check_engine(on, "outline_block");
  regions::check_outline(asked);
  refuse_more(asked);
  const box placed = check_place(size, place);
  const box in_labels = block_in_halo(asked.labels.size, place.whole, placed, outline_halo);
  const image_view own = without_halo(asked.labels, in_labels);
  return regions::with_memory([&] {
    outline_piece made;
    outline_state& state = made.inside();
    block_components components(on, own, asked, place);
    found_parts parts = regions::with_label_type(asked.labels.type, [&]<class Label>(regions::label_type<Label>) {
      return corner_walk(asked, place, in_labels, components).run<Label>();
    });
    connect(parts.chains, state.open, state.closed);
    sort_chains(state.closed);
    state.meetings = std::move(parts.meetings);
    state.components = std::move(components.known);
    state.asked = {asked.connectivity,
                   static_cast<u8>(asked.keep_collinear ? 1 : 0),
                   static_cast<u8>(is_signed_label_type(asked.labels.type) ? 1 : 0),
                   asked.background.kind,
                   asked.background.label,
                   static_cast<u8>(asked.background.negative ? 1 : 0)};
    return made;
  });
}

}  // namespace skerry
