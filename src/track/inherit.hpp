// SPDX-License-Identifier: Apache-2.0
// Ids from runs. The definition is that of inherit_options; src/reference/inherit.cpp does the same from pixels.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "core/portable.hpp"
#include "skerry/track.hpp"
#include "track/links.hpp"
#include "track/pixel_box.hpp"

namespace skerry::track_steps {

// Writes the runs of a frame, in raster order: all that reach into the box; others may be among them.
using run_source = std::function<void(const pixel_box& box, std::vector<labelled_run>& runs)>;

class inheritance {
 public:
  explicit inheritance(const inherit_options& options)
      : options_(options), rule_(options), next_id_(options.first_id) {}

  // Reads:   the runs of a frame in raster order, and the table rows of its components
  // Writes:  an object for each component, in label order, and the events
  // Keeps:   the runs, in exchange for those of the frame before, which are asked for if they were not needed until now
  // Method:  overlaps of sorted run lists, a table of links, two rounds of mutual best choice
  // Throws invalid_argument when ids are used up, and std::bad_alloc: both leave the ids as they were.
  void step(u64 frame, std::vector<labelled_run>& runs, std::span<const geometry> components,
            table_rows<tracked_object>& objects, table_rows<track_event>& events, const run_source& before = {});

  // The same from links that were counted elsewhere; a link's carrier is the place of a component in the frame before. Runs
  // are asked for where they are needed: those of this frame when a component without an id may lie on remembered pixels, those of
  // the frame before when something of it is to be remembered.
  void step(u64 frame, std::span<const link> links, std::span<const geometry> components,
            table_rows<tracked_object>& objects, table_rows<track_event>& events, const run_source& now,
            const run_source& before);

  // What carries ids for the next frame, in label order, where no ids are remembered.
  [[nodiscard]] carried_ids carried() const { return {seen_, next_id_, newest_id_}; }
  [[nodiscard]] std::size_t carriers() const { return seen_.size(); }
  // Goes on from there with ids that somebody else chose. The runs of their frame are not known.
  void take_over(carried_ids carried);

  // The runs of the last frame, if step() got runs for it.
  [[nodiscard]] const std::vector<labelled_run>& runs() const { return seen_runs_; }

 private:
  struct memory {
    carrier last;
    u32 frames_left;
    bool merged;
    pixel_box box;
    std::size_t runs_begin, runs_end;  // in the list of runs of all memories
  };
  // Numbers of links, or `none`.
  struct choices {
    std::vector<u32> of_carrier;    // the link that each carrier has chosen
    std::vector<u32> of_component;  // the link that each component keeps; empty if there is no carrier

    [[nodiscard]] u32 kept_by(std::size_t component) const {
      return of_component.empty() ? none : of_component[component];
    }
    [[nodiscard]] bool is_kept(u32 chosen, const std::vector<link>& links) const {
      return chosen != none && of_component[links[chosen].component] == chosen;
    }
  };
  // Events of one kind. Ids that the last frame gave are larger than all earlier ones and come in ascending order, so only older ids
  // are sorted.
  struct ended_ids {
    std::vector<track_event> older, newest;

    void clear() {
      older.clear();
      newest.clear();
    }
    [[nodiscard]] std::vector<track_event>& of(u32 id, u32 newest_id) { return id < newest_id ? older : newest; }
    // By id.
    void append_to(table_rows<track_event>& events);

   private:
    std::vector<track_event> sorted_;
  };
  // The runs of the frame that gets ids, if known, and the sources of runs that are not known.
  struct frame_runs {
    std::vector<labelled_run>& now;
    bool known;
    const run_source &source, &source_before;
  };
  static constexpr u32 none = no_link;

  void weigh(std::vector<link>& links, std::span<const geometry> components, bool remembered) const;
  [[nodiscard]] const carrier& carrier_of(const link& of, bool remembered) const;
  [[nodiscard]] bool is_kept_before(const link& a, const link& b, bool remembered) const;
  void choose(std::span<const geometry> components, bool remembered);
  void find_parents(std::size_t components);
  void finish(u64 frame, const frame_runs& runs, std::span<const geometry> components,
              table_rows<tracked_object>& objects, table_rows<track_event>& events);
  void read_unknown_runs(const frame_runs& runs, std::span<const geometry> components);
  void link_memories(const std::vector<labelled_run>& runs);
  void name_objects(u64 frame, std::span<const geometry> components, table_rows<tracked_object>& objects,
                    table_rows<track_event>& events);
  void end_ids(const table_rows<tracked_object>& objects, table_rows<track_event>& events, const run_source& before);
  void keep_runs_of_new_memories(std::size_t first_new, const run_source& before);
  void commit(const frame_runs& runs, std::span<const geometry> components);

  inherit_options options_;
  link_rule rule_;     // without areas, and if no ids are remembered, most rows of the table are not read
  u32 next_id_;        // 0 when there is none
  u32 newest_id_ = 0;  // ids from here on are of the last frame
  std::vector<carrier> seen_, next_seen_;
  std::vector<pixel_box> seen_boxes_, next_seen_boxes_;  // of those, when something may be remembered
  std::vector<labelled_run> seen_runs_;                  // of the frame before
  bool seen_runs_known_ = true;                          // or they are asked for
  std::vector<memory> memories_, next_memories_;
  std::vector<labelled_run> memory_runs_, next_memory_runs_;  // of one memory after the other

  // Scratch of a step.
  link_table seen_links_, memory_links_;
  choices seen_choice_, memory_choice_;
  std::vector<u32> parent_;     // number of a link of the frame before, for each component
  std::vector<u32> row_begin_;  // first run of each row of the frame, when something is remembered
  std::vector<u32> memory_of_;  // number of the new memory + 1, for each id that was seen before
  u32 id_after_ = 0;            // what next_id_ becomes
  ended_ids merges_, deaths_;
  std::vector<labelled_run> asked_runs_;
  std::vector<pixel_box> nameless_;  // boxes of components that have no id of the frame before
};

}  // namespace skerry::track_steps
