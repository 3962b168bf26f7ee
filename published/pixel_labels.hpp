// SPDX-License-Identifier: Apache-2.0
// What methods share that label an image pixel by pixel: a label image of their own, and all passes after the first.
#pragma once
#include "engine/cpu/buffer.hpp"
#include "published/task.hpp"

namespace skerry::published {

/// The caller's label image, or one in `own` where the caller wants none.
[[nodiscard]] label_rows label_image_of(const task& work, buffer<u32>& own);

/// The geometry of one pixel.
[[nodiscard]] geometry pixel_at(i64 y, i64 x);

// What the passes over an image have found.
struct first_labels {
  label_rows labels;
  u32* table = nullptr;  // of each label one that is not larger, of the same component; its least label has itself
  u32 last = 0;          // the largest label
};

/// Turns the table into labels 1..n, in the order of least labels, and returns n.
[[nodiscard]] u32 number_labels(const first_labels& found);

/// Replaces each pixel's label by what the table has for it.
void relabel_pixels(const binary_rows& image, const first_labels& found);

/// Each pixel votes for its component: algorithm 6 of [Lemaitre2021]. `rows` has one row for each component.
void vote_of_pixels(const binary_rows& image, const label_rows& labels, table_rows<geometry>& rows);

// What a paper calls its passes.
struct pass_names {
  std::string_view numbering, relabelling;
};

/// Numbers the labels, and writes those and the features that are wanted; where features are, rows are there, and empty
/// unless pixels vote.
u64 finish_pixels(const task& work, const first_labels& found, const pass_names& names, bool pixels_vote = true);

}  // namespace skerry::published
