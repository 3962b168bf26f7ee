// SPDX-License-Identifier: Apache-2.0
#include "core/adjacency.hpp"
#include "core/packed_word.hpp"
#include "engine/cuda/memory_checks.hpp"
#include "label/cuda/checks/check_job.hpp"
#include "label/cuda/job_groups.hpp"

namespace skerry::cuda {

void check_memory(const label_job& work) {
  const bool batch = rank_of_connectivity(work.connectivity) == 2;
  const auto frames = static_cast<std::uint64_t>(batch ? work.image.size.depth : 1);
  check_pixels("image", work.image, access::read);
  check_pixels("labels", work.labels, access::written);
  const auto words = static_cast<std::uint64_t>(packed_words_for(work.image.size.width) * work.image.size.rows());
  check_array("packed.bits", work.packed.bits, words);
  check_array("packed.labels", work.packed.labels, most_stretches * words);
  check_pixels("intensity_image", work.intensity_image, access::read);
  check_array("offsets", work.offsets, frames + 1);
  label_stages::each_job_group(
      [&](auto, auto rows, const char* name) { check_array(name, work.*rows, work.row_capacity); });
  check_array("runs", work.runs, work.run_capacity);
  check_array("run_offsets", work.run_offsets, frames + 1);
  check_array("overflow", work.overflow, 1);
}

}  // namespace skerry::cuda
