// SPDX-License-Identifier: Apache-2.0
// FLSL+CD of volumes, which the conclusion of its paper announces: whole runs of a line as segments, a warp for each line of
// each plane. The phases are those of flsl.cu.
//
//   segment detection     as in planes: lines of all planes follow each other
//   unification           segments touch others in up to four lines before: that above, and three of the plane before
//   transitive closure, features computation, relabelling
//
// Method  [Lemaitre2021], FLSL with conflict detection, for 6, 18 and 26 neighbours
#include "core/adjacency.hpp"
#include "published/cuda/methods.hpp"
#include "published/cuda/segments.cuh"
#include "published/cuda/volume_features.cuh"

namespace skerry::published {
namespace {

template <class Places, bool Aligned>
__global__ void __launch_bounds__(32 * lines, 16) detect_segments(segment_tables<Places> tables) {
  __shared__ Places staged[lines][stretch];
  if (const u32 line = this_line(); line < tables.image.height)
    detect_line<Places, Aligned>(tables, line, threadIdx.x, staged[threadIdx.y]);
}

// Lines are numbered from plane to plane.
struct volume_lines {
  u32 height;  // of a plane

  [[nodiscard]] __device__ u32 z(u32 line) const { return line / height; }
  [[nodiscard]] __device__ u32 y(u32 line) const { return line % height; }
};

// Calls with each label before a segment that it touches, those of the nearest line first.
template <int Connectivity, class Places, class Work>
__device__ void each_touched(const segment_tables<Places>& tables, volume_lines in, u32 line, u32 segment, Work work) {
  constexpr int axes = axes_of(Connectivity);
  constexpr int before[4][2] = {{0, -1}, {-1, 0}, {-1, -1}, {-1, 1}};
  u32 begin, end;
  tables.bounds(line, segment, begin, end);
  const u32 z = in.z(line), y = in.y(line), width = tables.image.width;
#pragma unroll
  for (const auto& [dz, dy] : before) {
    const int reach = reach_of(axes, dz, dy);
    const bool is_inside = (dz == 0 || z > 0) && (dy >= 0 || y > 0) && (dy <= 0 || y + 1 < in.height);
    if (reach < 0 || !is_inside) continue;
    const u32 other = line + static_cast<u32>(dy) + static_cast<u32>(dz) * in.height;
    const u32 first_x = begin - (reach > 0 && begin > 0), last_x = end - 1 + (reach > 0 && end < width);
    const u32 last = (tables.er_at(other, last_x) + 1) / 2;
    for (u32 s = tables.er_at(other, first_x) / 2; s < last; ++s) work(tables.label(other, s));
  }
}

template <int Connectivity, class Places>
__global__ void __launch_bounds__(32 * lines)
    hang_segments(segment_tables<Places> tables, volume_lines in, label_table table) {
  const u32 line = this_line();
  if (line >= tables.image.height) return;
  const u32 segments = tables.segments(line);
  for (u32 s = threadIdx.x; s < segments; s += 32) {
    const u32 label = tables.label(line, s);
    u32 parent = label;
    each_touched<Connectivity>(tables, in, line, s, [&](u32 other) {
      if (parent == label) parent = other;
    });
    table.parents[label] = parent;
  }
}

template <int Connectivity, class Places>
__global__ void __launch_bounds__(32 * lines)
    merge_segments(segment_tables<Places> tables, volume_lines in, label_table table) {
  const u32 line = this_line();
  if (line >= tables.image.height) return;
  const u32 segments = tables.segments(line);
  for (u32 s0 = 0; s0 < segments; s0 += 32) {
    const u32 s = s0 + threadIdx.x, label = tables.label(line, s);
    bool has_parent = false;
    if (s < segments) {
      table.close(label);
      each_touched<Connectivity>(tables, in, line, s, [&](u32 other) {
        if (has_parent) table.merge(label, other);
        has_parent = true;
      });
    }
    __syncwarp();
  }
}

template <class Places>
__global__ void __launch_bounds__(32 * lines)
    close_segments(segment_tables<Places> tables, volume_lines in, label_table table, volume_features features) {
  const u32 line = this_line();
  if (line >= tables.image.height) return;
  const u32 segments = tables.segments(line);
  for (u32 s0 = 0; s0 < segments; s0 += 32) {
    const u32 s = s0 + threadIdx.x, label = tables.label(line, s);
    const bool is_root = s < segments && table.close(label) == label;
    __syncwarp();
    if (!is_root || features.area == nullptr) continue;
    u32 begin, end;
    tables.bounds(line, s, begin, end);
    features.set(label, in.z(line), in.y(line), begin, end);
  }
}

template <class Places>
__global__ void __launch_bounds__(32 * lines)
    vote_by_segments(segment_tables<Places> tables, volume_lines in, const u32* roots, volume_features features) {
  const u32 line = this_line();
  if (line >= tables.image.height) return;
  const u32 segments = tables.segments(line);
  for (u32 s0 = 0; s0 < segments; s0 += 32) {
    const u32 s = s0 + threadIdx.x, label = tables.label(line, s);
    const u32 root = s < segments ? roots[label] : label;
    const u32 mask = __ballot_sync(~0u, root != label);
    if (root == label) continue;
    u32 begin, end;
    tables.bounds(line, s, begin, end);
    features.cast_detecting(mask, root, in.z(line), in.y(line), begin, end);
  }
}

template <class = void>
__global__ void write_rows(volume_features features, u64 slots, const u32* is_component, const u32* ranks,
                           geometry* rows) {
  const u64 slot = u64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (slot < slots && is_component[slot] != 0) rows[ranks[slot]] = features.row(static_cast<u32>(slot));
}

template <int Connectivity, class Places>
device_answer solve(const device_task& work) {
  const segment_tables<Places> tables = tables_of<Places>(work);
  const volume_lines in{work.image.height / work.planes};
  const u64 labels = u64{tables.label_pitch} * work.image.height;
  const label_table table{work.memory.take<u32>(labels, "the equivalences")};
  const cudaStream_t stream = work.stream;
  volume_features features;
  device_answer answer{.label_slots = labels};
  if (work.features) {
    features = volume_features::in(work.memory, labels);
    answer.slots = labels;
    answer.arrays = features.arrays(labels);
    answer.write_rows = [=](const u32* is_component, const u32* ranks, geometry* rows) {
      write_rows<><<<blocks_of(labels, usual_threads), usual_threads, 0, stream>>>(features, labels, is_component, ranks, rows);
      check_cuda(cudaGetLastError(), "features");
    };
  }
  const dim3 block(32, lines);
  const u32 blocks = blocks_of(work.image.height, lines);
  work.phase("segment detection", [&] {
    if (is_for_vectors(work.image)) detect_segments<Places, true><<<blocks, block, 0, stream>>>(tables);
    else detect_segments<Places, false><<<blocks, block, 0, stream>>>(tables);
  });
  work.phase("unification", [&] {
    hang_segments<Connectivity><<<blocks, block, 0, stream>>>(tables, in, table);
    merge_segments<Connectivity><<<blocks, block, 0, stream>>>(tables, in, table);
  });
  work.phase("transitive closure",
             [&] { close_segments<<<blocks, block, 0, stream>>>(tables, in, table, features); });
  if (work.features)
    work.phase("features computation",
               [&] { vote_by_segments<<<blocks, block, 0, stream>>>(tables, in, table.parents, features); });
  if (work.labels != nullptr)
    work.phase("relabelling", [&] { relabel<<<blocks, block, 0, stream>>>(tables, table.parents, work.labels); });
  answer.mark = [=](u32* is_component) {
    mark_roots<<<blocks, block, 0, stream>>>(tables, table.parents, is_component);
  };
  return answer;
}

template <int Connectivity>
device_answer solve_for_width(const device_task& work) {
  return work.image.width <= 0xffff ? solve<Connectivity, u16>(work) : solve<Connectivity, u32>(work);
}

}  // namespace

device_answer flsl_volumes(const device_task& work) {
  if (work.connectivity == 6) return solve_for_width<6>(work);
  return work.connectivity == 18 ? solve_for_width<18>(work) : solve_for_width<26>(work);
}

}  // namespace skerry::published
