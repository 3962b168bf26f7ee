// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "track/cuda_track_film.hpp"

namespace skerry::bench {

struct cuda_track_options {
  bool quick = false;
  double seconds = 4;  // of the paced stream
};

/// Single frames at a rate, and as many as the stream takes: 200 objects.
void bench_streams(engine& on, const cuda_track_options& how);
/// 8000 frames of 1024² per second.
void bench_long_stream(engine& on, const cuda_track_options& how);
/// Films of bubbles and noise, with and without remembered ids.
void bench_bubbles(engine& on, const cuda_track_options& how);
/// Every way of publishing, for many sizes and numbers of objects.
void bench_policies(engine& on, const cuda_track_options& how);

}  // namespace skerry::bench
