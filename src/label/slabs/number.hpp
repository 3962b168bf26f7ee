// SPDX-License-Identifier: Apache-2.0
// Slabs that were labelled alone become one image: which of their components are one, the labels 1..n of all, one table.
#pragma once
#include <array>
#include <mutex>
#include <span>
#include <tuple>
#include <vector>

#include "core/portable.hpp"
#include "label/select.hpp"
#include "label/slabs/component_sets.hpp"
#include "skerry/measure.hpp"

namespace skerry::label_stages {

/// Components of a slab and of the slab before it whose pixels touch, by their labels there.
struct touching_labels {
  u32 before, here;
};

/// Leaves of the pairs of one border those that unite sets, in any order: fewer than components. Lanes do so while slabs are copied.
void keep_uniting(std::vector<touching_labels>& pairs);

/// Rows of the components of a slab, in its own coordinates; null for groups that were not asked for.
struct slab_rows {
  std::tuple<const geometry*, const second_moments*, const intensity*, const real_intensity*> groups = {};
  i64 first[3] = {0, 0, 0};  // where the slab's first pixel lies in the whole image
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

/// The components that touch across all borders. Threads add a border each while slabs are still on their way, in any order: once all of
/// an image is labelled, nobody waits for its borders.
class slab_unions {
 public:
  /// Pairs of the slab `border` and the one that follows it.
  void add(std::size_t border, std::span<const touching_labels> pairs);

 private:
  friend class slab_numbering;
  std::mutex lock_;
  component_sets sets_;
};

/// The labels of an image in slabs. Components of several slabs belong to the first of these.
class slab_numbering {
 public:
  /// `unions` has each pair of components that touch at least once. Throws invalid_argument for more than 2^32 - 1 components.
  slab_numbering(std::span<const slab_findings> slabs, slab_unions& unions);

  [[nodiscard]] u64 count() const { return count_; }

  /// Replaces the table by the rows of all components, in the groups that slabs have, on all threads of the machine.
  void make_table(feature_table& table) const;

  /// Drops what is not kept from the table, which has all rows. Returns how many components stay.
  u64 select(const selection& keep, const extent& whole, feature_table& table);

  /// What stage 6 needs of a slab.
  [[nodiscard]] slab_labels labels_of(std::size_t slab) const;

 private:
  struct given_up {
    u32 component;
    u64 owner;  // key of the component that it is a part of
  };
  [[nodiscard]] u32 label_of(slab_component one) const;
  void give_up(component_sets& sets);
  void place_rows(std::size_t slab, u64 begin, u64 end, feature_table& table) const;
  void join_rows(feature_table& table) const;
  using row_locks = std::array<std::mutex, 64>;
  void join_parts(std::size_t slab, row_locks& locks, feature_table& table) const;

  std::span<const slab_findings> slabs_;
  std::vector<std::vector<given_up>> given_up_;  // of each slab, ascending
  std::vector<u64> before_;                      // labels before those that begin in each slab
  std::vector<u32> selected_;                    // new label of each, where some are dropped
  u64 count_ = 0;
};

}  // namespace skerry::label_stages
