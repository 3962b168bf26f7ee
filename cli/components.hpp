// SPDX-License-Identifier: Apache-2.0
// From a picture to its components: the calls into the library.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/component_filter.hpp"
#include "cli/options.hpp"
#include "cli/pictures.hpp"
#include "cli/profile.hpp"
#include "skerry/measure.hpp"

namespace skerry::cli {

struct components {
  std::uint64_t count = 0;              // over all frames
  std::uint64_t largest = 0;            // of one frame
  std::optional<double> otsu;           // of the last frame
  std::unique_ptr<std::byte[]> labels;  // of all frames, if wanted
  dtype label_type = dtype::u32;
  extent size;

  [[nodiscard]] image_view label_view() const { return {labels.get(), label_type, size}; }
  /// The labels of one frame of the picture.
  [[nodiscard]] mutable_image frame(const picture& from, std::int64_t index) const;
  /// Stores the labels in a smaller type that holds `largest`, in place.
  void narrow(dtype type);
};

struct measuring {
  bool moments = false;
  intensity_images under = {};
  std::vector<std::string> more;  // columns of measure_more()
  std::function<void(std::int64_t frame, const measured_columns&, const new_labels*)>
      take;  // nullptr: all rows are kept
};

/// Labels every frame of a picture, and measures it when `measure` is given.
///   label_type  of the label image; nothing for no label image
/// Throws what the library throws, with the picture's name in front.
[[nodiscard]] components find_components(engine& on, const picture& from, const job_options& options,
                                         std::optional<dtype> label_type, const measuring* measure, profile& times);

/// How a frame of that rank is labelled: all that the options say but the selection.
[[nodiscard]] label_options labelling_of(const job_options& options, const foreground& rule, int rank);

/// The connectivity that is chosen, or else that of all pixels that touch.
[[nodiscard]] int connectivity_of(const component_options& options, int rank);

/// The type that label images are first made in when the user leaves it open.
[[nodiscard]] dtype roomy_label_type(const picture& from);

/// Throws io::file_error when more labels than a type holds are left. The library refuses labels that do not fit; this is for
/// those that a condition has left.
void require_room(const std::string& name, std::uint64_t labels, dtype type);

/// The type that --labels-type names; nothing for auto.
[[nodiscard]] std::optional<dtype> chosen_label_type(const std::string& name);

/// "coins.png: 24 components"
[[nodiscard]] std::string counted(const std::string& name, std::uint64_t count, const std::string& noun);

/// ", otsu threshold 107", or nothing.
[[nodiscard]] std::string text_of_otsu(const std::optional<double>& threshold);

/// "coins.png: 24 components, otsu threshold 107"
[[nodiscard]] std::string summary(const picture& from, const components& found, const std::string& noun = "component");

/// Throws io::file_error when an image of intensities differs in size from the picture.
void check_intensity(const picture& from, const intensity_images& under);

}  // namespace skerry::cli
