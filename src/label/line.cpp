// SPDX-License-Identifier: Apache-2.0
#include "label/line.hpp"

#include "engine/line.hpp"

namespace skerry {

label_request request_in_plane(const label_request& asked) {
  label_request in_plane = asked;
  label_options& options = in_plane.options;
  in_plane.image = as_plane("image", asked.image);
  in_plane.features.intensity = as_plane_beside_line("intensity", asked.features.intensity);
  options.connectivity = connectivity_in_plane(asked.options.connectivity);
  if (options.periodic.z || options.periodic.y) refuse("periodic: an image of rank 1 has the axis x alone");
  if (options.selection.fill_holes) refuse("fill_holes: an image of rank 1 has no holes");
  // The only row is no border of a line, nor is one that wraps around.
  options.periodic.y = options.selection.clear_border;
  return in_plane;
}

label_outputs outputs_in_plane(const label_outputs& outputs) {
  label_outputs in_plane = outputs;
  in_plane.labels = as_plane_beside_line("labels", outputs.labels);
  if (outputs.labels_for)
    in_plane.labels_for = [&outputs](std::uint64_t count) {
      return as_plane_beside_line("labels", outputs.labels_for(count));
    };
  return in_plane;
}

}  // namespace skerry
