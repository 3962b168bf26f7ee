// SPDX-License-Identifier: Apache-2.0
// Ids where a device chooses them: what goes from frame to frame, and what the choice of a frame needs.
#pragma once
#include "engine/cuda/pieces.cuh"
#include "track/links.hpp"

namespace skerry::track_steps {

struct id_side {
  u32 count;      // carriers
  u32 next_id;    // 0 when there is none
  u32 newest_id;  // as in carried_ids
};

struct id_state {
  id_side sides[2];
  u32 turn;     // the side of the last frame
  u32 is_lost;  // 1 from a frame on whose ids the device could not choose: the host chooses those of all frames behind it
};

// carried_ids in memory of the device. There are two sides, of which a frame reads one and writes the other.
struct id_chain {
  id_state* state = nullptr;
  carrier* carriers[2] = {};
  u32* order[2] = {};  // numbers of the carriers, by id

  void lay_out(pieces& memory, u64 row_capacity) {
    memory.take(state, 1);
    for (int side = 0; side < 2; ++side) {
      memory.take(carriers[side], row_capacity);
      memory.take(order[side], row_capacity);
    }
  }
};

// What is counted of a frame; in memory of the device.
struct id_counts {
  u64 frame;      // its number
  u32 is_chosen;  // 1 when all has been chosen
  u32 is_choosing;
  u32 side;      // that is read
  u32 carriers;  // of the frame before
  u32 linked;    // carriers that have chosen a component
  u32 kept;      // those of them that go on
  u32 parents;   // components without an id that have one
  u32 unused;
};

// An object and an event as words, without bytes that nobody writes.
struct object_words {
  u64 words[3];
};
struct event_words {
  u32 words[3];
};
static_assert(sizeof(object_words) == sizeof(tracked_object) && sizeof(event_words) == sizeof(track_event));

// Lists of a frame in memory of the device.
struct id_lists {
  // Components or carriers of a block.
  static constexpr u32 items = 1024;

  id_counts* counts = nullptr;
  object_words* objects = nullptr;
  event_words* events = nullptr;
  // Numbers of links, or no_link:
  u32* of_carrier = nullptr;    // the link that each carrier has chosen
  u32* of_component = nullptr;  // the link that each component keeps
  u32* of_parent = nullptr;     // the best link of each component without an id
  // For each block: components that get new ids; carriers that go on, and that merge.
  u32 *news = nullptr, *lasting = nullptr, *merging = nullptr;

  void lay_out(pieces& memory, u64 row_capacity) {
    memory.take(counts, 1);
    memory.take(objects, row_capacity);
    memory.take(events, 2 * row_capacity);
    for (u32** const list : {&of_carrier, &of_component, &of_parent}) memory.take(*list, row_capacity);
    for (u32** const list : {&news, &lasting, &merging}) memory.take(*list, blocks_for(row_capacity));
  }

  [[nodiscard]] static u32 blocks_for(u64 rows) { return static_cast<u32>((rows + items - 1) / items); }
};

}  // namespace skerry::track_steps
