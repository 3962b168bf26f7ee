// SPDX-License-Identifier: Apache-2.0
// A frame whose tiles all run at once, CUDA: the label image.
//
// Reads   components before each 32 pixels; labels of components that are rooted in other tiles
// Writes  the label image
// Method  a label takes the place of a root's word in shared memory, where each pixel finds it by way of its run
#pragma once
#include "label/cuda/resident/numbers.cuh"

namespace skerry::label_stages::on_device {

template <class Shape>
struct resident_labels {
  static constexpr int threads = Shape::group_words;
  const resident_block<Shape, no_features>& block;
  const resident_numbers<Shape, no_features>& numbers;
  const frame_target& to;
  const bool by_place;  // a label is 1 + the place of the first pixel

  /// In raster order.
  __device__ u32 place_of(const pixel_order& pixel) const {
    return pixel.y * static_cast<u32>(block.grid.width) + pixel.x;
  }

  /// Labels in place of links, at the roots of the tile; and for others those that are roots of the frame.
  __device__ void label_roots() const {
    for (typename Shape::word rest = block.roots; rest != 0; rest &= rest - 1) {
      const u32 run = block.own().at(static_cast<typename Shape::word>(rest & -rest)), link = block.parent.load(run);
      const u32 number = number_in(link), first = link & 0x1fff, node = block.first_node() + number;
      if (number < block.border && block.memory.root_node[number] != node) continue;
      const u32 label = (by_place ? place_of(block.in_frame(first)) : numbers.rank_of(first)) + 1;
      block.parent.store(run, settled | label);
      if (number < block.border) device_words{block.out.labels}.store(node, label);
    }
  }
  __device__ void label_others() const {
    for (u32 number = block.thread; number < block.border; number += threads) {
      const u32 root = block.memory.root_node[number];
      if (root == block.first_node() + number) continue;
      u32 label = 0;
      while (label == 0) label = device_words{block.out.labels}.load(root);
      block.parent.store(block.memory.border_run[number], settled | label);
    }
  }

  __device__ void write() const {
    switch (to.label_bytes) {
      case 1: return write_as<u8>();
      case 2: return write_as<u16>();
      case 4: return write_as<u32>();
      default: return write_as<u64>();
    }
  }
  template <class Label>
  __device__ void write_as() const {
    write_groups<Shape, threads>(
        block.grid, block.memory.tile, [&](u32 run) { return block.parent.load(block.root_of(run)) & ~settled; },
        block.at, to.labels_as<Label>());
  }
};

}  // namespace skerry::label_stages::on_device
