// SPDX-License-Identifier: Apache-2.0
// A small frame by its pixels, CUDA: what the driver calls.
//
//   takes_frame_by_pixel     whether the current device does a job in this way
//   label_frame_by_pixel     one kernel, no allocation, no synchronisation
//   lay_out_frame_by_pixel   its scratch, of a job that may be done so
//
// Reads   bytes at any distance, or packed bits
// Writes  a label image, rows of the table, or both; offsets, overflow
// Needs   a device that runs the blocks of all tiles at once
#pragma once
#include "engine/cuda/pieces.cuh"
#include "label/cuda/tiles/encode_source.cuh"

namespace skerry::label_stages::on_device {

void lay_out_frame_by_pixel(pieces& scratch, const cuda::label_job& work);
bool takes_frame_by_pixel(const cuda::label_job& work, const any_source& source, int device);
void label_frame_by_pixel(const cuda::label_job& work, const any_source& source, pieces scratch, cudaStream_t stream,
                          int device);

}  // namespace skerry::label_stages::on_device
