// SPDX-License-Identifier: Apache-2.0
// FLSL, Faster Light Speed Labeling on the GPU: whole runs of a line as segments, a warp for each line.
//
//   segment detection     edges of lines by votes of the warp, their places by a "compress store"         (algorithm 7)
//   unification           each segment hangs below the first that it touches in the line above, found through ER, by a
//                         plain store; then each merges with the others that it touches                   (algorithm 5)
//   transitive closure    each segment takes its root; roots begin with features of their own
//   features computation  one vote for each other segment; of 32 of a line at once with conflict detection
//   relabelling           labels of pixels
//
// `flsl-cd-compact` then packs the features of components, and brings these alone to the host.
//
// With features on the fly segments have their features from the first kernel on, and what a label has gathered moves
// along when it is merged, so that nothing is left to be computed.
//
// Method  [Lemaitre2021], FLSL with algorithms 5, 7, 8 and 10
#include "published/cuda/methods.hpp"
#include "published/cuda/packed_rows.cuh"
#include "published/cuda/segments.cuh"
#include "published/cuda/votes.cuh"

namespace skerry::published {
namespace {

template <class Places, bool Aligned, bool OnTheFly, bool Counting>
__global__ void __launch_bounds__(32 * lines, 16)
    detect_segments(segment_tables<Places> tables, label_table table, voter<Counting> votes) {
  __shared__ Places staged[lines][stretch];
  const u32 y = this_line(), lane = threadIdx.x;
  if (y >= tables.image.height) return;
  const u32 segments = detect_line<Places, Aligned>(tables, y, lane, staged[threadIdx.y]);
  if constexpr (OnTheFly) {
    __syncwarp();  // what the warp has written of its line is there for all of it
    for (u32 s = lane; s < segments; s += 32) {
      const u32 label = tables.label(y, s);
      u32 begin, end;
      tables.bounds(y, s, begin, end);
      table.parents[label] = label;
      votes.set(label, vote_of(y, begin, end));
    }
  }
}

// The segments [first, end) of the line above that one touches.
template <bool Diagonal, class Places>
__device__ void touched(const segment_tables<Places>& tables, u32 y, u32 segment, u32& first, u32& end) {
  u32 begin_x, end_x;
  tables.bounds(y, segment, begin_x, end_x);
  u32 last_x = end_x - 1;
  if constexpr (Diagonal) {
    if (begin_x > 0) --begin_x;
    if (end_x < tables.image.width) ++last_x;
  }
  first = tables.er_at(y - 1, begin_x) / 2;
  end = (tables.er_at(y - 1, last_x) + 1) / 2;
}

struct slot_of_segment {
  __device__ u32 operator()(u32 label) const { return label; }
};

// Links of labels that are no root's yet: no atomic operation is needed.
template <bool Diagonal, class Places>
__global__ void __launch_bounds__(32 * lines) hang_segments(segment_tables<Places> tables, label_table table) {
  const u32 y = this_line();
  if (y >= tables.image.height) return;
  const u32 segments = tables.segments(y);
  for (u32 s = threadIdx.x; s < segments; s += 32) {
    u32 above = 0, end = 0;
    if (y > 0) touched<Diagonal>(tables, y, s, above, end);
    const u32 label = tables.label(y, s);
    table.parents[label] = above < end ? tables.label(y - 1, above) : label;
  }
}

// Every segment shortens its way to the root, too, so that those who merge find short ways.
template <bool Diagonal, class Places>
__global__ void __launch_bounds__(32 * lines) merge_segments(segment_tables<Places> tables, label_table table) {
  const u32 y = this_line();
  if (y == 0 || y >= tables.image.height) return;
  const u32 segments = tables.segments(y);
  for (u32 s0 = 0; s0 < segments; s0 += 32) {
    const u32 s = s0 + threadIdx.x, label = tables.label(y, s);
    u32 above = 0, end = 0;
    if (s < segments) {
      touched<Diagonal>(tables, y, s, above, end);
      table.close(label);
    }
    for (++above; above < end; ++above) table.merge(label, tables.label(y - 1, above));
    __syncwarp();  // neighbouring segments are neighbours in memory: the warp goes on together
  }
}

// The same with features that move along, from the first segment that is touched on.
template <bool Diagonal, class Places, bool Counting>
__global__ void __launch_bounds__(32 * lines)
    unify_on_the_fly(segment_tables<Places> tables, label_table table, voter<Counting> votes) {
  const u32 y = this_line();
  if (y == 0 || y >= tables.image.height) return;
  const u32 segments = tables.segments(y);
  for (u32 s0 = 0; s0 < segments; s0 += 32) {
    const u32 s = s0 + threadIdx.x;
    u32 above = 0, end = 0;
    if (s < segments) touched<Diagonal>(tables, y, s, above, end);
    for (; above < end; ++above)
      votes.template merge_on_the_fly<reach::device>(table, tables.label(y, s), tables.label(y - 1, above),
                                                     slot_of_segment{});
    __syncwarp();
  }
}

template <class Places, bool Voting, bool Counting>
__global__ void __launch_bounds__(32 * lines)
    close_segments(segment_tables<Places> tables, label_table table, voter<Counting> votes) {
  const u32 y = this_line();
  if (y >= tables.image.height) return;
  const u32 segments = tables.segments(y);
  for (u32 s0 = 0; s0 < segments; s0 += 32) {
    const u32 s = s0 + threadIdx.x, label = tables.label(y, s);
    const bool is_root = s < segments && table.close(label) == label;
    __syncwarp();  // roots write side by side
    if constexpr (Voting)
      if (is_root) {
        u32 begin, end;
        tables.bounds(y, s, begin, end);
        votes.begin(label, vote_of(y, begin, end));
      }
  }
}

template <class Places, bool Detecting, bool Counting>
__global__ void __launch_bounds__(32 * lines)
    vote_by_segments(segment_tables<Places> tables, const u32* roots, voter<Counting> votes) {
  const u32 y = this_line();
  if (y >= tables.image.height) return;
  const u32 segments = tables.segments(y);
  for (u32 s0 = 0; s0 < segments; s0 += 32) {
    const u32 s = s0 + threadIdx.x, label = tables.label(y, s);
    const u32 root = s < segments ? roots[label] : label;
    const bool has_vote = s < segments && (votes.roots_vote || root != label);
    const u32 mask = __ballot_sync(~0u, has_vote);
    if (!has_vote) continue;
    u32 begin, end;
    tables.bounds(y, s, begin, end);
    if constexpr (Detecting) votes.cast_detecting(mask, root, y, begin, end);
    else votes.cast_looking(root, vote_of(y, begin, end));
  }
}

// Components of a line, counted first, so that a line takes room once.
template <class Places>
__global__ void __launch_bounds__(32 * lines)
    pack_roots(segment_tables<Places> tables, const u32* parents, feature_arrays features, packed_rows packed) {
  const u32 y = this_line(), lane = threadIdx.x;
  if (y >= tables.image.height) return;
  const u32 segments = tables.segments(y);
  u32 roots = 0;
  for (u32 s = lane; s < segments; s += 32) roots += parents[tables.label(y, s)] == tables.label(y, s);
  u32 at = packed.take(roots, lane);
  for (u32 s = lane; s < segments; s += 32) {
    const u32 label = tables.label(y, s);
    if (parents[label] == label) packed.put(at++, label, features);
  }
}

template <bool Diagonal, class Places, bool OnTheFly, bool Counting>
void unify(const segment_tables<Places>& tables, label_table table, const voter<Counting>& votes, u32 blocks,
           cudaStream_t stream) {
  const dim3 block(32, lines);
  if constexpr (OnTheFly) {
    unify_on_the_fly<Diagonal><<<blocks, block, 0, stream>>>(tables, table, votes);
  } else {
    hang_segments<Diagonal><<<blocks, block, 0, stream>>>(tables, table);
    merge_segments<Diagonal><<<blocks, block, 0, stream>>>(tables, table);
  }
}

template <class Places, voting Voting, bool Counting, bool Compact>
device_answer solve(const device_task& work) {
  const segment_tables<Places> tables = tables_of<Places>(work);
  const u64 labels = u64{tables.label_pitch} * work.image.height;
  const label_table table{work.memory.take<u32>(labels, "the equivalences")};
  device_answer answer{.label_slots = labels};
  voter<Counting> votes;
  if constexpr (Voting != voting::none) {
    votes.to = feature_arrays::in(work.memory, labels);
    votes.counts = counts_of(work, answer, labels);
    answer_with(answer, votes.to, labels, work.stream);
  }
  constexpr bool on_the_fly = Voting == voting::on_the_fly, votes_later = Voting != voting::none && !on_the_fly;
  const dim3 block(32, lines);
  const u32 blocks = blocks_of(work.image.height, lines);
  work.phase("segment detection", [&] {
    if (is_for_vectors(work.image))
      detect_segments<Places, true, on_the_fly><<<blocks, block, 0, work.stream>>>(tables, table, votes);
    else detect_segments<Places, false, on_the_fly><<<blocks, block, 0, work.stream>>>(tables, table, votes);
  });
  work.phase("unification", [&] {
    if (work.connectivity == 8) unify<true, Places, on_the_fly>(tables, table, votes, blocks, work.stream);
    else unify<false, Places, on_the_fly>(tables, table, votes, blocks, work.stream);
  });
  if (votes_later || work.labels != nullptr)
    work.phase("transitive closure", [&] {
      close_segments<Places, votes_later><<<blocks, block, 0, work.stream>>>(tables, table, votes);
    });
  if constexpr (votes_later)
    work.phase("features computation", [&] {
      vote_by_segments<Places, Voting == voting::detecting>
          <<<blocks, block, 0, work.stream>>>(tables, table.parents, votes);
    });
  if (work.labels != nullptr)
    work.phase("relabelling", [&] { relabel<<<blocks, block, 0, work.stream>>>(tables, table.parents, work.labels); });
  answer.mark = [=, stream = work.stream](u32* is_component) {
    mark_roots<<<blocks, block, 0, stream>>>(tables, table.parents, is_component);
  };
  if constexpr (Compact)
    compact(work, answer, labels, [&](packed_rows packed) {
      pack_roots<<<blocks, block, 0, work.stream>>>(tables, table.parents, votes.to, packed);
    });
  return answer;
}

template <voting Voting, bool Counting, bool Compact = false>
device_answer solve_for_width(const device_task& work) {
  return work.image.width <= 0xffff ? solve<u16, Voting, Counting, Compact>(work)
                                    : solve<u32, Voting, Counting, Compact>(work);
}

template <voting Voting>
device_answer vote_in_segments(const device_task& work) {
  if (!work.features) return solve_for_width<voting::none, false>(work);
  return work.counting ? solve_for_width<Voting, true>(work) : solve_for_width<Voting, false>(work);
}

}  // namespace

device_answer flsl(const device_task& work) { return vote_in_segments<voting::later>(work); }
device_answer flsl_on_the_fly(const device_task& work) { return vote_in_segments<voting::on_the_fly>(work); }
device_answer flsl_detecting(const device_task& work) { return vote_in_segments<voting::detecting>(work); }
device_answer flsl_compact(const device_task& work) {
  return work.features ? solve_for_width<voting::detecting, false, true>(work)
                       : solve_for_width<voting::none, false>(work);
}

}  // namespace skerry::published
