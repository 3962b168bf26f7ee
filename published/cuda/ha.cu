// SPDX-License-Identifier: Apache-2.0
// HA: sub-runs of at most 64 pixels, four lines to a block, a warp for each line.
//
//   strip labelling    the heads of sub-runs get labels, and lines of a strip are merged     (a warp walks along its line)
//   border merging     the lines between strips
//   transitive closure, relabelling / features computation    roots begin with features of their own; one vote for each
//                      other sub-run; of several of a warp at once with conflict detection
//
// A warp fetches 512 pixels at a time, eight tiles, and each thread looks after the sub-runs that begin in its 16 of them.
//
// `ha-compact` then packs the features of components, and brings these alone to the host.
//
// With features on the fly sub-runs vote for the label of their head first, or, when they go on from the tile before, for
// its root, and what a label has gathered moves along when it is merged. Labels of a strip are known to its block alone
// until the borders are merged, so that fences of the block are enough there.
//
// Method  [Lemaitre2021], HA with algorithms 5, 8 and 10; for 4 neighbours, as there
#include "published/cuda/methods.hpp"
#include "published/cuda/packed_rows.cuh"
#include "published/cuda/segment_bits.cuh"
#include "published/cuda/votes.cuh"

namespace skerry::published {
namespace {

constexpr u32 strip_lines = 4;

// Labels are places of pixels in lines of an even width: two heads never lie in pixels 2k and 2k + 1, so that features
// need half as many places.
struct label_places {
  u32 pitch;
  __device__ u32 operator()(u32 y, u32 x) const { return y * pitch + x; }
  static __device__ u32 slot(u32 label) { return label / 2; }
};

struct slot_of_head {
  __device__ u32 operator()(u32 label) const { return label_places::slot(label); }
};

template <voting Voting, reach Reach, bool Counting>
__device__ void merge_heads(label_table table, const voter<Counting>& votes, u32 e1, u32 e2) {
  if constexpr (Voting == voting::on_the_fly) votes.template merge_on_the_fly<Reach>(table, e1, e2, slot_of_head{});
  else table.merge(e1, e2);
}

// A tile of a line: its pixels, and how many of the line end right before it.
struct line_tile {
  u64 pixels;
  u32 ends;

  // How far the head of its sub-run lies before a pixel; at the first one, that of the run.
  [[nodiscard]] __device__ u32 before(u32 x) const { return x == 0 ? ends : start_distance(pixels, x); }
};

// Where a thread is.
struct tile_place {
  u32 y, x0, lane;  // x0: of its tile

  __device__ static tile_place of(u32 y, u32 stretch_x, u32 lane) {
    return {y, stretch_x + lane / tile_lanes * tile_width, lane};
  }
  [[nodiscard]] __device__ u32 first() const { return lane % tile_lanes * lane_pixels; }  // of its pixels, in the tile
};

// Calls with each set bit of a thread's part, all threads of the warp at the same time; `is_set` is false for those that
// have no more.
template <class Work>
__device__ void each_bit(u64 bits, const tile_place& at, Work work) {
  for (u32 left = part_of(bits, at.lane); __any_sync(~0u, left != 0); left &= left - 1)
    work(left != 0, left != 0 ? at.first() + __ffs(left) - 1 : 0);
}

// Pixels that have one above, at the first of each overlap of two sub-runs.
template <voting Voting, reach Reach, bool Counting>
__device__ void merge_lines(const line_tile& own, const line_tile& above, const tile_place& at, label_places place,
                            label_table table, const voter<Counting>& votes) {
  u64 overlaps = starts_of(own.pixels & above.pixels);
  if (own.ends != 0 && above.ends != 0) overlaps &= ~u64{1};  // merged in the tile before
  each_bit(overlaps, at, [&](bool is_set, u32 x) {
    if (is_set)
      merge_heads<Voting, Reach>(table, votes, place(at.y, at.x0 + x - own.before(x)),
                                 place(at.y - 1, at.x0 + x - above.before(x)));
    __syncwarp();
  });
}

// Those that begin a run first: sub-runs that go on are parts of it.
template <voting Voting, bool Counting>
__device__ void label_heads(const line_tile& own, const tile_place& at, label_places place, label_table table,
                            const voter<Counting>& votes) {
  const auto vote_from = [&](u32 x) { return vote_of(at.y, at.x0 + x, at.x0 + x + run_length(own.pixels, x)); };
  each_bit(starts_of(own.pixels), at, [&](bool is_set, u32 x) {
    if (!is_set) return;
    const u32 head = place(at.y, at.x0 + x), before = x == 0 ? own.ends : 0;
    table.set(head, head - before);
    if constexpr (Voting == voting::on_the_fly)
      if (before == 0) votes.set(label_places::slot(head), vote_from(x));
  });
  if constexpr (Voting == voting::on_the_fly) {
    __syncwarp();
    if (at.first() == 0 && own.ends != 0 && (own.pixels & 1) != 0)
      votes.template cast_on_the_fly<reach::block>(table, place(at.y, at.x0 - own.ends), vote_from(0), slot_of_head{});
    __syncwarp();
  }
}

template <bool Aligned, voting Voting, bool Counting>
__global__ void __launch_bounds__(32 * strip_lines, Aligned ? 16 : 1)
    label_strips(device_image image, label_places place, label_table table, voter<Counting> votes) {
  constexpr u32 tiles = stretch / tile_width;
  __shared__ line_tile shared_tiles[2][strip_lines][tiles];  // of this stretch and of the one before, in turns
  const u32 lane = threadIdx.x, line = threadIdx.y, y = blockIdx.x * strip_lines + line, tile = lane / tile_lanes;
  const u32 width = y < image.height ? image.width : 0;
  line_reader<Aligned> next(image.row(y), width, lane);
  run_ends ends;
  for (u32 x0 = 0, turn = 0; x0 < image.width; x0 += stretch, turn ^= 1) {
    const u64 pixels = tile_of(next.take(x0 + stretch), lane);
    const line_tile own{pixels, ends.before_tile(pixels, lane)};
    const tile_place at = tile_place::of(y, x0, lane);
    label_heads<Voting>(own, at, place, table, votes);
    if (at.first() == 0) shared_tiles[turn][line][tile] = own;
    __syncthreads();  // all heads of this stretch have labels, and nobody looks at the tiles of the one before the last
    if (line > 0)
      merge_lines<Voting, reach::block>(own, shared_tiles[turn][line - 1][tile], at, place, table, votes);
  }
}

// A warp for each stretch of the lines `first`, `first + step` …
struct warp_place {
  u32 y, x0, lane;

  __device__ static warp_place of(const device_image& image, u32 first, u32 step) {
    const u32 across = blocks_of(image.width, stretch);
    const u64 warp = (u64{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
    const u64 y = first + warp / across * step;
    return {y < image.height ? static_cast<u32>(y) : image.height, static_cast<u32>(warp % across) * stretch,
            threadIdx.x % 32};
  }
};

template <bool Aligned>
__device__ u64 tile_at(const device_image& image, u32 y, u32 x0, u32 lane) {
  return tile_of(fetched_stretch<Aligned>::of(image.row(y), image.width, x0, lane).bits(), lane);
}

// The first line of each strip but the first.
template <bool Aligned, voting Voting, bool Counting>
__global__ void __launch_bounds__(128)
    merge_borders(device_image image, label_places place, label_table table, voter<Counting> votes) {
  const auto [y, x0, lane] = warp_place::of(image, strip_lines, strip_lines);
  if (y >= image.height) return;
  const line_tile own{tile_at<Aligned>(image, y, x0, lane), 0}, above{tile_at<Aligned>(image, y - 1, x0, lane), 0};
  merge_lines<Voting, reach::device>(own, above, tile_place::of(y, x0, lane), place, table, votes);
}

// What a warp does for one stretch of a line, in the kernels below: calls with a head, or false, its place and length.
template <bool Aligned, class Work>
__device__ void each_head(const device_image& image, Work work) {
  const auto [y, x0, lane] = warp_place::of(image, 0, 1);
  if (y >= image.height) return;
  const u64 pixels = tile_at<Aligned>(image, y, x0, lane);
  const tile_place at = tile_place::of(y, x0, lane);
  each_bit(starts_of(pixels), at, [&](bool is_head, u32 x) {
    work(is_head, at.y, at.x0 + x, is_head ? run_length(pixels, x) : 0);
  });
}

template <bool Aligned, bool Voting, bool Counting>
__global__ void __launch_bounds__(128)
    close_heads(device_image image, label_places place, label_table table, voter<Counting> votes) {
  each_head<Aligned>(image, [&](bool is_head, u32 y, u32 x, u32 length) {
    const u32 head = place(y, x);
    const bool is_root = is_head && table.close(head) == head;
    __syncwarp();
    if constexpr (Voting)
      if (is_root) votes.begin(label_places::slot(head), vote_of(y, x, x + length));
  });
}

template <bool Aligned, voting Voting, bool Counting>
__global__ void __launch_bounds__(128)
    vote_by_heads(device_image image, label_places place, label_table table, voter<Counting> votes) {
  each_head<Aligned>(image, [&](bool is_head, u32 y, u32 x, u32 length) {
    const u32 head = place(y, x), root = is_head ? table.parent(head) : head;
    const bool has_vote = is_head && (votes.roots_vote || root != head);
    const u32 mask = __ballot_sync(~0u, has_vote);
    if (!has_vote) return;
    const u32 slot = label_places::slot(root);
    if constexpr (Voting == voting::detecting) votes.cast_detecting(mask, slot, y, x, x + length);
    else votes.cast_looking(slot, vote_of(y, x, x + length));
  });
}

template <bool Aligned>
__global__ void __launch_bounds__(128)
    relabel(device_image image, label_places place, label_table table, u32* labels) {
  const auto [y, x0, lane] = warp_place::of(image, 0, 1);
  if (y >= image.height) return;
  const u64 own = tile_at<Aligned>(image, y, x0, lane);
  for (u32 k = 0; k < lane_pixels; ++k) {
    const u64 pixels = __shfl_sync(~0u, own, k * 32 / lane_pixels);
    const u32 x = x0 + 32 * k + lane, in_tile = x % tile_width;
    if (x >= image.width) continue;
    const bool is_set = (pixels >> in_tile & 1) != 0;
    labels[u64{y} * image.width + x] = is_set ? table.parent(place(y, x - start_distance(pixels, in_tile))) + 1 : 0;
  }
}

template <bool Aligned>
__global__ void __launch_bounds__(128)
    mark_roots(device_image image, label_places place, label_table table, u32* is_component) {
  each_head<Aligned>(image, [&](bool is_head, u32 y, u32 x, u32) {
    const u32 head = place(y, x);
    if (is_head && table.parent(head) == head) is_component[label_places::slot(head)] = 1;
  });
}

template <bool Aligned>
__global__ void __launch_bounds__(128) pack_roots(device_image image, label_places place, label_table table,
                                                  feature_arrays features, packed_rows packed) {
  u32 roots = 0;
  const auto each_root = [&](auto work) {
    each_head<Aligned>(image, [&](bool is_head, u32 y, u32 x, u32) {
      const u32 head = place(y, x);
      if (is_head && table.parent(head) == head) work(label_places::slot(head));
    });
  };
  each_root([&](u32) { ++roots; });
  u32 at = packed.take(roots, threadIdx.x % 32);
  each_root([&](u32 slot) { packed.put(at++, slot, features); });
}

template <bool Aligned, voting Voting, bool Counting, bool Compact>
device_answer solve(const device_task& work) {
  const device_image& image = work.image;
  const label_places place{image.width + image.width % 2};
  const u64 labels = u64{place.pitch} * image.height;
  const u32 strips = blocks_of(image.height, strip_lines), across = blocks_of(image.width, stretch);
  const u32 all = blocks_of(u64{across} * image.height, 4), borders = blocks_of(u64{across} * (strips - 1), 4);
  const label_table table{work.memory.take<u32>(labels, "the equivalences")};
  device_answer answer{.label_slots = labels};
  voter<Counting> votes;
  if (Voting != voting::none) {
    votes.to = feature_arrays::in(work.memory, labels / 2);
    votes.counts = counts_of(work, answer, labels / 2);
    answer_with(answer, votes.to, labels / 2, work.stream);
  }
  constexpr bool votes_later = Voting == voting::later || Voting == voting::detecting;
  work.phase("strip labelling", [&] {
    label_strips<Aligned, Voting><<<strips, dim3(32, strip_lines), 0, work.stream>>>(image, place, table, votes);
  });
  work.phase("border merging", [&] {
    if (borders != 0) merge_borders<Aligned, Voting><<<borders, 128, 0, work.stream>>>(image, place, table, votes);
  });
  if (votes_later || work.labels != nullptr)
    work.phase("transitive closure", [&] {
      close_heads<Aligned, votes_later><<<all, 128, 0, work.stream>>>(image, place, table, votes);
    });
  if constexpr (votes_later)
    work.phase("features computation",
               [&] { vote_by_heads<Aligned, Voting><<<all, 128, 0, work.stream>>>(image, place, table, votes); });
  if (work.labels != nullptr)
    work.phase("relabelling",
               [&] { relabel<Aligned><<<all, 128, 0, work.stream>>>(image, place, table, work.labels); });
  answer.mark = [=, stream = work.stream](u32* is_component) {
    mark_roots<Aligned><<<all, 128, 0, stream>>>(image, place, table, is_component);
  };
  if constexpr (Compact)
    compact(work, answer, labels / 2, [&](packed_rows packed) {
      pack_roots<Aligned><<<all, 128, 0, work.stream>>>(image, place, table, votes.to, packed);
    });
  return answer;
}

template <voting Voting, bool Counting, bool Compact = false>
device_answer solve_for_lines(const device_task& work) {
  return is_for_vectors(work.image) ? solve<true, Voting, Counting, Compact>(work)
                                    : solve<false, Voting, Counting, Compact>(work);
}

template <voting Voting>
device_answer vote_in_lines(const device_task& work) {
  if (!work.features) return solve_for_lines<voting::none, false>(work);
  return work.counting ? solve_for_lines<Voting, true>(work) : solve_for_lines<Voting, false>(work);
}

}  // namespace

device_answer ha(const device_task& work) { return vote_in_lines<voting::later>(work); }
device_answer ha_on_the_fly(const device_task& work) { return vote_in_lines<voting::on_the_fly>(work); }
device_answer ha_detecting(const device_task& work) { return vote_in_lines<voting::detecting>(work); }
device_answer ha_compact(const device_task& work) {
  return work.features ? solve_for_lines<voting::later, false, true>(work) : solve_for_lines<voting::none, false>(work);
}

}  // namespace skerry::published
