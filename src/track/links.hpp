// SPDX-License-Identifier: Apache-2.0
// Which components share pixels with what carries an id, and how many. A few links per component: a table of the pairs
// that there are, not of those that there could be.
#pragma once
#include <vector>

#include "core/portable.hpp"
#include "skerry/label.hpp"
#include "skerry/track.hpp"

namespace skerry::track_steps {

[[nodiscard]] inline bool remembers(const inherit_options& options) {
  return options.keep_alive > 0 || options.memory > 0;
}

// What carries an id: a component of the frame before, or a remembered one.
struct carrier {
  u32 id, area;  // the area is 0 where no rule asks for it
  u64 born;
};

// All that goes from one frame to the next, if no ids are remembered.
struct carried_ids {
  std::vector<carrier> carriers;  // in the order of their components
  u32 next_id;                    // 0 when there is none
  u32 newest_id;                  // ids from here on are of the last frame, and ascend in that order
};

// Components and carriers are counted from 0.
struct link {
  u32 component, carrier;
  u32 overlap;  // pixels
  u32 whole;    // the score is overlap / whole: 1, or the pixels of the union
};

inline constexpr u32 no_link = 0xffffffff;  // instead of the number of one

// Which links count, and what their score is.
struct link_rule {
  bool by_union;
  u32 least_overlap;
  double least_share;

  explicit link_rule(const inherit_options& options)
      : by_union(options.by == inherit_options::score::iou), least_overlap(options.least_overlap),
        least_share(options.least_share) {}

  // Whether it depends on the areas of what is linked.
  [[nodiscard]] SKERRY_BOTH bool asks_for_areas() const { return by_union || least_share > 0; }
  [[nodiscard]] SKERRY_BOTH bool takes_all() const { return !asks_for_areas() && least_overlap <= 1; }

  // Gives a link its score; false when it is too weak.
  [[nodiscard]] SKERRY_BOTH bool weigh(link& each, u32 area, u32 area_of_carrier) const {
    if (by_union) each.whole = area + area_of_carrier - each.overlap;
    const u32 smaller = area < area_of_carrier ? area : area_of_carrier;
    const u32 share_of = by_union ? each.whole : smaller;
    return each.overlap >= least_overlap &&
           static_cast<double>(each.overlap) >= least_share * static_cast<double>(share_of);
  }
};

// Whether the score of a is above, equal or below that of b: > 0, 0, < 0. Exact, since frames have fewer than 2^31
// pixels.
[[nodiscard]] SKERRY_BOTH inline int compare_scores(const link& a, const link& b) {
  const u64 left = static_cast<u64>(a.overlap) * b.whole, right = static_cast<u64>(b.overlap) * a.whole;
  return left > right ? 1 : left < right ? -1 : 0;
}

// Whether their carrier chooses the component of a, which has this area, rather than that of b.
[[nodiscard]] SKERRY_BOTH inline bool carrier_prefers(const link& a, u64 area_of_a, const link& b, u64 area_of_b) {
  const int better = compare_scores(a, b);
  if (better != 0) return better > 0;
  return area_of_a != area_of_b ? area_of_a > area_of_b : a.component < b.component;
}

// Whether their component keeps the carrier of a, which has this id, rather than that of b.
[[nodiscard]] SKERRY_BOTH inline bool component_prefers(const link& a, u32 id_of_a, const link& b, u32 id_of_b) {
  const int better = compare_scores(a, b);
  return better != 0 ? better > 0 : id_of_a < id_of_b;
}

// Links in the order of their first pixels, found by hashing the pair.
class link_table {
 public:
  void clear();
  void add(u32 component, u32 carrier, u32 pixels);
  [[nodiscard]] std::vector<link>& links() { return links_; }

 private:
  [[nodiscard]] std::size_t place_of(u32 component, u32 carrier) const;
  void grow();

  std::vector<link> links_;
  std::vector<u32> places_;  // number of the link + 1, or 0; a power of two of them, at most half of them taken
  int shift_ = 64;           // hash bits that are too many
};

// Adds the overlaps of two lists of runs in raster order, each without overlaps of its own. Labels count from 1.
void add_overlaps(const std::vector<labelled_run>& now, const std::vector<labelled_run>& before, link_table& to);

}  // namespace skerry::track_steps
