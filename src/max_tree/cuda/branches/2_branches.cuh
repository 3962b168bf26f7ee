// SPDX-License-Identifier: Apache-2.0
// Stage 2, CUDA, wide keys: branches, and how they are joined while other threads do the same.
//
// A branch is what grows around one maximum, down to the level at which it meets a branch with a higher maximum: there it
// ends, and pixels of this level are of the other one. Where branches end is all that must be known of far places: how many
// pixels a branch has, and how many levels, does not matter, so chains as long as the image cost no more than others.
//
// An end is one word, its level over what names the other branch; 0 is none. A branch keeps the highest of its ends, so one
// atomic maximum sets it, and tells what was there: what it replaces is joined further down. Pixels are only compared, never
// numbered by height, so nothing has to be sorted before.
//
// With each end goes a spot, a pixel of its level that touches both branches, for whoever needs the node in which the branch
// ends. In a tile it is in the word. In the image there is no room: it lies beside, may be that of a lower end that has
// been replaced, and is one of this end if it is of the same level.
#pragma once
#include "max_tree/cuda/1_encode.cuh"
#include "max_tree/cuda/hooks/links.cuh"
#include "max_tree/cuda/tree_grid.cuh"

namespace skerry::tree_stages::on_device {

// The low half of an end is never 0, so one comparison tells an end at this level or above from none.
__device__ inline bool has_ended(u64 end, u32 level) { return end >= word_of<u64>(level, 1); }

// Branches of a tile, named by the places of their maxima. Of two pixels beside each other one is no maximum, so there is a
// word for two. Low half of an end: the spot over 1 + the branch.
template <class Key>
struct tile_branches {
  tile_links<u64> ends;
  const Key* keys;

  __device__ static u32 branch_in(u64 end) { return (place_in(end) & 0xffffu) - 1; }
  __device__ static u32 spot_in(u64 end) { return place_in(end) >> 16; }
  __device__ static u64 end_at(u32 level, u32 spot, u32 branch) {
    return word_of<u64>(level, spot << 16 | (branch + 1));
  }
  __device__ u64 end(u32 branch) const { return ends.load(branch / 2); }
  __device__ u64 raise(u32 branch, u64 end, u32, u32& old_spot) const {
    const u64 old = ends.raise(branch / 2, end);
    old_spot = spot_in(old);
    return old;
  }
  __device__ bool is_higher(u32 a, u32 b) const { return keys[a] != keys[b] ? keys[a] > keys[b] : a > b; }
};

// Branches of the image, named by raster indices of their maxima in rows of an even number of pixels.
template <class Key>
struct image_branches {
  image_links ends;
  u32* spots;
  grey_source<Key> image;
  u32 pitch;  // pixels of a row and, if these are odd, one

  __device__ static u32 branch_in(u64 end) { return place_in(end) - 1; }
  __device__ static u64 end_at(u32 level, u32, u32 branch) { return word_of<u64>(level, branch + 1); }
  __device__ u64 end(u32 branch) const { return ends.load(branch / 2); }
  __device__ bool is_spot(u32 spot, u32 level) const { return spot != nowhere && image.key(spot) == level; }
  __device__ u64 raise(u32 branch, u64 end, u32 spot, u32& old_spot) const {
    const atomic_ref<u32, sharing::device> place(spots[branch / 2]);
    old_spot = place.load(relaxed);
    const u64 old = ends.raise(branch / 2, end);
    if (old < end && spot != nowhere) place.store(spot, relaxed);
    if (!is_spot(old_spot, key_in(old))) old_spot = nowhere;
    return old;
  }
  __device__ u32 key_of_maximum(u32 branch) const {
    const u32 row = pitch == image.width ? 0 : branch / pitch;
    return image.key(branch - row * (pitch - image.width));
  }
  __device__ bool is_higher(u32 a, u32 b) const {
    const u32 key_a = key_of_maximum(a), key_b = key_of_maximum(b);
    return key_a != key_b ? key_a > key_b : a > b;
  }
};

// The branch that a branch is a part of at a level.
template <class Branches>
__device__ u32 at_level(const Branches& all, u32 branch, u32 level) {
  for (u64 end = all.end(branch); has_ended(end, level); end = all.end(branch)) branch = Branches::branch_in(end);
  return branch;
}

// Joins two branches that meet at a level, if not above it. In steps, as chain_walk.
template <class Branches>
class branch_walk {
 public:
  __device__ void begin(u32 a, u32 b, u32 level, u32 spot) { a_ = a, b_ = b, level_ = level, spot_ = spot; }

  // False when they are joined.
  __device__ bool step(const Branches& all) {
    const u64 end_a = all.end(a_), end_b = all.end(b_);
    const bool a_has_ended = has_ended(end_a, level_), b_has_ended = has_ended(end_b, level_);
    if (a_has_ended) a_ = Branches::branch_in(end_a);
    if (b_has_ended) b_ = Branches::branch_in(end_b);
    if (a_ == b_) return false;
    if (a_has_ended || b_has_ended) return true;
    if (all.is_higher(a_, b_)) {
      const u32 higher = a_;
      a_ = b_;
      b_ = higher;
    }
    u32 old_spot;
    const u64 end = Branches::end_at(level_, spot_, b_), old = all.raise(a_, end, spot_, old_spot);
    if (old == 0 || old == end) return false;
    a_ = Branches::branch_in(old);
    if (old < end) {  // it had met this one further down, or here
      level_ = key_in(old);
      spot_ = old_spot;
    }
    return true;
  }

 private:
  u32 a_, b_, level_, spot_;
};

}  // namespace skerry::tree_stages::on_device
