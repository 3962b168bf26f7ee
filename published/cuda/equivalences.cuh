// SPDX-License-Identifier: Apache-2.0
// Equivalences of labels on the GPU: a table T with T[e] <= e, where a root is its own parent, so that the root of a
// component is its least label whoever came first.
//
// Method  merging by atomicMin: Komura, enhanced by Playne and Hawick, as printed in [Lemaitre2021], algorithm 5
#pragma once
#include "core/union_find.hpp"
#include "engine/cuda/shared_words.cuh"

namespace skerry::published {

struct label_table {
  u32* parents = nullptr;

  __device__ u32 parent(u32 e) const { return device_words{parents}.load(e); }
  __device__ void set(u32 e, u32 parent) const { device_words{parents}.store(e, parent); }
  // Each label on the way gets its grandparent for a parent: the text has no such step, but where all lines of an image
  // are merged at the same time, chains grow as long as components are high. An older ancestor that is stored over a
  // newer one only costs time while labels are merged: every ancestor is a valid parent, and only roots are hooked.
  __device__ u32 find(u32 e) const { return find(e, parent(e)); }
  // The same when the parent is known.
  __device__ u32 find(u32 e, u32 above) const {
    return find_root<shortening::splitting>(device_words{parents}, e, above);
  }
  __device__ void merge(u32 e1, u32 e2) const {
    const u32 above_e1 = parent(e1), above_e2 = parent(e2);  // neither waits for the other
    e1 = find(e1, above_e1);
    e2 = find(e2, above_e2);
    while (e1 != e2) {
      if (e2 < e1) {
        const u32 larger = e1;
        e1 = e2;
        e2 = larger;
      }
      const u32 e = atomicMin(parents + e2, e1);
      if (e == e2) return;
      e2 = e;  // another thread has hooked it: its root and e1 are still to be merged
    }
  }
  // The root, which becomes the parent of e. Each step is stored, so that chains that many threads walk at the same time
  // get shorter for all of them; a thread stores its own link only.
  __device__ u32 close(u32 e) const {
    const u32 above = parent(e);
    return above == e ? e : link_to_root(device_words{parents}, e, above);
  }
};

}  // namespace skerry::published
