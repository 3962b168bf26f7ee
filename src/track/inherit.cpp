// SPDX-License-Identifier: Apache-2.0
#include "track/inherit.hpp"

#include <algorithm>
#include <string>

#include "core/sort_by_key.hpp"
#include "engine/image_checks.hpp"

namespace skerry::track_steps {
namespace {

constexpr std::size_t most_boxes_compared = 1 << 14;

// Around the boxes of some things, one or more.
template <class Things, class Box>
pixel_box box_around(const Things& things, Box box_of) {
  pixel_box all = box_of(things[0]);
  for (const auto& each : things) all.join(box_of(each));
  return all;
}

}  // namespace

// ---- links ----------------------------------------------------------------------------------------------------------

const carrier& inheritance::carrier_of(const link& of, bool remembered) const {
  return remembered ? memories_[of.carrier].last : seen_[of.carrier];
}

// Gives every link its score, and drops those that are too weak.
void inheritance::weigh(std::vector<link>& links, std::span<const geometry> components, bool remembered) const {
  if (rule_.takes_all()) return;
  std::erase_if(links, [&](link& each) {
    const auto area = static_cast<u32>(components[each.component].area);
    return !rule_.weigh(each, area, carrier_of(each, remembered).area);
  });
}

// Those of the components without an id that may lie on remembered pixels.
void inheritance::read_unknown_runs(const frame_runs& runs, std::span<const geometry> components) {
  nameless_.clear();
  for (std::size_t c = 0; c < components.size(); ++c)
    if (seen_choice_.kept_by(c) == none) nameless_.push_back(pixel_box::of(components[c]));
  if (nameless_.size() * memories_.size() <= most_boxes_compared)
    std::erase_if(nameless_, [&](const pixel_box& box) {
      return std::none_of(memories_.begin(), memories_.end(), [&](const memory& each) { return each.box.meets(box); });
    });
  if (!nameless_.empty()) runs.source(box_around(nameless_, [](const pixel_box& box) { return box; }), runs.now);
}

// Runs of memories may overlap each other, so each is looked up in its row.
void inheritance::link_memories(const std::vector<labelled_run>& runs) {
  memory_links_.clear();
  if (memories_.empty() || runs.empty()) return;
  const auto rows = static_cast<std::size_t>(runs.back().row) + 1;
  row_begin_.assign(rows + 1, 0);
  for (const labelled_run& run : runs) ++row_begin_[static_cast<std::size_t>(run.row) + 1];
  for (std::size_t row = 0; row < rows; ++row) row_begin_[row + 1] += row_begin_[row];
  for (std::size_t m = 0; m < memories_.size(); ++m)
    for (std::size_t i = memories_[m].runs_begin; i < memories_[m].runs_end; ++i) {
      const labelled_run& old = memory_runs_[i];
      const auto row = static_cast<std::size_t>(old.row);
      if (row >= rows) break;
      const auto row_end = runs.begin() + row_begin_[row + 1];
      auto run = std::partition_point(runs.begin() + row_begin_[row], row_end,
                                      [&](const labelled_run& each) { return each.end <= old.begin; });
      for (; run != row_end && run->begin < old.end; ++run) {
        const auto component = static_cast<u32>(run->label - 1);
        const i32 begin = std::max(run->begin, old.begin), end = std::min(run->end, old.end);
        if (seen_choice_.kept_by(component) == none)
          memory_links_.add(component, static_cast<u32>(m), static_cast<u32>(end - begin));
      }
    }
}

// ---- mutual best choice ---------------------------------------------------------------------------------------------

bool inheritance::is_kept_before(const link& a, const link& b, bool remembered) const {
  return component_prefers(a, carrier_of(a, remembered).id, b, carrier_of(b, remembered).id);
}

void inheritance::choose(std::span<const geometry> components, bool remembered) {
  const std::vector<link>& links = (remembered ? memory_links_ : seen_links_).links();
  choices& choice = remembered ? memory_choice_ : seen_choice_;
  const auto is_chosen_before = [&](const link& a, const link& b) {
    return carrier_prefers(a, components[a.component].area, b, components[b.component].area);
  };
  choice.of_carrier.assign(remembered ? memories_.size() : seen_.size(), none);
  for (u32 i = 0; i < links.size(); ++i) {
    u32& chosen = choice.of_carrier[links[i].carrier];
    if (chosen == none || is_chosen_before(links[i], links[chosen])) chosen = i;
  }
  choice.of_component.assign(choice.of_carrier.empty() ? 0 : components.size(), none);
  for (u32 chosen = 0; chosen < links.size(); ++chosen) {
    if (choice.of_carrier[links[chosen].carrier] != chosen) continue;
    u32& kept = choice.of_component[links[chosen].component];
    if (kept == none || is_kept_before(links[chosen], links[kept], remembered)) kept = chosen;
  }
}

void inheritance::find_parents(std::size_t components) {
  const std::vector<link>& links = seen_links_.links();
  parent_.assign(components, none);
  for (u32 i = 0; i < links.size(); ++i) {
    if (seen_choice_.kept_by(links[i].component) != none) continue;  // it has an id
    u32& best = parent_[links[i].component];
    if (best == none || is_kept_before(links[i], links[best], false)) best = i;
  }
}

// ---- names ----------------------------------------------------------------------------------------------------------

void inheritance::name_objects(u64 frame, std::span<const geometry> components, table_rows<tracked_object>& objects,
                               table_rows<track_event>& events) {
  const std::vector<link>&seen = seen_links_.links(), &remembered = memory_links_.links();
  objects.clear();
  events.clear();
  next_seen_.resize(components.size());
  id_after_ = next_id_;
  for (std::size_t c = 0; c < components.size(); ++c) {
    const u32 area = rule_.asks_for_areas() ? static_cast<u32>(components[c].area) : 0;
    tracked_object object;
    if (const u32 kept = seen_choice_.kept_by(c); kept != none) {
      const carrier& from = seen_[seen[kept].carrier];
      objects.push_back({from.id, 0, from.born, track_event_kind::continuation});
      next_seen_[c] = {from.id, area, from.born};
      continue;
    }
    if (parent_[c] != none) object.parent = seen_[seen[parent_[c]].carrier].id;
    if (const u32 kept = memory_choice_.kept_by(c); kept != none) {
      const carrier& from = memories_[remembered[kept].carrier].last;
      object.id = from.id;
      object.born = from.born;
      object.event = track_event_kind::reappearance;
    } else {
      if (id_after_ == 0) refuse("first_id: ids are used up");
      object.id = id_after_++;
      object.born = frame;
      object.event = object.parent != 0 ? track_event_kind::split : track_event_kind::birth;
    }
    objects.push_back(object);
    next_seen_[c] = {object.id, area, object.born};
    events.push_back({object.event, object.id, object.parent});
  }
}

// ---- ends and memories ----------------------------------------------------------------------------------------------

// What becomes of the ids that no component has.
void inheritance::end_ids(const table_rows<tracked_object>& objects, table_rows<track_event>& events,
                          const run_source& before) {
  const std::vector<link>&seen = seen_links_.links(), &remembered = memory_links_.links();
  merges_.clear();
  deaths_.clear();
  next_memories_.clear();
  next_memory_runs_.clear();
  for (std::size_t m = 0; m < memories_.size(); ++m) {
    const memory& old = memories_[m];
    if (memory_choice_.is_kept(memory_choice_.of_carrier[m], remembered)) continue;  // it reappeared
    if (old.frames_left == 1) {
      if (!old.merged) deaths_.older.push_back({track_event_kind::death, old.last.id, 0});
      continue;
    }
    const std::size_t begin = next_memory_runs_.size();
    next_memory_runs_.insert(next_memory_runs_.end(),
                             memory_runs_.begin() + static_cast<std::ptrdiff_t>(old.runs_begin),
                             memory_runs_.begin() + static_cast<std::ptrdiff_t>(old.runs_end));
    next_memories_.push_back({old.last, old.frames_left - 1, old.merged, old.box, begin, next_memory_runs_.size()});
  }
  const std::size_t first_new = next_memories_.size();
  memory_of_.assign(remembers(options_) ? seen_.size() : 0, 0);
  for (std::size_t k = 0; k < seen_.size(); ++k) {
    const u32 chosen = seen_choice_.of_carrier[k];
    if (seen_choice_.is_kept(chosen, seen)) continue;  // it goes on
    const bool merged = chosen != none;
    const u32 frames = merged ? options_.memory : options_.keep_alive, id = seen_[k].id;
    if (merged) merges_.of(id, newest_id_).push_back({track_event_kind::merge, id, objects[seen[chosen].component].id});
    else if (frames == 0) deaths_.of(id, newest_id_).push_back({track_event_kind::death, id, 0});
    if (frames == 0) continue;
    next_memories_.push_back({seen_[k], frames, merged, seen_boxes_[k], 0, 0});
    memory_of_[k] = static_cast<u32>(next_memories_.size());
  }
  merges_.append_to(events);
  deaths_.append_to(events);
  keep_runs_of_new_memories(first_new, before);
}

void inheritance::ended_ids::append_to(table_rows<track_event>& events) {
  sort_by_key(older, sorted_, [](const track_event& event) { return event.id; });
  events.insert(events.end(), older.begin(), older.end());
  events.insert(events.end(), newest.begin(), newest.end());
}

// Counts the runs of each, then copies them to their places.
void inheritance::keep_runs_of_new_memories(std::size_t first_new, const run_source& before) {
  if (next_memories_.size() == first_new) return;
  if (!seen_runs_known_) {
    const auto news = std::span(next_memories_).subspan(first_new);
    before(box_around(news, [](const memory& each) { return each.box; }), seen_runs_);
  }
  for (const labelled_run& run : seen_runs_)
    if (const u32 m = memory_of_[run.label - 1]; m != 0) ++next_memories_[m - 1].runs_end;
  std::size_t begin = next_memory_runs_.size();
  for (std::size_t m = first_new; m < next_memories_.size(); ++m) {
    const std::size_t count = next_memories_[m].runs_end;
    next_memories_[m].runs_begin = next_memories_[m].runs_end = begin;
    begin += count;
  }
  next_memory_runs_.resize(begin);
  for (const labelled_run& run : seen_runs_)
    if (const u32 m = memory_of_[run.label - 1]; m != 0) next_memory_runs_[next_memories_[m - 1].runs_end++] = run;
}

void inheritance::commit(const frame_runs& runs, std::span<const geometry> components) {
  if (remembers(options_)) {
    next_seen_boxes_.resize(components.size());
    std::transform(components.begin(), components.end(), next_seen_boxes_.begin(), pixel_box::of);
  }
  // From here on nothing can fail.
  seen_.swap(next_seen_);
  seen_boxes_.swap(next_seen_boxes_);
  seen_runs_.swap(runs.now);
  seen_runs_known_ = runs.known;
  memories_.swap(next_memories_);
  memory_runs_.swap(next_memory_runs_);
  newest_id_ = next_id_ == 0 ? ~0U : next_id_;
  next_id_ = id_after_;
}

void inheritance::take_over(carried_ids carried) {
  seen_ = std::move(carried.carriers);
  next_id_ = carried.next_id;
  newest_id_ = carried.newest_id;
  seen_runs_known_ = false;
}

void inheritance::step(u64 frame, std::vector<labelled_run>& runs, std::span<const geometry> components,
                       table_rows<tracked_object>& objects, table_rows<track_event>& events, const run_source& before) {
  seen_links_.clear();
  if (!seen_.empty()) {
    if (!seen_runs_known_) before(pixel_box::everywhere(), seen_runs_);
    seen_runs_known_ = true;
    add_overlaps(runs, seen_runs_, seen_links_);
  }
  finish(frame, {runs, true, before, before}, components, objects, events);
}

void inheritance::step(u64 frame, std::span<const link> links, std::span<const geometry> components,
                       table_rows<tracked_object>& objects, table_rows<track_event>& events, const run_source& now,
                       const run_source& before) {
  seen_links_.links().assign(links.begin(), links.end());
  asked_runs_.clear();
  finish(frame, {asked_runs_, false, now, before}, components, objects, events);
}

// What follows from the links of the frame before.
void inheritance::finish(u64 frame, const frame_runs& runs, std::span<const geometry> components,
                         table_rows<tracked_object>& objects, table_rows<track_event>& events) {
  weigh(seen_links_.links(), components, false);
  choose(components, false);
  find_parents(components.size());

  if (!runs.known && !memories_.empty()) read_unknown_runs(runs, components);
  link_memories(runs.now);
  weigh(memory_links_.links(), components, true);
  choose(components, true);

  name_objects(frame, components, objects, events);
  end_ids(objects, events, runs.source_before);
  commit(runs, components);
}

}  // namespace skerry::track_steps
