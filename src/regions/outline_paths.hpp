// SPDX-License-Identifier: Apache-2.0
// The two ways to write a ring down while its sides are followed: along the edges of pixels, or through their centres.
//
// A ring is told as stretches: along a side of a run, then across to the next side on the line where the side ends.
#pragma once
#include <algorithm>
#include <vector>

#include "core/portable.hpp"
#include "skerry/outline.hpp"

namespace skerry::regions {

// The rows of a group, along which a side is a line.
struct upright_stretch {
  i64 x, top, bottom;
  bool down;  // a right side
};

struct level_stretch {
  i64 from, to, y;  // `to` may be `from`
  bool closes;      // it ends where the ring began
};

class corner_path {
 public:
  corner_path(std::vector<corner>& vertices, bool keeps_all) : vertices_(vertices), keeps_all_(keeps_all) {}

  void begin(const corner& first) { vertices_.push_back(first); }

  // The corners of pixels between the ends of a side.
  void go_along(const upright_stretch& side) {
    if (!keeps_all_) return;
    for (i64 i = 1; i < side.bottom - side.top; ++i) add(side.x, side.down ? side.top + i : side.bottom - i);
  }

  // The end of a side that does not begin the ring.
  void turn(const level_stretch& line) {
    if (line.from != line.to || keeps_all_) add(line.from, line.y);
  }

  // The vertices behind `from` on a line, up to `to`.
  void go_across(const level_stretch& line) {
    if (line.from == line.to) return;
    const i64 step = line.to < line.from ? -1 : 1;
    if (keeps_all_)
      for (i64 x = line.from + step; x != line.to; x += step) add(x, line.y);
    if (!line.closes) add(line.to, line.y);
  }

  void finish() {}

 private:
  void add(i64 x, i64 y) { vertices_.push_back({static_cast<i32>(x), static_cast<i32>(y)}); }

  std::vector<corner>& vertices_;
  bool keeps_all_;
};

// The pixels on the right hand, each once while the outline stays at it; at the end the other way round.
class centre_path {
 public:
  centre_path(std::vector<corner>& vertices, bool keeps_all) : vertices_(vertices), keeps_all_(keeps_all) {}

  void begin(const corner&) { begin_ = vertices_.size(); }

  void go_along(const upright_stretch& side) {
    if (side.down) go({side.x - 1, side.top}, {side.x - 1, side.bottom - 1});
    else go({side.x, side.bottom - 1}, {side.x, side.top});
  }

  void turn(const level_stretch&) {}

  void go_across(const level_stretch& line) {
    if (line.from < line.to) go({line.from, line.y}, {line.to - 1, line.y});
    else if (line.to < line.from) go({line.from - 1, line.y - 1}, {line.to, line.y - 1});
  }

  void finish() {
    if (vertices_.size() > begin_ + 1 && vertices_.back() == vertices_[begin_]) vertices_.pop_back();
    std::reverse(vertices_.begin() + static_cast<std::ptrdiff_t>(begin_) + 1, vertices_.end());
    if (!keeps_all_ && vertices_.size() > begin_ + 1) keep_turns();
  }

 private:
  struct pixel {
    i64 x, y;
  };

  [[nodiscard]] static i64 sign(i64 from, i64 to) { return (from < to ? 1 : 0) - (from > to ? 1 : 0); }

  // From a pixel straight on to another one, both included.
  void go(pixel at, const pixel& to) {
    add(at);
    const i64 dx = sign(at.x, to.x), dy = sign(at.y, to.y);
    if (!keeps_all_) at = {to.x - dx, to.y - dy};
    while (at.x != to.x || at.y != to.y) {
      at.x += dx, at.y += dy;
      add(at);
    }
  }

  void add(const pixel& at) {
    const corner next{static_cast<i32>(at.x), static_cast<i32>(at.y)};
    if (vertices_.size() == begin_ || vertices_.back() != next) vertices_.push_back(next);
  }

  // Of several pixels.
  void keep_turns() {
    const auto same_heading = [](const corner& a, const corner& b, const corner& c) {
      return sign(a.x, b.x) == sign(b.x, c.x) && sign(a.y, b.y) == sign(b.y, c.y);
    };
    const corner first = vertices_[begin_];
    corner before = vertices_.back();
    std::size_t kept = begin_;
    for (std::size_t i = begin_; i < vertices_.size(); ++i) {
      const corner here = vertices_[i], next = i + 1 < vertices_.size() ? vertices_[i + 1] : first;
      if (!same_heading(before, here, next)) vertices_[kept++] = here;
      before = here;
    }
    vertices_.resize(kept);
  }

  std::vector<corner>& vertices_;
  bool keeps_all_;
  std::size_t begin_ = 0;
};

}  // namespace skerry::regions
