// SPDX-License-Identifier: Apache-2.0
// Ids of the components of a frame, CUDA: what inherit.cpp does where no ids are remembered.
//
//   thread  links; in the last two kernels a component, or a carrier in the order of ids
//   block   1024 of these: what it has is counted first, so that its places follow from the counts of the blocks before
//   grid    a kernel for each step, which needs the whole one before
//
// Reads   link_list, rows of the table, carried ids of the frame before
// Writes  objects, events, carried ids, id_counts
// Needs   frames in order: each begins when the one before has ended; only enqueue_clear() may come earlier
// Method  A choice is replaced by any that is better. The order of links is total, so the result does not depend on that of the threads.
#pragma once
#include "engine/cuda/warp.cuh"
#include "track/count_links.cuh"
#include "track/id_chain.cuh"

namespace skerry::track_steps {

// What the choice of a frame reads and writes. In device memory, but for the number of the frame.
struct id_choice {
  const u64* offsets;  // the second one is the number of components
  const geometry* rows;
  u64 row_capacity;
  link_list links;
  link_rule rule;
  id_chain chain;
  id_lists lists;
  const u64* frame;  // its number, in memory of the host

  void enqueue_clear(cudaStream_t stream) const;
  void enqueue(cudaStream_t stream) const;

#ifdef __CUDACC__
  __device__ id_counts& counts() const { return *lists.counts; }
  __device__ u32 count() const { return static_cast<u32>(offsets[1]); }
  __device__ bool fits() const { return offsets[1] <= row_capacity && *links.count <= links.capacity; }
  __device__ u32 component_of(u32 number) const { return static_cast<u32>(links.pairs[links.taken[number]] >> 32) - 1; }
  __device__ u32 carrier_of(u32 number) const { return static_cast<u32>(links.pairs[links.taken[number]]) - 1; }
  __device__ u32 area_of(u32 component) const { return static_cast<u32>(rows[component].area); }

  // False when the link is too weak.
  __device__ bool read(u32 number, const carrier* carriers, link& found) const {
    const u32 place = links.taken[number];
    const u64 pair = links.pairs[place];
    found = {static_cast<u32>(pair >> 32) - 1, static_cast<u32>(pair) - 1, links.overlaps[place], 1};
    if (rule.takes_all()) return true;
    return rule.weigh(found, area_of(found.component), carriers[found.carrier].area);
  }
  template <class Visit>
  __device__ void each_link(const carrier* carriers, u32 blocks, Visit visit) const {
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < *links.count; i += blocks * blockDim.x)
      if (link found; read(i, carriers, found)) visit(i, found);
  }

  // From the first kernel on:
  __device__ bool is_choosing() const { return counts().is_choosing != 0; }
  __device__ const id_side& before() const { return chain.state->sides[counts().side]; }
  __device__ const carrier* carriers() const { return chain.carriers[counts().side]; }
  // From the second one on: components without an id of the frame before, and whether there are ids for them.
  __device__ u32 news() const { return count() - counts().kept; }
  __device__ bool has_ids() const {
    const u32 next = before().next_id;
    return news() <= (next == 0 ? 0 : (u64{1} << 32) - next);
  }
#endif
};

#ifdef __CUDACC__

inline constexpr u32 link_threads = 256, link_blocks = 128;

__global__ __launch_bounds__(link_threads) inline void clear_ids_kernel(const __grid_constant__ id_choice of) {
  const u32 first = blockIdx.x * link_threads + threadIdx.x, step = gridDim.x * link_threads;
  if (first == 0) of.counts() = {.frame = *of.frame};
  for (u64 i = first; i < of.row_capacity; i += step)
    of.lists.of_carrier[i] = of.lists.of_component[i] = of.lists.of_parent[i] = no_link;
}

// Puts a link in the place of a worse one. True when there was none.
template <class Better>
__device__ bool replace_worse(u32* links, u32 place, u32 own, Better is_better_than) {
  const device_words words{links};
  u32 seen = words.load(place);
  while (seen == no_link || is_better_than(seen)) {
    const u32 old = words.exchange_if(place, seen, own);
    if (old == seen) return seen == no_link;
    seen = old;
  }
  return false;
}

// Each carrier chooses a component.
__global__ __launch_bounds__(link_threads) inline void choose_components_kernel(const __grid_constant__ id_choice of) {
  id_state& state = *of.chain.state;
  const bool is_choosing = of.fits() && state.is_lost == 0;
  const u32 side = state.turn;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    of.counts().is_choosing = is_choosing ? 1 : 0;
    of.counts().side = side;
    of.counts().carriers = state.sides[side].count;
    if (!of.fits()) state.is_lost = 1;
  }
  if (!is_choosing) return;
  const carrier* const carriers = of.chain.carriers[side];
  of.each_link(carriers, gridDim.x, [&](u32 number, const link& own) {
    const bool first = replace_worse(of.lists.of_carrier, own.carrier, number, [&](u32 other) {
      link seen;
      (void)of.read(other, carriers, seen);
      return carrier_prefers(own, of.area_of(own.component), seen, of.area_of(seen.component));
    });
    if (first) atomicAdd(&of.counts().linked, 1);
  });
}

__device__ inline void replace_worse_carrier(const id_choice& of, u32* links, u32 number, const link& own,
                                             u32* firsts) {
  const carrier* const carriers = of.carriers();
  const bool first = replace_worse(links, own.component, number, [&](u32 other) {
    link seen;
    (void)of.read(other, carriers, seen);
    return component_prefers(own, carriers[own.carrier].id, seen, carriers[seen.carrier].id);
  });
  if (first) atomicAdd(firsts, 1);
}

// Each component keeps one of the carriers that chose it.
__global__ __launch_bounds__(link_threads) inline void keep_carriers_kernel(const __grid_constant__ id_choice of) {
  if (!of.is_choosing()) return;
  of.each_link(of.carriers(), gridDim.x, [&](u32 number, const link& own) {
    if (of.lists.of_carrier[own.carrier] == number)
      replace_worse_carrier(of, of.lists.of_component, number, own, &of.counts().kept);
  });
}

// What becomes of a carrier.
struct carrier_fate {
  u32 number;     // of the carrier
  u32 component;  // that it has chosen, if it did not die
  bool lasts, merges;

  __device__ carrier_fate(const id_choice& of, u32 place) {
    number = of.chain.order[of.counts().side][place];
    const u32 chosen = of.lists.of_carrier[number];
    component = chosen == no_link ? 0 : of.component_of(chosen);
    lasts = chosen != no_link && of.lists.of_component[component] == chosen;
    merges = chosen != no_link && !lasts;
  }
};

// What a block of 1024 components or carriers has: components first.
struct id_block {
  bool of_components;
  u32 number, item;  // item: of this thread
  u32 items;         // of all blocks of this kind
  bool has_item;

  __device__ id_block(const id_choice& of, u32 first, u32 blocks_of_a_kind) {
    const u32 block = blockIdx.x - first;
    of_components = block < blocks_of_a_kind;
    number = of_components ? block : block - blocks_of_a_kind;
    item = number * id_lists::items + threadIdx.x;
    items = of_components ? of.count() : of.counts().carriers;
    has_item = item < items;
  }
  [[nodiscard]] __device__ bool is_empty() const { return number * id_lists::items >= items; }
};

// The first blocks find the parents of components without an id, the others count what blocks of the next kernel will write.
__global__ __launch_bounds__(id_lists::items) inline void find_parents_kernel(const __grid_constant__ id_choice of,
                                                                              u32 blocks_of_a_kind) {
  if (!of.is_choosing()) return;
  const u32 blocks_of_links = gridDim.x - 2 * blocks_of_a_kind;
  if (blockIdx.x < blocks_of_links) {
    of.each_link(of.carriers(), blocks_of_links, [&](u32 number, const link& own) {
      if (of.lists.of_component[own.component] == no_link)
        replace_worse_carrier(of, of.lists.of_parent, number, own, &of.counts().parents);
    });
    return;
  }
  const id_block block(of, blocks_of_links, blocks_of_a_kind);
  if (block.is_empty()) return;
  if (block.of_components) {
    const int news = __syncthreads_count(block.has_item && of.lists.of_component[block.item] == no_link);
    if (threadIdx.x == 0) of.lists.news[block.number] = static_cast<u32>(news);
    return;
  }
  bool lasts = false, merges = false;
  if (block.has_item) {
    const carrier_fate fate(of, block.item);
    lasts = fate.lasts, merges = fate.merges;
  }
  const int lasting = __syncthreads_count(lasts), merging = __syncthreads_count(merges);
  if (threadIdx.x == 0) {
    of.lists.lasting[block.number] = static_cast<u32>(lasting);
    of.lists.merging[block.number] = static_cast<u32>(merging);
  }
}

// How many come before this thread, in its block and in those before. By all threads.
__device__ inline u32 count_before_thread(bool own, const u32* counts, u32 block, u32* scratch) {
  u32 some = 0, all = 0;
  for (u32 b = threadIdx.x; b < block; b += id_lists::items) some += counts[b];
  (void)sum_before_thread<id_lists::items>(some, scratch, all);
  __syncthreads();
  u32 of_block = 0;
  const u32 before = sum_before_thread<id_lists::items>(own ? 1 : 0, scratch, of_block);
  __syncthreads();
  return all + before;
}

__device__ inline event_words words_of_event(track_event_kind kind, u32 id, u32 other) {
  return {static_cast<u32>(kind), id, other};
}

// An id for a component, and the event that gave it one.
__device__ inline void name_component(const id_choice& of, u32 c, u32 rank) {
  const u32 next = 1 - of.counts().side, kept = of.lists.of_component[c];
  carrier own;
  u32 parent = 0;
  auto event = track_event_kind::continuation;
  if (kept != no_link) {
    own = of.carriers()[of.carrier_of(kept)];
  } else {
    const u32 link_to_parent = of.lists.of_parent[c];
    if (link_to_parent != no_link) parent = of.carriers()[of.carrier_of(link_to_parent)].id;
    own = {of.before().next_id + rank, 0, of.counts().frame};
    event = parent != 0 ? track_event_kind::split : track_event_kind::birth;
    of.lists.events[rank] = words_of_event(event, own.id, parent);
    of.chain.order[next][of.counts().kept + rank] = c;
  }
  own.area = of.rule.asks_for_areas() ? of.area_of(c) : 0;
  of.chain.carriers[next][c] = own;
  of.lists.objects[c] = {own.id | u64{parent} << 32, own.born, static_cast<u64>(event)};
}

// The place of a carrier among those that go on, or the event that ends it.
__device__ inline void end_or_keep(const id_choice& of, const carrier_fate& fate, u32 place, u32 lasting, u32 merging) {
  if (fate.lasts) {
    of.chain.order[1 - of.counts().side][lasting] = fate.component;
    return;
  }
  const u32 id = of.carriers()[fate.number].id, all_merging = of.counts().linked - of.counts().kept;
  if (fate.merges) {
    const u32 stays = of.carriers()[of.carrier_of(of.lists.of_component[fate.component])].id;
    of.lists.events[of.news() + merging] = words_of_event(track_event_kind::merge, id, stays);
  } else {
    of.lists.events[of.news() + all_merging + (place - lasting - merging)] =
        words_of_event(track_event_kind::death, id, 0);
  }
}

// By one thread.
__device__ inline void end_choice(const id_choice& of) {
  id_state& state = *of.chain.state;
  const u32 next = 1 - of.counts().side, next_id = of.before().next_id;
  state.sides[next] = {of.count(), next_id + of.news(), next_id == 0 ? ~0u : next_id};
  state.turn = next;
  of.counts().is_chosen = 1;
}

__global__ __launch_bounds__(id_lists::items) inline void name_ids_kernel(const __grid_constant__ id_choice of,
                                                                          u32 blocks_of_a_kind) {
  __shared__ u32 scratch[id_lists::items / 32];
  if (!of.is_choosing()) return;
  const bool first = blockIdx.x == 0 && threadIdx.x == 0;
  if (!of.has_ids()) {
    if (first) of.chain.state->is_lost = 1;
    return;
  }
  if (first) end_choice(of);
  const id_block block(of, 0, blocks_of_a_kind);
  if (block.is_empty()) return;
  if (block.of_components) {
    const bool is_new = block.has_item && of.lists.of_component[block.item] == no_link;
    const u32 rank = count_before_thread(is_new, of.lists.news, block.number, scratch);
    if (block.has_item) name_component(of, block.item, rank);
    return;
  }
  const carrier_fate fate(of, min(block.item, block.items - 1));
  const u32 lasting = count_before_thread(block.has_item && fate.lasts, of.lists.lasting, block.number, scratch);
  const u32 merging = count_before_thread(block.has_item && fate.merges, of.lists.merging, block.number, scratch);
  if (block.has_item) end_or_keep(of, fate, block.item, lasting, merging);
}

inline void id_choice::enqueue_clear(cudaStream_t stream) const {
  clear_ids_kernel<<<link_blocks, link_threads, 0, stream>>>(*this);
  check_cuda(cudaGetLastError(), "inherit");
}

inline void id_choice::enqueue(cudaStream_t stream) const {
  const u32 blocks = id_lists::blocks_for(row_capacity), blocks_of_links = link_blocks * link_threads / id_lists::items;
  choose_components_kernel<<<link_blocks, link_threads, 0, stream>>>(*this);
  keep_carriers_kernel<<<link_blocks, link_threads, 0, stream>>>(*this);
  find_parents_kernel<<<blocks_of_links + 2 * blocks, id_lists::items, 0, stream>>>(*this, blocks);
  name_ids_kernel<<<2 * blocks, id_lists::items, 0, stream>>>(*this, blocks);
  check_cuda(cudaGetLastError(), "inherit");
}

#endif

}  // namespace skerry::track_steps
