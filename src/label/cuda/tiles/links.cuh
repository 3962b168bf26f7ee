// SPDX-License-Identifier: Apache-2.0
// How the runs of a block become sets, for all kernels that solve an image block by block: the first links, and the pairs that are
// left. A thread has a word of pixels; a bit of `open` is a pair of a run of this word and one of an earlier row, or of several
// earlier rows, each with bits of its own.
//
// Method  a run's first link to an earlier run is a plain store, before anyone unites; links are shortened by pointer jumping, and
//         only the pairs that are left are united; [PlayneHawick2018], [Jaiganesh2018]
#pragma once
#include "core/union_find.hpp"
#include "label/cuda/tiles/rows.cuh"

namespace skerry::label_stages::on_device {

struct link_tuning {
  static constexpr int jump_rounds = 3, jump_rounds_after = 2;
};

/// The runs of a word, counted on from those before it.
template <class Word>
struct runs_of_word {
  Word starts;
  u32 before;
  /// The run at a pixel: the last one that starts there or before.
  __device__ u32 at(Word bit) const { return before + count_bits(starts & up_to(bit)) - 1; }
};

/// Calls link(run, to, reach) for each run that starts in a word, with its first link: to a run that it touches, whose pair is taken
/// from `open`, or to itself. run_at(k, bit) is the earlier run of a bit of open[k]. Returns the starts of the runs that are linked
/// to themselves.
template <class Word, int Rows, class RunAt, class Link>
__device__ Word first_links(const runs_of_word<Word>& own, Word (&open)[Rows], const RunAt& run_at, const Link& link) {
  Word unlinked = 0;
  u32 run = own.before;
  for (Word rest = own.starts; rest != 0; ++run) {
    const Word start = rest & -rest;
    rest ^= start;
    const Word reach = span(start, rest);
    u32 to = run;
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      const Word hit = open[k] & reach;
      if (hit == 0 || to != run) continue;
      const Word bit = hit & -hit;
      open[k] ^= bit;
      to = run_at(k, bit);
    }
    if (to == run) unlinked |= start;
    link(run, to, reach);
  }
  return unlinked;
}

/// Unites the pairs that no first link has taken; run_of(bit) is the run of this word.
template <class Words, class Word, int Rows, class RunOf, class RunAt>
__device__ void unite_open(const Words& parent, const Word (&open)[Rows], const RunOf& run_of, const RunAt& run_at) {
#pragma unroll
  for (int k = 0; k < Rows; ++k)
    for (Word rest = open[k]; rest != 0; rest &= rest - 1) {
      const Word bit = rest & -rest;
      unite_by_splicing(parent, run_of(bit), run_at(k, bit));
    }
}

/// Joins the runs of a block into sets, each of which is linked to its root in the end; by all threads.
template <class Block>
__device__ void solve_runs(Block& block) {
  block.link_runs();
  __syncthreads();
  block.shorten_links(link_tuning::jump_rounds);
  __syncthreads();
  block.unite_runs();
  __syncthreads();
  block.flatten();
  __syncthreads();
}

}  // namespace skerry::label_stages::on_device
