// SPDX-License-Identifier: Apache-2.0
// What the device tells the host of a frame: a header, and behind it only what there is, without gaps. The device writes it
// into memory of the host, or into its own, from which it is copied. Where it chooses ids it writes lists into the result itself.
#pragma once
#include "core/portable.hpp"
#include "skerry/feature.hpp"
#include "track/links.hpp"

namespace skerry::track_steps {

struct published_header {
  u64 sequence;  // of the publication; written last
  u64 count;     // objects of the frame
  u64 links;
  u64 bytes;         // of all of it, this header as well
  u32 no_threshold;  // 1 when no pixel was finite
  u32 overflow;      // 1 when there is more than the lists of the device hold: there is only the header then
  u32 is_chosen;     // 1 when the device chose ids: lists are in the result then, and no links are published
  u32 births, splits, merges, deaths;
  u32 unused;
  u64 labelled;   // nanoseconds of the device: labels of this frame and of the one before are there
  u64 published;  // and when this was written
};
static_assert(sizeof(published_header) == 80);

// Which lists follow.
struct published_lists {
  bool moments;
  u64 intensity_bytes;  // of a row; 0 for none
};

// The lists of a result, in memory of the host that the device reaches, with room for all that a frame may have. What is not wanted
// is null.
struct result_lists {
  char *rows = nullptr, *moments = nullptr, *intensities = nullptr, *objects = nullptr, *events = nullptr;
};

// Where they begin, in bytes.
struct published_places {
  u64 rows, moments, intensities, links, end;

  SKERRY_BOTH static published_places of(const published_lists& lists, u64 count, u64 links) {
    published_places at{};
    at.rows = sizeof(published_header);
    at.moments = at.rows + count * sizeof(geometry);
    at.intensities = at.moments + (lists.moments ? count * sizeof(second_moments) : 0);
    at.links = (at.intensities + count * lists.intensity_bytes + 15) / 16 * 16;  // 16 bytes are written at once
    at.end = at.links + links * sizeof(link);
    return at;
  }
};

}  // namespace skerry::track_steps
