// SPDX-License-Identifier: Apache-2.0
#include "label/cuda/checks/check_job.hpp"

#include <string>

#include "core/adjacency.hpp"
#include "engine/image_checks.hpp"
#include "label/check.hpp"
#include "label/cuda/job_groups.hpp"

namespace skerry::cuda {
namespace {

bool is_batch(const label_job& work) {
  return work.image.size.rank == 3 && rank_of_connectivity(work.connectivity) == 2;
}

void check_numbering(const label_job& work) {
  if (work.numbering > numbering::first_pixel) refuse("numbering: unknown rule");
  if (work.labels.data == nullptr || work.numbering == numbering::consecutive) return;
  if (work.labels.type != dtype::u32 && work.labels.type != dtype::u64)
    refuse("labels: first_pixel numbers need uint32 or uint64");
  const extent& size = work.image.size;
  const std::int64_t pixels = is_batch(work) ? size.height * size.width : size.pixels();
  if (pixels >= 0xffffffff) refuse("image: first_pixel numbers of more than 2^32 - 2 pixels do not fit");
}

void check_packed(const packed_labels& packed) {
  if ((packed.bits == nullptr) != (packed.labels == nullptr))
    refuse(std::string("packed.") + (packed.bits == nullptr ? "bits" : "labels") +
           ": are null, but the others are not");
}

// Which rows of intensities there must be follows from the type of their image.
void check_intensities(const label_job& work) {
  const bool has_image = work.intensity_image.data != nullptr,
             reals = has_image && sums_reals(work.intensity_image.type);
  const bool given = work.intensities != nullptr, given_reals = work.real_intensities != nullptr;
  if (!has_image) {
    if (given || given_reals) refuse("intensity_image: has no data, but intensities are wanted");
    return;
  }
  const char *const right = reals ? "real_intensities" : "intensities", *const wrong =
                                                                            reals ? "intensities" : "real_intensities";
  if (reals ? given : given_reals)
    refuse(std::string(wrong) + ": are not for an intensity image of " + name_of(work.intensity_image.type) + ", " +
           right + " are");
  if (!(reals ? given_reals : given)) refuse(std::string(right) + ": are null, but there is an intensity image");
}

void check_rows(const label_job& work) {
  if (work.rows == nullptr) {
    if (work.row_capacity != 0) refuse("row_capacity: is given without rows");
    label_stages::each_job_group([&](auto, auto rows, const char* name) {
      if (work.*rows != nullptr) refuse(std::string(name) + ": are given without rows");
    });
  }
  check_intensities(work);
  if (work.rows != nullptr) check_features(work.image, {work.moments != nullptr, work.intensity_image});
}

}  // namespace

void check_job(const label_job& work) {
  // The frames of a batch have the extent of a volume.
  label_options options{is_batch(work) ? 6 : work.connectivity, work.foreground, work.selection};
  options.joining = work.joining;
  options.periodic = work.periodic;
  check_options(work.image, options);
  if (is_batch(work) && work.periodic.z) refuse("periodic: slices are frames of a batch, so z does not wrap around");
  if (work.packed.bits != nullptr && work.joining.kind != joining::rule::foreground)
    refuse("packed: has one label for neighbours of two values; ask for a label image or runs");
  check_numbering(work);
  check_packed(work.packed);
  check_rows(work);
  if (work.labels.data != nullptr) check_labels(work.image, work.labels, work.intensity_image);
  if (work.runs == nullptr && work.run_capacity != 0) refuse("run_capacity: is given without runs");
}

}  // namespace skerry::cuda
