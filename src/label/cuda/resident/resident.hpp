// SPDX-License-Identifier: Apache-2.0
// A frame whose tiles all run at once, CUDA: what the driver calls.
//
//   takes_resident_frame     whether the current device does a job in this way, and fastest so
//   label_resident_frame     one cooperative kernel, no allocation, no synchronisation
//
// Reads   bytes at any distance, or packed bits
// Writes  a label image, or rows of the table; offsets, overflow
// Needs   a device that runs the blocks of all tiles at once; less scratch than tiles that have their tables there
#pragma once
#include "engine/cuda/pieces.cuh"
#include "label/cuda/tiles/encode_source.cuh"

namespace skerry::label_stages::on_device {

/// `in_cluster`: whether one cluster could do it as well (small_frame/).
bool takes_resident_frame(const cuda::label_job& work, const any_source& source, int device, bool in_cluster);
void label_resident_frame(const cuda::label_job& work, const any_source& source, pieces scratch, cudaStream_t stream,
                          int device);

}  // namespace skerry::label_stages::on_device
