// SPDX-License-Identifier: Apache-2.0
#include "reference/inherit.hpp"

#include <algorithm>
#include <optional>

#include "core/portable.hpp"
#include "skerry/error.hpp"

namespace skerry::reference {
namespace {

__extension__ using wide = __int128;

struct score {
  u64 above = 0, below = 1;
  friend bool operator<(const score& a, const score& b) {
    return static_cast<wide>(a.above) * b.below < static_cast<wide>(b.above) * a.below;
  }
};

// overlap[c] counts the pixels of component c + 1 among `pixels`.
std::vector<u64> overlaps(const std::vector<std::size_t>& pixels, const std::vector<std::uint32_t>& labels, u64 count) {
  std::vector<u64> overlap(count, 0);
  for (const std::size_t pixel : pixels)
    if (labels[pixel] != 0) ++overlap[labels[pixel] - 1];
  return overlap;
}

// The score of two sets of pixels when they are linked.
std::optional<score> link_of(const inherit_options& options, u64 overlap, u64 area, u64 other_area) {
  const u64 together = area + other_area - overlap;
  const bool iou = options.by == inherit_options::score::iou;
  const u64 share_of = iou ? together : std::min(area, other_area);
  if (overlap == 0 || overlap < options.least_overlap) return {};
  if (static_cast<double>(overlap) < options.least_share * static_cast<double>(share_of)) return {};
  return score{overlap, iou ? together : 1};
}

using links = std::vector<std::vector<std::optional<score>>>;  // of each id with each component

// The component that an id chooses among those that are free.
std::optional<std::size_t> choice_of(const std::vector<std::optional<score>>& links_of_id, const std::vector<u64>& area,
                                     const std::vector<bool>& is_free) {
  std::optional<std::size_t> best;
  for (std::size_t c = 0; c < area.size(); ++c) {
    if (!is_free[c] || !links_of_id[c]) continue;
    const bool better = !best || *links_of_id[*best] < *links_of_id[c];
    if (better || (!(*links_of_id[c] < *links_of_id[*best]) && area[c] > area[*best])) best = c;
  }
  return best;
}

// Among some ids, the one with the best score at component c, and the oldest of equals.
template <class Identity>
std::optional<std::size_t> best_id(const std::vector<Identity>& ids, const links& all, std::size_t c,
                                   const std::vector<std::size_t>& among) {
  std::optional<std::size_t> best;
  for (const std::size_t k : among) {
    if (!all[k][c]) continue;
    const bool better = !best || *all[*best][c] < *all[k][c];
    if (better || (!(*all[k][c] < *all[*best][c]) && ids[k].id < ids[*best].id)) best = k;
  }
  return best;
}

// Mutual best choice.
struct matching {
  links all;
  std::vector<std::optional<std::size_t>> choice;  // of each id
  std::vector<std::optional<std::size_t>> keeper;  // the id that each component keeps

  template <class Identity>
  matching(const inherit_options& options, const std::vector<Identity>& ids, const std::vector<std::uint32_t>& labels,
           const std::vector<u64>& area, const std::vector<bool>& is_free) {
    for (const Identity& id : ids) {
      const std::vector<u64> overlap = overlaps(id.pixels, labels, area.size());
      all.emplace_back();
      for (std::size_t c = 0; c < area.size(); ++c)
        all.back().push_back(link_of(options, overlap[c], area[c], id.pixels.size()));
      choice.push_back(choice_of(all.back(), area, is_free));
    }
    for (std::size_t c = 0; c < area.size(); ++c) {
      std::vector<std::size_t> choosers;
      for (std::size_t k = 0; k < ids.size(); ++k)
        if (choice[k] == c) choosers.push_back(k);
      keeper.push_back(best_id(ids, all, c, choosers));
    }
  }
  [[nodiscard]] bool is_kept(std::size_t k) const { return choice[k] && keeper[*choice[k]] == k; }
};

}  // namespace

void inheritance::step(std::uint64_t frame, const std::vector<std::uint32_t>& labels, std::uint64_t count,
                       table_rows<tracked_object>& objects, table_rows<track_event>& events) {
  std::vector<identity> now(count);
  for (std::size_t pixel = 0; pixel < labels.size(); ++pixel)
    if (labels[pixel] != 0) now[labels[pixel] - 1].pixels.push_back(pixel);
  std::vector<u64> area(count);
  for (std::size_t c = 0; c < count; ++c) area[c] = now[c].pixels.size();

  const matching before(options_, seen_, labels, area, std::vector<bool>(count, true));
  std::vector<bool> is_free;
  for (const auto& keeper : before.keeper) is_free.push_back(!keeper);
  const matching old(options_, remembered_, labels, area, is_free);

  std::vector<std::size_t> everybody(seen_.size());
  for (std::size_t k = 0; k < seen_.size(); ++k) everybody[k] = k;
  u64 next = next_id_;
  objects.clear();
  events.clear();
  for (std::size_t c = 0; c < count; ++c) {
    const auto parent = best_id(seen_, before.all, c, everybody);
    tracked_object object;
    if (before.keeper[c]) {
      object = {seen_[*before.keeper[c]].id, 0, seen_[*before.keeper[c]].born, track_event_kind::continuation};
    } else if (old.keeper[c]) {
      object = {remembered_[*old.keeper[c]].id, parent ? seen_[*parent].id : 0, remembered_[*old.keeper[c]].born,
                track_event_kind::reappearance};
    } else {
      if (next > 0xffffffff) throw invalid_argument("first_id: ids are used up");
      object = {static_cast<u32>(next++), parent ? seen_[*parent].id : 0, frame,
                parent ? track_event_kind::split : track_event_kind::birth};
    }
    if (object.event != track_event_kind::continuation) events.push_back({object.event, object.id, object.parent});
    now[c].id = object.id;
    now[c].born = object.born;
    objects.push_back(object);
  }

  std::vector<track_event> merges, deaths;
  std::vector<identity> still_remembered;
  for (std::size_t k = 0; k < remembered_.size(); ++k) {
    if (old.is_kept(k)) continue;
    if (--remembered_[k].frames_left > 0) still_remembered.push_back(remembered_[k]);
    else if (!remembered_[k].merged) deaths.push_back({track_event_kind::death, remembered_[k].id, 0});
  }
  for (std::size_t k = 0; k < seen_.size(); ++k) {
    if (before.is_kept(k)) continue;
    identity& ended = seen_[k];
    ended.merged = before.choice[k].has_value();
    ended.frames_left = ended.merged ? options_.memory : options_.keep_alive;
    if (ended.merged) merges.push_back({track_event_kind::merge, ended.id, objects[*before.choice[k]].id});
    else if (ended.frames_left == 0) deaths.push_back({track_event_kind::death, ended.id, 0});
    if (ended.frames_left > 0) still_remembered.push_back(ended);
  }
  const auto by_id = [](const track_event& a, const track_event& b) { return a.id < b.id; };
  for (std::vector<track_event>* ends : {&merges, &deaths}) {
    std::sort(ends->begin(), ends->end(), by_id);
    events.insert(events.end(), ends->begin(), ends->end());
  }
  next_id_ = next;
  seen_ = std::move(now);
  remembered_ = std::move(still_remembered);
}

}  // namespace skerry::reference
