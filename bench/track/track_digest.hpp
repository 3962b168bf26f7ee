// SPDX-License-Identifier: Apache-2.0
// What a stream said of all its frames, to be compared with what another engine says.
#pragma once
#include <stdexcept>
#include <vector>

#include "skerry/skerry.hpp"

namespace skerry::bench {

struct track_digest {
  table_rows<tracked_object> objects;
  table_rows<track_event> events;
  std::vector<geometry> rows;

  /// Throws std::runtime_error when the frame ended in an error.
  void add(const frame_result& result) {
    if (!result.error.empty()) throw std::runtime_error(result.error);
    objects.insert(objects.end(), result.objects.begin(), result.objects.end());
    events.insert(events.end(), result.events.begin(), result.events.end());
    rows.insert(rows.end(), result.table.components.begin(), result.table.components.end());
  }
  friend bool operator==(const track_digest&, const track_digest&) = default;
};

/// Of the first frames of a film, which has a function frame(number).
template <class Film>
track_digest digest_of(engine& on, const Film& film, const track_options& options, std::uint64_t frames) {
  track_digest all;
  tracker stream(on, options, [&](const frame_result& result) { all.add(result); });
  for (std::uint64_t i = 0; i < frames; ++i) stream.push(film.frame(i));
  stream.stop();
  return all;
}

}  // namespace skerry::bench
