// SPDX-License-Identifier: Apache-2.0
// HA: sub-runs of at most 64 pixels, four lines to a block, a warp for each line.
//
//   strip labelling    the heads of sub-runs get labels, and lines of a strip are merged     (a warp walks along its line)
//   border merging     the lines between strips
//   relabelling / features computation    one vote for each sub-run; of all of a warp at once with conflict detection
//
// With features on the fly sub-runs vote for the label of their head first, or, when they go on from the tile before, for
// its root, and what a label has gathered moves along when it is merged. Labels of a strip are known to its block alone
// until the borders are merged, so that fences of the block are enough there.
//
// Method  [Lemaitre2021], HA with algorithms 5, 8 and 10; for 4 neighbours, as there
#include "published/cuda/methods.hpp"
#include "published/cuda/segment_bits.cuh"
#include "published/cuda/votes.cuh"

namespace skerry::published {
namespace {

constexpr u32 strip_lines = 4;
enum class voting { none, later, detecting, on_the_fly };

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

// Pixels of a tile that have one above, at the first of each overlap of two sub-runs. Before the tile there were `ends`
// and `ends_above` foreground pixels in a row.
template <voting Voting, reach Reach, bool Counting>
__device__ void merge_lines(u64 pixels, u64 above, u32 ends, u32 ends_above, u32 y, u32 x0, u32 lane,
                            label_places place, label_table table, const voter<Counting>& votes) {
  const u64 both = pixels & above;
  for (u32 x = lane; x < tile_width; x += 32) {
    if ((both >> x & 1) == 0) continue;
    const u32 before = x == 0 ? ends : start_distance(pixels, x);
    const u32 before_above = x == 0 ? ends_above : start_distance(above, x);
    if (before == 0 || before_above == 0)
      merge_heads<Voting, Reach>(table, votes, place(y, x0 + x - before), place(y - 1, x0 + x - before_above));
  }
}

template <voting Voting, bool Counting>
__global__ void __launch_bounds__(32 * strip_lines)
    label_strips(device_image image, label_places place, label_table table, voter<Counting> votes) {
  __shared__ u64 shared_pixels[strip_lines];
  const u32 lane = threadIdx.x, line = threadIdx.y, y = blockIdx.x * strip_lines + line;
  u32 ends = 0, ends_above = 0;
  for (u32 x0 = 0; x0 < image.width; x0 += tile_width) {
    const u64 pixels = tile_bits(image, y, x0, lane);
    for (u32 x = lane; x < tile_width; x += 32) {
      if ((pixels >> x & 1) == 0 || start_distance(pixels, x) != 0) continue;
      const u32 head = place(y, x0 + x), before = x == 0 ? ends : 0;
      if constexpr (Voting == voting::on_the_fly) {
        const vote own = vote_of(y, x0 + x, x0 + x + run_length(pixels, x));
        if (before == 0) votes.to.set(label_places::slot(head), own), votes.count(label_places::slot(head));
        else votes.template cast_on_the_fly<reach::block>(table, head - before, own, slot_of_head{});
      }
      table.set(head, head - before);  // a sub-run that goes on is a part of the same run
    }
    __syncthreads();  // all heads of this tile have labels, and everybody has read the pixels of the one before
    if (lane == 0) shared_pixels[line] = pixels;
    __syncthreads();
    const u64 above = line > 0 ? shared_pixels[line - 1] : 0;
    merge_lines<Voting, reach::block>(pixels, above, ends, ends_above, y, x0, lane, place, table, votes);
    const u32 d = start_distance(pixels, tile_width), d_above = start_distance(above, tile_width);
    ends = d + (d == tile_width ? ends : 0);
    ends_above = d_above + (d_above == tile_width ? ends_above : 0);
  }
}

// A warp for each tile of the first line of each strip but the first.
template <voting Voting, bool Counting>
__global__ void __launch_bounds__(128)
    merge_borders(device_image image, label_places place, label_table table, voter<Counting> votes, u32 tiles) {
  const u64 warp = (u64{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  const u32 lane = threadIdx.x % 32, x0 = static_cast<u32>(warp % tiles) * tile_width;
  const u64 y = (warp / tiles + 1) * strip_lines;
  if (y >= image.height) return;
  const u64 pixels = tile_bits(image, static_cast<i64>(y), x0, lane);
  const u64 above = tile_bits(image, static_cast<i64>(y) - 1, x0, lane);
  merge_lines<Voting, reach::device>(pixels, above, 0, 0, static_cast<u32>(y), x0, lane, place, table, votes);
}

// What a warp does for one tile of a line, in the kernels below.
template <class Work>
__device__ void each_tile(const device_image& image, u32 tiles, Work work) {
  const u64 warp = (u64{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  const u64 y = warp / tiles;
  if (y >= image.height) return;
  const u32 lane = threadIdx.x % 32, x0 = static_cast<u32>(warp % tiles) * tile_width;
  work(static_cast<u32>(y), x0, tile_bits(image, static_cast<i64>(y), x0, lane), lane);
}

template <class Work>
__device__ void each_head(const device_image& image, u32 tiles, Work work) {
  each_tile(image, tiles, [&](u32 y, u32 x0, u64 pixels, u32 lane) {
    for (u32 x = lane; x < tile_width; x += 32) {
      const bool is_head = (pixels >> x & 1) != 0 && start_distance(pixels, x) == 0;
      work(is_head, y, x0 + x, is_head ? run_length(pixels, x) : 0);
    }
  });
}

__global__ void __launch_bounds__(128)
    close_heads(device_image image, label_places place, label_table table, feature_arrays features, u32 tiles) {
  each_head(image, tiles, [&](bool is_head, u32 y, u32 x, u32) {
    if (!is_head) return;
    const u32 head = place(y, x);
    if (table.close(head) == head && features.area != nullptr) features.clear(label_places::slot(head));
  });
}

template <voting Voting, bool Counting>
__global__ void __launch_bounds__(128)
    vote_by_heads(device_image image, label_places place, label_table table, voter<Counting> votes, u32 tiles) {
  each_head(image, tiles, [&](bool is_head, u32 y, u32 x, u32 length) {
    const u32 mask = __ballot_sync(~0u, is_head);
    if (!is_head) return;
    const u32 slot = label_places::slot(table.parent(place(y, x)));
    if constexpr (Voting == voting::detecting) votes.cast_detecting(mask, slot, y, x, x + length);
    else votes.cast_looking(slot, vote_of(y, x, x + length));
  });
}

__global__ void __launch_bounds__(128)
    relabel(device_image image, label_places place, label_table table, u32* labels, u32 tiles) {
  each_tile(image, tiles, [&](u32 y, u32 x0, u64 pixels, u32 lane) {
    for (u32 x = lane; x < tile_width && x0 + x < image.width; x += 32) {
      const bool is_set = (pixels >> x & 1) != 0;
      labels[u64{y} * image.width + x0 + x] =
          is_set ? table.parent(place(y, x0 + x - start_distance(pixels, x))) + 1 : 0;
    }
  });
}

__global__ void __launch_bounds__(128)
    mark_roots(device_image image, label_places place, label_table table, u32* is_component, u32 tiles) {
  each_head(image, tiles, [&](bool is_head, u32 y, u32 x, u32) {
    const u32 head = place(y, x);
    if (is_head && table.parent(head) == head) is_component[label_places::slot(head)] = 1;
  });
}

template <voting Voting, bool Counting>
device_answer solve(const device_task& work) {
  const device_image& image = work.image;
  const label_places place{image.width + image.width % 2};
  const u64 labels = u64{place.pitch} * image.height;
  const u32 strips = blocks_of(image.height, strip_lines), tiles = blocks_of(image.width, tile_width);
  const u32 all_tiles = blocks_of(u64{tiles} * image.height, 4), border_tiles = blocks_of(u64{tiles} * (strips - 1), 4);
  const label_table table{work.memory.take<u32>(labels, "the equivalences")};
  device_answer answer{.label_slots = labels};
  voter<Counting> votes;
  if (Voting != voting::none) {
    votes.to = feature_arrays::in(work.memory, labels / 2);
    votes.hits = answer.hits = hits_of(work, labels / 2);
    answer_with(answer, votes.to, labels / 2, work.stream);
  }
  constexpr bool votes_later = Voting == voting::later || Voting == voting::detecting;
  work.phase("strip labelling", [&] {
    label_strips<Voting><<<strips, dim3(32, strip_lines), 0, work.stream>>>(image, place, table, votes);
  });
  work.phase("border merging", [&] {
    if (border_tiles != 0)
      merge_borders<Voting><<<border_tiles, 128, 0, work.stream>>>(image, place, table, votes, tiles);
  });
  if (votes_later || work.labels != nullptr)
    work.phase("transitive closure", [&] {
      close_heads<<<all_tiles, 128, 0, work.stream>>>(image, place, table, votes_later ? votes.to : feature_arrays{},
                                                      tiles);
    });
  if constexpr (votes_later)
    work.phase("features computation",
               [&] { vote_by_heads<Voting><<<all_tiles, 128, 0, work.stream>>>(image, place, table, votes, tiles); });
  if (work.labels != nullptr)
    work.phase("relabelling",
               [&] { relabel<<<all_tiles, 128, 0, work.stream>>>(image, place, table, work.labels, tiles); });
  answer.mark = [=, stream = work.stream](u32* is_component) {
    mark_roots<<<all_tiles, 128, 0, stream>>>(image, place, table, is_component, tiles);
  };
  return answer;
}

template <voting Voting>
device_answer solve_or_count(const device_task& work) {
  if (!work.features) return solve<voting::none, false>(work);
  return work.counting ? solve<Voting, true>(work) : solve<Voting, false>(work);
}

}  // namespace

device_answer ha(const device_task& work) { return solve_or_count<voting::later>(work); }
device_answer ha_on_the_fly(const device_task& work) { return solve_or_count<voting::on_the_fly>(work); }
device_answer ha_detecting(const device_task& work) { return solve_or_count<voting::detecting>(work); }

}  // namespace skerry::published
