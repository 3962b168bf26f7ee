// SPDX-License-Identifier: Apache-2.0
// One call on an engine of several devices: its slabs, who labels each of them, and what is known of them so far.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "label/cuda/slabs/lane.cuh"
#include "label/slabs/slab.hpp"
#include "label/slabs/slab_table.hpp"

namespace skerry::label_stages::on_device {

/// The labels of both layers at a border of two slabs, from the one to the other. The lane that comes second joins them.
struct slab_border {
  std::mutex lock;
  std::unique_ptr<device_memory> before, here;
  lane *lane_before = nullptr, *lane_here = nullptr;
};

struct slab_call {
  const label_options& options;
  bool measures = false, moments = false, emits = false, keeps = false, lists_runs = false;
  extent whole;

  std::vector<slab_images> slabs;
  std::vector<lane*> lane_of;                  // of each slab
  std::vector<std::vector<std::size_t>> work;  // slabs of each lane that has some, ascending
  std::vector<lane*> lanes;                    // of these

  // Of each slab, written by its lane.
  std::vector<slab_findings> found;
  std::vector<solved_slab> solved;    // where the tables have been kept
  std::vector<slab_border> borders;   // with the slab that follows
  slab_numbering* numbers = nullptr;  // of all; lanes add to it in the first pass
  slab_table* table = nullptr;        // of all, if anything is measured
  std::vector<slab_labels> labels;
  std::vector<std::vector<labelled_run>> runs;
};

/// First pass of a lane: each slab alone, its table, and how it touches its neighbours.
void find_components(slab_call& call, std::size_t nth_lane);
/// Second pass of a lane: labels and runs of the image.
void emit_slabs(slab_call& call, std::size_t nth_lane);

}  // namespace skerry::label_stages::on_device
