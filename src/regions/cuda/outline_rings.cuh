// SPDX-License-Identifier: Apache-2.0
// Sides that follow each other as rings, and their vertices.
//
//   thread  a side, a node or a ring
//   grid    sides are joined and nodes marked; nodes walk to the next one; the first node of each ring is found in rounds, each of
//           which doubles how far a node sees; rings are sorted; nodes walk once more and write vertices
//
// Reads   components, and the bits of their sides
// Writes  the lists of an outline_table
// Method  [Wyllie1979] on some sides only, the *nodes*: all in every 16th row, and where a ring turns from up to down. Between two of
//         these it goes at most 15 rows down and as many up. The first side of a ring, at which it begins, is such a turn: no side
//         of the ring lies above
#pragma once
#include "engine/cuda/radix_sort.cuh"
#include "regions/cuda/outline_sides.cuh"
#include "skerry/outline.hpp"

namespace skerry::regions::on_device {

inline constexpr i32 rows_between_nodes = 16;
inline constexpr u32 most_rounds = 32;  // after which a node has seen 2^32 nodes

struct ring_work {
  component_image image;
  side_bits sides;
  u32 count;            // of sides
  side_place* places;   // of each side
  u32* next;            // of each side
  dense_numbers nodes;  // which sides are nodes
  bool keeps_all;       // corners between turns are vertices, too

  // Vertices from the end of a side to where the outline leaves that line, both included.
  [[nodiscard]] __device__ u32 vertices_at_end(const side_place& side, const side_place& after) const {
    const i64 dx = after.x() - side.x();
    if (keeps_all) return static_cast<u32>(dx < 0 ? -dx : dx) + 1;
    return dx != 0 ? 2 : 0;
  }
  // Calls visit(the place of a side, that of the next one) from a node to the last side before a node, which it returns.
  template <class Visit>
  __device__ u32 walk(u32 side, Visit visit) const {
    side_place place = places[side];
    do {
      const u32 following = next[side];
      const side_place after = places[following];
      visit(place, after);
      side = following, place = after;
    } while (!nodes.has(side));
    return side;
  }
};

// ---- nodes ----------------------------------------------------------------------------------------------------------

__global__ inline void join_sides_kernel(const ring_work work) {
  const outline_way way(work.image, work.sides);
  for (u64 k = u64{blockIdx.x} * blockDim.x + threadIdx.x; k < work.count; k += u64{gridDim.x} * blockDim.x) {
    const side_place side = work.places[k];
    const outline_way::step step = way.from(side);
    const u32 next = work.sides.number_of(step.to);
    work.next[k] = next;
    if (side.row % rows_between_nodes == 0) work.nodes.mark(k);
    if (side.goes_up() && !step.to.goes_up()) work.nodes.mark(step.turned_left ? next : k);
  }
}

// What a node knows of the stretch of its ring ahead of it.
struct ring_node {
  u32 next;      // the node behind them
  u32 vertices;  // on the way there
  u32 first;     // the smallest of them
  u32 ahead;     // vertices on the way to that
};

__global__ inline void list_nodes_kernel(const ring_work work, u32* sides_of_nodes) {
  for (u64 k = u64{blockIdx.x} * blockDim.x + threadIdx.x; k < work.count; k += u64{gridDim.x} * blockDim.x)
    if (work.nodes.has(k)) sides_of_nodes[work.nodes.row_of(k)] = static_cast<u32>(k);
}

struct node_lists {
  u32 count;
  u32* sides;           // of each node
  ring_node* steps;     // to the next node
  ring_node* found[2];  // after rounds: of round r in list r % 2
  u32* changed;         // of each round, whether a node found a smaller one
  u64* vertices;        // of all rings
  dense_numbers heads;  // nodes at which rings begin
  u32 rounds;           // that were made

  // The round after which each node knows the first node of its ring: one without changes, or the last one.
  [[nodiscard]] __device__ const ring_node* result() const {
    u32 round = 0;
    while (round + 1 < rounds && changed[round] != 0) ++round;
    return found[round % 2];
  }
};

__global__ inline void walk_to_nodes_kernel(const ring_work work, const node_lists nodes) {
  u64 all = 0;
  for (u64 k = u64{blockIdx.x} * blockDim.x + threadIdx.x; k < nodes.count; k += u64{gridDim.x} * blockDim.x) {
    u32 vertices = 0;
    const u32 last = work.walk(nodes.sides[k], [&](const side_place& side, const side_place& after) {
      vertices += work.vertices_at_end(side, after);
    });
    nodes.steps[k] = {work.nodes.row_of(last), vertices, static_cast<u32>(k), 0};
    all += vertices;
  }
  all = sum_up_to_thread(all);
  if (lane_of_thread() == 31 && all != 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(nodes.vertices), static_cast<unsigned long long>(all));
}

// If no node found a smaller one in a round, none will later: stretches that follow each other then have the same first node, all
// around the ring.
__global__ inline void look_ahead_kernel(const node_lists nodes, const u32 round) {
  if (round > 0 && nodes.changed[round - 1] == 0) return;
  const ring_node* const from = round == 0 ? nodes.steps : nodes.found[(round - 1) % 2];
  ring_node* const to = nodes.found[round % 2];
  bool changed = false;
  for (u64 k = u64{blockIdx.x} * blockDim.x + threadIdx.x; k < nodes.count; k += u64{gridDim.x} * blockDim.x) {
    ring_node own = from[k];
    const ring_node after = from[own.next];
    if (after.first < own.first) {
      own.first = after.first;
      own.ahead = own.vertices + after.ahead;
      changed = true;
    }
    own.next = after.next;
    own.vertices += after.vertices;
    to[k] = own;
  }
  if (__any_sync(~0u, changed) && lane_of_thread() == 0)
    atomic_ref<u32, sharing::device>(nodes.changed[round]).store(1, relaxed);
}

__global__ inline void mark_heads_kernel(const node_lists nodes) {
  const ring_node* const found = nodes.result();
  for (u64 k = u64{blockIdx.x} * blockDim.x + threadIdx.x; k < nodes.count; k += u64{gridDim.x} * blockDim.x)
    if (found[k].first == k) nodes.heads.mark(k);
}

// ---- rings ----------------------------------------------------------------------------------------------------------

struct ring_lists {
  u32 count;
  label_bits* labels;         // of each ring, in the order of their first sides; as kernels read them
  u32 *regions, *components;  // the rows of labels; and of what the ring is part
  u32* vertices;              // how many
  u32* sides;                 // the first one
  u64* begins;                // of its vertices
  u32 *keys[2], *order[2];    // of rings on their way to the order of the table
};

template <class Label>
__global__ void list_rings_kernel(const ring_work work, const node_lists nodes, const label_source labels,
                                  const ring_lists rings) {
  const ring_node* const found = nodes.result();
  for (u64 k = u64{blockIdx.x} * blockDim.x + threadIdx.x; k < nodes.count; k += u64{gridDim.x} * blockDim.x) {
    if (found[k].first != k) continue;
    const u32 ring = nodes.heads.row_of(k), side = nodes.sides[k];
    const side_place place = work.places[side];
    const i64 x = place.goes_up() ? place.x() : place.x() - 1;
    rings.labels[ring] = labels.at<Label>({0, place.row, x});
    rings.components[ring] = work.image.at(place.row, x);
    rings.vertices[ring] = nodes.steps[k].vertices + found[nodes.steps[k].next].ahead;
    rings.sides[ring] = side;
  }
}

__global__ inline void find_labels_of_rings_kernel(const ring_lists rings, const label_numbers numbers,
                                                   number_counts* counts) {
  for (u64 k = u64{blockIdx.x} * blockDim.x + threadIdx.x; k < rings.count; k += u64{gridDim.x} * blockDim.x)
    if (!numbers.add(rings.labels[k])) atomic_ref<u64, sharing::device>(counts->beyond).store(1, relaxed);
}

__global__ inline void number_regions_kernel(const ring_lists rings, const label_numbers numbers) {
  for (u64 k = u64{blockIdx.x} * blockDim.x + threadIdx.x; k < rings.count; k += u64{gridDim.x} * blockDim.x)
    rings.regions[k] = numbers.row_of(rings.labels[k]);
}

// Whether rings are not in the order of the table as they are.
__global__ inline void look_at_order_kernel(const ring_lists rings, u32* unsorted) {
  for (u64 k = u64{blockIdx.x} * blockDim.x + threadIdx.x; k < rings.count; k += u64{gridDim.x} * blockDim.x) {
    rings.order[0][k] = static_cast<u32>(k);
    if (k == 0) continue;
    const u32 before = rings.regions[k - 1], own = rings.regions[k];
    if (own < before || (own == before && rings.components[k] < rings.components[k - 1]))
      atomic_ref<u32, sharing::device>(*unsorted).store(1, relaxed);
  }
}

// Rings in an order, or as they are; by one of the numbers of each.
struct rings_by {
  const u32 *numbers, *order;
  template <class Place, u32 Items>
  __device__ void read(Place place, u32 (&key)[Items], u32 (&value)[Items]) const {
#pragma unroll
    for (u32 k = 0; k < Items; ++k) value[k] = order == nullptr ? static_cast<u32>(place(k)) : order[place(k)];
#pragma unroll
    for (u32 k = 0; k < Items; ++k) key[k] = numbers[value[k]];
  }
};

inline constexpr u32 adding_threads = digit_values, rings_of_adding_thread = 8;

// Where the vertices of each ring begin. By one block.
__global__ inline void __launch_bounds__(adding_threads)
    add_up_vertices_kernel(const ring_lists rings, const u32* order) {
  __shared__ u64 sums_of_warps[adding_threads / 32], of_block;
  u64 before_block = 0;
  for (u32 first = 0; first < rings.count; first += adding_threads * rings_of_adding_thread) {
    const u32 own_first = first + threadIdx.x * rings_of_adding_thread;
    u32 own[rings_of_adding_thread];
    u64 sum = 0;
#pragma unroll
    for (u32 k = 0; k < rings_of_adding_thread; ++k) {
      own[k] = own_first + k < rings.count ? order[own_first + k] : no_row;
      if (own[k] != no_row) sum += rings.vertices[own[k]];
    }
    u64 before = before_block + sum_of_threads_before(sum, sums_of_warps);
    if (threadIdx.x == adding_threads - 1) of_block = before + sum;
#pragma unroll
    for (u32 k = 0; k < rings_of_adding_thread; ++k) {
      if (own[k] == no_row) continue;
      rings.begins[own[k]] = before;
      before += rings.vertices[own[k]];
    }
    __syncthreads();
    before_block = of_block;
  }
}

// The lists of an outline_table, in device memory.
struct outline_lists {
  u64 regions, polygons, rings, vertices;  // how many
  label_bits* labels;
  i64 *region_offsets, *polygon_offsets, *ring_offsets;
  corner* corners;

  void lay_out(pieces& memory) {
    memory.take(labels, regions);
    memory.take(region_offsets, regions + 1);
    memory.take(polygon_offsets, polygons + 1);
    memory.take(ring_offsets, rings + 1);
    memory.take(corners, vertices);
  }
};

// Rings, by their places in the order of the table, that are the first of their polygons.
__global__ inline void mark_polygons_kernel(const ring_lists rings, const u32* order, const dense_numbers firsts) {
  for (u64 k = u64{blockIdx.x} * blockDim.x + threadIdx.x; k < rings.count; k += u64{gridDim.x} * blockDim.x)
    if (k == 0 || rings.components[order[k]] != rings.components[order[k - 1]]) firsts.mark(k);
}

__global__ inline void write_offsets_kernel(const ring_lists rings, const u32* order, const dense_numbers firsts,
                                            const outline_lists to) {
  for (u64 k = u64{blockIdx.x} * blockDim.x + threadIdx.x; k < rings.count; k += u64{gridDim.x} * blockDim.x) {
    const u32 ring = order[k], region = rings.regions[ring];
    to.ring_offsets[k] = static_cast<i64>(rings.begins[ring]);
    if (k == 0) {
      to.region_offsets[to.regions] = static_cast<i64>(to.polygons);
      to.polygon_offsets[to.polygons] = static_cast<i64>(to.rings);
      to.ring_offsets[to.rings] = static_cast<i64>(to.vertices);
    }
    if (!firsts.has(k)) continue;
    const u32 polygon = firsts.row_of(k);
    to.polygon_offsets[polygon] = static_cast<i64>(k);
    if (k == 0 || rings.regions[order[k - 1]] != region) to.region_offsets[region] = polygon;
  }
}

// A hole begins with the last vertex that its sides make: the end of the line before its first side.
__global__ inline void write_vertices_kernel(const ring_work work, const node_lists nodes, const ring_lists rings,
                                             corner* to) {
  const ring_node* const found = nodes.result();
  for (u64 k = u64{blockIdx.x} * blockDim.x + threadIdx.x; k < nodes.count; k += u64{gridDim.x} * blockDim.x) {
    const ring_node node = found[k];
    const u32 ring = nodes.heads.row_of(node.first), length = rings.vertices[ring];
    corner* const vertices = to + rings.begins[ring];
    const bool is_hole = !work.places[rings.sides[ring]].goes_up();
    u32 place = node.ahead == 0 ? 0 : length - node.ahead;
    if (is_hole) ++place;
    const auto add = [&](i64 x, i64 y) {
      vertices[place == length ? 0 : place] = {static_cast<i32>(x), static_cast<i32>(y)};
      ++place;
    };
    work.walk(nodes.sides[k], [&](const side_place& side, const side_place& after) {
      const i64 from = side.x(), end = after.x(), y = side.line(), step = end < from ? -1 : 1;
      if (work.keeps_all) {
        for (i64 x = from; x != end; x += step) add(x, y);
        add(end, y);
      } else if (from != end) {
        add(from, y);
        add(end, y);
      }
    });
  }
}

}  // namespace skerry::regions::on_device
