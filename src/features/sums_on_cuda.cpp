// SPDX-License-Identifier: Apache-2.0
#include "features/sums_on_cuda.hpp"

#include <cassert>
#include <optional>

#include "engine/line.hpp"
#include "features/in_pieces.hpp"
#include "features/power_sums.hpp"
#include "regions/cuda/on_cuda.hpp"

namespace skerry::features {
namespace {

std::unique_ptr<feature_sums> powers_on_cuda(engine::state& on, const walk_job& job, const walked_group& of) {
  const region_frame& frame = job.frames[of.channel];
  std::unique_ptr<feature_sums> sums = of.group->start(frame);
  auto& powers = static_cast<power_sums&>(*sums);
  const std::vector<sums_anchor> anchors = powers.anchors({frame.size, frame.size, 0, 0, 0});
  std::vector<u64> found;
  image_view weights;
  if (of.group->reads_weights) weights = as_plane("intensity", job.channels[of.channel]);
  regions::add_powers_on_cuda(on, {job.labels, job.background, weights, powers.weight_bits(), powers.rank(), anchors},
                              found);
  each_in_pieces(on, frame.count(), [&](std::size_t begin, std::size_t end) { powers.take(found, begin, end); });
  finish(on, frame, powers);
  return sums;
}

}  // namespace

sums_of_groups sums_on_cuda(engine::state& on, const walk_job& job,
                            const std::vector<regions::plane_patterns>& patterns) {
  sums_of_groups sums;
  std::optional<regions::image_runs> runs;
  for (const walked_group& each : job.groups) {
    const feature_group& group = *each.group;
    if (group.has_power_sums) {
      sums.push_back(powers_on_cuda(on, job, each));
    } else if (group.of_plane != nullptr && job.labels.size.rank == 3) {
      sums.push_back(group.of_volume(regions::count_volume_patterns_on_cuda(on, job.labels, job.background)));
    } else if (group.of_plane != nullptr) {
      sums.push_back(group.of_plane(patterns));
    } else if (group.of_holes != nullptr) {
      sums.push_back(group.of_holes(regions::find_holes_on_cuda(on, job.labels, job.background)));
    } else {
      assert(group.needs_runs_alone());
      if (!runs) runs = regions::find_runs_on_cuda(on, job.labels, job.background);
      sums.push_back(sum_runs(on, job.frames[each.channel], group, *runs));
    }
  }
  return sums;
}

}  // namespace skerry::features
