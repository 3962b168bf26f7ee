// SPDX-License-Identifier: Apache-2.0
// Slabs that were labelled alone become one image: which of their components are one, the labels 1..n of all, one table.
#pragma once
#include <algorithm>
#include <atomic>
#include <mutex>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "core/portable.hpp"
#include "core/short_row.hpp"
#include "label/select.hpp"
#include "label/slabs/component_sets.hpp"
#include "skerry/measure.hpp"

namespace skerry::label_stages {

/// Components of a slab and of the slab before it whose pixels touch, by their labels there.
struct touching_labels {
  u32 before, here;
};

/// Leaves of the pairs of one border those that unite sets, in any order: fewer than components. `sets` are scratch.
void keep_uniting(std::vector<touching_labels>& pairs, component_sets& sets);

/// Rows of the components of a slab, in its own coordinates; null for groups that were not asked for.
struct slab_rows {
  const u64* shapes = nullptr;      // short rows of geometry
  const geometry* large = nullptr;  // the list of those that are not short
  std::tuple<const second_moments*, const intensity*, const real_intensity*> others = {};
  row_frame frame = {};
  i64 first[3] = {0, 0, 0};  // where the slab's first pixel lies in the whole image

  template <class Row>
  [[nodiscard]] bool has() const {
    if constexpr (std::is_same_v<Row, geometry>) return shapes != nullptr;
    else return std::get<const Row*>(others) != nullptr;
  }
  /// Of a component, counted from 0.
  template <class Row>
  [[nodiscard]] Row row(u64 component) const {
    if constexpr (!std::is_same_v<Row, geometry>) return std::get<const Row*>(others)[component];
    else if (const u64 word = shapes[component]; is_listed(word)) return large[place_in_list(word)];
    else return geometry_of(word, frame);
  }
};

/// What is known of a slab that was labelled alone, with labels 1..count in raster order.
struct slab_findings {
  u64 count = 0;
  slab_rows rows;
};

/// How the labels of a slab become those of the image: component `given_up[i]`, counted from 0, gets label[i], or none if that
/// is 0; the others are numbered on from base + 1.
struct slab_labels {
  u32 base = 0;
  std::vector<u32> given_up;  // ascending
  std::vector<u32> label;
};

/// A component of a slab, counted from 0, that is a part of one that comes before it.
struct given_up_component {
  u32 component;
  u64 owner;  // key of the component that it is a part of, which is itself never given up
};

/// The first of these, ascending, that is not before a component.
[[nodiscard]] inline auto first_not_before(std::span<const given_up_component> parts, u64 component) {
  return std::lower_bound(parts.begin(), parts.end(), component,
                          [](const given_up_component& part, u64 before) { return part.component < before; });
}

/// The labels of an image in slabs. Components of several slabs belong to the first of these.
///
/// Lanes say what they find while other slabs are still copied, in any order and from any thread. The labels of the first slabs are then
/// final, whatever later slabs bring. Memory stays for the next image.
class slab_numbering {
 public:
  /// Of another image. `slabs` become what lanes find; all are there from the start.
  void begin(std::span<const slab_findings> slabs);

  // ---- by any thread

  /// Takes the pairs of the slab `border` and the one that follows it: each pair of components that touch there, at least once. The
  /// contents of `pairs` are unspecified afterwards.
  void unite(std::size_t border, std::vector<touching_labels>& pairs);
  /// All is known of the slab, and its rows are there.
  void arrive(std::size_t slab);
  /// Unites what has come, and numbers the slabs whose labels are final, unless another thread is already doing so. Returns how many
  /// slabs have numbers, from the first on.
  std::size_t number_final();
  /// Of a slab with a number: what it gives up, ascending; and how many labels there are before its own.
  [[nodiscard]] std::span<const given_up_component> given_up(std::size_t slab) const { return given_up_[slab]; }
  [[nodiscard]] u64 labels_before(std::size_t slab) const { return before_[slab]; }
  /// The label in the image.
  [[nodiscard]] u32 label_of(slab_component one) const;

  // ---- then by one, when all slabs and borders have come

  /// Numbers what is not numbered yet. Throws invalid_argument for more than 2^32 - 1 components.
  void finish();
  [[nodiscard]] u64 count() const { return count_; }

  /// Drops what is not kept from the table, which has all rows. Returns how many components stay.
  u64 select(const selection& keep, const extent& whole, feature_table& table);

  /// What stage 6 needs of a slab.
  [[nodiscard]] slab_labels labels_of(std::size_t slab) const;

  /// Memory that it keeps, between images.
  [[nodiscard]] std::size_t bytes() const;

 private:
  // What threads have said and nobody has looked at.
  struct messages {
    struct pair_list {
      std::size_t border;
      std::vector<touching_labels> pairs;
    };
    std::vector<pair_list> borders;
    std::vector<std::size_t> slabs;
    [[nodiscard]] bool none() const { return borders.empty() && slabs.empty(); }
  };

  void read_messages();
  [[nodiscard]] std::size_t final_slabs();
  void number_next();

  std::span<const slab_findings> slabs_;

  std::mutex inbox_lock_;  // of the two that follow
  messages inbox_;
  std::vector<std::vector<touching_labels>> spare_;  // their memory

  std::atomic_flag is_uniting_;  // who has set it unites and numbers; slabs that have numbers do not change any more
  messages read_;
  component_sets sets_;
  std::vector<bool> is_joined_;            // each border
  std::vector<bool> has_come_;             // each slab
  std::size_t joined_ = 0;                 // slabs 0..joined_ are joined to each other
  std::atomic<std::size_t> numbered_ = 0;  // slabs, from the first on

  std::vector<std::vector<given_up_component>> given_up_;  // of each slab
  std::vector<given_up_component> sorted_;                 // scratch
  std::vector<u64> before_;                                // labels before those that begin in each slab
  std::vector<u32> selected_;                              // new label of each, where some are dropped
  u64 count_ = 0;
};

}  // namespace skerry::label_stages
