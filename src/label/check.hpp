// SPDX-License-Identifier: Apache-2.0
// Everything that a caller can get wrong, checked once, before any work. Each throws invalid_argument.
#pragma once
#include <cstddef>
#include <cstdint>

#include "skerry/label.hpp"
#include "skerry/measure.hpp"

namespace skerry {
namespace cuda {
struct job;
}

void check_input(const image_view& image, const label_options& options);
void check_labels(const image_view& image, const mutable_image& labels);
void check_features(const image_view& image, const measure_options& features);

// What the CUDA engine does not do.
void check_cuda_request(const image_view& image, const label_options& options, const measure_options& features,
                        bool runs);

// Arrays that the current device cannot reach, that end too early, or that lie askew. `bytes` of scratch are needed.
void check_job_memory(const cuda::job& work, const void* scratch, std::size_t bytes);

// Throws label_overflow when labels up to `count` do not fit.
void check_count(std::uint64_t count, dtype labels);

}  // namespace skerry
