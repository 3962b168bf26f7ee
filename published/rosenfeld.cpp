// SPDX-License-Identifier: Apache-2.0
// Rosenfeld's two passes over pixels, on one thread.
//
//   first labelling     each pixel takes the least root of its neighbours before it, or a new label  (algorithms 1, 2)
//   transitive closure  each label takes the label of its root                                       (algorithm 4)
//   relabelling         each pixel takes the label of its label
//   features            each pixel votes for its label                                               (algorithm 6)
//
// `rosenfeld-otf` has no votes at the end: pixels vote for their first label, and what a label has gathered moves along
// when it is joined to another (algorithm 9).
//
// Method  [Lemaitre2021], algorithms 1 to 4, 6 and 9; the mask of 8 neighbours is Rosenfeld's
#include "published/pixel_labels.hpp"

namespace skerry::published {
namespace {

struct rosenfeld_scratch final : job_scratch {
  buffer<u32> table;          // T: the parent of each label; label 0 is the background
  buffer<geometry> features;  // of each label that is a root
  buffer<u32> labels;         // E, when the caller wants no label image

  [[nodiscard]] std::size_t bytes() const override { return table.bytes() + features.bytes() + labels.bytes(); }
};

enum class voting { none, on_the_fly };

template <voting Votes>
class equivalences {
 public:
  explicit equivalences(rosenfeld_scratch& memory) : memory_(memory) {}

  [[nodiscard]] u32 last() const { return last_; }

  // Makes room for the labels of a row: no two new ones are side by side.
  void begin_row(i64 width) {
    const std::size_t most = std::size_t{last_} + static_cast<std::size_t>(width / 2) + 2;
    memory_.table.reserve_growing(most);
    table_ = memory_.table.data();
    if constexpr (Votes == voting::on_the_fly) {
      memory_.features.reserve_growing(most);
      features_ = memory_.features.data();
    }
  }

  // The label of a pixel whose neighbours before it have these labels, of which 0 is none.
  template <std::size_t Count>
  u32 label_of(const u32 (&near)[Count], i64 y, i64 x) {
    u32 roots[Count];
    u32 least = 0;
    for (std::size_t k = 0; k < Count; ++k) {
      roots[k] = near[k] != 0 ? find(near[k]) : 0;
      if (roots[k] != 0 && (least == 0 || roots[k] < least)) least = roots[k];
    }
    if (least == 0) return new_label(y, x);
    for (const u32 root : roots)
      if (root != 0 && root != least) hook(root, least);
    if constexpr (Votes == voting::on_the_fly) join<2>(features_[least], pixel_at(y, x), join_alone());
    return least;
  }

 private:
  [[nodiscard]] u32 find(u32 label) const {
    while (table_[label] != label) label = table_[label];
    return label;
  }
  u32 new_label(i64 y, i64 x) {
    const u32 label = ++last_;
    table_[label] = label;
    if constexpr (Votes == voting::on_the_fly) features_[label] = pixel_at(y, x);
    return label;
  }
  // A root can be met twice, under several neighbours: its features go only once.
  void hook(u32 root, u32 least) {
    if constexpr (Votes == voting::on_the_fly)
      if (table_[root] == root) join<2>(features_[least], features_[root], join_alone());
    table_[root] = least;
  }

  rosenfeld_scratch& memory_;
  u32* table_ = nullptr;
  geometry* features_ = nullptr;
  u32 last_ = 0;
};

// `above` is null for the first row.
template <bool Diagonal, voting Votes>
void label_row(const u8* pixels, const u32* above, u32* row, i64 y, i64 width, equivalences<Votes>& sets) {
  const auto of_above = [&](i64 x) { return above != nullptr && x >= 0 && x < width ? above[x] : 0; };
  u32 west = 0;
  for (i64 x = 0; x < width; ++x) {
    u32 label = 0;
    if (pixels[x] != 0) {
      if constexpr (Diagonal) label = sets.label_of({of_above(x - 1), of_above(x), of_above(x + 1), west}, y, x);
      else label = sets.label_of({of_above(x), west}, y, x);
    }
    row[x] = west = label;
  }
}

template <bool Diagonal, voting Votes>
void first_labelling(const binary_rows& image, const label_rows& labels, equivalences<Votes>& sets) {
  for (i64 y = 0; y < image.height; ++y) {
    sets.begin_row(image.width);
    label_row<Diagonal>(image.row(y), y > 0 ? labels.row(y - 1) : nullptr, labels.row(y), y, image.width, sets);
  }
}

// A root's number is new when it is met: what later labels of that number had has moved to it.
void gather(const u32* table, u32 last, const geometry* features, table_rows<geometry>& rows) {
  u32 count = 0;
  for (u32 label = 1; label <= last; ++label)
    if (table[label] > count) rows[count++] = features[label];
}

template <voting Votes>
u64 solve(const task& work) {
  auto& memory = work.scratch<rosenfeld_scratch>();
  const label_rows labels = label_image_of(work, memory.labels);
  equivalences<Votes> sets(memory);
  work.phase("first labelling", [&] {
    if (work.connectivity == 8) first_labelling<true>(work.image, labels, sets);
    else first_labelling<false>(work.image, labels, sets);
  });
  const first_labels found{labels, memory.table.data(), sets.last()};
  constexpr pass_names names = {"transitive closure", "relabelling"};
  const u64 count = finish_pixels(work, found, names, Votes == voting::none);
  if (Votes == voting::on_the_fly && work.features != nullptr)
    work.phase("features", [&] { gather(found.table, found.last, memory.features.data(), *work.features); });
  return count;
}

}  // namespace

u64 rosenfeld(const task& work) { return solve<voting::none>(work); }

u64 rosenfeld_on_the_fly(const task& work) {
  return work.features != nullptr ? solve<voting::on_the_fly>(work) : solve<voting::none>(work);
}

}  // namespace skerry::published
