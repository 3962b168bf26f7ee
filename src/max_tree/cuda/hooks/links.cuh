// SPDX-License-Identifier: Apache-2.0
// Links of the max-tree on the device, and how two chains of them become one while other threads do the same.
//
// A pixel is written as one word, its level above its place, so that words are ordered as pixels are: the larger word is
// the higher pixel. Levels are keys and 1, so that no word is 0. Its link is the word of a lower pixel, or of an earlier one
// at the same level; 0 is none. A better link is a larger word, so one atomic maximum hangs a pixel below another, brings the
// level of the lower pixel with it, and tells what was there before.
//
// Method  hooking by atomic maximum in one word per pixel, after the idea of the tiles of [Blin2022]; here for every key,
//         in shared and in device memory. Whoever replaces a link, or finds a better one there, goes on with both ends:
//         no connection is lost, whatever the order of threads.
#pragma once
#include "engine/cuda/shared_words.cuh"

namespace skerry::tree_stages::on_device {

// u32: 16 bits of key over 16 of place; u64: 32 over 32.
template <class Word>
inline constexpr int place_bits = sizeof(Word) * 4;

template <class Word>
SKERRY_BOTH Word word_of(u32 key, u32 place) {
  return static_cast<Word>(key) << place_bits<Word> | place;
}
template <class Word>
SKERRY_BOTH u32 key_in(Word word) {
  return static_cast<u32>(word >> place_bits<Word>);
}
template <class Word>
SKERRY_BOTH u32 place_in(Word word) {
  return static_cast<u32>(word & ((Word{1} << place_bits<Word>)-1));
}

// Links of a tile, and of the image: load(place), store(place, link), and raise(place, link), which tells what was there.
template <class Word>
using tile_links = words_of_block<Word>;
using image_links = words_of_device<u64>;

// Makes one chain of those that go down from two pixels which touch, from the lower one of both on.
//
// It is done in steps of one read, so that the threads of a warp can be at different pairs: chains differ in length by far
// more than what a step more or less costs. All steps are the same instructions but for an addition to a chain and a store.
template <class Links, class Word>
class chain_walk {
 public:
  __device__ void begin(const Links& links, Word a, Word b) {
    a_ = a, b_ = b;
    below_a_ = links.load(place_in(a));
    below_b_ = links.load(place_in(b));
  }

  // False when the chains are one. First both go to the first pixels of their levels, then always the higher one goes on.
  //
  // On the way links within a level are halved. The store is safe: such a link stays within its level for good, and what
  // is overwritten is either the link that was read, which leads on to the new one, or one that another thread has put
  // there meanwhile, and that thread goes on to connect both.
  __device__ bool step(const Links& links) {
    const bool a_is_within = is_within(a_, below_a_), within = a_is_within || is_within(b_, below_b_);
    if (!a_is_within && (within || a_ < b_)) {
      const Word other = a_, below_other = below_a_;
      a_ = b_, below_a_ = below_b_;
      b_ = other, below_b_ = below_other;
    }
    const bool apart = within || a_ != b_;
    if (!within && apart && below_a_ < b_)  // at that time; what is there now is what counts
      below_a_ = links.raise(place_in(a_), b_);
    const bool more = apart && below_a_ != 0;
    const Word next = links.load(place_in(below_a_));
    if (within && is_within(a_, next)) links.store(place_in(a_), next);
    a_ = below_a_;
    below_a_ = next;
    return more;
  }

 private:
  // The pixel is not the first of its level.
  __device__ static bool is_within(Word at, Word below) { return key_in(below) == key_in(at); }

  Word a_, b_, below_a_, below_b_;
};

}  // namespace skerry::tree_stages::on_device
